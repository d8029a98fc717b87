// SPDX-License-Identifier: BSD-2-Clause
// What a flame graph does in a browser: hover, zoom, search, and fill the window; part of
// every SVG that flamegraph.c writes.
//
// A frame is a <g data-at data-count> with a <title>, whose first line is the frame's name
// and whose second is its numbers, a <rect> and, where there is room, a <text>. Frames
// come after the frame that they are on. Names are only ever read from the document's
// text and written there as text.
(function () {
    "use strict";

    const svg = document.currentScript.parentNode;
    const find = (name) => svg.querySelector("." + name);
    const holder = find("frames");
    const reset = find("reset");
    const details = find("details");
    const matched = find("matched");
    const height = Number(svg.getAttribute("height"));
    const fontSize = Number(holder.getAttribute("font-size"));
    const byGroup = new Map();
    const frames = [];
    let zoomed = 0;
    let pattern = "";

    for (const group of svg.querySelectorAll(".frames > g")) {
        const [name, numbers] = group.querySelector("title").textContent.split("\n");
        const start = Number(group.getAttribute("data-at"));

        byGroup.set(group, frames.length);
        frames.push({
            group, name, numbers, start,
            end: start + Number(group.getAttribute("data-count")),
            rect: group.querySelector("rect"),
            label: group.querySelector("text"),
        });
    }
    if (frames.length === 0)
        return;

    const margin = Number(frames[0].rect.getAttribute("x"));
    const cell = measureCell();
    let width = Number(svg.getAttribute("width"));

    // The width of a character, all of which are equally wide, or twice that.
    function measureCell() {
        const text = document.createElementNS(svg.namespaceURI, "text");

        text.textContent = "0".repeat(100);
        holder.appendChild(text);
        const size = text.getComputedTextLength() / 100;
        holder.removeChild(text);
        return size > 0 ? size : 0.6 * fontSize;
    }

    // As much of a name as fits, with an ellipsis if that is not all, or nothing.
    function shorten(name, room) {
        const cells = (c) => (c.codePointAt(0) >= 0x1000 ? 2 : 1);
        const limit = Math.floor(room / cell);
        let used = 0;
        let cut = "";

        if (limit < 3)
            return "";
        for (const c of name) {
            used += cells(c);
            if (used < limit)
                cut += c;
            else if (used > limit)
                return cut + "\u2026";
        }
        return name;
    }

    function place(frame, x, size) {
        const label = shorten(frame.name, size - fontSize / 2);

        frame.rect.setAttribute("x", x);
        frame.rect.setAttribute("width", size);
        if (frame.label === null && label !== "") {
            frame.label = document.createElementNS(svg.namespaceURI, "text");
            frame.label.setAttribute(
                "y", Number(frame.rect.getAttribute("y")) + Number(holder.dataset.baseline));
            frame.group.appendChild(frame.label);
        }
        if (frame.label !== null) {
            frame.label.setAttribute("x", x + fontSize / 4);
            frame.label.textContent = label;
        }
    }

    // Puts every frame where it belongs when `frames[zoomed]` is as wide as the picture:
    // so are the frames that it stands on, and what stands beside it is hidden. What comes
    // before it starts no later, and what comes after it no earlier.
    function layOut() {
        const target = frames[zoomed];
        const inner = width - 2 * margin;
        const scale = inner / (target.end - target.start);

        frames.forEach((frame, i) => {
            const around = i < zoomed && frame.end >= target.end;
            const inside = i >= zoomed && frame.end <= target.end;

            frame.group.style.display = around || inside ? "" : "none";
            frame.group.classList.toggle("around", around);
            if (around)
                place(frame, margin, inner);
            else if (inside)
                place(frame, margin + (frame.start - target.start) * scale,
                      (frame.end - frame.start) * scale);
        });
        svg.classList.toggle("zoomed", zoomed > 0);
    }

    function zoom(i) {
        zoomed = i;
        layOut();
    }

    // Marks the frames whose names match. Samples in a match that stands on another match
    // are counted once.
    function search(source) {
        let test = () => false;
        let sum = 0;
        let end = 0;

        if (source !== "") {
            try {
                const anyCase = source === source.toLowerCase();
                const expression = new RegExp(source, anyCase ? "i" : "");

                test = (name) => expression.test(name);
            } catch (error) {
                matched.textContent = "Not a regular expression: " + source;
                return;
            }
        }
        pattern = source;
        frames.forEach((frame, i) => {
            const hit = i > 0 && test(frame.name);

            frame.group.classList.toggle("match", hit);
            if (hit && frame.start >= end) {
                sum += frame.end - frame.start;
                end = frame.end;
            }
        });
        const share = (100 * sum / frames[0].end).toFixed(2);
        matched.textContent = source === "" ? "" : "Matched: " + share + " %";
    }

    function ask() {
        const answer = window.prompt("Search for a regular expression:", pattern);

        if (answer !== null)
            search(answer);
    }

    function frameAt(element) {
        while (element && !byGroup.has(element))
            element = element.parentNode;
        return element ? byGroup.get(element) : -1;
    }

    function fillWindow() {
        svg.setAttribute("width", "100%");
        width = Math.max(svg.getBoundingClientRect().width, 20 * margin);
        svg.setAttribute("viewBox", "0 0 " + width + " " + height);
        layOut();
    }

    // What a control does on a click, and on the keys that press a button.
    function control(element, act) {
        element.addEventListener("click", act);
        element.addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                act();
            }
        });
    }

    holder.addEventListener("click", (event) => {
        const i = frameAt(event.target);

        if (i >= 0)
            zoom(i);
    });
    // The name is shut off, so that marks in it that turn text around end with it.
    holder.addEventListener("mouseover", (event) => {
        const i = frameAt(event.target);

        if (i >= 0)
            details.textContent = "\u2068" + frames[i].name + "\u2069: " + frames[i].numbers;
    });
    holder.addEventListener("mouseout", () => {
        details.textContent = "";
    });
    window.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
            event.preventDefault();
            ask();
        } else if (event.key === "Escape") {
            if (matched.textContent !== "")
                search("");
            else
                zoom(0);
        }
    });
    control(reset, () => zoom(0));
    control(find("search"), ask);
    svg.classList.add("live");
    if (svg.hasAttribute("data-fluid")) {
        window.addEventListener("resize", fillWindow);
        fillWindow();
    }
})();

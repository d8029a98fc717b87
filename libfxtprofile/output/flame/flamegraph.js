// SPDX-License-Identifier: BSD-2-Clause
// What a flame graph does in a browser: hover, zoom, search, and fill the window; part of
// every SVG that flamegraph.c writes.
//
// The frames are data in the file, as [depth, start, count, name, color, numbers], each
// after the frame that it is on. The elements of frames that the file has are for programs
// that do not run this; here only those frames are elements that are in view and wide
// enough to be seen. Names are written only as text.
(function () {
    "use strict";

    const svg = document.currentScript.parentNode;
    const find = (name) => svg.querySelector("." + name);
    const holder = find("frames");
    const details = find("details");
    const matched = find("matched");
    const height = Number(svg.getAttribute("height"));
    const fontSize = Number(holder.getAttribute("font-size"));
    const baseline = Number(holder.getAttribute("data-baseline"));
    const frames = [];
    // The frames of each depth, from left to right.
    const rows = [];
    // The link changes only in a document that is nothing but this graph.
    const hasLink = document.documentElement === svg;
    // Frames narrower than this, in pixels, are drawn no closer to each other.
    const NARROW = 1.5;

    readFrames();
    if (frames.length === 0)
        return;

    const margin = Number(holder.querySelector("rect").getAttribute("x"));
    const rootY = Number(holder.getAttribute("data-root"));
    const rowHeight = Number(holder.getAttribute("data-row"));
    const isUpright = holder.hasAttribute("data-upright");
    const cell = measureCell();
    const indexOf = new Map();
    let width = Number(svg.getAttribute("width"));
    let drawnRows = [0, 0];
    let zoomed = 0;
    let pattern = "";
    let isPrinting = false;

    function readFrames() {
        const data = JSON.parse(find("data").textContent);
        const open = [];

        for (const [depth, start, count, name, color, numbers] of data.frames) {
            open[depth] = frames.length;
            frames.push({
                depth, start, end: start + count, name: data.names[name], numbers,
                fill: "#" + color, parent: depth > 0 ? open[depth - 1] : -1, isMatch: false,
            });
            (rows[depth] ??= []).push(frames.length - 1);
        }
    }

    // ---- Drawing ----

    // The width of a character, all of which are equally wide, or twice that.
    function measureCell() {
        const text = make("text", {});

        text.textContent = "0".repeat(100);
        holder.appendChild(text);
        const size = text.getComputedTextLength() / 100;
        holder.removeChild(text);
        return size > 0 ? size : 0.6 * fontSize;
    }

    function make(tag, attributes) {
        const element = document.createElementNS(svg.namespaceURI, tag);

        for (const name in attributes)
            element.setAttribute(name, attributes[name]);
        return element;
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

    function draw(i, x, size, isAround) {
        const frame = frames[i];
        const group = make("g", {});
        const title = make("title", {});
        const label = shorten(frame.name, size - fontSize / 2);
        const y = yOf(frame.depth);

        title.textContent = frame.name + "\n" + frame.numbers;
        group.appendChild(title);
        group.appendChild(make("rect",
            { x, y, width: size, height: rowHeight - 1, fill: frame.fill }));
        if (label !== "") {
            const text = make("text", { x: x + fontSize / 4, y: y + baseline });

            text.textContent = label;
            group.appendChild(text);
        }
        group.classList.toggle("around", isAround);
        group.classList.toggle("match", frame.isMatch);
        indexOf.set(group, i);
        return group;
    }

    // The first frame of a row that starts at `start` or later: its place in the row.
    function firstFrom(row, start) {
        let low = 0;
        let high = row.length;

        while (low < high) {
            const middle = (low + high) >> 1;

            if (frames[row[middle]].start < start)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    // A row inside the frame to which the graph is zoomed.
    function drawRow(groups, row, target, scale) {
        let drawnTo = -Infinity;

        for (let at = firstFrom(row, target.start); at < row.length; at++) {
            const frame = frames[row[at]];
            const x = margin + (frame.start - target.start) * scale;
            const size = (frame.end - frame.start) * scale;

            if (frame.start >= target.end)
                return;
            if (size < NARROW && x + size < drawnTo + NARROW)
                continue;
            drawnTo = x + size;
            groups.push(draw(row[at], x, size, false));
        }
    }

    // What of the picture is in the window: its upper and lower edge.
    function visiblePart() {
        const box = svg.getBoundingClientRect();
        const scale = box.width > 0 ? width / box.width : 1;

        return isPrinting ? [0, height]
            : [-box.top * scale, (window.innerHeight - box.top) * scale];
    }

    function yOf(depth) {
        return rootY + (isUpright ? -depth : depth) * rowHeight;
    }

    function depthAt(y) {
        const depth = Math.floor((isUpright ? rootY + rowHeight - y : y - rootY) / rowHeight);

        return Math.min(Math.max(depth, 0), rows.length - 1);
    }

    // Draws the rows in view, and as many around them, when `frames[zoomed]` is as wide as
    // the picture; so are the frames that it is on.
    function drawAll() {
        const target = frames[zoomed];
        const inner = width - 2 * margin;
        const scale = inner / (target.end - target.start);
        const [top, bottom] = visiblePart();
        const more = bottom - top;
        const edges = [depthAt(top - more), depthAt(bottom + more)].sort((a, b) => a - b);
        const groups = [];
        const around = [];

        for (let i = target.parent; i >= 0; i = frames[i].parent)
            around[frames[i].depth] = i;
        indexOf.clear();
        for (let depth = edges[0]; depth <= edges[1]; depth++) {
            if (depth < target.depth)
                groups.push(draw(around[depth], margin, inner, true));
            else
                drawRow(groups, rows[depth], target, scale);
        }
        holder.replaceChildren(...groups);
        drawnRows = edges;
        svg.classList.toggle("zoomed", zoomed > 0);
    }

    // The line about the frame under the pointer stays in view.
    function follow() {
        const [top, bottom] = visiblePart();
        const edges = [depthAt(top), depthAt(bottom)].sort((a, b) => a - b);

        details.setAttribute("y", Math.min(height, bottom) - 12);
        if (edges[0] < drawnRows[0] || edges[1] > drawnRows[1])
            drawAll();
    }

    function fillWindow() {
        if (svg.hasAttribute("data-fluid")) {
            svg.setAttribute("width", "100%");
            width = Math.max(svg.getBoundingClientRect().width, 20 * margin);
            svg.setAttribute("viewBox", "0 0 " + width + " " + height);
        }
        drawAll();
        follow();
    }

    // ---- Zoom and search ----

    function zoom(i) {
        zoomed = i;
        drawAll();
    }

    // Marks the frames whose names match. Samples in a match that is on another match are
    // counted once.
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
            frame.isMatch = i > 0 && test(frame.name);
            if (frame.isMatch && frame.start >= end) {
                sum += frame.end - frame.start;
                end = frame.end;
            }
        });
        const share = (100 * sum / frames[0].end).toFixed(2);
        matched.textContent = source === "" ? "" : "Matched: " + share + " %";
        drawAll();
    }

    function ask() {
        const answer = window.prompt("Search for a regular expression:", pattern);

        if (answer !== null)
            search(answer);
        keepLink();
    }

    function clear() {
        if (matched.textContent !== "")
            search("");
        else
            zoom(0);
        keepLink();
    }

    // ---- The link ----

    // The link has what is in view: the frame's name, by which it is also found in another
    // recording's graph; where it is; and the search.
    function keepLink() {
        const link = new URLSearchParams();
        const frame = frames[zoomed];

        if (zoomed > 0) {
            link.set("zoom", frame.name);
            link.set("depth", frame.depth);
            link.set("at", frame.start);
        }
        if (pattern !== "")
            link.set("search", pattern);
        const hash = link.toString() === "" ? "" : "#" + link;
        if (!hasLink || hash === window.location.hash)
            return;
        try {
            window.history.pushState(null, "", window.location.href.split("#")[0] + hash);
        } catch (error) {
            // A document without an address, as in a preview, has no link.
        }
    }

    // The frame of a link, or the widest one of its name.
    function findFrame(name, depth, at) {
        let found = 0;
        let size = 0;

        for (let i = 1; i < frames.length; i++) {
            const frame = frames[i];

            if (frame.name !== name)
                continue;
            if (frame.depth === depth && frame.start === at)
                return i;
            if (frame.end - frame.start > size) {
                found = i;
                size = frame.end - frame.start;
            }
        }
        return found;
    }

    function followLink() {
        const link = new URLSearchParams(window.location.hash.slice(1));

        zoomed = link.has("zoom") ? findFrame(link.get("zoom"), Number(link.get("depth")),
            Number(link.get("at"))) : 0;
        search(link.get("search") ?? "");
    }

    // The frame that the graph is zoomed to, or its root, is in view.
    function showFrame() {
        const [top, bottom] = visiblePart();
        const y = yOf(frames[zoomed].depth);

        if (y < top || y + 3 * rowHeight > bottom)
            window.scrollTo(0, isUpright ? y + 3 * rowHeight - (bottom - top) : y - 3 * rowHeight);
        follow();
    }

    // ---- Events ----

    function frameAt(element) {
        while (element && !indexOf.has(element))
            element = element.parentNode;
        return element ? indexOf.get(element) : -1;
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

    function print(starts) {
        isPrinting = starts;
        drawAll();
    }

    holder.addEventListener("click", (event) => {
        const i = frameAt(event.target);

        if (i >= 0) {
            zoom(i);
            keepLink();
        }
    });
    // The name is isolated, so that marks in it that change the direction of text end with
    // it.
    holder.addEventListener("mouseover", (event) => {
        const i = frameAt(event.target);

        if (i >= 0)
            details.textContent = "\u2068" + frames[i].name + "\u2069: " +
                frames[i].numbers;
    });
    holder.addEventListener("mouseout", () => {
        details.textContent = "";
    });
    window.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
            event.preventDefault();
            ask();
        } else if (event.key === "Escape") {
            clear();
        }
    });
    control(find("reset"), () => {
        zoom(0);
        keepLink();
    });
    control(find("search"), ask);
    svg.classList.add("live");
    window.addEventListener("resize", fillWindow);
    window.addEventListener("scroll", follow, { passive: true });
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
    fillWindow();
    if (hasLink) {
        followLink();
        showFrame();
        window.addEventListener("hashchange", () => {
            followLink();
            showFrame();
        });
    }
})();

// SPDX-License-Identifier: BSD-2-Clause
// The script of a flame graph, run on the elements of a real one by Node.js, with just as
// much of a document as it asks for. Arguments: fxt2folded, python3 and fxtwrite.py.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import vm from "node:vm";

const [fxt2folded, python, fxtwrite] = process.argv.slice(2);

// ---- A document ----

class Element {
    constructor(tag, attributes) {
        this.tag = tag;
        this.namespaceURI = "svg";
        this.attributes = new Map(attributes);
        this.children = [];
        this.text = "";
        this.parentNode = null;
        this.style = { display: "" };
        this.listeners = {};
        this.classList = {
            add: (name) => this.classList.toggle(name, true),
            toggle: (name, on) => {
                const names = this.classes().filter((other) => other !== name);
                this.attributes.set("class", [...names, ...(on ? [name] : [])].join(" "));
            },
        };
    }

    classes() { return (this.attributes.get("class") ?? "").split(" ").filter(Boolean); }
    getAttribute(name) { return this.attributes.get(name) ?? null; }
    setAttribute(name, value) { this.attributes.set(name, String(value)); }
    hasAttribute(name) { return this.attributes.has(name); }
    get textContent() { return this.text; }
    set textContent(text) { this.text = String(text); }
    appendChild(child) { this.children.push(child); child.parentNode = this; }
    replaceChildren(...children) {
        this.children = [];
        children.forEach((child) => this.appendChild(child));
    }
    removeChild(child) { this.children.splice(this.children.indexOf(child), 1); }
    getComputedTextLength() { return 7 * this.text.length; }
    getBoundingClientRect() { return { width: windowWidth, top: -scrolled }; }
    addEventListener(type, act) { (this.listeners[type] ??= []).push(act); }

    // "tag", ".class" and "above > below".
    matches(selector) {
        if (selector.includes(" > ")) {
            const [above, below] = selector.split(" > ");
            return this.matches(below) && (this.parentNode?.matches(above) ?? false);
        }
        return selector[0] === "." ? this.classes().includes(selector.slice(1))
            : this.tag === selector;
    }

    *descendants() {
        for (const child of this.children) {
            yield child;
            yield* child.descendants();
        }
    }

    querySelectorAll(selector) {
        return [...this.descendants()].filter((element) => element.matches(selector));
    }

    querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
}

function decode(text) {
    return text.replace(/&(lt|gt|amp|quot|#39);/g,
        (_, name) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" })[name]);
}

// Our own XML, which another parser has judged.
function parse(xml) {
    const root = new Element("document", []);
    let at = root;

    for (const [, cdata, close, tag, attributes, empty, text] of xml.matchAll(
        /<!\[CDATA\[([^]*?)\]\]>|<\/(\w+)>|<(\w+)((?: [\w-]+="[^"]*")*)(\/?)>|([^<]+)/g)) {
        if (tag !== undefined) {
            const child = new Element(tag, [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)]
                .map(([, name, value]) => [name, decode(value)]));
            at.appendChild(child);
            at = empty ? at : child;
        } else if (close !== undefined) {
            assert.equal(close, at.tag);
            at = at.parentNode;
        } else {
            at.text += cdata ?? decode(text);
        }
    }
    return root.children[0];
}

// ---- A page ----

let windowWidth = 1000;
let scrolled = 0;

class Page {
    constructor(records, ...options) {
        this.trace = execFileSync(python, [fxtwrite], { input: records });
        this.options = options;
        this.load("");
    }

    // Opens the graph with a link's fragment.
    load(hash) {
        const xml = spawnSync(fxt2folded,
            ["-q", "--format", "svg", "--roots", "none", "--min-width", "0",
                ...this.options, "-"],
            { input: this.trace, encoding: "utf8", maxBuffer: 1 << 26 }).stdout;

        windowWidth = 1000;
        scrolled = 0;
        this.svg = parse(xml.slice(xml.indexOf("?>") + 3));
        this.window = new Element("window", []);
        this.window.prompt = (_, before) => { this.before = before; return this.answer; };
        this.window.innerHeight = 800;
        this.window.scrollTo = (x, y) => this.scroll(y);
        this.window.location = { href: "file:///a.svg" + hash, hash };
        this.links = [];
        this.window.history = {
            pushState: (_, title, href) => {
                this.links.push(href);
                this.window.location = { href, hash: new URL(href).hash };
            },
        };
        const script = this.svg.querySelector("script");
        vm.runInNewContext(script.text, {
            document: {
                currentScript: script,
                documentElement: this.svg,
                createElementNS: (_, tag) => new Element(tag, []),
            },
            window: this.window,
            URLSearchParams,
        });
    }

    find(name) { return this.svg.querySelector("." + name); }

    group(name) {
        return this.svg.querySelectorAll(".frames > g")
            .find((g) => g.querySelector("title").text.split("\n")[0] === name);
    }

    fire(element, type, event = {}) {
        const all = { target: element, preventDefault() { this.prevented = true; }, ...event };
        for (let at = element; at; at = at.parentNode)
            (at.listeners[type] ?? []).forEach((act) => act(all));
        return all;
    }

    scroll(y) {
        scrolled = y;
        this.fire(this.window, "scroll");
    }

    // The part of the link after "#".
    link() { return this.window.location.hash.slice(1); }

    click(name) { this.fire(this.group(name).querySelector("rect"), "click"); }
    key(key, more) { return this.fire(this.window, "keydown", { key, ...more }); }

    search(answer) {
        this.answer = answer;
        this.fire(this.find("search"), "click");
        return this.find("matched").text;
    }

    // Name, left edge, width and label of every frame to be seen.
    seen() {
        return this.svg.querySelectorAll(".frames > g")
            .map((g) => {
                const rect = g.querySelector("rect");
                const pixels = (name) => Math.round(rect.getAttribute(name) * 1e6) / 1e6;
                return [g.querySelector("title").text.split("\n")[0], pixels("x"), pixels("width"),
                    g.querySelector("text")?.text ?? ""];
            });
    }

    marked() {
        return this.svg.querySelectorAll(".match")
            .map((g) => g.querySelector("title").text.split("\n")[0]);
    }
}

// all: 100; 0xa: 50 (0xa1: 20 (0xa1: 10), 0xa2: 30); 0xb: 50 (0xa1: 40)
const RECORDS = [[10, "0xa1 0xa1 0xa"], [10, "0xa1 0xa"], [30, "0xa2 0xa"], [40, "0xa1 0xb"],
    [10, "0xb"]]
    .map(([n, pcs]) => ("backtrace 1 1 1 " + pcs + "\n").repeat(n)).join("");

// ---- Tests ----

const tests = {
    "the graph fills the window"() {
        const page = new Page(RECORDS);

        assert.equal(page.svg.getAttribute("width"), "100%");
        assert.match(page.svg.getAttribute("viewBox"), /^0 0 1000 /);
        assert.deepEqual(page.seen()[0], ["all", 10, 980, "all"]);
        windowWidth = 520;
        page.fire(page.window, "resize");
        assert.deepEqual(page.seen().map(([name, x, width]) => [name, x, width]), [
            ["all", 10, 500], ["0xa", 10, 250], ["0xb", 260, 250], ["0xa1", 10, 100],
            ["0xa2", 110, 150], ["0xa1", 310, 200], ["0xa1", 60, 50]]);
    },

    "a width that was asked for stays"() {
        const page = new Page(RECORDS, "--width", "420");

        windowWidth = 2000;
        page.fire(page.window, "resize");
        assert.deepEqual(page.seen()[0], ["all", 10, 400, "all"]);
    },

    "a click zooms, and one on a frame below zooms out"() {
        const page = new Page(RECORDS, "--width", "420");

        page.click("0xa");
        assert.deepEqual(page.seen().map(([name, x, width]) => [name, x, width]), [
            ["all", 10, 400], ["0xa", 10, 400], ["0xa1", 10, 160], ["0xa2", 170, 240],
            ["0xa1", 90, 80]]);
        assert.deepEqual(page.svg.querySelectorAll(".around").length, 1);
        assert(page.svg.classes().includes("zoomed"));
        page.click("0xa2");
        assert.deepEqual(page.seen().map(([name]) => name), ["all", "0xa", "0xa2"]);
        page.click("0xa");
        assert.equal(page.seen().length, 5);
        page.click("all");
        assert.equal(page.seen().length, 7);
        assert(!page.svg.classes().includes("zoomed"));
    },

    "reset and Escape show all again"() {
        const page = new Page(RECORDS, "--width", "420");
        const before = page.seen();

        page.click("0xb");
        page.fire(page.find("reset"), "click");
        assert.deepEqual(page.seen(), before);
        page.click("0xb");
        page.key("Escape");
        assert.deepEqual(page.seen(), before);
        page.click("0xb");
        assert(page.fire(page.find("reset"), "keydown", { key: "Enter" }).prevented);
        assert.deepEqual(page.seen(), before);
    },

    "a search marks frames and counts no sample twice"() {
        const page = new Page(RECORDS);

        assert.equal(page.search("0xa1$"), "Matched: 60.00 %");
        assert.deepEqual(page.marked(), ["0xa1", "0xa1", "0xa1"]);
        assert.equal(page.search("^0x[ab]"), "Matched: 100.00 %");
        assert.equal(page.before, "0xa1$");
        assert.equal(page.search("all"), "Matched: 0.00 %");
        assert.equal(page.search("0XA2"), "Matched: 0.00 %");
        assert.equal(page.search("0xA2"), "Matched: 0.00 %");
        assert.equal(page.search(""), "");
        assert.deepEqual(page.marked(), []);
    },

    "an invalid regular expression is reported and changes nothing"() {
        const page = new Page(RECORDS);

        page.search("0xa2");
        assert.equal(page.search("("), "Not a regular expression: (");
        assert.deepEqual(page.marked(), ["0xa2"]);
        page.search(null);
        assert.deepEqual(page.marked(), ["0xa2"]);
    },

    "Ctrl-F searches and Escape ends the search before the zoom"() {
        const page = new Page(RECORDS);

        page.answer = "0XA";
        page.click("0xa");
        assert(page.key("f", { ctrlKey: true }).prevented);
        assert.equal(page.find("matched").text, "Matched: 0.00 %");
        page.answer = "xa";
        page.key("F", { metaKey: true });
        assert.equal(page.find("matched").text, "Matched: 90.00 %");
        assert(!page.key("f").prevented);
        page.key("Escape");
        assert.deepEqual(page.marked(), []);
        assert.equal(page.seen().length, 5);
        page.key("Escape");
        assert.equal(page.seen().length, 7);
    },

    "small letters match large ones"() {
        const page = new Page("magic\nprocess 5 'Kernel Idle'\nbacktrace 1 5 6 0x10\n",
            "--roots", "process");

        assert.equal(page.search("kernel"), "Matched: 100.00 %");
        assert.equal(page.search("Kernel"), "Matched: 100.00 %");
        assert.equal(page.search("KERNEL"), "Matched: 0.00 %");
    },

    "the frame under the pointer is described"() {
        const page = new Page(RECORDS);
        const rect = page.group("0xa2").querySelector("rect");

        page.fire(rect, "mouseover");
        assert.equal(page.find("details").text, "\u20680xa2\u2069: 30 samples, 30.00 %");
        page.fire(rect, "mouseout");
        assert.equal(page.find("details").text, "");
        page.fire(page.find("title"), "mouseover");
    },

    "labels are cut to fit and come back"() {
        const rest = " <b>&amp" + "x".repeat(41);
        const name = "\u6f22\u5b57" + rest;
        const page = new Page("magic\nprocess 5 '\\xe6\\xbc\\xa2\\xe5\\xad\\x97" + rest +
            "'\nprocess 6 z\n" +
            "backtrace 1 5 6 0x10\n".repeat(30) + "backtrace 1 6 7 0x10\n".repeat(70),
            "--roots", "process", "--width", "220");
        // 60 pixels less 6 are seven cells of 7 pixels; on its own it has 200 less 6.
        const label = () => page.seen().find((frame) => frame[0] === name)[3];

        assert.equal(label(), "\u6f22\u5b57 <\u2026");
        page.click(name);
        assert.equal(label(), "\u6f22\u5b57 <b>&amp" + "x".repeat(14) + "\u2026");
        page.click("all");
        assert.equal(label(), "\u6f22\u5b57 <\u2026");
    },

    "frames without a label get one when there is room"() {
        const page = new Page("backtrace 1 1 1 0x20\n".repeat(499) + "backtrace 1 1 1 0x10\n",
            "--upright");

        assert.equal(page.group("0x10").querySelector("text"), null);
        page.click("0x10");
        assert.deepEqual(page.seen(), [["all", 10, 980, "all"], ["0x10", 10, 980, "0x10"]]);
        assert.equal(page.group("0x10").querySelector("text").getAttribute("y"), "71");
    },

    "the link has the zoom and the search, and opens them again"() {
        const page = new Page(RECORDS, "--width", "420");

        page.click("0xa2");
        assert.equal(page.link(), "zoom=0xa2&depth=2&at=20");
        page.search("xa1+$");
        assert.equal(page.link(), "zoom=0xa2&depth=2&at=20&search=xa1%2B%24");
        assert.equal(page.links.length, 2);
        const [seen, hash] = [page.seen(), "#" + page.link()];

        page.load(hash);
        assert.deepEqual(page.seen(), seen);
        assert.equal(page.find("matched").text, "Matched: 60.00 %");
        // Back, and on again.
        page.window.location.hash = "";
        page.fire(page.window, "hashchange");
        assert.equal(page.seen().length, 7);
        assert.deepEqual(page.marked(), []);
        page.window.location.hash = hash;
        page.fire(page.window, "hashchange");
        assert.deepEqual(page.seen(), seen);
        page.key("Escape");
        page.key("Escape");
        assert.equal(page.link(), "");
        assert.equal(page.window.location.href, "file:///a.svg");
    },

    "a link of another recording shows the widest frame of that name"() {
        const page = new Page(RECORDS);

        page.load("#zoom=0xa1&depth=7&at=3");
        assert.deepEqual(page.seen().map(([name]) => name), ["all", "0xb", "0xa1"]);
        page.load("#zoom=0xfff&search=(");
        assert.equal(page.seen().length, 7);
        assert.equal(page.find("matched").text, "Not a regular expression: (");
        page.load("#%&%zz==");
        assert.equal(page.seen().length, 7);
    },

    "only what is in view is in the document"() {
        const pcs = Array.from({ length: 20000 }, (_, i) => "0x" + (i + 1).toString(16));
        const page = new Page("sample 1 1 1 " + pcs.reverse().join(" ") + "\n");
        const names = () => page.seen().map(([name]) => name);

        // What is in view, and a window's height around it.
        assert.deepEqual(names().slice(0, 3), ["all", "0x1", "0x2"]);
        assert(names().length > 90 && names().length < 160, names().length);
        page.scroll(160000);
        assert(names().includes("0x2710") && names().length < 160);
        assert.equal(page.find("details").getAttribute("y"), "160788");
        page.click("0x2710");
        assert(names().includes("0x270f") && names().includes("0x2710"));
        assert.equal(page.svg.querySelectorAll(".around").length,
            names().filter((name) => name < "0x2710").length);
        page.load("#" + page.link());
        assert(names().includes("0x2710"), "it is in view");
        page.fire(page.window, "beforeprint");
        assert.equal(names().length, 20001);
        page.fire(page.window, "afterprint");
        assert(names().length < 160);
    },

    "narrow frames are drawn once there is room"() {
        const wide = "backtrace 1 1 1 0x99999\n".repeat(20000);
        const page = new Page(wide + Array.from({ length: 50 }, (_, i) =>
            "backtrace 1 1 1 0x" + (0x100 + i).toString(16) + " 0x10\n").join(""));

        assert(page.seen().length < 20, page.seen());
        page.click("0x10");
        assert.equal(page.seen().length, 52);
    },

    "the root of flames is in view"() {
        const pcs = Array.from({ length: 200 }, (_, i) => "0x" + (i + 1).toString(16));
        const page = new Page("sample 1 1 1 " + pcs.join(" ") + "\n", "--upright");

        assert(scrolled > 2000, scrolled);
        assert(page.seen().some(([name]) => name === "all"));
        assert(!page.seen().some(([name]) => name === "0x1"));
    },

    "an empty graph is left alone"() {
        const page = new Page("magic\n");

        assert.deepEqual(page.seen(), []);
        assert.deepEqual(page.svg.classes(), ["flamegraph"]);
        page.key("Escape");
    },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    try {
        test();
        console.log("ok", name);
    } catch (error) {
        failed++;
        console.log("not ok", name, error);
    }
}
process.exitCode = failed > 0 ? 1 : 0;

// Numbers, names and elements as people see them.

const NUMBER = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

function showNumber(number) {
  return NUMBER.format(number);
}

// Three digits or more: "1.23", "45.6", "1,234".
function showDigits(number) {
  const size = Math.abs(number);
  return size >= 100 ? NUMBER.format(number) : number.toFixed(size >= 10 ? 1 : 2);
}

function showScaled(value, units, step) {
  let i = 0;
  while (i + 1 < units.length && Math.abs(value) >= step * 0.9995) {
    value /= step;
    i++;
  }
  return (i === 0 ? showNumber(value) : showDigits(value)) + "\u00a0" + units[i];
}

function showTime(ns) {
  if (Math.abs(ns) >= 100e9 * 6)
    return showDigits(ns / 60e9) + "\u00a0min";
  return showScaled(ns, ["ns", "\u00b5s", "ms", "s"], 1000);
}

// A time with the digits that tell it from others nearby.
function showMoment(ns) {
  return ns >= 1e9 ? (ns / 1e9).toFixed(6) + "\u00a0s" : ns >= 1e6 ? (ns / 1e6).toFixed(3) + "\u00a0ms"
    : showTime(ns);
}

// Of times that are a step apart: with as many digits as tell them apart.
function showTimeOf(step) {
  const units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];
  return time => {
    const [unit, size] = units.find(([, most]) => time >= most) || units[3];
    const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
    return digits > 9 ? showTime(time) : (time / size).toFixed(digits) + "\u00a0" + unit;
  };
}

// Both ends with as many digits as tell them apart.
function showRange(from, to) {
  const show = showTimeOf(Math.max((to - from) / 100, 1));
  return show(from) + " to " + show(to);
}

function showValue(value, facts) {
  if (facts.unit === "nanoseconds")
    return showTime(value);
  if (facts.unit === "bytes")
    return showScaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
  return showNumber(Math.round(value));
}

// Whether samples are of an event that was chosen by its name, such as "page-faults".
function isOfEvent(facts) {
  return facts.kind === "samples" && facts.type !== "samples" && facts.type !== "cpu";
}

// With the event's name, if it is not a time: "53 page-faults".
function showAmount(value, facts) {
  return showValue(value, facts) +
         (isOfEvent(facts) && facts.unit !== "nanoseconds" ? "\u00a0" + facts.type : "");
}

function showShare(share) {
  return (100 * share).toFixed(1) + "%";
}

// With a sign; a true minus is as wide as a plus.
function showChange(share) {
  const text = Math.abs(100 * share).toFixed(1) + "%";
  return (share > 0 ? "+" : share < 0 ? "\u2212" : "") + text;
}

function plural(n, one, several = one + "s") {
  return showNumber(n) + " " + (n === 1 ? one : several);
}

// What samples are called.
function nounOf(facts) {
  return {samples: "sample", spans: "span", heap: "object", captures: "sample",
          waits: "wait", intervals: "interval"}[facts.kind];
}

function nothingHere(profile) {
  return profile.nSamples === 0 ? "There are no samples." : "No samples are selected.";
}

function lastPart(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

function showModule(profile, f) {
  const module = profile.module(f);
  if (module !== "")
    return lastPart(module);
  return profile.kind(f) & KERNEL ? "[kernel]" : "";
}

// A name without parameters, template arguments and what a template returns: for
// "void std::sort<int*>(int*, int*)", "std::sort<\u2026>(\u2026)".
function shorten(name) {
  let text = "", angle = 0, round = 0;
  name = name.replaceAll("(anonymous namespace)", "{anonymous}");
  for (let i = 0; i < name.length; i++) {
    const c = name[i];
    if (angle === 0 && round === 0 && "<>=()-".includes(c) && /operator\W{0,2}$/.test(text) &&
        !text.endsWith("()")) {
      text += c;
      continue;
    }
    if (c === "<" && i > 0 && angle++ === 0 && round === 0)
      text += "<\u2026";
    else if (c === "(" && i > 0 && name[i - 1] !== "." && angle === 0 && round++ === 0)
      text += name[i + 1] === ")" ? "(" : "(\u2026";
    if (angle === 0 && round === 0)
      text += c === " " ? "\u00a0" : c;
    if (c === ">" && angle > 0 && name[i - 1] !== "-" && --angle === 0 && round === 0)
      text += c;
    else if (c === ")" && angle === 0 && round > 0 && --round === 0)
      text += c;
  }
  if (angle !== 0 || round !== 0)
    return name;
  const returned = /^(?:[^(]*\u00a0)?((?!operator)[^\u00a0(]+\(.*)$/.exec(text);
  return (returned && !text.includes("operator") ? returned[1] : text).replaceAll("\u00a0", " ");
}

// An element: make("td.text", {title: "x"}, "content", child).
function make(what, properties = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0)
    element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else if (value === true)
      element.setAttribute(key, "");
    else if (value !== false && value !== undefined)
      element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

// A name with what a search found marked.
function markFound(name, search) {
  const found = search === null ? null : search.exec(name);
  if (found === null || found[0] === "")
    return [name];
  return [name.slice(0, found.index), make("mark", {}, found[0]),
          name.slice(found.index + found[0].length)];
}

function meter(share, className) {
  const percent = 100 * Math.max(0, Math.min(1, Math.abs(share)));
  return make("span.meter" + className, {}, make("i", {style: `width:${percent.toFixed(1)}%`}));
}

// Longer names take the window's width.
const LONG_NAME = 400;

// One box near the pointer, with lines: [bold, quiet, plain...]. All of a name is shown.
const tip = {
  show(event, [bold, where, ...lines]) {
    const box = byId("tip");
    box.replaceChildren(make("b", {}, bold), ...(where ? [make("div.where", {}, where)] : []),
                        ...lines.map(line => make("div", {}, line)));
    box.classList.toggle("wide", bold.length > LONG_NAME);
    box.hidden = false;
    const wide = box.offsetWidth, high = box.offsetHeight;
    const x = event.clientX + 14 + wide > innerWidth ? event.clientX - 14 - wide
                                                     : event.clientX + 14;
    const y = event.clientY + 18 + high > innerHeight ? event.clientY - 10 - high
                                                      : event.clientY + 18;
    box.style.left = Math.max(4, x) + "px";
    box.style.top = Math.max(4, y) + "px";
  },
  hide() {
    byId("tip").hidden = true;
  },
};

// A group of buttons of which one is pressed.
function makeChoice(element, choices, chosen, choose) {
  element.replaceChildren(...choices.map(([key, label]) => make("button", {
    type: "button", "aria-pressed": String(key === chosen), onclick: () => choose(key),
  }, label)));
}

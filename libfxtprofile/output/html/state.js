// What is seen: in the fragment of the page's address, so that a link says it.

const STATE_DEFAULTS = {
  view: "",          // flame, functions, calls, callers or spans; the first that there is
  by: "thread",      // the lanes: thread or cpu
  range: null,       // [from, to] in nanoseconds
  seen: null,        // the same: what the timeline shows
  lanes: [],         // the selected threads or CPUs
  function: -1,
  zoom: -1,          // a node of the tree
  search: "",
  sort: "self",
  widths: "after",   // of a difference: after or before
  pick: "",          // what is chosen on the tracks: see readPick
  cursors: [],       // one or two times
  shut: [],          // processes of which only the headers are seen
  top: 0,            // how far the tracks are scrolled
};

function writeState(state) {
  const parts = [];
  for (const [key, value] of Object.entries(state)) {
    if (JSON.stringify(value) === JSON.stringify(STATE_DEFAULTS[key]))
      continue;
    const text = Array.isArray(value) ? value.map(n => Math.round(n)).join("-") : String(value);
    parts.push(key + "=" + encodeURIComponent(text));
  }
  return parts.join("&");
}

function readNumbers(text) {
  return text === "" ? [] : text.split("-").map(Number);
}

// Whatever the fragment says: what is impossible is left out.
function readState(fragment, profile) {
  const state = {...STATE_DEFAULTS};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const at = part.indexOf("="), key = part.slice(0, at);
    let text;
    try {
      text = decodeURIComponent(part.slice(at + 1));
    } catch (error) {
      continue;
    }
    const numbers = readNumbers(text);
    const isWhole = n => Number.isInteger(n) && n >= 0;
    const choose = (...choices) => choices.includes(text) ? text : state[key];
    switch (key) {
    case "view":
      state.view = choose("flame", "functions", "calls", "callers", "spans");
      break;
    case "by":
      state.by = choose("thread", "cpu");
      break;
    case "widths":
      state.widths = choose("after", "before");
      break;
    case "sort":
      state.sort = choose("self", "total", "name", "module", "change", "before");
      break;
    case "range":
    case "seen":
      if (profile.endTime > 0 && numbers.length === 2 && numbers.every(isWhole) &&
          numbers[0] < numbers[1])
        state[key] = numbers;
      break;
    case "lanes":
      if (numbers.every(isWhole))
        state.lanes = numbers;
      break;
    case "cursors":
      if (numbers.every(isWhole) && numbers.length <= 2)
        state.cursors = numbers;
      break;
    case "shut":
      if (numbers.every(isWhole))
        state.shut = numbers;
      break;
    case "top":
      if (isWhole(numbers[0]))
        state.top = numbers[0];
      break;
    case "pick":
      state.pick = /^[samwr]\d{1,10}$/.test(text) ? text : "";
      break;
    case "function":
      if (isWhole(numbers[0]) && numbers[0] < profile.nFunctions)
        state.function = numbers[0];
      break;
    case "zoom":
      if (isWhole(numbers[0]) && numbers[0] < profile.tree.size)
        state.zoom = numbers[0];
      break;
    case "search":
      state.search = text;
      break;
    }
  }
  return state;
}

// The expression that a search is: NULL for none, and text where it is no expression.
function readSearch(text) {
  if (text === "")
    return null;
  try {
    return new RegExp(text, "i");
  } catch (error) {
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  }
}

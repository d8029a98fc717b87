// The trees of calls and of callers: tables whose rows open.

const CHILDREN_SHOWN = 40, OPEN_AT_FIRST = 24;

// What a row of a tree of calls stands for is a node; what is below it, that node's
// children.
class CallTree {
  constructor(page) {
    this.page = page;
  }

  // A tree about something else has other rows.
  get about() { return ""; }

  weigh(node) {
    const {sums} = this.page;
    return {func: this.page.profile.tree.func[node], total: sums.all[node],
            self: sums.self[node], key: String(node)};
  }

  roots() {
    return this.below({key: "", node: this.page.profile.tree.size});
  }

  below({node}) {
    const {tree} = this.page.profile, {all} = this.page.sums, found = [];
    for (let i = tree.firstChild[node]; i >= 0; i = tree.nextSibling[i]) {
      if (all[i] !== 0)
        found.push({...this.weigh(i), node: i});
    }
    return found;
  }
}

// Of a tree of callers: several nodes at a time, each with what it contributes. Its roots
// are one function, or all by their own weight.
class CallerTree {
  constructor(page) {
    this.page = page;
  }

  get about() { return String(this.page.state.function); }

  group(pairs, prefix) {
    const {tree} = this.page.profile, found = new Map();
    for (const [node, start, weight] of pairs) {
      const func = tree.func[node];
      const group = found.get(func) || {func, total: 0, self: 0, pairs: [],
                                        key: prefix + "/" + func};
      found.set(func, group);
      group.total += weight;
      group.pairs.push([node, start, weight]);
    }
    return [...found.values()];
  }

  roots() {
    const {profile, sums, state} = this.page, {tree} = profile, pairs = [];
    for (let i = 0; i < tree.size; i++) {
      if (state.function < 0 ? sums.self[i] !== 0
                             : tree.func[i] === state.function && tree.isOutermost[i] &&
                               sums.all[i] !== 0)
        pairs.push([i, i, state.function < 0 ? sums.self[i] : sums.all[i]]);
    }
    return this.group(pairs, "");
  }

  // `self` of a row is what had no caller.
  below(row) {
    const {tree} = this.page.profile, pairs = [];
    row.self = 0;
    for (const [node, start, weight] of row.pairs) {
      if (tree.parent[node] >= 0)
        pairs.push([tree.parent[node], start, weight]);
      else
        row.self += weight;
    }
    return this.group(pairs, row.key);
  }
}

class TreeView {
  constructor(page, element, tree, selfName) {
    this.page = page;
    this.element = element;
    this.tree = tree;
    this.selfName = selfName;
    this.open = new Set();
    this.shown = new Map();
    element.addEventListener("keydown", event => this.key(event));
  }

  // From the roots on, what has most of the weight is open.
  openHeaviest(rows) {
    const {sums} = this.page;
    let next = rows;
    for (let i = 0; i < OPEN_AT_FIRST && next.length > 0; i++) {
      const row = next.reduce((a, b) => b.total > a.total ? b : a);
      if (Math.abs(sums.share(row.total)) < 0.02)
        break;
      this.open.add(row.key);
      next = this.tree.below(row);
    }
  }

  // The rows that are open, each with its depth, from the top.
  visible(roots) {
    const found = [], rest = [];
    const push = (rows, depth, parent) => {
      rows.sort((a, b) => b.total - a.total || a.func - b.func);
      const max = this.shown.get(parent) || CHILDREN_SHOWN;
      if (rows.length > max)
        rest.push({n: rows.length - max, depth, parent,
                   total: rows.slice(max).reduce((sum, row) => sum + row.total, 0)});
      const level = rows.slice(0, max).map(row => ({row, depth}));
      if (rows.length > max)
        level.push({rest: rest.pop(), depth});
      return level.reverse();
    };
    const stack = push(roots, 0, "");
    while (stack.length > 0 && found.length < 3000) {
      const item = stack.pop();
      found.push(item);
      if (item.row === undefined)
        continue;
      const children = this.tree.below(item.row);
      item.hasChildren = children.length > 0;
      if (this.open.has(item.row.key))
        stack.push(...push(children, item.depth + 1, item.row.key));
    }
    return found;
  }

  render() {
    const {profile} = this.page, roots = this.tree.roots();
    const about = this.tree.about;
    if (this.about !== about) {
      this.open.clear();
      this.openHeaviest(roots);
    }
    this.about = about;
    if (roots.length === 0) {
      this.element.replaceChildren(make("p.nothing", {}, nothingHere(profile)));
      return;
    }
    const rows = this.visible(roots).map(item => item.row ? this.row(item) : this.more(item));
    const first = rows.find(row => row.dataset.key === this.focused) || rows[0];
    first.tabIndex = 0;
    this.element.replaceChildren(make("table", {role: "treegrid"}, make("thead", {},
      make("tr", {}, make("th", {scope: "col"}, make("span", {}, "Total")),
        make("th.value", {scope: "col"}, make("span", {}, "")),
        make("th", {scope: "col"}, make("span", {}, this.selfName)),
        make("th.text", {scope: "col"}, make("span", {}, "Function")),
        make("th.text.module", {scope: "col"}, make("span", {}, "Module")))),
      make("tbody", {}, ...rows)));
  }

  row({row, depth, hasChildren}) {
    const {profile, sums, search, state} = this.page, name = profile.name(row.func);
    const isOpen = this.open.has(row.key);
    return make("tr", {
      "data-key": row.key, "data-function": row.func, tabindex: -1, "aria-level": depth + 1,
      "aria-expanded": hasChildren ? String(isOpen) : undefined,
      "aria-selected": String(row.func === state.function && state.view !== "callers"),
      onclick: event => this.click(event, row, hasChildren),
    }, make("td.share", {}, showShare(sums.share(row.total)), meter(sums.share(row.total), ".total")),
       make("td.value", {}, showValue(row.total, profile.facts)),
       make("td.share", {}, row.self ? showShare(sums.share(row.self)) : ""),
       make("td.text.function", {title: name, style:
         "padding-left:" + (8 + Math.min(depth, 40) * 13) + "px"},
         make("span.twisty", {"aria-hidden": "true"}, hasChildren ? isOpen ? "\u25be" : "\u25b8" : ""),
         ...markFound(profile.shortName(row.func), search)),
       make("td.text.module", {title: profile.module(row.func)}, showModule(profile, row.func)));
  }

  more({rest, depth}) {
    return make("tr.rest", {}, make("td.share", {}, showShare(this.page.sums.share(rest.total))),
      make("td.value"), make("td"), make("td.text.function", {colspan: 2,
        style: "padding-left:" + (24 + depth * 13) + "px"},
        make("button.more", {type: "button", onclick: () => {
          this.shown.set(rest.parent, (this.shown.get(rest.parent) || CHILDREN_SHOWN) + 400);
          this.render();
        }}, plural(rest.n, "more branch", "more branches"))));
  }

  // A tree of callers is about the selected function, which stays what it is.
  click(event, row, hasChildren) {
    this.focused = row.key;
    if (this.page.state.view === "callers" || event.target.closest(".twisty"))
      this.toggle(row.key, hasChildren);
    else
      this.page.change({function: row.func});
    this.focus();
  }

  toggle(key, hasChildren) {
    this.focused = key;
    if (!hasChildren)
      return;
    if (!this.open.delete(key))
      this.open.add(key);
    this.render();
    this.focus();
  }

  focus() {
    const row = [...this.element.querySelectorAll("tr[data-key]")]
      .find(element => element.dataset.key === this.focused);
    if (row)
      row.focus();
  }

  key(event) {
    const row = event.target.closest("tr[data-key]");
    if (row === null)
      return;
    this.focused = row.dataset.key;
    const expanded = row.getAttribute("aria-expanded");
    if (event.key === "ArrowRight" && expanded === "false" ||
        event.key === "ArrowLeft" && expanded === "true") {
      this.toggle(this.focused, true);
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.page.change({function: Number(row.dataset.function)});
      this.focus();
      event.preventDefault();
    } else
      moveInRows(event, this.element);
  }
}

// The table of functions.

const ROWS_SHOWN = 100, ROWS_MORE = 500;

// What is no more than the noise of sampling: two standard deviations of the difference.
// Heaps are not samples.
function isNoise(change, shareNow, shareBefore, now, before) {
  if (now.profile.facts.kind === "heap")
    return change === 0;
  const variance = shareNow / Math.max(now.n, 1) + shareBefore / Math.max(before.n, 1);
  return Math.abs(change) < 2 * Math.sqrt(Math.max(variance, 0));
}

class Functions {
  constructor(profile, page) {
    this.profile = profile;
    this.page = page;
    this.element = byId("view-functions");
    this.nShown = ROWS_SHOWN;
    this.element.addEventListener("keydown", event => this.key(event));
  }

  columns() {
    const {sums, before, profile} = this.page, own = f => sums.functionSelf[f];
    const total = f => sums.functionTotal[f], {facts} = profile;
    const share = (value, className) => f => [showShare(sums.share(value(f))),
                                              meter(sums.share(value(f)), className)];
    const list = [];
    if (before) {
      const show = (side, f) => facts.kind === "heap"
        ? showValue(side.functionSelf[f], facts) : showShare(side.share(side.functionSelf[f]));
      const cells = (side, className) => f =>
        [show(side, f), meter(side.share(side.functionSelf[f]), className)];
      list.push(["before", "Before", "share", f => before.functionSelf[f],
                 cells(before, ".total")]);
      list.push(["self", "After", "share", own, cells(sums, "")]);
      list.push(["change", "Change", "share", f => Math.abs(this.change(f)), f =>
        [make("span." + this.changeClass(f), {}, facts.kind === "heap"
          ? showValue(own(f) - before.functionSelf[f], facts) : showChange(this.change(f)))]]);
    } else {
      list.push(["self", "Self", "share", own, share(own, "")]);
      list.push([null, "", "value", own, f => [showValue(own(f), facts)]]);
    }
    list.push(["total", "Total", "share", total, share(total, ".total")]);
    if (!before)
      list.push([null, "", "value", total, f => [showValue(total(f), facts)]]);
    return list;
  }

  change(f) {
    const {sums, before} = this.page;
    return sums.share(sums.functionSelf[f]) - before.share(before.functionSelf[f]);
  }

  changeClass(f) {
    const {sums, before} = this.page;
    const now = sums.share(sums.functionSelf[f]), then = before.share(before.functionSelf[f]);
    if (isNoise(now - then, now, then, sums, before))
      return "same";
    return now > then ? "more-rise" : "less-rise";
  }

  // The functions that the selection has and the search finds, in order.
  sorted(columns) {
    const {profile, sums, before, search, state} = this.page, found = [];
    for (let f = 0; f < profile.nFunctions; f++) {
      if (sums.functionTotal[f] === 0 && !(before && before.functionTotal[f] !== 0))
        continue;
      if (search === null || search.test(profile.name(f)) || search.test(profile.module(f)))
        found.push(f);
    }
    const text = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    const byName = (a, b) => text(profile.name(a), profile.name(b)) || a - b;
    if (state.sort === "name")
      return found.sort(byName);
    if (state.sort === "module")
      return found.sort((a, b) => text(showModule(profile, a), showModule(profile, b)) ||
                                  byName(a, b));
    const column = columns.find(([key]) => key === state.sort) ||
                   columns.find(([key]) => key === "self");
    const weigh = column[3], total = f => sums.functionTotal[f];
    return found.sort((a, b) => weigh(b) - weigh(a) || total(b) - total(a) || byName(a, b));
  }

  heading([key, label, className]) {
    const {sort} = this.page.state, isText = className === "function" || className === "module";
    const properties = {scope: "col"};
    if (key !== null && key === sort)
      properties["aria-sort"] = isText ? "ascending" : "descending";
    return make("th." + className + (isText ? ".text" : ""), properties, key === null
      ? make("span", {}, label)
      : make("button", {type: "button", onclick: () => this.page.change({sort: key})}, label));
  }

  row(f, columns) {
    const {profile, search, state} = this.page, name = profile.name(f), kind = profile.kind(f);
    const tag = kind & JIT ? "JIT" : profile.isInlined(f) ? "inlined" : null;
    return make("tr", {
      "data-function": f, tabindex: f === state.function ? 0 : -1,
      "aria-selected": String(f === state.function),
      onclick: () => this.page.change({function: f === state.function ? -1 : f}),
    }, ...columns.map(([, , className, , cells]) => make("td." + className, {}, ...cells(f))),
       make("td.text.function", {title: name}, ...markFound(profile.shortName(f), search),
            tag && make("span.tag", {}, tag)),
       make("td.text.module", {title: profile.module(f)}, showModule(profile, f)));
  }

  render() {
    const {sums} = this.page, columns = this.columns(), found = this.sorted(columns);
    if (found.length === 0) {
      this.element.replaceChildren(make("p.nothing", {}, this.page.search === null
        ? nothingHere(this.profile) : "No function matches."));
      return;
    }
    const rows = found.slice(0, this.nShown).map(f => this.row(f, columns));
    if (!rows.some(row => row.tabIndex === 0))
      rows[0].tabIndex = 0;
    const left = found.slice(this.nShown);
    if (left.length > 0) {
      const self = left.reduce((sum, f) => sum + sums.functionSelf[f], 0);
      rows.push(make("tr.rest", {}, make("td.text", {colspan: columns.length + 2},
        plural(left.length, "more function") + ", self " + showShare(sums.share(self)) + "  ",
        make("button.more", {type: "button", onclick: event => {
          event.stopPropagation();
          this.nShown += ROWS_MORE;
          this.render();
        }}, "Show more"))));
    }
    this.element.replaceChildren(make("table", {role: "grid"}, make("thead", {}, make("tr", {},
      ...columns.map(column => this.heading(column)),
      this.heading(["name", "Function", "function"]),
      this.heading(["module", "Module", "module"]))), make("tbody", {}, ...rows)));
  }

  key(event) {
    moveInRows(event, this.element);
  }
}

// The arrow keys move between rows, and Enter is a click.
function moveInRows(event, element) {
  const row = event.target.closest("tbody tr");
  if (row === null || event.target.tagName === "BUTTON" && event.key === "Enter")
    return;
  const rows = [...element.querySelectorAll("tbody tr[tabindex]")], at = rows.indexOf(row);
  const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1}[event.key];
  if (event.key === "Enter" || event.key === " ") {
    const {function: f} = row.dataset;
    row.click();
    const again = element.querySelector(`tr[data-function="${f}"]`);
    if (again)
      again.focus();
  } else if (to !== undefined && rows[to]) {
    rows[to].focus();
  } else
    return;
  event.preventDefault();
}

// The selected function: what it weighs, who calls it, what it calls, and its source.

const NEIGHBOURS_SHOWN = 8;

class Details {
  constructor(profile, page) {
    this.profile = profile;
    this.page = page;
    this.element = byId("details");
    this.sources = new Map((profile.facts.sources || []).map(source =>
      [source.function, source]));
  }

  // The functions right above or below, with their weights.
  neighbours(f) {
    const {tree} = this.profile, {all} = this.page.sums;
    const callers = new Map(), callees = new Map();
    const add = (map, func, weight) => map.set(func, (map.get(func) || 0) + weight);
    for (let i = 0; i < tree.size; i++) {
      if (all[i] === 0)
        continue;
      const above = tree.parent[i];
      if (tree.func[i] === f && tree.isOutermost[i] && above >= 0)
        add(callers, tree.func[above], all[i]);
      if (above >= 0 && tree.func[above] === f && tree.func[i] !== f)
        add(callees, tree.func[i], all[i]);
    }
    const sorted = map => [...map].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return {callers: sorted(callers), callees: sorted(callees)};
  }

  list(title, rows) {
    const {profile, sums} = this.page;
    if (rows.length === 0)
      return [];
    return [make("h3", {}, title), make("table", {}, make("tbody", {},
      ...rows.slice(0, NEIGHBOURS_SHOWN).map(([f, weight]) => make("tr", {
        tabindex: 0, onclick: () => this.page.change({function: f}),
        onkeydown: event => event.key === "Enter" && this.page.change({function: f}),
      }, make("td.share", {}, showShare(sums.share(weight)), meter(sums.share(weight), ".total")),
         make("td.text.function", {title: profile.name(f)}, profile.shortName(f)))),
      rows.length > NEIGHBOURS_SHOWN ? make("tr.rest", {}, make("td.text", {colspan: 2},
        plural(rows.length - NEIGHBOURS_SHOWN, "more"))) : null))];
  }

  source(f) {
    const {profile, sums} = this.page, source = this.sources.get(f), file = profile.file(f);
    const weights = weighLines(profile, sums, f), known = [...weights.keys()].filter(n => n > 0);
    if (known.length === 0)
      return [];
    const texts = new Map();
    if (source)
      source.lines.forEach((text, i) => texts.set(source.first + i, text));
    else
      known.sort((a, b) => a - b).forEach(line => texts.set(line, ""));
    const most = Math.max(1e-9, ...[...weights.values()].map(w => Math.max(w.self, w.total)));
    const show = value => value ? showShare(sums.share(value)) : "";
    const rows = [...texts].map(([line, text]) => {
      const weight = weights.get(line) || {self: 0, total: 0};
      const heat = Math.max(0, Math.max(weight.self, weight.total * 0.6) / most);
      return make("tr", {"data-line": line,
        style: heat > 0 ? `background:rgba(var(--hot), ${(0.08 + 0.4 * heat).toFixed(3)})` : undefined},
        make("td", {}, show(weight.self)), make("td", {}, show(weight.total)),
        make("td", {}, line), make("td", {}, text));
    });
    return [make("h3", {title: file}, "Source: " + lastPart(file),
                 source ? "" : " (not found: lines only)"),
            make("div.source", {tabindex: 0}, make("table", {}, make("tbody", {}, ...rows)))];
  }

  render() {
    const {profile, sums, before, state} = this.page, f = state.function;
    byId("columns").classList.toggle("two", f >= 0);
    this.element.hidden = f < 0;
    if (f < 0) {
      this.last = f;
      return;
    }
    const {callers, callees} = this.neighbours(f), {facts} = profile;
    const file = lastPart(profile.file(f)) + (profile.line(f) > 0 ? ":" + profile.line(f) : "");
    const where = [make("span", {title: profile.module(f)}, showModule(profile, f)),
                   make("span", {title: profile.file(f)}, file)];
    const numbers = (name, value, className) => [make("span", {}, name),
      make("span", {}, showAmount(value, facts)),
      make("span", {}, showShare(sums.share(value)), meter(sums.share(value), className))];
    this.element.replaceChildren(
      make("button.close", {type: "button", "aria-label": "Close", onclick: () =>
        this.page.change({function: -1})}, "\u00d7"),
      make("h2", {}, profile.name(f), profile.isInlined(f) ? make("span.tag", {}, "inlined") : ""),
      make("p.where", {}, ...where.filter(part => part.textContent !== "")
        .flatMap((part, i) => i > 0 ? [" \u00b7 ", part] : [part])),
      make("div.numbers", {}, ...numbers("Self", sums.functionSelf[f], ""),
        ...numbers("Total", sums.functionTotal[f], ".total")),
      ...(before ? [make("p.where", {}, "before: self " +
        showShare(before.share(before.functionSelf[f])) + ", total " +
        showShare(before.share(before.functionTotal[f])))] : []),
      make("div.actions", {},
        make("button.more", {type: "button", onclick: () => this.page.change({view: "callers"})},
             "All callers")),
      ...this.source(f), ...this.list("Called by", callers), ...this.list("Calls", callees));
    if (this.last !== f)
      this.scrollToHottest();
    this.last = f;
  }

  scrollToHottest() {
    const box = this.element.querySelector(".source");
    this.element.scrollTop = 0;
    if (box === null)
      return;
    const rows = [...box.querySelectorAll("tr")], heat = row =>
      parseFloat(row.firstChild.textContent) || 0;
    const hottest = rows.reduce((a, b) => heat(b) > heat(a) ? b : a);
    box.scrollTop = hottest.offsetTop - box.clientHeight / 3;
  }
}

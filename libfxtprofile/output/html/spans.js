// The table of a range, or of all: spans and operations by name, counters and marks.

const SPANS_SHOWN = 200;

// By labels, what of a list lasts within a range: count, total in the range, and of the
// whole durations p50 and so on. Without a range also the self time.
function summarizeSpans(list, nLabels, range) {
  const counts = new Uint32Array(nLabels), totals = new Float64Array(nLabels), self = new Float64Array(nLabels);
  const [from, to] = range || [-Infinity, Infinity];
  const each = use => {
    for (let row = 0; row + 1 < list.rowFirst.length; row++) {
      const first = range ? list.firstAfter(row, from) : list.rowFirst[row];
      const last = range ? list.firstFrom(row, to) : list.rowFirst[row + 1];
      for (let i = first; i < last; i++) {
        if (list.end[i] >= from)
          use(i);
      }
    }
  };
  each(i => {
    counts[list.label[i]]++;
    totals[list.label[i]] += Math.min(to, list.end[i]) - Math.max(from, list.start[i]);
    self[list.label[i]] += list.self ? list.self[i] : 0;
  });
  const first = sumsBefore(counts), at = first.slice(), durations = new Float64Array(first[nLabels]);
  each(i => { durations[at[list.label[i]]++] = list.end[i] - list.start[i]; });
  const rows = [];
  for (let label = 0; label < nLabels; label++) {
    if (counts[label] === 0)
      continue;
    const sorted = durations.subarray(first[label], first[label + 1]).sort();
    rows.push({label, count: counts[label], total: totals[label], self: self[label], p50: percentile(sorted, 50),
               p99: percentile(sorted, 99), max: sorted[sorted.length - 1]});
  }
  return rows;
}

class Spans {
  constructor(events, page) {
    this.events = events;
    this.page = page;
    this.sort = "total";
    this.nShown = SPANS_SHOWN;
    this.element = byId("view-spans");
  }

  // Once for each range.
  update() {
    const {range} = this.page.state, key = String(range), {events} = this;
    if (key === this.key)
      return;
    this.key = key;
    this.rows = [["s", events.slices], ["a", events.asyncs]].flatMap(([kind, list]) =>
      summarizeSpans(list, events.nLabels, range).map(row => ({...row, kind})));
    const [from, to] = range || [0, this.page.endTime];
    this.counters = events.series.map(series => [series, series.summary(from, to)])
      .filter(([, summary]) => summary !== null);
    this.marks = this.countMarks(range);
  }

  countMarks(range) {
    const {marks} = this.events, counts = new Map();
    for (let i = 0; i < marks.n; i++) {
      if (range === null || (marks.start[i] >= range[0] && marks.start[i] < range[1]))
        counts.set(marks.label[i], (counts.get(marks.label[i]) || 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  render() {
    this.update();
    const {search} = this.page, isShown = name => search === null || search.test(name);
    const spans = this.rows.filter(row => isShown(this.events.name(row.label)));
    const counters = this.counters.filter(([series]) => isShown(series.name));
    const marks = this.marks.filter(([label]) => isShown(this.events.name(label)));
    const parts = [];
    if (spans.length > 0)
      parts.push(this.spanTable(spans));
    if (counters.length > 0)
      parts.push(this.counterTable(counters));
    if (marks.length > 0)
      parts.push(this.markTable(marks));
    this.element.replaceChildren(...(parts.length > 0 ? parts
      : [make("p.nothing", {}, search === null ? "Nothing is in this range." : "Nothing is found.")]));
  }

  spanTable(spans) {
    const {events} = this, hasRange = this.page.state.range !== null;
    const columns = [["count", "Count"], ["total", "Total"], ...(hasRange ? [] : [["self", "Self"]]),
                     ["p50", "p50"], ["p99", "p99"], ["max", "Max"]];
    const name = row => events.name(row.label), by = this.sort;
    spans.sort((a, b) => by === "name" ? (name(a) < name(b) ? -1 : 1) : b[by] - a[by] || a.label - b.label);
    const head = ([key, label]) => make("th" + (key === "name" ? ".text" : ""),
      {"aria-sort": this.sort === key ? (key === "name" ? "ascending" : "descending") : false, scope: "col"},
      make("button", {type: "button", onclick: () => { this.sort = key; this.render(); }}, label));
    const most = spans.reduce((sum, row) => Math.max(sum, row.total), 1);
    const body = spans.slice(0, this.nShown).map(row => make("tr", {
      tabindex: 0, onclick: () => this.choose(row),
      onkeydown: event => { if (event.key === "Enter") this.choose(row); },
    }, make("td.text.function", {title: name(row)}, ...markFound(name(row), this.page.search),
            events.category(row.label) ? make("span.tag", {}, events.category(row.label)) : "",
            row.kind === "a" ? make("span.tag", {}, "async") : ""),
       ...columns.map(([key]) => make("td.number", {}, key === "count" ? showNumber(row.count)
         : row.kind === "a" && key === "self" ? "" : showTime(row[key]),
         key === "total" ? meter(row.total / most, "") : ""))));
    const left = spans.length - body.length;
    return make("div", {}, make("table.spans", {}, make("thead", {}, make("tr", {}, head(["name", "Span"]),
      ...columns.map(head))), make("tbody", {}, ...body)),
      left > 0 ? make("button.more", {type: "button", onclick: () => { this.nShown *= 4; this.render(); }},
                      showNumber(left) + " more\u2026") : "");
  }

  plainTable(heads, rows) {
    return make("table.spans", {}, make("thead", {}, make("tr", {}, ...heads.map((head, i) =>
      make(i === 0 ? "th.text" : "th", {scope: "col"}, make("span", {}, head))))),
      make("tbody", {}, ...rows.slice(0, this.nShown).map(cells => make("tr.plain", {}, ...cells.map((cell, i) =>
        make(i === 0 ? "td.text.function" : "td.number", {}, cell))))));
  }

  counterTable(counters) {
    return this.plainTable(["Counter", "Values", "Min", "Mean", "Max", "Last"], counters.map(([series, sum]) =>
      [series.name, showNumber(sum.n), showAny(sum.least), showAny(sum.mean), showAny(sum.most), showAny(sum.last)]));
  }

  markTable(marks) {
    return this.plainTable(["Instant", "Count"], marks.map(([label, n]) =>
      [this.events.name(label), showNumber(n)]));
  }

  // The slowest of a row, within the range if there is one.
  choose(row) {
    const {range} = this.page.state, list = row.kind === "s" ? this.events.slices : this.events.asyncs;
    let best = -1;
    for (let i = 0; i < list.n; i++) {
      if (list.label[i] === row.label && (range === null || (list.start[i] < range[1] && list.end[i] >= range[0])) &&
          (best < 0 || list.end[i] - list.start[i] > list.end[best] - list.start[best]))
        best = i;
    }
    if (best >= 0)
      this.page.goTo(row.kind + best);
  }
}

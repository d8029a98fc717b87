// What was chosen on the tracks: its times, arguments and flows, where it is among all of
// its name, and the slowest of these.

const SLOWEST_SHOWN = 10, HISTOGRAM_BARS = 48;

// All of one name (a label) in a list: their durations in order, and the slowest ones.
function findInstances(list, label) {
  let n = 0;
  for (let i = 0; i < list.n; i++)
    n += list.label[i] === label ? 1 : 0;
  const durations = new Float64Array(n);
  for (let i = 0, k = 0; i < list.n; i++) {
    if (list.label[i] === label)
      durations[k++] = list.end[i] - list.start[i];
  }
  durations.sort();
  const least = durations[Math.max(0, n - SLOWEST_SHOWN)], slowest = [];
  for (let i = 0; i < list.n; i++) {
    if (list.label[i] === label && list.end[i] - list.start[i] >= least)
      slowest.push(i);
    // Of very many that are equal, the first ones.
    if (slowest.length > 4 * SLOWEST_SHOWN) {
      slowest.sort((a, b) => list.end[b] - list.start[b] - (list.end[a] - list.start[a]) || a - b);
      slowest.length = SLOWEST_SHOWN;
    }
  }
  slowest.sort((a, b) => list.end[b] - list.start[b] - (list.end[a] - list.start[a]) || a - b);
  return {durations, slowest: slowest.slice(0, SLOWEST_SHOWN)};
}

// By nearest rank.
function percentile(sorted, percent) {
  return sorted[Math.max(0, Math.ceil(sorted.length * percent / 100) - 1)];
}

class Inspector {
  constructor(events, page) {
    this.events = events;
    this.page = page;
    this.element = byId("event");
    this.known = new Map();
  }

  instances(kind, list, label) {
    const key = kind + label;
    if (!this.known.has(key)) {
      if (this.known.size > 50)
        this.known.clear();
      this.known.set(key, findInstances(list, label));
    }
    return this.known.get(key);
  }

  // ---- Under the pointer ----

  nameOf({kind, i, list}) {
    const {events} = this;
    if (kind === "r")
      return events.threadName(list.thread[i]);
    return kind === "w" ? STATES_OF_WAITS[list.kind[i]] : events.name(list.label[i]);
  }

  whereOf({kind, i, list}) {
    const {events} = this;
    if (kind === "r")
      return "CPU " + events.cpuNumbers[list.rowOf(i)];
    if (kind === "a")
      return events.processName(events.asyncTracks[events.asyncTrackOf(list.rowOf(i))].lane);
    const thread = kind === "s" ? events.threadOf(i) : list.rowOf(i), lane = events.laneOfThread(thread);
    const process = events.processName(events.threadLanes[thread]), name = events.threadName(thread);
    return name === process ? name + " [" + lane[3] + "]" : name + " [" + lane[3] + "] \u00b7 " + process;
  }

  describe(event, pick) {
    const picked = readPick(pick, this.events), header = this.page.tracks.layout.rowAt(
      event.offsetY + this.page.tracks.top);
    if (picked === null) {
      if (header !== null && header.kind === TRACK_COUNTER && event.offsetX > this.page.tracks.labelWidth) {
        const series = this.events.series[header.ref], time = this.page.tracks.timeAt(event.offsetX);
        const place = series.placeAt(time);
        tip.show(event, [series.name, "", showMoment(time), place >= 0 ? showAny(series.value[place]) : "no value yet"]);
      } else if (header !== null && header.kind === TRACK_THREAD && event.offsetX < this.page.tracks.labelWidth)
        tip.show(event, [this.events.threadName(header.ref), "thread " + this.events.laneOfThread(header.ref)[3]]);
      else
        tip.hide();
      return;
    }
    const {kind, i, list} = picked, lines = [this.nameOf(picked), this.whereOf(picked)];
    if (kind !== "m")
      lines.push(showTime(list.end[i] - list.start[i]) + (list.unfinished && list.unfinished[i] ? ", never ended" : ""));
    if (kind === "s")
      lines.push(showTime(list.self[i]) + " self");
    lines.push("at " + showMoment(list.start[i]));
    if (list.nArgs)
      lines.push(...this.events.argsOf(list, i).slice(0, 4).map(([name, value]) => name + ": " + value.slice(0, 100)));
    tip.show(event, lines);
  }

  // ---- The choice ----

  render() {
    const picked = readPick(this.page.state.pick, this.events);
    this.element.hidden = picked === null;
    if (picked === null)
      return;
    const {kind, i, list} = picked, category = list.label ? this.events.category(list.label[i]) : "";
    this.element.replaceChildren(
      make("button.close", {type: "button", "aria-label": "Close", onclick: () => this.page.change({pick: ""})}, "\u00d7"),
      make("h2", {}, this.nameOf(picked), category ? make("span.tag", {}, category) : ""),
      make("div.parts", {}, this.facts(picked), this.args(picked), this.flows(picked),
           ...(kind === "s" || kind === "a" ? this.others(picked) : [])));
    byId("spoken").textContent = this.nameOf(picked) + ", " +
      (kind === "m" ? "" : showTime(list.end[i] - list.start[i]) + ", ") + "at " + showMoment(list.start[i]);
  }

  table(title, rows) {
    return rows.length === 0 ? "" : make("section", {}, make("h3", {}, title), make("dl", {},
      ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  }

  facts(picked) {
    const {kind, i, list} = picked, {events} = this, rows = [["Starts", showMoment(list.start[i])]];
    if (kind !== "m")
      rows.unshift(["Duration", showTime(list.end[i] - list.start[i])]);
    if (kind === "s")
      rows.splice(1, 0, ["Self", showTime(list.self[i])]);
    if (list.unfinished && list.unfinished[i])
      rows.push(["End", "not in the trace"]);
    rows.push([kind === "r" ? "On" : kind === "a" ? "Process" : "Thread", this.whereOf(picked)]);
    if (kind === "s") {
      if (list.parent[i] >= 0)
        rows.push(["Inside", this.link("s" + list.parent[i], events.name(list.label[list.parent[i]]))]);
      rows.push(...this.scheduled(events.threadOf(i), list.start[i], list.end[i]));
    }
    if (kind === "w") {
      rows.push(["Before on", "CPU " + list.cpu[i]]);
      if (list.waker[i] > 0)
        rows.push(["Woken by", events.strings[list.waker[i] - 1]]);
    }
    return this.table("Times", rows);
  }

  // What the thread did during it, if scheduling was recorded.
  scheduled(thread, from, to) {
    const {waits, threadRuns} = this.events, sums = [0, 0, 0], first = waits.firstAfter(thread, from);
    for (let k = first; k < waits.rowFirst[thread + 1] && waits.start[k] < to && k < first + 100000; k++)
      sums[waits.kind[k]] += Math.max(0, Math.min(to, waits.end[k]) - Math.max(from, waits.start[k]));
    const ran = threadRuns.covered(thread, from, to);
    const rows = ran > 0 ? [["Ran", showTime(ran)]] : [];
    for (const [name, sum] of [["Waited for a CPU", sums[RUNNABLE]], ["Blocked", sums[BLOCKED]],
                               ["Suspended", sums[2]]]) {
      if (sum > 0)
        rows.push([name, showTime(sum)]);
    }
    return rows;
  }

  args({i, list}) {
    return list.nArgs ? this.table("Arguments", this.events.argsOf(list, i)) : "";
  }

  link(pick, ...content) {
    return make("button.link", {type: "button", onclick: () => this.page.goTo(pick)}, ...content);
  }

  flows({kind, i}) {
    if (kind !== "s" || !this.page.flows)
      return "";
    const {into, out} = this.page.flows.of(i), {events} = this;
    const row = (word, {flow, other}) => {
      const slice = events.sliceOfFlow(other), away = Math.abs(events.flows.time[other] - events.flows.time[flow]);
      const name = slice >= 0 ? events.name(events.slices.label[slice]) : events.threadName(events.threadOfFlow(other));
      return [word, make("span", {}, slice >= 0 ? this.link("s" + slice, name) : name, " ",
                         make("small", {}, showTime(away) + (word === "From" ? " before" : " later")))];
    };
    return this.table("Flows", [...into.map(flow => row("From", flow)), ...out.map(flow => row("To", flow))]);
  }

  // ---- Others of its name ----

  others({kind, i, list}) {
    const {durations, slowest} = this.instances(kind, list, list.label[i]);
    const duration = list.end[i] - list.start[i], n = durations.length;
    const below = bound(durations, 0, n, duration, false);
    const shares = [50, 90, 99].map(percent => ["p" + percent, showTime(percentile(durations, percent))]);
    return [
      make("section.wide", {}, make("h3", {}, plural(n, "time") + " in all"),
           this.histogram(durations, duration),
           make("p", {}, n === 1 ? "The only one of this name." : "Longer than " + showShare(below / n) + " of them."),
           make("dl.across", {}, ...[["min", showTime(durations[0])], ...shares,
             ["max", showTime(durations[n - 1])]].map(([name, value]) =>
             make("div", {}, make("dt", {}, name), make("dd", {}, value))))),
      make("section", {}, make("h3", {}, "Slowest"), make("ol", {}, ...slowest.map(k =>
        make("li" + (k === i ? ".here" : ""), {}, this.link(kind + k, showTime(list.end[k] - list.start[k])),
             make("small", {}, " at " + showMoment(list.start[k])))))),
    ];
  }

  // Durations by their logarithm, and where one of them is.
  histogram(durations, duration) {
    const least = Math.log(Math.max(1, durations[0]));
    const most = Math.max(least + 1e-9, Math.log(Math.max(1, durations[durations.length - 1])));
    const place = value => Math.min(HISTOGRAM_BARS - 1,
      Math.floor((Math.log(Math.max(1, value)) - least) / (most - least) * HISTOGRAM_BARS));
    const counts = new Float64Array(HISTOGRAM_BARS), here = place(duration);
    for (const value of durations)
      counts[place(value)]++;
    const highest = counts.reduce((a, b) => Math.max(a, b), 1);
    const height = n => n === 0 ? 0 : Math.max(4, 100 * Math.sqrt(n / highest));
    return make("div.histogram", {role: "img", "aria-label": "Distribution of durations"},
      ...Array.from(counts, (n, i) => make("i" + (i === here ? ".here" : ""),
        {style: `height:${height(n).toFixed(1)}%`, title: plural(n, "time")})));
  }
}

// The timeline: what each thread or CPU did over time, and the selection of a time.

const LANE_HEIGHT = 26, NARROWEST_BAR = 2, WIDEST_BAR = 8;
const LANES_SHOWN = 60, LANES_MORE = 200, LANES_MAX = 1000;

// What lanes are painted by, from the bottom of a bar to its top.
const STATES = ["kernel", "user", ...WAITING];

// Steps of 1, 2 or 5.
function niceStep(span, n) {
  const rough = span / Math.max(n, 1), power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= rough);
}

// Fits a canvas to its place; returns its context in CSS pixels.
function fitCanvas(canvas, width, height) {
  const scale = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

class Lanes {
  constructor(profile, page) {
    this.profile = profile;
    this.page = page;
    this.canvas = byId("lanes-canvas");
    this.axis = byId("axis");
    this.nShown = LANES_SHOWN;
    this.states = this.findStates();
    for (const canvas of [this.canvas, this.axis]) {
      canvas.addEventListener("pointerdown", event => this.press(event));
      canvas.addEventListener("pointermove", event => this.move(event));
      canvas.addEventListener("pointerup", event => this.release(event));
      canvas.addEventListener("pointercancel", () => { this.drag = null; this.draw(); });
      canvas.addEventListener("pointerleave", () => tip.hide());
    }
    byId("lanes-frame").addEventListener("keydown", event => this.key(event));
    byId("clear").addEventListener("click", () => page.change({range: null, lanes: [], cursors: []}));
    byId("zoom-in").addEventListener("click", () => page.show(page.state.range));
    byId("zoom-out").addEventListener("click", () => page.show(null));
    this.findLanes();
  }

  // By samples, numbers of STATES.
  findStates() {
    const {profile} = this, states = new Uint8Array(profile.nSamples);
    const byFunction = new Map();
    const find = f => profile.stateOf(f) || (profile.kind(f) & KERNEL ? "kernel" : "user");
    for (let i = 0; i < profile.nSamples; i++) {
      const leaf = profile.leaf(i), f = leaf >= 0 ? profile.tree.func[leaf] : -1;
      if (!byFunction.has(f))
        byFunction.set(f, STATES.indexOf(f >= 0 ? find(f) : "user"));
      states[i] = byFunction.get(f);
    }
    return states;
  }

  // Those that lanes are painted by, where there is more than one.
  get legend() {
    const {kind} = this.profile.facts, seen = new Set(this.states);
    if (this.profile.nSamples === 0)
      return [];
    if (kind === "samples")
      return ["user", "kernel"];
    const found = kind === "spans" ? [] : STATES.filter((name, i) => seen.has(i));
    return found.some(name => WAITING.includes(name)) ? found : [];
  }

  // The lanes of both kinds, the heaviest first, with the lane of each sample.
  findLanes() {
    const c = this.profile.columns, threads = new Map(), cpus = new Map();
    const add = (map, key, i) => {
      const lane = map.get(key) || {key, weight: 0, n: 0};
      lane.weight += Math.abs(c["sample.value"][i]);
      lane.n += c["sample.count"][i];
      map.set(key, lane);
    };
    for (let i = 0; i < this.profile.nSamples; i++) {
      // Those of other events have no weight.
      if (c["sample.count"][i] === 0 && c["sample.value"][i] === 0)
        continue;
      add(threads, c["sample.lane"][i], i);
      add(cpus, c["sample.cpu"][i], i);
    }
    this.isOneProcess = new Set([...threads.keys()].map(key =>
      this.profile.facts.lanes[key][1])).size === 1;
    const heaviest = (a, b) => b.weight - a.weight || a.key - b.key;
    this.lists = {thread: [...threads.values()].sort(heaviest),
                  cpu: [...cpus.values()].sort((a, b) => a.key - b.key)};
    this.total = this.lists.thread.reduce((sum, lane) => sum + lane.weight, 0);
  }

  name(key, by) {
    if (by === "cpu")
      return key > 0 ? ["CPU " + (key - 1), ""] : ["CPU not known", ""];
    const [process, pid, thread, tid, cpu] = this.profile.facts.lanes[key];
    if (cpu >= 0)
      return ["CPU " + cpu, ""];
    const shown = process || "process " + pid;
    const own = thread || (tid === pid ? shown : "thread " + tid);
    return [own === shown || this.isOneProcess ? own : own + " \u00b7 " + shown, tid];
  }

  get span() {
    return [this.page.camera.from, this.page.camera.to];
  }

  // The same while the time that is seen moves, unless that takes too long.
  drawMoved(most) {
    if (this.shown.length === 0 || this.profile.times.length > most) {
      this.drawAxis();
      return;
    }
    this.count(this.width);
    this.draw();
  }

  // What each lane did in each bar, by states and at all.
  count(width) {
    const {profile} = this, c = profile.columns, [from, to] = this.span;
    if (!profile.hasTimes) {
      this.bars = {all: [], parts: STATES.map(() => null), nBars: 1, full: 1};
      return;
    }
    const by = c[this.page.state.by === "cpu" ? "sample.cpu" : "sample.lane"];
    // Of few samples, narrow bars would be a picture of chance.
    const n = this.shown.reduce((most, lane) => Math.max(most, lane.n), 0);
    const wanted = profile.lasts ? Infinity : n * (to - from) / profile.endTime / 2;
    const nBars = Math.max(1, Math.floor(Math.max(width / WIDEST_BAR,
                                                  Math.min(width / NARROWEST_BAR, wanted))));
    const scale = nBars / (to - from);
    const places = new Map(this.shown.map((lane, i) => [lane.key, i]));
    const all = new Float64Array(nBars * this.shown.length);
    const parts = STATES.map((name, i) => this.states.includes(i) ? all.slice() : null);
    const place = new Int32Array(profile.nSamples);
    for (let i = 0; i < profile.nSamples; i++)
      place[i] = places.has(by[i]) ? places.get(by[i]) * nBars : -1;
    const add = (i, bar, weight) => {
      all[place[i] + bar] += weight;
      parts[this.states[i]][place[i] + bar] += weight;
    };
    if (profile.lasts)
      this.addLasting(place, add, nBars, scale);
    const end = firstAtLeast(profile.times, to);
    for (let row = firstAtLeast(profile.times, from); row < end && !profile.lasts; row++) {
      const i = profile.rows ? profile.rows[row] : row;
      if (place[i] >= 0)
        add(i, Math.min(nBars - 1, Math.floor((profile.times[row] - from) * scale)),
            Math.abs(profile.units[i]));
    }
    let most = 0;
    for (const weight of all)
      most = Math.max(most, weight);
    // The highest bar is the most that there is, and at most all of the time.
    const isTime = profile.facts.unit === "nanoseconds";
    const limit = isTime ? Math.max((to - from) / nBars, Number(profile.facts.period_ns)) : most;
    this.bars = {all, parts, nBars, full: Math.max(1e-9, Math.min(limit, 1.05 * most))};
  }

  // What lasts is in all bars from its begin to its end.
  addLasting(place, add, nBars, scale) {
    const {profile} = this, [from, to] = this.span;
    const changes = new Map();
    for (let i = 0; i < profile.times.length; i++) {
      const begin = Math.max(from, profile.times[i]) - from;
      const end = Math.min(to, profile.times[i] + profile.units[i]) - from;
      if (place[i] < 0 || end <= begin)
        continue;
      const first = Math.floor(begin * scale), last = Math.min(nBars - 1, Math.floor(end * scale));
      if (first === last) {
        add(i, first, end - begin);
        continue;
      }
      add(i, first, (first + 1) / scale - begin);
      add(i, last, end - last / scale);
      const key = place[i] * STATES.length + this.states[i];
      if (!changes.has(key))
        changes.set(key, [i, new Int32Array(nBars + 1)]);
      changes.get(key)[1][first + 1]++;
      changes.get(key)[1][last]--;
    }
    for (const [i, change] of changes.values()) {
      for (let bar = 0, n = 0; bar < nBars; bar++) {
        n += change[bar];
        if (n > 0)
          add(i, bar, n / scale);
      }
    }
  }

  // The labels, and then the pictures.
  render() {
    const {state} = this.page, list = this.lists[state.by];
    this.shown = list.slice(0, this.nShown);
    byId("lanes-by").hidden = this.profile.cpus.length === 0 && state.by !== "cpu";
    makeChoice(byId("lanes-by"), [["thread", "Threads"], ["cpu", "CPUs"]], state.by,
               by => this.page.change({by, lanes: []}));
    const rows = this.shown.map(lane => {
      const [name, id] = this.name(lane.key, state.by);
      const share = this.total > 0 ? lane.weight / this.total : 0;
      return make("button", {
        type: "button", title: name + (id ? " [" + id + "]" : "") + ": " +
          plural(lane.n, nounOf(this.profile.facts)) + ", " + showShare(share),
        "aria-pressed": String(state.lanes.includes(lane.key)),
        onclick: event => this.choose(lane.key, event.ctrlKey || event.metaKey || event.shiftKey),
      }, make("span.name", {}, name), make("span.id", {}, id),
         make("span.share", {}, showShare(share)));
    });
    const left = list.slice(this.nShown);
    if (left.length > 0)
      rows.push(make("button", {type: "button", onclick: () => {
        this.nShown = Math.min(LANES_MAX, this.nShown + LANES_MORE);
        this.render();
      }}, make("span.name", {}, showNumber(left.length) + " more\u2026"), make("span.share", {},
        showShare(left.reduce((sum, lane) => sum + lane.weight, 0) / (this.total || 1)))));
    byId("lane-names").replaceChildren(...rows);
    byId("lanes").hidden = list.length === 0;
    this.width = byId("axis").parentElement.clientWidth -
                 byId("axis-label").getBoundingClientRect().width;
    this.count(this.width);
    this.draw();
    this.renderRange();
  }

  renderRange() {
    const {state} = this.page, words = [];
    if (state.range !== null)
      words.push(showRange(...state.range) + " (" + showTime(state.range[1] - state.range[0]) + ")");
    if (state.lanes.length > 0)
      words.push(state.lanes.length === 1 && this.lists[state.by].some(l => l.key === state.lanes[0])
        ? this.name(state.lanes[0], state.by)[0]
        : plural(state.lanes.length, state.by === "cpu" ? "CPU" : "thread"));
    if (words.length > 0 && this.profile.nSamples > 0)
      words.push(plural(this.page.sums.n, nounOf(this.profile.facts)));
    if (state.cursors.length === 2)
      words.push(showTime(Math.abs(state.cursors[1] - state.cursors[0])) + " between the cursors");
    else if (state.cursors.length === 1)
      words.push("cursor at " + showTime(state.cursors[0]));
    byId("range").replaceChildren(words.join(" \u00b7 "));
    byId("clear").hidden = words.length === 0;
    byId("zoom-in").hidden = state.range === null ||
                             String(state.range) === String(state.seen);
    byId("zoom-out").hidden = state.seen === null;
  }

  x(time) {
    const [from, to] = this.span;
    return (time - from) / (to - from) * this.width;
  }

  draw() {
    this.drawAxis();
    const {profile, bars, shown, width} = this, height = shown.length * LANE_HEIGHT;
    const context = fitCanvas(this.canvas, width, Math.max(height, 1));
    const barWidth = width / bars.nBars, gap = barWidth > 4 ? 1 : 0;
    const edge = cssColor("edge"), chosen = this.page.state.lanes;
    context.fillStyle = cssColor("paper");
    context.fillRect(0, 0, width, height);
    shown.forEach((lane, i) => {
      const bottom = (i + 1) * LANE_HEIGHT - 1, most = LANE_HEIGHT - 4;
      context.globalAlpha = chosen.length > 0 && !chosen.includes(lane.key) ? 0.25 : 1;
      // The highest first: each covers what is below it.
      const heights = bars.all.slice(i * bars.nBars, (i + 1) * bars.nBars);
      for (let state = STATES.length - 1; state >= 0; state--) {
        const part = bars.parts[state];
        if (part === null)
          continue;
        context.fillStyle = cssColor(STATES[state]);
        context.beginPath();
        for (let bar = 0; bar < bars.nBars; bar++) {
          const weight = part[i * bars.nBars + bar];
          if (weight === 0)
            continue;
          const high = Math.max(1, Math.min(1, heights[bar] / bars.full) * most);
          context.rect(bar * barWidth, bottom - high, barWidth - gap, high);
          heights[bar] -= weight;
        }
        context.fill();
      }
      context.globalAlpha = 1;
      context.fillStyle = edge;
      context.fillRect(0, bottom, width, 1);
    });
    this.drawDrops(context, height);
    this.drawRange(context, height);
    this.canvas.setAttribute("aria-label", "Activity of " +
      plural(shown.length, this.page.state.by === "cpu" ? "CPU" : "thread") + " over " +
      showTime(profile.endTime));
  }

  drawAxis() {
    const context = fitCanvas(this.axis, this.width, 22), [from, to] = this.span;
    const step = Math.max(1, niceStep(to - from, this.width / 110));
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const place = showTimeOf(step);
    for (let time = Math.ceil(from / step) * step; time < to; time += step) {
      const x = Math.round(this.x(time));
      context.fillStyle = cssColor("edge");
      context.fillRect(x, 0, 1, 22);
      context.fillStyle = cssColor("quiet");
      const label = time === 0 ? "0" : place(time);
      if (x + context.measureText(label).width + 5 < this.width)
        context.fillText(label, x + 5, 11);
    }
    this.drawRange(context, 22);
    this.drawCursors(context);
  }

  // How far two cursors are apart.
  drawCursors(context) {
    const {cursors} = this.page.state;
    context.fillStyle = cssColor("more");
    for (const time of cursors)
      context.fillRect(Math.round(this.x(time)) - 0.5, 0, 1.5, 22);
    if (cursors.length < 2)
      return;
    const [left, right] = cursors.map(time => this.x(time)).sort((a, b) => a - b);
    const label = showTime(Math.abs(cursors[1] - cursors[0])), wide = context.measureText(label).width + 8;
    const x = Math.max(0, Math.min(this.width - wide, (left + right - wide) / 2));
    context.fillRect(left, 20, right - left, 1.5);
    context.fillRect(x, 2, wide, 17);
    context.fillStyle = cssColor("paper");
    context.fillText(label, x + 4, 11);
  }

  // When samplers dropped records.
  drawDrops(context, height) {
    const times = this.profile.columns["drops.time"];
    context.fillStyle = cssColor("more");
    context.globalAlpha = 0.3;
    for (let i = 0; times && i < times.length; i++) {
      const x = this.x(times[i]);
      const end = this.x(times[i] + this.profile.columns["drops.duration"][i]);
      context.fillRect(x, 0, Math.max(1.5, end - x), height);
    }
    context.globalAlpha = 1;
  }

  drawRange(context, height) {
    const range = this.drag ? this.dragged() : this.page.state.range;
    if (range === null)
      return;
    const [left, right] = range.map(time => this.x(time));
    context.fillStyle = cssColor("paper");
    context.globalAlpha = 0.66;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, this.width - right, height);
    context.globalAlpha = 1;
    context.fillStyle = cssColor("accent");
    context.fillRect(left - 1, 0, 2, height);
    context.fillRect(right - 1, 0, 2, height);
  }

  // ---- Choosing ----

  choose(key, isMore) {
    const {lanes} = this.page.state;
    if (isMore)
      this.page.change({lanes: lanes.includes(key) ? lanes.filter(lane => lane !== key)
                                                   : [...lanes, key]});
    else
      this.page.change({lanes: lanes.length === 1 && lanes[0] === key ? [] : [key]});
  }

  timeAt(event) {
    const box = event.currentTarget.getBoundingClientRect(), [from, to] = this.span;
    const part = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    return from + part * (to - from);
  }

  dragged() {
    return [Math.min(this.drag.from, this.drag.to), Math.max(this.drag.from, this.drag.to)];
  }

  press(event) {
    if (event.button !== 0)
      return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const time = this.timeAt(event);
    this.drag = {from: time, to: time, x: event.clientX};
  }

  move(event) {
    if (this.drag) {
      this.drag.to = this.timeAt(event);
      this.draw();
    }
    this.describe(event);
  }

  release(event) {
    if (!this.drag)
      return;
    const range = this.dragged(), isClick = Math.abs(event.clientX - this.drag.x) < 3;
    this.drag = null;
    this.page.change({range: isClick ? null : [Math.floor(range[0]), Math.ceil(range[1])]});
  }

  describe(event) {
    const time = this.timeAt(event);
    if (this.drag) {
      const [from, to] = this.dragged();
      tip.show(event, [showRange(from, to), showTime(to - from)]);
      return;
    }
    const row = Math.floor(event.offsetY / LANE_HEIGHT), lane = this.shown[row];
    if (event.currentTarget === this.axis || lane === undefined) {
      tip.show(event, [showTime(time)]);
      return;
    }
    const {bars} = this, [from, to] = this.span;
    const bar = Math.min(bars.nBars - 1, Math.floor((time - from) / (to - from) * bars.nBars));
    const at = row * bars.nBars + bar;
    const shares = this.legend.flatMap(name => {
      const part = bars.parts[STATES.indexOf(name)];
      return part !== null && part[at] > 0 ? [showShare(part[at] / bars.all[at]) + " " + name] : [];
    });
    tip.show(event, [this.name(lane.key, this.page.state.by)[0], showTime(time),
      bars.all[at] > 0 ? showAmount(bars.all[at], this.profile.facts) + " in " +
        showTime((to - from) / bars.nBars) +
        (shares.length > 0 ? ": " + shares.join(", ") : "") : "no samples"]);
  }

  key(event) {
    const [from, to] = this.span, step = (to - from) / 50;
    const range = this.page.state.range || [from, from + 5 * step];
    const sign = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (event.key === "Escape")
      this.page.change({range: null, lanes: []});
    else if (sign === undefined || event.target !== event.currentTarget)
      return;
    else if (this.page.state.range === null)
      this.page.change({range: range.map(Math.round)});
    else if (event.shiftKey)
      this.page.change({range: [range[0], Math.round(Math.max(range[0] + step,
        Math.min(to, range[1] + sign * step)))]});
    else {
      const move = Math.max(from - range[0], Math.min(to - range[1], sign * step));
      this.page.change({range: range.map(time => Math.round(time + move))});
    }
    event.preventDefault();
  }
}

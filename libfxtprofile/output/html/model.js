// The profile: its functions, the tree of calls, and sums over a selection of samples.

const KERNEL = 1, UNNAMED = 2, CUT = 4, JIT = 8;

// The tree of stacks with a node for each function, whatever the line of the call: from
// one with a node for each line. Nodes follow their callers'.
function mergeLines(columns) {
  const frames = columns["node.frame"], parents = columns["node.parent"];
  const functionOf = columns["frame.function"], n = frames.length;
  const nodes = new Uint32Array(n), parent = new Int32Array(n), func = new Uint32Array(n);
  let slots = 16;
  while (slots < 2 * n)
    slots *= 2;
  const table = new Int32Array(slots);
  let size = 0;
  for (let i = 0; i < n; i++) {
    const above = parents[i] > 0 ? nodes[i - parents[i]] : -1, f = functionOf[frames[i]];
    let at = (Math.imul(above + 1, 0x9e3779b1) ^ Math.imul(f + 1, 0x85ebca6b)) >>> 0;
    at = (at ^ at >>> 15) & (slots - 1);
    while (table[at] !== 0 && (parent[table[at] - 1] !== above || func[table[at] - 1] !== f))
      at = (at + 1) & (slots - 1);
    if (table[at] === 0) {
      parent[size] = above;
      func[size] = f;
      table[at] = ++size;
    }
    nodes[i] = table[at] - 1;
  }
  return {nodes, parent: parent.slice(0, size), func: func.slice(0, size), size};
}

function linkChildren(tree) {
  tree.firstChild = new Int32Array(tree.size + 1).fill(-1);
  tree.nextSibling = new Int32Array(tree.size).fill(-1);
  tree.depth = new Uint32Array(tree.size);
  for (let i = tree.size - 1; i >= 0; i--) {
    const above = tree.parent[i] >= 0 ? tree.parent[i] : tree.size;
    tree.nextSibling[i] = tree.firstChild[above];
    tree.firstChild[above] = i;
  }
  for (let i = 0; i < tree.size; i++)
    tree.depth[i] = tree.parent[i] >= 0 ? tree.depth[tree.parent[i]] + 1 : 0;
}

// Which nodes are not below one of the same function: a total counts only these.
function markOutermost(tree, nFunctions) {
  const open = new Uint32Array(nFunctions);
  tree.isOutermost = new Uint8Array(tree.size);
  let node = tree.firstChild[tree.size];
  while (node >= 0) {
    tree.isOutermost[node] = open[tree.func[node]]++ === 0 ? 1 : 0;
    let next = tree.firstChild[node];
    while (next < 0 && node >= 0) {
      open[tree.func[node]]--;
      next = tree.nextSibling[node];
      node = tree.parent[node];
    }
    node = next;
  }
}

function firstAtLeast(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const WAITING = ["runnable", "blocked", "suspended"];

class Profile {
  constructor({facts, columns}) {
    this.facts = facts;
    this.columns = columns;
    this.strings = facts.strings;
    this.nFunctions = columns["function.name"].length;
    this.tree = mergeLines(columns);
    linkChildren(this.tree);
    markOutermost(this.tree, this.nFunctions);
    this.hasBefore = facts.before_lanes !== undefined;
    this.readTimes();
    this.readSamples();
  }

  readTimes() {
    const times = this.columns["row.time"];
    this.hasTimes = times !== undefined && times.length > 0 && this.facts.kind !== "heap";
    this.endTime = 0;
    if (!this.hasTimes)
      return;
    for (let i = 1; i < times.length; i++)
      times[i] += times[i - 1];
    const drops = this.columns["drops.time"];
    for (let i = 1; drops && i < drops.length; i++)
      drops[i] += drops[i - 1];
    this.times = times;
    this.rows = this.columns["row.sample"];
    // Spans and waits last; a sample stands for the time until the next one.
    this.lasts = this.facts.unit === "nanoseconds" &&
                 ["spans", "waits", "intervals"].includes(this.facts.kind);
    // After months a number has no digit for a nanosecond more.
    const last = times[times.length - 1];
    this.endTime = last + Math.max(Number(this.facts.period_ns), 1, last * 2 ** -50);
    for (let i = 0; drops && i < drops.length; i++)
      this.endTime = Math.max(this.endTime, drops[i] + this.columns["drops.duration"][i]);
    for (let i = 0; this.lasts && i < times.length; i++)
      this.endTime = Math.max(this.endTime, times[i] + this.columns["sample.value"][i]);
  }

  readSamples() {
    const c = this.columns, n = c["sample.node"].length;
    this.nSamples = n;
    this.units = new Float64Array(n);
    for (let i = 0; i < n; i++)
      this.units[i] = this.rows ? c["sample.value"][i] / Math.max(c["sample.count"][i], 1)
                                : c["sample.value"][i];
    this.cpus = [...new Set(c["sample.cpu"])].filter(cpu => cpu > 0).sort((a, b) => a - b);
  }

  name(f) { return this.strings[this.columns["function.name"][f]]; }
  // As it is shown where there is little room.
  shortName(f) { return this.facts.names === "functions" ? shorten(this.name(f)) : this.name(f); }
  module(f) { return this.strings[this.columns["function.module"][f]]; }
  file(f) { return this.strings[this.columns["function.file"][f]]; }
  line(f) { return this.columns["function.line"][f]; }
  kind(f) { return this.columns["function.kind"][f]; }

  // Why a thread did not run, of what stands for a function there; else null.
  stateOf(f) {
    if (!["waits", "intervals"].includes(this.facts.kind))
      return null;
    return WAITING.find(state => this.name(f) === "[" + state + "]") || null;
  }

  // Whether a function was never seen but as an inlined one.
  isInlined(f) {
    if (this.inlined === undefined) {
      this.inlined = new Uint8Array(this.nFunctions).fill(1);
      const c = this.columns;
      for (let i = 0; i < c["frame.function"].length; i++)
        this.inlined[c["frame.function"][i]] &= c["frame.inlined"][i];
    }
    return this.inlined[f] === 1;
  }

  // The node of a sample's innermost function in the tree, or -1.
  leaf(sample, node = this.columns["sample.node"]) {
    return node[sample] > 0 ? this.tree.nodes[node[sample] - 1] : -1;
  }

  // What a row that begins before a range's end weighs in it: of what lasts, only the part
  // between the range's ends. A span has a row for each time when it was the innermost one.
  unitsWithin(row, i, [from, to]) {
    if (!this.lasts)
      return this.units[i];
    const begin = this.times[row], end = begin + this.units[i];
    return Math.max(0, Math.min(to, end) - Math.max(from, begin));
  }

  // Sums over all samples, which are made once.
  get everything() {
    if (this.sumsOfAll === undefined)
      this.sumsOfAll = this.select({range: null, lanes: null, cpus: null});
    return this.sumsOfAll;
  }

  // Sums over the samples of a time (an array of two, or null) and of some lanes or CPUs
  // (sets, or null). Spans and waits are counted where they begin.
  select({range, lanes, cpus}) {
    const c = this.columns, sums = new Sums(this, c["node.frame"].length);
    const takes = i => (lanes === null || lanes.has(c["sample.lane"][i])) &&
                       (cpus === null || cpus.has(c["sample.cpu"][i]));
    if (range === null || !this.hasTimes) {
      for (let i = 0; i < this.nSamples; i++) {
        if (takes(i))
          sums.add(c["sample.node"][i], c["sample.value"][i], c["sample.count"][i]);
      }
    } else {
      const first = firstAtLeast(this.times, range[0]);
      const end = firstAtLeast(this.times, range[1]);
      for (let row = this.lasts ? 0 : first; row < end; row++) {
        const i = this.rows ? this.rows[row] : row;
        const count = row < first ? 0 : this.rows ? 1 : c["sample.count"][i];
        if (takes(i))
          sums.add(c["sample.node"][i], this.unitsWithin(row, i, range), count);
      }
    }
    return sums.finish();
  }

  // Of the earlier profile: all of it, or the lanes whose names are those of `lanes`.
  selectBefore(lanes) {
    const c = this.columns, sums = new Sums(this, c["node.frame"].length);
    const key = lane => lane[0] + "\0" + lane[2];
    const names = lanes && new Set([...lanes].map(i => key(this.facts.lanes[i])));
    const taken = this.facts.before_lanes.map(lane => names === null || names.has(key(lane)));
    for (let i = 0; i < c["before.node"].length; i++) {
      if (taken[c["before.lane"][i]])
        sums.add(c["before.node"][i], c["before.value"][i], c["before.count"][i]);
    }
    return sums.finish();
  }
}

class Sums {
  constructor(profile, nNodes) {
    this.profile = profile;
    this.lines = new Float64Array(nNodes);
    this.n = 0;
    this.total = 0;
  }

  add(node, value, count) {
    this.n += count;
    this.total += value;
    if (node > 0)
      this.lines[node - 1] += value;
  }

  // `self` and `all` are by nodes of the tree, `functionSelf` and `functionTotal` by
  // functions, `lines` by nodes with lines.
  finish() {
    const tree = this.profile.tree;
    this.whole = this.total;
    this.self = new Float64Array(tree.size);
    for (let i = 0; i < this.lines.length; i++)
      this.self[tree.nodes[i]] += this.lines[i];
    this.all = this.self.slice();
    for (let i = tree.size - 1; i >= 0; i--) {
      if (tree.parent[i] >= 0)
        this.all[tree.parent[i]] += this.all[i];
    }
    this.functionSelf = new Float64Array(this.profile.nFunctions);
    this.functionTotal = new Float64Array(this.profile.nFunctions);
    for (let i = 0; i < tree.size; i++) {
      this.functionSelf[tree.func[i]] += this.self[i];
      if (tree.isOutermost[i])
        this.functionTotal[tree.func[i]] += this.all[i];
    }
    return this;
  }

  // A part of `whole`: of all of the selection, unless something else is compared.
  share(value) {
    return this.whole !== 0 ? value / this.whole : 0;
  }
}

// Self and total of each line of a function: by "file:line".
function weighLines(profile, sums, func) {
  const c = profile.columns, frames = c["node.frame"], parents = c["node.parent"];
  const n = frames.length, all = sums.lines.slice(), found = new Map();
  for (let i = n - 1; i >= 0; i--) {
    if (parents[i] > 0)
      all[i - parents[i]] += all[i];
  }
  for (let i = 0; i < n; i++) {
    const frame = frames[i];
    if (c["frame.function"][frame] !== func || all[i] === 0)
      continue;
    const line = c["frame.line"][frame];
    const weight = found.get(line) || {line, self: 0, total: 0};
    found.set(line, weight);
    weight.self += sums.lines[i];
    if (profile.tree.isOutermost[profile.tree.nodes[i]])
      weight.total += all[i];
  }
  return found;
}

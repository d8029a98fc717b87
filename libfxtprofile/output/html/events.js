// The events of a trace: threads with nested slices and marks, operations, counters, flows
// and scheduling, as typed arrays.

// How many levels of slices, and how many operations at a time, have a row each; what is
// beyond shares a further one.
const SLICE_ROWS = 96, ASYNC_ROWS = 32, ASYNC_TRACKS = 40;
const BLOCKED = 0, RUNNABLE = 1;

// Adds up times, which are differences within each part.
function addUpTimes(times, parts) {
  for (let part = 0; part + 1 < parts.length; part++) {
    for (let i = parts[part] + 1; i < parts[part + 1]; i++)
      times[i] += times[i - 1];
  }
  return times;
}

function endsOf(starts, durations) {
  const ends = new Float64Array(starts.length);
  for (let i = 0; i < ends.length; i++)
    ends[i] = starts[i] + durations[i];
  return ends;
}

// Of the spans of one thread (first to last - 1, in the order of time): the span around
// each, its depth, and for how long it was the innermost one.
function nest(start, end, first, last, parent, depth, self) {
  let innermost = -1, now = 0;
  const advance = time => {
    while (innermost >= 0) {
      const to = Math.min(end[innermost], time);
      if (to > now) {
        self[innermost] += to - now;
        now = to;
      }
      if (end[innermost] > time)
        return;
      innermost = parent[innermost];
    }
  };
  for (let i = first; i < last; i++) {
    advance(start[i]);
    now = start[i];
    parent[i] = innermost;
    depth[i] = innermost >= 0 ? depth[innermost] + 1 : 0;
    innermost = i;
  }
  advance(Infinity);
}

class Events {
  constructor({facts, columns}) {
    this.facts = facts;
    this.c = columns;
    this.strings = facts.strings;
    this.labelNames = columns["label.name"] || new Uint32Array(0);
    this.nLabels = this.labelNames.length;
    this.threadLanes = columns["thread.lane"] || new Uint32Array(0);
    this.nThreads = this.threadLanes.length;
    this.nArgs = 0;
    this.endTime = 0;
    this.readSlices();
    this.readAsyncs();
    this.readMarks();
    this.readFlows();
    this.readScheduling();
    this.readCounters();
    this.n = this.slices.n + this.asyncs.n + this.marks.start.length + this.values.time.length +
             this.flows.time.length + this.waits.n + this.runs.n;
    this.releaseColumns();
  }

  column(name, n) {
    return this.c[name] || new Float64Array(n);
  }

  parts(name) {
    return sumsBefore(this.c["thread." + name] || new Uint32Array(this.nThreads));
  }

  // The places of arguments of the next group.
  takeArgs(counts) {
    const first = new Uint32Array(counts.length);
    for (let i = 0; i < counts.length; i++) {
      first[i] = this.nArgs;
      this.nArgs += counts[i];
    }
    return first;
  }

  lasts(group) {
    const start = this.column(group + ".time", 0);
    for (let i = 0; i < start.length; i++)
      this.endTime = Math.max(this.endTime, start[i]);
    return start;
  }

  // ---- Slices ----

  readSlices() {
    const parts = this.parts("slices"), start = addUpTimes(this.column("slice.time", 0), parts);
    const n = start.length, end = endsOf(start, this.column("slice.duration", n));
    const parent = new Int32Array(n), depth = new Uint32Array(n), self = new Float64Array(n);
    const rowFirstOf = new Uint32Array(this.nThreads + 1), rowOf = new Uint32Array(n);
    this.levels = new Uint32Array(this.nThreads);
    for (let thread = 0, rows = 0; thread < this.nThreads; thread++) {
      nest(start, end, parts[thread], parts[thread + 1], parent, depth, self);
      for (let i = parts[thread]; i < parts[thread + 1]; i++) {
        rowOf[i] = rows + Math.min(depth[i], SLICE_ROWS);
        this.levels[thread] = Math.max(this.levels[thread], depth[i] + 1);
      }
      rows += Math.min(this.levels[thread], SLICE_ROWS + 1);
      rowFirstOf[thread + 1] = rows;
    }
    const {rowFirst, position} = sortByRows(rowOf, rowFirstOf[this.nThreads]);
    const move = values => permute(values, position);
    for (let i = 0; i < n; i++)
      parent[i] = parent[i] >= 0 ? position[parent[i]] : -1;
    this.threadRows = rowFirstOf;
    this.slices = new Intervals(move(start), move(end), rowFirst);
    Object.assign(this.slices, {
      label: move(this.column("slice.label", n)), self: move(self), parent: move(parent),
      nArgs: move(this.column("slice.args", n)),
      args: move(this.takeArgs(this.column("slice.args", n))),
      unfinished: move(this.column("slice.unfinished", n)),
    });
    for (let i = 0; i < n; i++)
      this.endTime = Math.max(this.endTime, end[i]);
  }

  threadOfRow(row) {
    return bound(this.threadRows, 0, this.threadRows.length, row, true) - 1;
  }

  threadOf(slice) {
    return this.threadOfRow(this.slices.rowOf(slice));
  }

  // The innermost slice of a thread at a time, or -1.
  sliceAt(thread, time) {
    for (let row = this.threadRows[thread + 1] - 1; row >= this.threadRows[thread]; row--) {
      const found = this.slices.at(row, time);
      if (found >= 0)
        return found;
    }
    return -1;
  }

  // ---- Operations ----

  // Each name of a process has a track, but for those beyond a number, which share one.
  trackAsyncs(lanes, labels) {
    const tracks = [], known = new Map(), counts = new Map(), of = new Uint32Array(lanes.length);
    for (let i = 0; i < lanes.length; i++) {
      let key = lanes[i] * (this.nStrings + 1) + this.labelNames[labels[i]];
      if (!known.has(key)) {
        const count = (counts.get(lanes[i]) || 0) + 1;
        counts.set(lanes[i], count);
        const rest = lanes[i] * (this.nStrings + 1) + this.nStrings;
        if (count > ASYNC_TRACKS && known.has(rest))
          known.set(key, known.get(rest));
        else {
          const name = count > ASYNC_TRACKS ? -1 : this.labelNames[labels[i]];
          known.set(key, tracks.length);
          if (name < 0)
            known.set(rest, tracks.length);
          tracks.push({lane: lanes[i], name, ends: [], first: 0, nRows: 0});
        }
      }
      of[i] = known.get(key);
    }
    return {tracks, of};
  }

  readAsyncs() {
    const n = this.column("async.time", 0).length, whole = Uint32Array.of(0, n);
    const start = addUpTimes(this.column("async.time", 0), whole);
    const end = endsOf(start, this.column("async.duration", n));
    const label = this.column("async.label", n), row = new Uint32Array(n);
    this.nStrings = this.strings.length;
    const {tracks, of} = this.trackAsyncs(this.column("async.lane", n), label);
    for (let i = 0; i < n; i++) {
      const {ends} = tracks[of[i]];
      let at = 0;
      while (at < ends.length && at < ASYNC_ROWS && ends[at] > start[i])
        at++;
      ends[at] = Math.max(ends[at] || 0, end[i], start[i] + 1);
      row[i] = at;
      this.endTime = Math.max(this.endTime, end[i]);
    }
    let rows = 0;
    for (const track of tracks) {
      track.first = rows;
      track.nRows = track.ends.length;
      rows += track.nRows;
      track.ends = null;
    }
    for (let i = 0; i < n; i++)
      row[i] += tracks[of[i]].first;
    const {rowFirst, position} = sortByRows(row, rows), move = values => permute(values, position);
    this.asyncTracks = tracks;
    this.asyncs = new Intervals(move(start), move(end), rowFirst);
    Object.assign(this.asyncs, {
      label: move(label), nArgs: move(this.column("async.args", n)),
      args: move(this.takeArgs(this.column("async.args", n))),
      unfinished: move(this.column("async.unfinished", n)),
    });
  }

  asyncTrackOf(row) {
    let low = 0, high = this.asyncTracks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.asyncTracks[middle].first <= row)
        low = middle;
      else
        high = middle;
    }
    return low;
  }

  // ---- Marks and flows ----

  // A mark is an interval without a length.
  readMarks() {
    const rowFirst = this.parts("marks"), start = addUpTimes(this.lasts("mark"), rowFirst);
    for (let i = 0; i < start.length; i++)
      this.endTime = Math.max(this.endTime, start[i]);
    this.marks = new Intervals(start, start, rowFirst);
    Object.assign(this.marks, {
      label: this.column("mark.label", start.length), kind: this.column("mark.kind", start.length),
      nArgs: this.column("mark.args", start.length),
      args: this.takeArgs(this.column("mark.args", start.length)),
    });
  }

  // Each event of a flow has the one before and the one after it, or -1.
  readFlows() {
    const parts = this.parts("flows"), time = addUpTimes(this.column("flow.time", 0), parts);
    const n = time.length, number = this.column("flow.number", n);
    const kind = this.column("flow.kind", n), order = new Uint32Array(n);
    const before = new Int32Array(n).fill(-1), after = new Int32Array(n).fill(-1);
    // Those of one thread are in order already, and flows have few events.
    const {rowFirst, position} = sortByRows(number, number.reduce((most, of) => Math.max(most, of), -1) + 1);
    for (let i = 0; i < n; i++)
      order[position[i]] = i;
    for (let row = 0; row + 1 < rowFirst.length; row++)
      order.subarray(rowFirst[row], rowFirst[row + 1]).sort((a, b) => time[a] - time[b] || kind[a] - kind[b]);
    for (let k = 1; k < n; k++) {
      const last = order[k - 1], next = order[k];
      if (number[last] === number[next] && kind[last] !== 2 && kind[next] !== 0) {
        after[last] = next;
        before[next] = last;
      }
    }
    this.takeArgs(this.column("flow.args", n));
    this.flows = {time, parts, kind, label: this.column("flow.label", n), before, after};
  }

  threadOfFlow(flow) {
    return bound(this.flows.parts, 0, this.flows.parts.length, flow, true) - 1;
  }

  sliceOfFlow(flow) {
    return this.sliceAt(this.threadOfFlow(flow), this.flows.time[flow]);
  }

  // The events of flows that are in a slice, and in none inside of it.
  flowsOf(slice, most) {
    const thread = this.threadOf(slice), {time, parts} = this.flows, found = [];
    const last = bound(time, parts[thread], parts[thread + 1], this.slices.end[slice], true);
    let i = bound(time, parts[thread], parts[thread + 1], this.slices.start[slice], false);
    for (; i < last && found.length < most; i++) {
      if (this.sliceOfFlow(i) === slice)
        found.push(i);
    }
    return found;
  }

  // ---- Scheduling ----

  readScheduling() {
    const waitParts = this.parts("waits");
    const start = addUpTimes(this.column("wait.time", 0), waitParts), n = start.length;
    this.waits = new Intervals(start, endsOf(start, this.column("wait.duration", n)), waitParts);
    Object.assign(this.waits, {kind: this.column("wait.kind", n), cpu: this.column("wait.cpu", n),
                               waker: this.column("wait.waker", n)});
    this.readRuns();
    for (const list of [this.waits, this.runs]) {
      for (let i = 0; i < list.n; i++)
        this.endTime = Math.max(this.endTime, list.end[i]);
    }
  }

  // What CPUs ran: by CPUs, and the same by threads.
  readRuns() {
    const cpus = this.c["cpu.number"] || new Uint32Array(0);
    const parts = sumsBefore(this.c["cpu.runs"] || new Uint32Array(0));
    const start = addUpTimes(this.column("run.time", 0), parts), n = start.length;
    const end = endsOf(start, this.column("run.duration", n)), thread = this.column("run.thread", n);
    this.cpuNumbers = cpus;
    this.runs = new Intervals(start, end, parts);
    this.runs.thread = thread;
    const order = new Uint32Array(n);
    for (let i = 0; i < n; i++)
      order[i] = i;
    if (cpus.length > 1)
      order.sort((a, b) => start[a] - start[b]);
    const sorted = sortByRows(order.map(i => thread[i]), this.nThreads);
    const byThread = Float64Array.from(order, i => start[i]);
    this.threadRuns = new Intervals(permute(byThread, sorted.position),
      permute(Float64Array.from(order, i => end[i]), sorted.position), sorted.rowFirst);
    this.threadRuns.run = permute(order, sorted.position);
  }

  // ---- Counters ----

  readCounters() {
    const parts = sumsBefore(this.c["series.values"] || new Uint32Array(0));
    const time = addUpTimes(this.column("value.time", 0), parts), n = time.length;
    const high = this.column("value.high", n), low = this.column("value.low", n);
    const value = new Float64Array(n), words = new Uint32Array(value.buffer);
    for (let i = 0; i < n; i++) {
      words[2 * i] = low[i];
      words[2 * i + 1] = high[i];
      this.endTime = Math.max(this.endTime, time[i]);
    }
    this.values = {time, value};
    this.series = Array.from({length: parts.length - 1}, (_, i) =>
      new Series(this, i, parts[i], parts[i + 1]));
  }

  releaseColumns() {
    for (const name of Object.keys(this.c)) {
      if (/^(slice|async|flow|value|wait|run)\./.test(name))
        delete this.c[name];
    }
  }

  // ---- Names ----

  name(label) { return this.strings[this.labelNames[label]] || "(no name)"; }
  category(label) { return this.strings[this.c["label.category"][label]]; }

  argsOf(list, i) {
    const found = [];
    for (let arg = list.args[i]; arg < list.args[i] + list.nArgs[i]; arg++) {
      const kind = this.c["arg.kind"][arg], value = this.c["arg.value"][arg];
      found.push([this.strings[this.c["arg.name"][arg]],
                  kind === 0 ? this.strings[value] : showNumber(kind === 1 ? value : -value)]);
    }
    return found;
  }

  laneOfThread(thread) { return this.facts.lanes[this.threadLanes[thread]]; }

  threadName(thread) {
    const [process, pid, name, tid] = this.laneOfThread(thread);
    return name || (tid === pid && process) || "thread " + tid;
  }

  processName(lane) {
    const [name, pid] = this.facts.lanes[lane];
    return name || (pid === "0" ? "No process" : "process " + pid);
  }
}

// Where each track is: CPUs, and of each process its operations, counters and threads.

const HEADER_HEIGHT = 24, CPU_HEIGHT = 20, COUNTER_HEIGHT = 38, SLICE_HEIGHT = 18, ASYNC_HEIGHT = 15;
const STATE_HEIGHT = 6, MARK_HEIGHT = 10, TRACK_PADDING = 3, LEAST_HEIGHT = 22;

const TRACK_HEADER = 0, TRACK_CPU = 1, TRACK_ASYNC = 2, TRACK_COUNTER = 3, TRACK_THREAD = 4;

class Layout {
  constructor(events) {
    this.events = events;
    this.findProcesses();
    this.itemOfThread = new Int32Array(events.nThreads).fill(-1);
    this.itemOfAsync = new Int32Array(events.asyncTracks.length).fill(-1);
    this.itemOfCpu = new Int32Array(events.cpuNumbers.length).fill(-1);
    this.arrange(new Set());
  }

  // The lanes of a process are beside each other. CPUs are as one process more, the first.
  findProcesses() {
    const {events} = this, {lanes} = events.facts;
    this.processOfLane = new Uint32Array(lanes.length);
    this.processes = [{lane: -1, tracks: []}];
    for (let i = 0; i < lanes.length; i++) {
      if (i === 0 || lanes[i][1] !== lanes[i - 1][1])
        this.processes.push({lane: i, tracks: []});
      this.processOfLane[i] = this.processes.length - 1;
    }
    const add = (process, kind, ref) => this.processes[process].tracks.push([kind, ref]);
    events.cpuNumbers.forEach((_, i) => add(0, TRACK_CPU, i));
    events.asyncTracks.forEach((track, i) => add(this.processOfLane[track.lane], TRACK_ASYNC, i));
    events.series.forEach((series, i) => add(this.processOfLane[series.lane], TRACK_COUNTER, i));
    for (let thread = 0; thread < events.nThreads; thread++) {
      if (this.hasContent(thread))
        add(this.processOfLane[events.threadLanes[thread]], TRACK_THREAD, thread);
    }
  }

  hasContent(thread) {
    const {events} = this, has = rows => rows[thread + 1] > rows[thread];
    return has(events.threadRows) || has(events.marks.rowFirst) || has(events.flows.parts) ||
           has(events.waits.rowFirst) || has(events.threadRuns.rowFirst);
  }

  // The parts of a thread's track: where marks and slices begin, and what is below them.
  threadParts(thread) {
    const {events} = this, has = rows => rows[thread + 1] > rows[thread];
    const states = has(events.waits.rowFirst) || has(events.threadRuns.rowFirst) ? STATE_HEIGHT + 2 : 0;
    const marks = has(events.marks.rowFirst) ? MARK_HEIGHT + 2 : 0;
    const rows = events.threadRows[thread + 1] - events.threadRows[thread];
    return {states: TRACK_PADDING, hasStates: states > 0, marks: TRACK_PADDING + states,
            slices: TRACK_PADDING + states + marks, rows,
            height: Math.max(LEAST_HEIGHT, 2 * TRACK_PADDING + states + marks + rows * SLICE_HEIGHT)};
  }

  heightOf(kind, ref) {
    switch (kind) {
    case TRACK_HEADER:
      return HEADER_HEIGHT;
    case TRACK_CPU:
      return CPU_HEIGHT;
    case TRACK_COUNTER:
      return COUNTER_HEIGHT;
    case TRACK_ASYNC:
      return Math.max(LEAST_HEIGHT, 2 * TRACK_PADDING + this.events.asyncTracks[ref].nRows * ASYNC_HEIGHT);
    default:
      return this.threadParts(ref).height;
    }
  }

  // Of the processes whose numbers are in `shut`, only the headers are seen.
  arrange(shut) {
    const kinds = [], refs = [], tops = [0];
    const add = (kind, ref) => {
      kinds.push(kind);
      refs.push(ref);
      tops.push(tops[tops.length - 1] + this.heightOf(kind, ref));
    };
    for (const map of [this.itemOfThread, this.itemOfAsync, this.itemOfCpu])
      map.fill(-1);
    this.processes.forEach(({tracks}, process) => {
      if (tracks.length === 0)
        return;
      add(TRACK_HEADER, process);
      for (const [kind, ref] of shut.has(process) ? [] : tracks) {
        if (kind === TRACK_THREAD)
          this.itemOfThread[ref] = kinds.length;
        else if (kind === TRACK_ASYNC)
          this.itemOfAsync[ref] = kinds.length;
        else if (kind === TRACK_CPU)
          this.itemOfCpu[ref] = kinds.length;
        add(kind, ref);
      }
    });
    this.kinds = Uint8Array.from(kinds);
    this.refs = Uint32Array.from(refs);
    this.tops = Float64Array.from(tops);
    this.n = kinds.length;
    this.height = tops[tops.length - 1];
  }

  // The item at a height, or -1.
  itemAt(y) {
    const i = bound(this.tops, 0, this.tops.length, y, true) - 1;
    return i >= 0 && i < this.n ? i : -1;
  }

  // The process of a pick, as its number in `processes`.
  processOf(kind, i) {
    const {events} = this;
    if (kind === "r")
      return 0;
    if (kind === "a")
      return this.processOfLane[events.asyncTracks[events.asyncTrackOf(events.asyncs.rowOf(i))].lane];
    const thread = kind === "s" ? events.threadOf(i) : (kind === "m" ? events.marks : events.waits).rowOf(i);
    return this.processOfLane[events.threadLanes[thread]];
  }

  // Where the row of a pick is: its top and its height, or null if its process is shut.
  placeOf(kind, i) {
    const {events} = this, {slices, asyncs, marks, waits, runs} = events;
    let item, top, height;
    if (kind === "s") {
      const row = slices.rowOf(i), thread = events.threadOfRow(row);
      item = this.itemOfThread[thread];
      top = this.threadParts(thread).slices + (row - events.threadRows[thread]) * SLICE_HEIGHT;
      height = SLICE_HEIGHT - 1;
    } else if (kind === "a") {
      const row = asyncs.rowOf(i), track = events.asyncTrackOf(row);
      item = this.itemOfAsync[track];
      top = TRACK_PADDING + (row - events.asyncTracks[track].first) * ASYNC_HEIGHT;
      height = ASYNC_HEIGHT - 1;
    } else if (kind === "r") {
      item = this.itemOfCpu[runs.rowOf(i)];
      top = 2;
      height = CPU_HEIGHT - 4;
    } else {
      const thread = (kind === "m" ? marks : waits).rowOf(i), parts = this.threadParts(thread);
      item = this.itemOfThread[thread];
      top = kind === "m" ? parts.marks : parts.states;
      height = kind === "m" ? MARK_HEIGHT : STATE_HEIGHT;
    }
    return item >= 0 ? {top: this.tops[item] + top, height} : null;
  }

  // What is at a height: {item, kind, ref, list, row, pick} where there may be intervals.
  rowAt(y) {
    const item = this.itemAt(y), {events} = this;
    if (item < 0)
      return null;
    const kind = this.kinds[item], ref = this.refs[item], inside = y - this.tops[item];
    const found = {item, kind, ref, list: null, row: -1, pick: ""};
    const take = (list, row, pick) => Object.assign(found, {list, row, pick});
    if (kind === TRACK_CPU)
      return take(events.runs, ref, "r");
    if (kind === TRACK_ASYNC) {
      const row = Math.floor((inside - TRACK_PADDING) / ASYNC_HEIGHT), {first, nRows} = events.asyncTracks[ref];
      return row >= 0 && row < nRows ? take(events.asyncs, first + row, "a") : found;
    }
    if (kind !== TRACK_THREAD)
      return found;
    const parts = this.threadParts(ref), row = Math.floor((inside - parts.slices) / SLICE_HEIGHT);
    if (row >= 0)
      return row < parts.rows ? take(events.slices, events.threadRows[ref] + row, "s") : found;
    if (inside >= parts.marks)
      return take(events.marks, ref, "m");
    return parts.hasStates ? take(events.waits, ref, "w") : found;
  }
}

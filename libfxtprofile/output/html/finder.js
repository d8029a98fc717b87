// A search of all tracks: which names it finds, and the steps from one match to the next in
// the order of time.

class Finder {
  constructor(events) {
    this.events = events;
    this.found = null;
    this.n = 0;
  }

  get lists() {
    return [["s", this.events.slices], ["a", this.events.asyncs], ["m", this.events.marks]];
  }

  update(search) {
    const source = search === null ? null : search.source;
    if (source === this.source)
      return;
    this.source = source;
    this.n = 0;
    if (search === null) {
      this.found = null;
      return;
    }
    this.found = Uint8Array.from({length: this.events.nLabels}, (_, label) =>
      search.test(this.events.name(label)) ? 1 : 0);
    for (const [, list] of this.lists) {
      for (let i = 0; i < list.n; i++)
        this.n += this.found[list.label[i]];
    }
  }

  // The match after a pick or a time (or before it, with -1), and its number; or null.
  step(direction, pick, time) {
    const order = {s: 0, a: 1, m: 2};
    const picked = readPick(pick, this.events), isMatch = picked !== null && picked.kind in order;
    const now = isMatch ? [picked.list.start[picked.i], order[picked.kind], picked.i]
                        : [time, direction > 0 ? -1 : 3, 0];
    const compare = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
    let best = null;
    for (const [kind, list] of this.lists) {
      for (let i = 0; i < list.n; i++) {
        if (!this.found[list.label[i]])
          continue;
        const start = list.start[i];
        // Most are decided by their times.
        if ((start - now[0]) * direction < 0 ||
            (best !== null && (start - best[0]) * direction > 0))
          continue;
        const at = [start, order[kind], i];
        if (compare(at, now) * direction > 0 && (best === null || compare(at, best) * direction < 0))
          best = at;
      }
    }
    return best === null ? null : {pick: "sam"[best[1]] + best[2], number: this.numberOf(best, compare, order)};
  }

  numberOf(at, compare, order) {
    let n = 1;
    for (const [kind, list] of this.lists) {
      for (let i = 0; i < list.n; i++) {
        if (this.found[list.label[i]] && (list.start[i] < at[0] ||
            (list.start[i] === at[0] && compare([at[0], order[kind], i], at) < 0)))
          n++;
      }
    }
    return n;
  }
}

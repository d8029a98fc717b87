// The page: what was recorded, the views, and what a change of the state redraws.

const VIEWS = [["flame", "Flame graph"], ["functions", "Functions"], ["calls", "Call tree"],
               ["callers", "Callers"], ["spans", "Spans"]];

class Page {
  constructor(profile, events) {
    this.profile = profile;
    this.events = events;
    this.endTime = profile.endTime = Math.max(profile.endTime, events.endTime * (1 + 2 ** -50));
    this.hasTracks = events.n > 0;
    const hasTable = events.slices.n + events.asyncs.n + events.marks.n + events.series.length > 0;
    this.choices = VIEWS.filter(([view]) => view === "spans" ? hasTable || profile.nSamples === 0 && this.hasTracks
      : profile.nSamples > 0 || !this.hasTracks);
    this.colors = new Colors(profile);
    this.state = readState(location.hash, profile);
    if (profile.hasBefore && !/(^|[#&])sort=/.test(location.hash))
      this.state.sort = "change";
    this.camera = new Camera(this);
    this.lanes = new Lanes(profile, this);
    this.growth = new Growth(profile);
    this.views = {
      flame: new Flame(profile, this),
      functions: new Functions(profile, this),
      calls: new TreeView(this, byId("view-calls"), new CallTree(this), "Self"),
      callers: new TreeView(this, byId("view-callers"), new CallerTree(this), "No caller"),
      spans: new Spans(events, this),
    };
    if (this.hasTracks)
      this.makeTracks();
    this.details = new Details(profile, this);
    this.showFacts();
    this.makeTabs();
    this.listen();
    this.select();
    this.render();
  }

  makeTracks() {
    this.finder = new Finder(this.events);
    this.flows = new Flows(this.events, this);
    this.inspector = new Inspector(this.events, this);
    this.keys = new Keys(this);
    this.tracks = new TracksView(this.events, this);
    this.tracks.wantedTop = this.state.top;
    byId("timeline").classList.add("has-tracks");
    byId("help-button").hidden = false;
    byId("tracks").hidden = false;
    byId("found-next").addEventListener("click", () => this.stepFound(1));
    byId("found-before").addEventListener("click", () => this.stepFound(-1));
  }

  // ---- What is seen ----

  get view() {
    const {view} = this.state;
    return this.choices.some(([name]) => name === view) ? view : this.choices[0][0];
  }

  readPick(pick) { return readPick(pick, this.events); }

  // A time, or null for all.
  show(seen) {
    const [from, to] = seen || [0, this.endTime];
    if (this.tracks)
      this.camera.set(from, to);
    this.change({seen});
  }

  // Chooses something on the tracks, and moves there.
  goTo(pick) {
    const picked = readPick(pick, this.events);
    if (picked === null)
      return;
    const process = this.tracks.layout.processOf(picked.kind, picked.i);
    this.change({pick, shut: this.state.shut.filter(other => other !== process)});
    this.camera.show(picked.list.start[picked.i], picked.list.end[picked.i]);
    this.tracks.reveal(picked);
  }

  // Shuts or opens a process.
  toggle(process) {
    const {shut} = this.state;
    this.change({shut: shut.includes(process) ? shut.filter(other => other !== process)
                                              : [...shut, process].sort((a, b) => a - b)});
  }

  stepFound(direction) {
    if (!this.finder || this.finder.found === null)
      return;
    const {from, to} = this.camera;
    const found = this.finder.step(direction, this.state.pick, direction > 0 ? from : to) ||
                  this.finder.step(direction, "", direction > 0 ? -1 : Infinity);
    if (found === null)
      return;
    this.foundNumber = found.number;
    this.goTo(found.pick);
  }

  select() {
    const {state, profile} = this, set = state.lanes.length > 0 ? new Set(state.lanes) : null;
    this.sums = set === null && state.range === null && !profile.hasBefore
      ? profile.everything
      : profile.select({range: state.range, lanes: state.by === "thread" ? set : null,
                        cpus: state.by === "cpu" ? set : null});
    this.before = profile.hasBefore
      ? profile.selectBefore(state.by === "thread" ? set : null) : null;
    // Of heaps the bytes are compared, not the shares.
    if (this.before && profile.facts.kind === "heap")
      this.sums.whole = this.before.whole = this.sums.total || this.before.total;
  }

  change(changes) {
    const old = this.state;
    this.state = {...old, ...changes};
    if ("search" in changes)
      this.foundNumber = 0;
    // What moves at the moment is not set back.
    if (!this.tracks && "seen" in changes)
      this.camera.take(this.state);
    const fragment = writeState(this.state);
    history.replaceState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
    if (["range", "lanes", "by"].some(key => key in changes))
      this.select();
    this.render();
  }

  render() {
    const {state} = this;
    this.search = readSearch(state.search);
    if (byId("search").value !== state.search)
      byId("search").value = state.search;
    byId("timeline").hidden = !this.profile.hasTimes && !this.hasTracks;
    if (this.profile.hasTimes || this.hasTracks)
      this.lanes.render();
    this.renderTracks();
    this.growth.render();
    for (const [view] of this.choices) {
      byId("view-" + view).hidden = view !== this.view;
      byId("tab-" + view).setAttribute("aria-selected", String(view === this.view));
      byId("tab-" + view).tabIndex = view === this.view ? 0 : -1;
    }
    this.details.render();
    this.views[this.view].render();
    this.renderWidths();
    this.renderMatched();
  }

  renderTracks() {
    byId("steps").hidden = !this.tracks || this.search === null;
    if (!this.tracks)
      return;
    this.finder.update(this.search);
    this.flows.update(readPick(this.state.pick, this.events));
    this.tracks.render();
    this.inspector.render();
  }

  renderWidths() {
    byId("widths").hidden = !this.profile.hasBefore || this.view !== "flame";
    makeChoice(byId("widths"), [["before", "Before"], ["after", "After"]], this.state.widths,
               widths => this.change({widths}));
  }

  // How much of the selection has a function in its stacks that the search finds.
  renderMatched() {
    const {profile, sums, search} = this, {tree} = profile;
    let matched = 0;
    if (search !== null) {
      const isFound = new Uint8Array(profile.nFunctions);
      for (let f = 0; f < profile.nFunctions; f++)
        isFound[f] = search.test(profile.name(f)) ? 1 : 0;
      const isBelow = new Uint8Array(tree.size);
      for (let i = 0; i < tree.size; i++) {
        const above = tree.parent[i] >= 0 && isBelow[tree.parent[i]];
        isBelow[i] = above || isFound[tree.func[i]] ? 1 : 0;
        if (isBelow[i] && !above)
          matched += sums.all[i];
      }
    }
    const words = profile.nSamples > 0 ? [showShare(sums.share(matched)) + " found"] : [];
    if (this.finder)
      words.unshift((this.foundNumber ? showNumber(this.foundNumber) + " of " : "") +
                    plural(this.finder.n, "match", "matches") + " on the tracks");
    byId("matched").textContent = search === null ? "" : words.join(", ");
  }

  // ---- What was recorded ----

  showFacts() {
    const {facts, everything: all} = this.profile;
    const words = [], lanes = this.profile.nSamples > 0 || !this.hasTracks
      ? this.lanes.lists.thread.map(lane => facts.lanes[lane.key]) : facts.lanes;
    const isTrace = this.hasTracks && this.profile.nSamples === 0;
    byId("title").textContent = facts.title ||
      (facts.kind === "heap" ? "Heap" : isTrace ? "Trace" : "Profile") + (lanes.length > 0 && lanes[0][0]
        ? " of " + lanes[0][0] : "");
    if (Number(facts.recorded_ns) > 0)
      words.push(new Date(Number(facts.recorded_ns) / 1e6).toISOString()
        .replace("T", " ").replace(/\..*/, " UTC"));
    const length = Number(facts.duration_ns) > 0 ? " in " + showTime(Number(facts.duration_ns))
      : this.hasTracks ? " in " + showTime(this.endTime) : "";
    if (this.profile.nSamples > 0 || !this.hasTracks)
      words.push(plural(all.n, nounOf(facts)) + length);
    words.push(...this.countEvents(this.profile.nSamples > 0 ? "" : length));
    if (this.profile.nSamples === 0 && this.hasTracks)
      /* No samples, no weight. */;
    else if (isOfEvent(facts))
      words.push(showAmount(all.total, facts) +
                 (facts.unit === "nanoseconds" ? " of " + facts.type : ""));
    else if (facts.unit !== "count")
      words.push(showValue(all.total, facts) + ({samples: " of CPU time", spans: " in spans",
        waits: " of waiting", intervals: " of running and waiting"}[facts.kind] || ""));
    if (Number(facts.period_ns) > 0 && facts.kind === "samples")
      words.push("one each " + showTime(Number(facts.period_ns)));
    const processes = new Set(lanes.map(lane => lane[1]).filter(pid => pid !== "0"));
    // Samples of thread 0 are of none that is known; a span has a thread, whatever its number.
    const hasThreads = isTrace || facts.kind === "spans";
    const threads = lanes.filter(([, pid, , tid]) => tid !== "0" || (hasThreads && pid !== "0"));
    if (processes.size > 0)
      words.push(plural(processes.size, "process", "processes"));
    if (threads.length > 0)
      words.push(plural(threads.length, "thread"));
    if (this.profile.cpus.length > 0)
      words.push(plural(this.profile.cpus.length, "CPU"));
    if (facts.other_events.length > 0)
      words.push("also recorded: " + facts.other_events.join(", ") + " (--value)");
    if (facts.method)
      words.push((facts.version ? "fxtrecord " + facts.version + ", " : "") + "method " + facts.method);
    byId("facts").replaceChildren(...words.map(word => make("span", {}, word)));
    if (this.profile.hasBefore)
      this.showCompared(all);
    this.showMissing(all);
    this.showNotes();
    const states = this.events.waits.n + this.events.runs.n === 0 ? []
      : this.profile.nSamples > 0 ? ["runnable", "blocked"] : ["running", "runnable", "blocked"];
    byId("legend").replaceChildren(...[...new Set([...this.lanes.legend, ...states])].map(name =>
      make("span", {}, make("i", {style: `background:var(--${name === "running" ? "user" : name})`}), name)),
      ...(this.profile.columns["drops.time"] ? [make("span", {}, make("i",
        {style: "background:var(--more);opacity:.5"}), "records dropped")] : []));
  }

  // "18,000 spans", "3 counters" and so on.
  countEvents(length) {
    const {slices, asyncs, marks, flows, series, waits} = this.events;
    const counts = [[slices.n, "span"], [asyncs.n, "operation"], [series.length, "counter"],
                    [flows.time.length, "flow event"], [marks.n, "instant"], [waits.n, "wait"]];
    return counts.filter(([n]) => n > 0).map(([n, noun], i) => plural(n, noun) + (i === 0 ? length : ""));
  }

  showCompared(all) {
    const before = this.profile.selectBefore(null), {facts} = this.profile;
    byId("facts").append(make("span", {}, "compared with " + plural(before.n, nounOf(facts)) +
      (Number(facts.before_duration_ns) > 0 ? " in " + showTime(Number(facts.before_duration_ns)) : "") +
      " before, in " + (facts.kind !== "heap" ? "shares of each" : facts.unit === "bytes" ? "bytes" : "objects") +
      "; red is more, blue less"));
  }

  // As fxtreport has it in a terminal: code without symbols, too.
  unnamed(all) {
    const {profile} = this, found = new Map(), kernel = new Set();
    let hasKernelNames = false;
    for (let f = 0; f < profile.nFunctions; f++) {
      hasKernelNames = hasKernelNames || (profile.kind(f) & (KERNEL | UNNAMED)) === KERNEL;
      if (!(profile.kind(f) & UNNAMED) || all.functionSelf[f] === 0)
        continue;
      const module = showModule(profile, f);
      found.set(module, (found.get(module) || 0) + all.functionSelf[f]);
      if (profile.kind(f) & KERNEL)
        kernel.add(module);
    }
    const remedy = module => module === "[kernel]" && hasKernelNames
      ? "code that the kernel's list of symbols lacks, such as what initialised a module and was freed"
      : kernel.has(module) ? "record as root, or give --kallsyms /proc/kallsyms"
      : module ? "install its debugging symbols, or name a directory with --debug-dir"
               : "code of no known file, such as a JIT compiler's without a perf map";
    return [...found].sort((a, b) => b[1] - a[1]).slice(0, 3)
      .filter(([, weight]) => Math.abs(all.share(weight)) >= 0.001)
      .map(([module, weight]) => [showShare(all.share(weight)) +
        " of stacks end in code without symbols" + (module ? " in " + module : ""), remedy(module)]);
  }

  showMissing(all) {
    const losses = this.profile.facts.losses.flatMap(loss => loss.split("; "));
    const items = [...losses.map(loss =>
      [loss, /dropped by the sampler/.test(loss)
        ? "a larger buffer (fxtrecord --buffer-size) or fewer samples (--frequency) avoid that" : ""]),
      ...this.unnamed(all)];
    if (items.length === 0)
      return;
    const line = ([what, remedy]) => [what, remedy ? make("span.remedy", {}, ": " + remedy) : ""];
    byId("missing").replaceChildren(items.length <= 3
      ? make("div", {}, make("b", {}, "What is missing"),
             ...items.map(item => make("div", {}, ...line(item))))
      : make("details", {}, make("summary", {}, make("b", {}, "What is missing: "),
          items[0][0] + ", and " + (items.length - 1) + " more"),
          make("ul", {}, ...items.map(item => make("li", {}, ...line(item))))));
  }

  showNotes() {
    const {notes} = this.profile.facts;
    byId("notes").replaceChildren(make("details", {}, make("summary", {}, "About this page"),
      make("ul", {}, ...notes.map(note => make("li", {}, note.replace(/^# /, "")))),
      make("p", {}, "Keys: / searches, 1 to 4 choose a view, the arrow keys move in graphs and " +
        "tables, Enter opens, Escape goes back. The page's address says what is seen.")));
  }

  // ---- Keys and tabs ----

  makeTabs() {
    byId("tabs").replaceChildren(...this.choices.map(([view, label]) => make("button", {
      type: "button", role: "tab", id: "tab-" + view, "aria-controls": "view-" + view,
      onclick: () => this.change({view}),
    }, label)));
    byId("tabs").addEventListener("keydown", event => {
      const at = this.choices.findIndex(([view]) => view === this.view);
      const to = this.choices[at + ({ArrowLeft: -1, ArrowRight: 1}[event.key] || NaN)];
      if (to) {
        this.change({view: to[0]});
        byId("tab-" + to[0]).focus();
      }
    });
  }

  listen() {
    const search = byId("search");
    search.addEventListener("input", () => this.change({search: search.value}));
    document.addEventListener("keydown", event => this.key(event));
    addEventListener("hashchange", () => {
      this.state = readState(location.hash, this.profile);
      this.camera.take(this.state);
      this.select();
      this.render();
    });
    dark.addEventListener("change", () => this.render());
    let width = byId("columns").clientWidth;
    new ResizeObserver(() => {
      if (byId("columns").clientWidth !== width)
        this.render();
      width = byId("columns").clientWidth;
    }).observe(byId("columns"));
  }

  key(event) {
    const isTyping = event.target.tagName === "INPUT";
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
      return;
    if (isTyping && event.key === "Enter" && this.tracks) {
      this.stepFound(event.shiftKey ? -1 : 1);
      event.preventDefault();
    } else if (this.tracks && !isTyping && this.keys.press(event))
      event.preventDefault();
    else if (event.key === "/" && !isTyping) {
      byId("search").focus();
      event.preventDefault();
    } else if (event.key === "Escape" && isTyping)
      this.change({search: ""});
    else if (event.key === "Escape" && this.state.function >= 0)
      this.change({function: -1});
    else if (event.key === "Escape")
      this.change({zoom: -1});
    else if (!isTyping && "12345".includes(event.key) && this.choices[Number(event.key) - 1])
      this.change({view: this.choices[Number(event.key) - 1][0]});
  }
}

readData().then(data => {
  const profile = new Profile(data);
  const page = new Page(profile, new Events(data));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  // For tests, and for a debugger's console.
  window.fxtreport = page;
}).catch(error => {
  byId("missing").replaceChildren(make("p", {}, "The data of this page cannot be read: " + error));
  throw error;
});

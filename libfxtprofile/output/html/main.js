// The page: what was recorded, the views, and what a change of the state redraws.

const VIEWS = [["flame", "Flame graph"], ["functions", "Functions"], ["calls", "Call tree"],
               ["callers", "Callers"]];

class Page {
  constructor(profile) {
    this.profile = profile;
    this.colors = new Colors(profile);
    this.state = readState(location.hash, profile);
    if (profile.hasBefore && !/(^|[#&])sort=/.test(location.hash))
      this.state.sort = "change";
    this.lanes = new Lanes(profile, this);
    this.growth = new Growth(profile);
    this.views = {
      flame: new Flame(profile, this),
      functions: new Functions(profile, this),
      calls: new TreeView(this, byId("view-calls"), new CallTree(this), "Self"),
      callers: new TreeView(this, byId("view-callers"), new CallerTree(this), "No caller"),
    };
    this.details = new Details(profile, this);
    this.showFacts();
    this.makeTabs();
    this.listen();
    this.select();
    this.render();
  }

  // ---- What is seen ----

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
    byId("timeline").hidden = !this.profile.hasTimes;
    if (this.profile.hasTimes)
      this.lanes.render();
    this.growth.render();
    for (const [view] of VIEWS) {
      byId("view-" + view).hidden = view !== state.view;
      byId("tab-" + view).setAttribute("aria-selected", String(view === state.view));
      byId("tab-" + view).tabIndex = view === state.view ? 0 : -1;
    }
    this.details.render();
    this.views[state.view].render();
    this.renderWidths();
    this.renderMatched();
  }

  renderWidths() {
    byId("widths").hidden = !this.profile.hasBefore || this.state.view !== "flame";
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
    byId("matched").textContent = search === null ? "" : showShare(sums.share(matched)) + " found";
  }

  // ---- What was recorded ----

  showFacts() {
    const {facts, everything: all} = this.profile;
    const words = [], lanes = this.lanes.lists.thread.map(lane => facts.lanes[lane.key]);
    byId("title").textContent = facts.title ||
      (facts.kind === "heap" ? "Heap" : "Profile") + (lanes.length > 0 && lanes[0][0]
        ? " of " + lanes[0][0] : "");
    if (Number(facts.recorded_ns) > 0)
      words.push(new Date(Number(facts.recorded_ns) / 1e6).toISOString()
        .replace("T", " ").replace(/\..*/, " UTC"));
    words.push(plural(all.n, nounOf(facts)) + (Number(facts.duration_ns) > 0
      ? " in " + showTime(Number(facts.duration_ns)) : ""));
    if (isOfEvent(facts))
      words.push(showAmount(all.total, facts) +
                 (facts.unit === "nanoseconds" ? " of " + facts.type : ""));
    else if (facts.unit !== "count")
      words.push(showValue(all.total, facts) + ({samples: " of CPU time", spans: " in spans",
        waits: " of waiting", intervals: " of running and waiting"}[facts.kind] || ""));
    if (Number(facts.period_ns) > 0 && facts.kind === "samples")
      words.push("one each " + showTime(Number(facts.period_ns)));
    const processes = new Set(lanes.map(lane => lane[1]).filter(pid => pid !== "0"));
    const threads = lanes.filter(lane => lane[3] !== "0");
    if (processes.size > 0)
      words.push(plural(processes.size, "process", "processes"));
    if (threads.length > 0)
      words.push(plural(threads.length, "thread"));
    if (this.profile.cpus.length > 0)
      words.push(plural(this.profile.cpus.length, "CPU"));
    const others = facts.other_events.length > 0
      ? [facts.other_events.join(", ") + " (--value)"] : [];
    if (Number(facts.spans) > 0)
      others.push(plural(Number(facts.spans), "span") + " (--spans)");
    if (Number(facts.scheduling) > 0)
      others.push(plural(Number(facts.scheduling), "scheduling record") + " (--sched)");
    if (others.length > 0)
      words.push("also recorded: " + others.join(", "));
    if (facts.method)
      words.push((facts.version ? "fxtrecord " + facts.version + ", " : "") + "method " + facts.method);
    byId("facts").replaceChildren(...words.map(word => make("span", {}, word)));
    if (this.profile.hasBefore)
      this.showCompared(all);
    this.showMissing(all);
    this.showNotes();
    byId("legend").replaceChildren(...this.lanes.legend.map(name =>
      make("span", {}, make("i", {style: `background:var(--${name})`}), name)),
      ...(this.profile.columns["drops.time"] ? [make("span", {}, make("i",
        {style: "background:var(--more);opacity:.5"}), "records dropped")] : []));
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
    const {profile} = this, found = new Map();
    for (let f = 0; f < profile.nFunctions; f++) {
      if (!(profile.kind(f) & UNNAMED) || all.functionSelf[f] === 0)
        continue;
      const module = showModule(profile, f);
      found.set(module, (found.get(module) || 0) + all.functionSelf[f]);
    }
    const remedy = module => module === "[kernel]"
      ? "record as root, or give --kallsyms /proc/kallsyms"
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
    byId("tabs").replaceChildren(...VIEWS.map(([view, label]) => make("button", {
      type: "button", role: "tab", id: "tab-" + view, "aria-controls": "view-" + view,
      onclick: () => this.change({view}),
    }, label)));
    byId("tabs").addEventListener("keydown", event => {
      const at = VIEWS.findIndex(([view]) => view === this.state.view);
      const to = VIEWS[at + ({ArrowLeft: -1, ArrowRight: 1}[event.key] || NaN)];
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
    if (event.key === "/" && !isTyping) {
      byId("search").focus();
      event.preventDefault();
    } else if (event.key === "Escape" && isTyping)
      this.change({search: ""});
    else if (event.key === "Escape" && this.state.function >= 0)
      this.change({function: -1});
    else if (event.key === "Escape")
      this.change({zoom: -1});
    else if (!isTyping && "1234".includes(event.key))
      this.change({view: VIEWS[Number(event.key) - 1][0]});
  }
}

readData().then(data => {
  const page = new Page(new Profile(data));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  // For tests, and for a debugger's console.
  window.fxtreport = page;
}).catch(error => {
  byId("missing").replaceChildren(make("p", {}, "The data of this page cannot be read: " + error));
  throw error;
});

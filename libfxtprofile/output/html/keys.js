// The keys of the timeline, and the panel that lists them.

const KEY_HELP = [
  ["Move", [["A, D", "earlier, later"], ["W, S", "zoom in, zoom out"], ["0", "show all"],
            ["F", "show the choice in full"], ["Page Up, Page Down", "other tracks"],
            ["Drag", "moves"], ["Ctrl and the wheel", "zooms at the pointer"],
            ["Shift and the wheel", "moves in time"]]],
  ["Choose", [["\u2190, \u2192", "the one before, the one after it on its track"],
              ["\u2191, \u2193", "what it is in, what is in it"], ["Enter", "zooms to the choice"],
              ["[, ]", "follows its flow back, onward"], ["/", "searches names"],
              ["N, Shift+N", "next, previous match"], ["C", "closes or opens its process"],
              ["Escape", "lets go: choice, cursors, range, search"]]],
  ["Measure", [["M", "sets a cursor at the pointer, or at the choice; two measure"],
               ["R", "the choice becomes the range of the tables"],
               ["Shift and drag", "selects a range, as dragging on the axis does"],
               ["1 to 5", "chooses a table"], ["?", "shows and hides this"]]],
];

class Keys {
  constructor(page) {
    this.page = page;
    this.help = byId("help");
    byId("help-button").addEventListener("click", () => this.toggleHelp());
    this.help.addEventListener("click", () => this.toggleHelp());
  }

  toggleHelp() {
    this.help.replaceChildren(make("div.panel", {}, make("h2", {}, "Keys"), make("div.parts", {},
      ...KEY_HELP.map(([title, rows]) => make("section", {}, make("h3", {}, title), make("dl", {},
        ...rows.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])))))));
    this.help.hidden = !this.help.hidden;
    byId("help-button").setAttribute("aria-expanded", String(!this.help.hidden));
    if (!this.help.hidden)
      this.help.focus();
  }

  get picked() { return readPick(this.page.state.pick, this.page.events); }

  fit() {
    const picked = this.picked;
    if (picked === null)
      return;
    const from = picked.list.start[picked.i], to = picked.list.end[picked.i];
    const space = Math.max((to - from) * 0.1, 1);
    this.page.camera.set(from - space, to + space);
  }

  // The first that is seen, where nothing is chosen.
  pickFirst() {
    const {tracks, camera, events} = this.page, {layout} = tracks;
    for (let item = Math.max(0, layout.itemAt(tracks.top)); item < layout.n; item++) {
      const thread = layout.refs[item];
      if (layout.kinds[item] !== TRACK_THREAD || events.threadRows[thread] === events.threadRows[thread + 1])
        continue;
      const i = events.slices.firstAfter(events.threadRows[thread], camera.from);
      if (i < events.slices.rowFirst[events.threadRows[thread] + 1])
        return "s" + i;
    }
    return "";
  }

  step(key) {
    const picked = this.picked;
    if (picked === null)
      return this.pickFirst();
    const {kind, i, list} = picked, row = list.rowOf(i);
    if (key === "ArrowLeft")
      return i > list.rowFirst[row] ? kind + (i - 1) : "";
    if (key === "ArrowRight")
      return i + 1 < list.rowFirst[row + 1] ? kind + (i + 1) : "";
    if (kind !== "s")
      return "";
    if (key === "ArrowUp")
      return list.parent[i] >= 0 ? "s" + list.parent[i] : "";
    if (row + 1 >= this.page.events.threadRows[this.page.events.threadOf(i) + 1])
      return "";
    for (let k = list.firstFrom(row + 1, list.start[i]); k < list.rowFirst[row + 2]; k++) {
      if (list.parent[k] === i)
        return "s" + k;
      if (list.start[k] > list.end[i])
        break;
    }
    return "";
  }

  setCursor() {
    const {camera, state} = this.page, picked = this.picked;
    const time = camera.pointer ? camera.pointer.time
      : picked !== null ? picked.list.start[picked.i] : (camera.from + camera.to) / 2;
    const cursors = state.cursors.length > 1 ? [] : state.cursors;
    // From the choice, the second is its end.
    const isSame = !camera.pointer && picked !== null && cursors[0] === Math.round(time);
    this.page.change({cursors: [...cursors, Math.max(0, Math.round(isSame ? picked.list.end[picked.i] : time))]});
  }

  letGo() {
    const {state} = this.page;
    if (!this.help.hidden)
      this.toggleHelp();
    else if (state.pick !== "")
      this.page.change({pick: ""});
    else if (state.cursors.length > 0)
      this.page.change({cursors: []});
    else if (state.range !== null)
      this.page.change({range: null});
    else if (state.search !== "")
      this.page.change({search: ""});
    else
      return false;
    return true;
  }

  closeProcess() {
    const {layout, top} = this.page.tracks, picked = this.picked, {state} = this.page;
    const place = picked === null ? null : layout.placeOf(picked.kind, picked.i);
    if (place === null && state.shut.length > 0) {
      this.page.change({shut: []});
      return;
    }
    let item = layout.itemAt(place === null ? top : place.top);
    while (item > 0 && layout.kinds[item] !== TRACK_HEADER)
      item--;
    if (item >= 0)
      this.page.toggle(layout.refs[item]);
  }

  // Returns whether the key has a meaning here.
  press(event) {
    const {page} = this, {camera, tracks, state} = page, part = event.shiftKey ? 0.5 : 0.15;
    const isHere = document.activeElement === byId("tracks") || document.activeElement === document.body;
    switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
    case "?":
      this.toggleHelp();
      return true;
    case "Escape":
      return this.letGo();
    case "a":
      camera.pan(-part);
      return true;
    case "d":
      camera.pan(part);
      return true;
    case "w":
      camera.zoom(1 - part, camera.pointer ? camera.pointer.time : undefined);
      return true;
    case "s":
      camera.zoom(1 / (1 - part), camera.pointer ? camera.pointer.time : undefined);
      return true;
    case "0":
      camera.set(0, page.endTime);
      return true;
    case "f":
      this.fit();
      return true;
    case "m":
      this.setCursor();
      return true;
    case "c":
      this.closeProcess();
      return true;
    case "r":
      if (this.picked !== null)
        page.change({range: [Math.floor(this.picked.list.start[this.picked.i]),
                             Math.ceil(this.picked.list.end[this.picked.i]) + 1]});
      return true;
    case "n":
      page.stepFound(event.shiftKey ? -1 : 1);
      return true;
    case "[":
    case "]":
      page.goTo(page.flows.follow(event.key === "]" ? 1 : -1));
      return true;
    case "PageUp":
    case "PageDown":
      if (!isHere)
        return false;
      tracks.top += (event.key === "PageDown" ? 0.8 : -0.8) * tracks.height;
      return true;
    case "Enter":
      if (!isHere || state.pick === "")
        return false;
      this.fit();
      return true;
    case "ArrowLeft":
    case "ArrowRight":
    case "ArrowUp":
    case "ArrowDown":
      if (!isHere)
        return false;
      page.goTo(this.step(event.key));
      return true;
    default:
      return false;
    }
  }
}

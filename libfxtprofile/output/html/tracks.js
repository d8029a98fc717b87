// The tracks of a trace as pictures: what is visible of them, the labels beside them, and
// over them the choice, its flows, a range and cursors.

const LABEL_FONT = "12px system-ui, sans-serif", SMALL_FONT = "11px system-ui, sans-serif";
const STATES_OF_WAITS = ["blocked", "runnable", "suspended"];

class TracksView {
  constructor(events, page) {
    this.events = events;
    this.page = page;
    this.layout = new Layout(events);
    this.colors = new NameColors(events);
    this.scroll = byId("tracks");
    this.painter = new Painter(byId("tracks-canvas"));
    this.shutKey = "";
    this.scroll.addEventListener("scroll", () => page.camera.scrolled());
    dark.addEventListener("change", () => { this.styles = null; });
  }

  // The height of very many tracks is more than an element's may be.
  get spaceScale() { return Math.max(1, this.layout.height / 1.5e7); }
  get top() { return this.scroll.scrollTop * this.spaceScale; }
  set top(y) { this.scroll.scrollTop = y / this.spaceScale; }

  render() {
    const {state} = this.page, key = state.shut.join();
    if (key !== this.shutKey) {
      this.shutKey = key;
      this.layout.arrange(new Set(state.shut));
    }
    byId("tracks-space").style.height = Math.min(this.layout.height, 1.5e7) + "px";
    this.labelWidth = byId("axis-label").getBoundingClientRect().width;
    this.fullWidth = this.scroll.clientWidth;
    this.width = Math.max(10, this.fullWidth - this.labelWidth);
    this.height = Math.min(this.layout.height, Math.max(240, Math.round(innerHeight * 0.55)));
    this.scroll.style.height = this.height + "px";
    if (this.wantedTop !== undefined) {
      this.top = this.wantedTop;
      this.wantedTop = undefined;
    }
    this.draw();
  }

  x(time) {
    const {from, to} = this.page.camera;
    return this.labelWidth + (time - from) / (to - from) * this.width;
  }

  timeAt(x) {
    const {from, to} = this.page.camera;
    return from + (x - this.labelWidth) / this.width * (to - from);
  }

  // ---- All ----

  draw() {
    const {painter, colors: {theme}, layout, fullWidth, height, labelWidth} = this;
    if (this.styles === null || this.styles === undefined)
      this.findStyles();
    painter.start(fullWidth, height, theme.paper);
    const top = this.top;
    for (let item = Math.max(0, layout.itemAt(top)); item < layout.n && layout.tops[item] < top + height; item++)
      this.drawItem(item, layout.tops[item] - top);
    const context = painter.finish();
    context.save();
    context.beginPath();
    context.rect(labelWidth, 0, this.width, height);
    context.clip();
    this.drawOver(context, top);
    context.restore();
    this.drawScrollbar(context, top);
  }

  findStyles() {
    const context = this.painter.canvas.getContext("2d");
    this.styles = {};
    for (const name of ["ink", "quiet", "accent", "edge", "paper", "more"])
      this.styles[name] = cssColor(name);
    this.mono = "11px " + cssColor("mono");
    context.font = this.mono;
    this.letter = Math.max(3, context.measureText("mmmmmmmmmm").width / 10);
  }

  drawScrollbar(context, top) {
    const {height, layout, fullWidth} = this;
    if (layout.height <= height)
      return;
    context.fillStyle = this.styles.quiet;
    context.globalAlpha = 0.45;
    const high = Math.max(18, height * height / layout.height);
    context.fillRect(fullWidth - 6, top / (layout.height - height) * (height - high), 4, high);
    context.globalAlpha = 1;
  }

  drawItem(item, y) {
    const {layout, painter, colors: {theme}, labelWidth, fullWidth, width} = this;
    const kind = layout.kinds[item], ref = layout.refs[item], height = layout.tops[item + 1] - layout.tops[item];
    if (kind === TRACK_HEADER) {
      painter.rect(0, y, fullWidth, height, theme.panel);
      this.drawHeader(ref, y);
    } else {
      painter.rect(0, y, labelWidth - 1, height, theme.panel);
      this.drawTrack(kind, ref, y, height);
    }
    painter.rect(labelWidth - 1, y, 1, height, theme.edge);
    painter.rect(0, y + height - 1, labelWidth + width, 1, theme.edge);
  }

  drawHeader(process, y) {
    const {events, layout, painter, styles} = this, {lane, tracks} = layout.processes[process];
    const isShut = this.page.state.shut.includes(process);
    const pid = lane >= 0 ? events.facts.lanes[lane][1] : "0";
    const name = lane >= 0 ? events.processName(lane) : "CPUs";
    painter.text(isShut ? "\u25b8" : "\u25be", 8, y + HEADER_HEIGHT / 2, styles.quiet, SMALL_FONT);
    const shown = cutText(name, this.fullWidth - 170, 7.5);
    painter.text(shown, 22, y + HEADER_HEIGHT / 2, styles.ink, "600 " + LABEL_FONT);
    this.headerNote = (pid !== "0" && name !== "process " + pid ? pid + " \u00b7 " : "") +
      plural(tracks.length, "track") + (isShut ? ", closed" : "");
    if (this.fullWidth > 500)
      painter.text(this.headerNote, Math.max(this.labelWidth + 8, 34 + 7.5 * shown.length), y + HEADER_HEIGHT / 2,
        styles.quiet, SMALL_FONT);
  }

  label(name, note, y, height) {
    const {painter, styles, labelWidth} = this;
    const middle = Math.min(height, 40) / 2, two = note !== "" && height >= 34;
    const beside = two || note === "" ? 0 : 6.4 * note.length + 6;
    painter.text(cutText(name, labelWidth - 34 - beside, 6.6), 22, y + (two ? 12 : middle), styles.ink, LABEL_FONT);
    if (beside > 0 && beside < labelWidth / 2)
      painter.text(note, labelWidth - 6 - beside, y + middle, styles.quiet, SMALL_FONT);
    if (two)
      painter.text(cutText(note, labelWidth - 30, 5.8), 22, y + 27, styles.quiet, SMALL_FONT);
  }

  drawTrack(kind, ref, y, height) {
    const {events} = this;
    if (kind === TRACK_CPU) {
      this.label("CPU " + events.cpuNumbers[ref], "", y, height);
      this.drawRuns(ref, y + 2, CPU_HEIGHT - 5);
    } else if (kind === TRACK_ASYNC) {
      const track = events.asyncTracks[ref];
      this.label(track.name < 0 ? "Other operations" : events.strings[track.name] || "(no name)",
                 track.nRows > ASYNC_ROWS ? "more than " + ASYNC_ROWS + " at a time" : "operations", y, height);
      for (let row = 0; row < track.nRows; row++)
        this.drawRow(events.asyncs, track.first + row, y + TRACK_PADDING + row * ASYNC_HEIGHT, ASYNC_HEIGHT - 2);
    } else if (kind === TRACK_COUNTER)
      this.drawCounter(events.series[ref], y, height);
    else
      this.drawThread(ref, y, height);
  }

  drawThread(thread, y, height) {
    const {events, layout} = this, parts = layout.threadParts(thread), levels = events.levels[thread];
    const tid = events.laneOfThread(thread)[3], name = events.threadName(thread);
    this.label(name, levels > SLICE_ROWS ? showNumber(levels) + " levels, " + SLICE_ROWS + " apart"
      : name === "thread " + tid ? "" : tid, y, height);
    if (parts.hasStates)
      this.drawStates(thread, y + parts.states);
    this.drawMarks(thread, y + parts.marks);
    for (let row = 0; row < parts.rows; row++) {
      const at = y + parts.slices + row * SLICE_HEIGHT;
      if (at > -SLICE_HEIGHT && at < this.height)
        this.drawRow(events.slices, events.threadRows[thread] + row, at, SLICE_HEIGHT - 1);
    }
  }

  // ---- Rows ----

  // The intervals of a row, by the colours of their labels. What a search does not find is
  // pale.
  drawRow(list, row, y, height) {
    const {painter, colors, width, labelWidth, styles, events, letter} = this, {label} = list;
    const {from, to} = this.page.camera, {paper, found} = colors.theme, isFound = this.page.finder.found;
    const fill = i => {
      const color = colors.pixels[colors.choices[label[i]]];
      return isFound === null || isFound[label[i]] ? color : mixPixels(color, paper, 0.28);
    };
    list.walk(row, from, to, width, (i, left, right) => {
      const x = labelWidth + Math.max(0, left), wide = labelWidth + Math.min(width, right) - x;
      painter.rect(x, y, wide > 3 ? wide - 1 : wide, height, fill(i));
      if (isFound !== null && isFound[label[i]])
        painter.rect(x, y + height - 3, wide > 3 ? wide - 1 : wide, 3, found);
      const text = wide > 3 * letter + 6 ? cutText(events.name(label[i]), wide - 7, letter) : "";
      if (text !== "")
        painter.text(text, x + 4, y + height / 2 + 0.5, styles.ink, this.mono);
    }, (i, n, pixel, share) => {
      const color = fill(i), x = labelWidth + pixel;
      painter.rect(x, y, 1, height, mixPixels(color, paper, 0.55 + 0.45 * share));
      for (let k = i; isFound !== null && k < i + n && k < i + 500; k++) {
        if (isFound[label[k]]) {
          painter.rect(x, y, 1, height, found);
          break;
        }
      }
    });
  }

  drawRuns(cpu, y, height) {
    const {painter, colors, width, labelWidth, events, letter, styles} = this, {runs} = events;
    const {from, to} = this.page.camera, {paper} = colors.theme;
    const fill = i => colors.pixels[colors.threads[runs.thread[i]]];
    runs.walk(cpu, from, to, width, (i, left, right) => {
      const x = labelWidth + Math.max(0, left), wide = labelWidth + Math.min(width, right) - x;
      painter.rect(x, y, wide > 3 ? wide - 1 : wide, height, fill(i));
      const text = wide > 3 * letter + 6 ? cutText(events.threadName(runs.thread[i]), wide - 7, letter) : "";
      if (text !== "")
        painter.text(text, x + 4, y + height / 2 + 0.5, styles.ink, this.mono);
    }, (i, n, pixel, share) => painter.rect(labelWidth + pixel, y, 1, height,
                                            mixPixels(fill(i), paper, 0.5 + 0.5 * share)));
  }

  // Where a thread waited, and over that where it ran.
  drawStates(thread, y) {
    const {painter, colors: {theme}, width, labelWidth, events: {waits, threadRuns}} = this;
    const {from, to} = this.page.camera;
    const paint = (list, color) => list.walk(thread, from, to, width, (i, left, right) => {
      const x = labelWidth + Math.max(0, left);
      painter.rect(x, y, labelWidth + Math.min(width, right) - x, STATE_HEIGHT, color(i));
    }, (i, n, pixel, share) => painter.rect(labelWidth + pixel, y, 1, STATE_HEIGHT,
                                            mixPixels(color(i), theme.paper, 0.25 + 0.75 * share)));
    paint(waits, i => theme[STATES_OF_WAITS[waits.kind[i]]]);
    paint(threadRuns, () => theme.user);
  }

  // A mark is a small triangle, and many at one place are a bar.
  drawMarks(thread, y) {
    const {painter, colors, width, labelWidth, events: {marks}} = this, {from, to} = this.page.camera;
    const isFound = this.page.finder.found;
    marks.walk(thread, from, to, width, () => {}, (i, n, pixel) => {
      const color = isFound !== null && isFound[marks.label[i]] ? colors.theme.found
        : mixPixels(colors.pixels[colors.choices[marks.label[i]]], colors.theme.ink, 0.6);
      const x = labelWidth + pixel;
      if (n > 1)
        painter.rect(x, y, 1, MARK_HEIGHT, color);
      for (let k = 0; n === 1 && k < 4; k++)
        painter.rect(x - 3 + k, y + 2 * k, 7 - 2 * k, 2, color);
    });
  }

  drawCounter(series, y, height) {
    const {painter, colors: {theme}, width, labelWidth} = this, {from, to} = this.page.camera;
    const low = Math.min(0, series.least), high = Math.max(0, series.most, low + 1e-300);
    const least = y + TRACK_PADDING, most = height - 2 * TRACK_PADDING - 1;
    const at = value => least + most * (1 - (value - low) / (high - low));
    const zero = at(0), step = (to - from) / width;
    const line = series.lane >= 0 ? theme.self : theme.ink, area = mixPixels(line, theme.paper, 0.35);
    for (let pixel = 0, i = series.placeAt(from); pixel < width; pixel++) {
      const next = gallop(series.time, Math.max(0, i), series.time.length, from + (pixel + 1) * step);
      if (next > 0) {
        const [bottom, top] = series.span(Math.max(0, i), next);
        const upper = at(top), lower = at(bottom), x = labelWidth + pixel;
        if (upper < zero)
          painter.rect(x, upper, 1, zero - upper, area);
        if (lower > zero)
          painter.rect(x, zero, 1, lower - zero, area);
        painter.rect(x, upper - 0.5, 1, Math.max(1, Math.min(lower, zero > upper ? lower : zero) - upper), line);
      }
      i = next - 1;
    }
    this.label(series.name, showAny(series.least) + " \u2026 " + showAny(series.most), y, height);
  }

  // ---- Over the tracks ----

  drawOver(context, top) {
    const {page, height, styles} = this, {state} = page;
    if (page.flows)
      page.flows.draw(context, top);
    this.drawPick(context, top);
    const range = page.camera.brushed || state.range;
    if (range !== null) {
      const [left, right] = range.map(time => this.x(time));
      context.fillStyle = styles.paper;
      context.globalAlpha = 0.6;
      context.fillRect(this.labelWidth, 0, left - this.labelWidth, height);
      context.fillRect(right, 0, this.fullWidth - right, height);
      context.globalAlpha = 1;
      context.fillStyle = styles.accent;
      context.fillRect(left - 1, 0, 2, height);
      context.fillRect(right - 1, 0, 2, height);
    }
    context.fillStyle = styles.more;
    for (const time of state.cursors)
      context.fillRect(Math.round(this.x(time)) - 0.5, 0, 1.5, height);
  }

  drawPick(context, top) {
    const picked = readPick(this.page.state.pick, this.events);
    if (picked === null)
      return;
    const place = this.layout.placeOf(picked.kind, picked.i);
    if (place === null)
      return;
    const left = this.x(picked.list.start[picked.i]), right = this.x(picked.list.end[picked.i]);
    const isMark = picked.kind === "m", y = place.top - top;
    context.strokeStyle = this.styles.accent;
    context.lineWidth = 2;
    context.strokeRect(Math.max(left, this.labelWidth - 4) - (isMark ? 5 : 1), y - 1,
      Math.max(2, Math.min(right, this.fullWidth + 4) - Math.max(left, this.labelWidth - 4)) + (isMark ? 9 : 1),
      place.height + 2);
  }

  // ---- What is where ----

  // The interval at a place of the canvas, within some pixels, as a pick; or "".
  pickAt(x, y) {
    const row = this.layout.rowAt(y + this.top);
    if (row === null || row.list === null || x < this.labelWidth)
      return "";
    const time = this.timeAt(x), slack = this.timeAt(x + 4) - time, {list} = row;
    const first = list.firstAfter(row.row, time - slack * (row.pick === "m" ? 1.5 : 0.5));
    let best = -1, distance = slack * 1.5;
    for (let i = Math.max(first - 1, list.rowFirst[row.row]); i < list.rowFirst[row.row + 1] && i < first + 200; i++) {
      if (list.start[i] > time + slack * 1.5)
        break;
      const off = Math.max(0, list.start[i] - time, time - list.end[i]);
      if (off < distance || (off === 0 && distance === 0)) {
        best = i;
        distance = off;
      }
    }
    return best >= 0 ? row.pick + best : "";
  }

  // Scrolls so that a pick is seen.
  reveal(picked) {
    const place = this.layout.placeOf(picked.kind, picked.i);
    if (place === null)
      return;
    if (place.top < this.top + 30)
      this.top = Math.max(0, place.top - 60);
    else if (place.top + place.height > this.top + this.height - 10)
      this.top = place.top + place.height - this.height + 60;
  }
}

// "s12" is the slice of that number; a is an operation, m a mark, w a wait, r a run.
function readPick(text, events) {
  const list = {s: "slices", a: "asyncs", m: "marks", w: "waits", r: "runs"}[text[0]];
  const i = Number(text.slice(1));
  if (list === undefined || !/^[a-z]\d{1,10}$/.test(text) || i >= events[list].n)
    return null;
  return {kind: text[0], i, list: events[list]};
}

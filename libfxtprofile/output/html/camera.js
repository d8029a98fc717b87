// What time is seen, and how the mouse moves it. While it moves, only the pictures are
// drawn; once it rests, it is part of the page's state.

const REST_MS = 160, LEAST_SPAN = 10, DRAG_PIXELS = 3, ROWS_DRAWN_AT_ONCE = 200000;

class Camera {
  constructor(page) {
    this.page = page;
    this.brushed = null;
    this.drag = null;
    this.take(page.state);
    const tracks = byId("tracks"), canvas = byId("tracks-canvas");
    for (const element of [tracks, byId("axis"), byId("lanes")])
      element.addEventListener("wheel", event => this.wheel(event), {passive: false});
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    canvas.addEventListener("pointerup", event => this.release(event));
    canvas.addEventListener("pointercancel", () => { this.drag = this.brushed = null; this.draw(); });
    canvas.addEventListener("pointerleave", () => { this.pointer = null; tip.hide(); });
    canvas.addEventListener("dblclick", () => page.keys.fit());
  }

  take(state) {
    [this.from, this.to] = state.seen || [0, this.page.endTime];
  }

  get view() { return this.page.tracks; }

  set(from, to) {
    const end = this.page.endTime, span = Math.min(end, Math.max(LEAST_SPAN, to - from));
    const middle = (from + to) / 2;
    this.from = Math.max(0, Math.min(end - span, to - from < LEAST_SPAN ? middle - span / 2 : from));
    this.to = this.from + span;
    this.moved();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part) {
    const span = this.to - this.from, end = this.page.endTime;
    const from = Math.max(0, Math.min(end - span, this.from + part * span));
    this.set(from, from + span);
  }

  // A time in the middle, if it is not seen.
  show(from, to) {
    const span = this.to - this.from;
    if (to - from > span)
      this.set(from - (to - from) * 0.1, to + (to - from) * 0.1);
    else if (from < this.from || to > this.to) {
      const start = Math.max(0, Math.min(this.page.endTime - span, (from + to - span) / 2));
      this.set(start, start + span);
    }
  }

  moved() {
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), REST_MS);
  }

  rest() {
    clearTimeout(this.timer);
    const isAll = this.from <= 0 && this.to >= this.page.endTime;
    const seen = isAll ? null : [Math.floor(this.from), Math.ceil(this.to)];
    this.page.change({seen, top: this.page.tracks ? Math.round(this.page.tracks.top) : 0});
  }

  scrolled() {
    if (Math.round(this.view.top) === this.page.state.top)
      return;
    this.moved();
  }

  // Once for each frame of the screen.
  draw() {
    if (this.isAsked)
      return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.page.tracks.draw();
      this.page.lanes.drawMoved(ROWS_DRAWN_AT_ONCE);
    });
  }

  // ---- The mouse ----

  wheel(event) {
    if (!this.page.tracks)
      return;
    const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const delta = (event.shiftKey && event.deltaX === 0 ? event.deltaY : isAcross ? event.deltaX : event.deltaY) *
                  (event.deltaMode === 1 ? 16 : 1);
    if (event.ctrlKey || event.metaKey || event.altKey) {
      const box = byId("tracks").getBoundingClientRect();
      this.zoom(Math.exp(Math.max(-1, Math.min(1, delta / 240))), this.view.timeAt(event.clientX - box.left));
    } else if (isAcross)
      this.pan(delta / this.view.width);
    else
      return;
    event.preventDefault();
  }

  press(event) {
    if (event.button !== 0)
      return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const time = this.view.timeAt(event.offsetX);
    this.drag = {x: event.clientX, y: event.clientY, from: this.from, to: this.to, top: this.view.top, time,
                 isBrush: event.shiftKey, isMoved: false};
    byId("tracks").focus({preventScroll: true});
  }

  move(event) {
    this.pointer = {x: event.offsetX, time: this.view.timeAt(event.offsetX)};
    const {drag} = this;
    if (!drag) {
      this.page.inspector.describe(event, this.view.pickAt(event.offsetX, event.offsetY));
      return;
    }
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    drag.isMoved = drag.isMoved || Math.abs(dx) > DRAG_PIXELS || Math.abs(dy) > DRAG_PIXELS;
    if (!drag.isMoved)
      return;
    tip.hide();
    if (drag.isBrush) {
      const time = Math.max(0, Math.min(this.page.endTime, this.pointer.time));
      this.brushed = [Math.min(drag.time, time), Math.max(drag.time, time)];
      tip.show(event, [showTime(this.brushed[1] - this.brushed[0])]);
      this.draw();
      return;
    }
    const shift = dx / this.view.width * (drag.to - drag.from), span = drag.to - drag.from;
    const from = Math.max(0, Math.min(this.page.endTime - span, drag.from - shift));
    this.view.top = drag.top - dy;
    this.set(from, from + span);
  }

  release(event) {
    const {drag, brushed} = this;
    this.drag = this.brushed = null;
    if (!drag)
      return;
    if (brushed !== null)
      this.page.change({range: [Math.floor(brushed[0]), Math.ceil(brushed[1]) || 1]});
    else if (!drag.isMoved)
      this.click(event);
  }

  click(event) {
    const {layout} = this.view, item = layout.itemAt(event.offsetY + this.view.top);
    if (item >= 0 && layout.kinds[item] === TRACK_HEADER)
      this.page.toggle(layout.refs[item]);
    else if (!byId("tracks").hidden)
      this.page.change({pick: this.view.pickAt(event.offsetX, event.offsetY)});
  }
}

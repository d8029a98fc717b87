// The flame graph: the tree of calls, roots at the top, the heaviest first.

const ROW = 19, FONT = "11.5px ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace";
const NARROWEST = 0.4, WITH_TEXT = 24;

class Flame {
  constructor(profile, page) {
    this.profile = profile;
    this.page = page;
    this.canvas = byId("flame");
    this.scroll = byId("flame-scroll");
    this.focus = -1;
    this.scroll.addEventListener("scroll", () => this.draw(), {passive: true});
    this.canvas.addEventListener("mousemove", event => this.hover(event));
    this.canvas.addEventListener("mouseleave", () => { this.hot = null; tip.hide(); this.draw(); });
    this.canvas.addEventListener("click", event => this.click(event));
    this.canvas.addEventListener("dblclick", () => page.change({zoom: -1}));
    this.scroll.addEventListener("keydown", event => this.key(event));
  }

  // The sums that widths are of.
  get sums() {
    return this.page.before && this.page.state.widths === "before" ? this.page.before
                                                                   : this.page.sums;
  }

  children(node) {
    const {tree} = this.profile, {all} = this.sums, found = [];
    for (let i = tree.firstChild[node < 0 ? tree.size : node]; i >= 0; i = tree.nextSibling[i]) {
      if (all[i] > 0)
        found.push(i);
    }
    return found;
  }

  path(node) {
    const path = [];
    for (; node >= 0; node = this.profile.tree.parent[node])
      path.push(node);
    return path.reverse();
  }

  // The frames in each row, from left to right: what is above the zoomed one, it, and what
  // it calls. Frames too narrow to be seen are one, without a node.
  layOut() {
    const {all, total} = this.sums, {zoom} = this.page.state, width = this.width;
    const above = this.path(zoom);
    const whole = zoom >= 0 ? all[zoom] : Math.max(total, 0);
    this.rows = [[{node: -1, x: 0, width}]];
    this.nAbove = above.length;
    above.forEach((node, i) => { this.rows[i + 1] = [{node, x: 0, width}]; });
    if (whole <= 0)
      return;
    const scale = width / whole, open = [[zoom, 0, above.length + 1]];
    while (open.length > 0) {
      const [node, left, depth] = open.pop();
      const children = this.children(node);
      let x = left, rest = 0, n = 0;
      const wide = children.filter(i => all[i] * scale >= NARROWEST);
      for (const i of children) {
        if (all[i] * scale < NARROWEST) {
          rest += all[i];
          n++;
        }
      }
      wide.sort((a, b) => all[b] - all[a] || a - b);
      const row = children.length > 0 ? this.rows[depth] || (this.rows[depth] = []) : null;
      for (const i of wide) {
        row.push({node: i, x, width: all[i] * scale});
        open.push([i, x, depth + 1]);
        x += all[i] * scale;
      }
      if (rest * scale >= 0.5)
        row.push({node: -2, x, width: rest * scale, n});
    }
    for (const row of this.rows)
      row.sort((a, b) => a.x - b.x);
  }

  render() {
    const {state} = this.page;
    this.width = this.scroll.clientWidth;
    this.search = this.page.search;
    this.prepareChange();
    this.layOut();
    const height = this.rows.length * ROW + 2;
    byId("flame-space").style.height = height + "px";
    this.view = Math.min(height, Math.max(280, innerHeight - 130));
    this.scroll.style.maxHeight = this.view + "px";
    if (this.lastZoom !== state.zoom)
      this.scroll.scrollTop = Math.max(0, (this.nAbove - 3) * ROW);
    this.lastZoom = state.zoom;
    this.renderCrumbs();
    this.draw();
  }

  // The largest change of a share, or a twentieth, has the strongest colour.
  prepareChange() {
    const {before} = this.page, {tree} = this.profile;
    this.mostChange = 0.05;
    for (let i = 0; before && i < tree.size; i++)
      this.mostChange = Math.max(this.mostChange, Math.abs(this.change(i)));
  }

  // As a part of that; 0 for what may be by chance.
  changePart(node) {
    const {sums, before} = this.page, change = this.change(node);
    return isNoise(change, sums.share(sums.all[node]), before.share(before.all[node]), sums, before)
      ? 0 : change / this.mostChange;
  }

  change(node) {
    return this.page.sums.share(this.page.sums.all[node]) -
           this.page.before.share(this.page.before.all[node]);
  }

  renderCrumbs() {
    const {zoom} = this.page.state, path = this.path(zoom), name = node =>
      this.profile.name(this.profile.tree.func[node]);
    if (zoom < 0) {
      byId("crumbs").replaceChildren();
      return;
    }
    const last = path.slice(-5, -1);
    byId("crumbs").replaceChildren(
      make("button", {type: "button", onclick: () => this.page.change({zoom: -1})}, "all"),
      ...(path.length > 5 ? ["\u203a \u2026"] : []),
      ...last.flatMap(node => ["\u203a", make("button", {
        type: "button", title: name(node), onclick: () => this.page.change({zoom: node})},
        this.label(node))]),
      "\u203a", make("b", {}, this.label(zoom)));
  }

  fill(frame) {
    const {colors, before, search} = this.page;
    if (frame.node === -2)
      return cssColor("edge");
    if (frame.node === -1)
      return cssColor("panel");
    const f = this.profile.tree.func[frame.node];
    if (search !== null && search.test(this.profile.name(f)))
      return dark.matches ? "#9c3d98" : "#f09be8";
    return before ? colors.change(this.changePart(frame.node)) : colors.fill(f);
  }

  label(node) {
    if (node === -1)
      return "all";
    return this.profile.shortName(this.profile.tree.func[node]);
  }

  draw() {
    if (!this.rows || this.scroll.clientWidth === 0)
      return;
    const context = fitCanvas(this.canvas, this.width, this.view), top = this.scroll.scrollTop;
    context.font = FONT;
    context.textBaseline = "middle";
    this.letter = this.letter || context.measureText("0".repeat(100)).width / 100;
    context.fillStyle = cssColor("paper");
    context.fillRect(0, 0, this.width, this.view);
    const ink = cssColor("ink"), quiet = cssColor("quiet"), paper = cssColor("paper");
    const first = Math.max(0, Math.floor(top / ROW));
    const end = Math.min(this.rows.length, Math.ceil((top + this.view) / ROW));
    for (let depth = first; depth < end; depth++) {
      for (const frame of this.rows[depth]) {
        const y = depth * ROW - top, width = Math.max(frame.width - (frame.width > 3 ? 1 : 0), 0.4);
        const f = frame.node >= 0 ? this.profile.tree.func[frame.node] : -1;
        context.globalAlpha = depth <= this.nAbove && depth < this.nAbove ? 0.6 : 1;
        context.fillStyle = this.fill(frame);
        context.fillRect(frame.x, y, width, ROW - 1);
        if (frame.width >= WITH_TEXT && frame.node !== -2) {
          const room = Math.floor((frame.width - 9) / this.letter), name = this.label(frame.node);
          context.fillStyle = frame.node < 0 || this.profile.kind(f) & CUT ? quiet : ink;
          const text = name.length <= room ? name : room > 3 ? name.slice(0, room - 1) + "\u2026"
                                                             : "";
          context.fillText(text, frame.x + 4, y + ROW / 2);
        }
        if (f >= 0 && (f === this.page.state.function || frame.node === this.hot ||
                       frame.node === this.focus)) {
          context.strokeStyle = f === this.page.state.function ? cssColor("accent") : ink;
          context.lineWidth = frame.node === this.focus || f === this.page.state.function ? 1.5 : 1;
          context.strokeRect(frame.x + 0.75, y + 0.75, Math.max(width - 1.5, 0.5), ROW - 2.5);
        }
      }
    }
    context.globalAlpha = 1;
    if (this.rows.length <= 1) {
      context.fillStyle = paper;
      context.fillRect(0, 0, this.width, this.view);
      context.fillStyle = quiet;
      context.fillText(nothingHere(this.profile), 4, ROW / 2);
    }
  }

  frameAt(event) {
    const row = this.rows[Math.floor((event.offsetY + this.scroll.scrollTop) / ROW)] || [];
    let low = 0, high = row.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (row[middle].x <= event.offsetX)
        low = middle;
      else
        high = middle - 1;
    }
    const frame = row[low];
    return frame && event.offsetX >= frame.x && event.offsetX < frame.x + frame.width ? frame
                                                                                      : null;
  }

  describe(frame) {
    const {sums, before, profile} = this.page, {facts} = profile;
    if (frame.node === -2)
      return [plural(frame.n, "branch", "branches") + " too narrow to be drawn",
              "zoom in to see them"];
    const all = frame.node >= 0 ? sums.all[frame.node] : sums.total;
    const f = frame.node >= 0 ? profile.tree.func[frame.node] : -1;
    const lines = [showShare(sums.share(all)) + ", " + showAmount(all, facts)];
    if (frame.node >= 0 && sums.self[frame.node] > 0)
      lines[0] += "; self " + showShare(sums.share(sums.self[frame.node]));
    if (frame.node >= 0 && before)
      lines.push("before " + showShare(before.share(before.all[frame.node])) + ": " +
                 showChange(this.change(frame.node)));
    return [f >= 0 ? profile.name(f) : "all", f >= 0 ? showModule(profile, f) : "", ...lines];
  }

  hover(event) {
    const frame = this.frameAt(event), hot = frame ? frame.node : null;
    if (hot !== this.hot) {
      this.hot = hot;
      this.draw();
    }
    if (frame)
      tip.show(event, this.describe(frame));
    else
      tip.hide();
  }

  click(event) {
    const frame = this.frameAt(event);
    this.focus = -1;
    if (frame && frame.node >= -1)
      this.open(frame.node);
  }

  open(node) {
    tip.hide();
    this.page.change({zoom: node, function: node >= 0 ? this.profile.tree.func[node]
                                                      : this.page.state.function});
  }

  key(event) {
    const {tree} = this.profile, {state} = this.page;
    const from = this.focus >= 0 ? this.focus : state.zoom;
    const parent = from >= 0 ? tree.parent[from] : -1;
    const {all} = this.sums;
    const sorted = node => this.children(node).sort((a, b) => all[b] - all[a] || a - b);
    let to = from;
    if (event.key === "ArrowDown")
      to = sorted(from)[0];
    else if (event.key === "ArrowUp")
      to = parent;
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const siblings = sorted(parent), at = siblings.indexOf(from);
      to = siblings[at + (event.key === "ArrowRight" ? 1 : -1)];
    } else if (event.key === "Enter" && this.focus >= 0) {
      this.open(this.focus);
      event.preventDefault();
      return;
    } else if (event.key === "Escape") {
      this.focus = -1;
      this.page.change({zoom: -1});
      return;
    } else
      return;
    event.preventDefault();
    if (to === undefined || to < 0)
      return;
    this.focus = to;
    const row = tree.depth[to] + 1;
    if (row * ROW < this.scroll.scrollTop || (row + 1) * ROW > this.scroll.scrollTop + this.view)
      this.scroll.scrollTop = Math.max(0, row * ROW - this.view / 2);
    this.draw();
    byId("spoken").textContent = this.describe({node: to}).join(", ");
  }
}

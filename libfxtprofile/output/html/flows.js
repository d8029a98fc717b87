// The flows of the chosen slice: arrows to where they come from and where they go, and the
// steps along them.

const FLOWS_SHOWN = 50, FLOW_STEPS = 100;

class Flows {
  constructor(events, page) {
    this.events = events;
    this.page = page;
    this.pick = null;
    this.edges = [];
  }

  // In and out of a slice: {flow, other}, events of flows.
  of(slice) {
    const {before, after} = this.events.flows, into = [], out = [];
    for (const flow of this.events.flowsOf(slice, FLOWS_SHOWN)) {
      if (before[flow] >= 0)
        into.push({flow, other: before[flow]});
      if (after[flow] >= 0)
        out.push({flow, other: after[flow]});
    }
    return {into, out};
  }

  // All steps of the flows that pass a slice.
  findEdges(slice) {
    const {before, after} = this.events.flows, edges = [];
    for (const flow of this.events.flowsOf(slice, FLOWS_SHOWN)) {
      for (let i = flow, n = 0; before[i] >= 0 && n < FLOW_STEPS; i = before[i], n++)
        edges.push([before[i], i]);
      for (let i = flow, n = 0; after[i] >= 0 && n < FLOW_STEPS; i = after[i], n++)
        edges.push([i, after[i]]);
    }
    return edges;
  }

  update(picked) {
    const pick = picked !== null && picked.kind === "s" ? picked.i : -1;
    if (pick !== this.pick)
      this.edges = pick >= 0 ? this.findEdges(pick) : [];
    this.pick = pick;
  }

  // The pick at the other end of the first flow out of the chosen slice, or into it.
  follow(direction) {
    if (this.pick < 0)
      return "";
    const {into, out} = this.of(this.pick), list = direction > 0 ? out : into;
    for (const {other} of list) {
      const slice = this.events.sliceOfFlow(other);
      if (slice >= 0 && slice !== this.pick)
        return "s" + slice;
    }
    return "";
  }

  // Where an event of a flow is on the canvas.
  placeOf(flow, top) {
    const view = this.page.tracks, {layout, height} = view, thread = this.events.threadOfFlow(flow);
    const slice = this.events.sliceOfFlow(flow), item = layout.itemOfThread[thread];
    const place = slice >= 0 ? layout.placeOf("s", slice) : null;
    const y = place !== null ? place.top + place.height / 2
      : item >= 0 ? layout.tops[item] + 8 : layout.height;
    return {x: view.x(this.events.flows.time[flow]), y: Math.max(-20, Math.min(height + 20, y - top))};
  }

  draw(context, top) {
    const {styles, width, labelWidth} = this.page.tracks;
    context.strokeStyle = context.fillStyle = styles.accent;
    context.lineWidth = 1.5;
    for (const [from, to] of this.edges) {
      const a = this.placeOf(from, top), b = this.placeOf(to, top);
      if (Math.max(a.x, b.x) < labelWidth || Math.min(a.x, b.x) > labelWidth + width)
        continue;
      // What is far outside is as good as what is just outside.
      a.x = Math.max(labelWidth - 200, a.x);
      b.x = Math.min(labelWidth + width + 200, b.x);
      const bend = Math.max(18, Math.min(90, Math.abs(b.x - a.x) / 2));
      context.beginPath();
      context.moveTo(a.x, a.y);
      context.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x - 2, b.y);
      context.stroke();
      context.beginPath();
      context.moveTo(b.x, b.y);
      context.lineTo(b.x - 7, b.y - 4);
      context.lineTo(b.x - 7, b.y + 4);
      context.fill();
      context.beginPath();
      context.arc(a.x, a.y, 2.5, 0, 7);
      context.fill();
    }
  }
}

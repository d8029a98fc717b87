// How a heap has grown: a line through the points of a series.

const GROWTH_HEIGHT = 130, GROWTH_AXIS = 20;

class Growth {
  constructor(profile) {
    const c = profile.columns;
    this.facts = profile.facts;
    this.times = c["point.time"] || [];
    this.numbers = c["point.number"];
    this.bytes = c["point.live.count"];
    this.blocks = c["point.blocks.count"];
    this.allocated = c["point.allocated.count"];
    this.isShown = c["point.shown"];
    this.values = profile.facts.unit === "bytes" ? this.bytes : this.blocks;
    this.canvas = byId("growth-canvas");
    this.canvas.addEventListener("pointermove", event => this.describe(event));
    this.canvas.addEventListener("pointerleave", () => tip.hide());
  }

  get n() {
    return this.times.length;
  }

  // Each series begins at an earlier time than that of the point before it.
  isFirst(i) {
    return i === 0 || this.times[i] < this.times[i - 1];
  }

  x(time) {
    return time / this.endTime * (this.width - 12) + 6;
  }

  y(value) {
    return GROWTH_HEIGHT - 4 - value / this.most * (GROWTH_HEIGHT - 22);
  }

  render() {
    byId("growth").hidden = this.n < 2;
    if (this.n < 2)
      return;
    this.width = this.canvas.clientWidth;
    this.endTime = this.largest(this.times);
    this.most = this.largest(this.values);
    const context = fitCanvas(this.canvas, this.width, GROWTH_HEIGHT + GROWTH_AXIS);
    context.font = "11px system-ui, sans-serif";
    this.drawAxes(context);
    this.drawLine(context);
    this.canvas.setAttribute("aria-label", "Live " + (this.values === this.bytes ? "bytes" : "blocks") +
      " over " + showTime(this.endTime) + ": at most " + this.show(this.most));
  }

  // At least 1.
  largest(values) {
    let most = 1;
    for (const value of values)
      most = Math.max(most, value);
    return most;
  }

  show(value) {
    return this.values === this.bytes ? showValue(value, {unit: "bytes"})
                                      : plural(value, "block");
  }

  drawAxes(context) {
    const step = Math.max(1, niceStep(this.endTime, this.width / 110));
    context.fillStyle = cssColor("paper");
    context.fillRect(0, 0, this.width, GROWTH_HEIGHT + GROWTH_AXIS);
    for (let time = 0; time <= this.endTime; time += step) {
      const x = Math.round(this.x(time)), label = time === 0 ? "0" : showTime(time);
      context.fillStyle = cssColor("edge");
      context.fillRect(x, 0, 1, GROWTH_HEIGHT);
      context.fillStyle = cssColor("quiet");
      if (x + context.measureText(label).width + 5 < this.width)
        context.fillText(label, x + 4, GROWTH_HEIGHT + 13);
    }
    context.fillStyle = cssColor("edge");
    context.fillRect(0, Math.round(this.y(0)), this.width, 1);
    context.fillRect(0, Math.round(this.y(this.most)), this.width, 1);
    context.fillStyle = cssColor("quiet");
    context.fillText(this.show(this.most), 10, this.y(this.most) - 5);
  }

  drawLine(context) {
    context.strokeStyle = cssColor("user");
    context.lineWidth = 1.5;
    context.beginPath();
    for (let i = 0; i < this.n; i++) {
      const x = this.x(this.times[i]), y = this.y(this.values[i]);
      if (this.isFirst(i))
        context.moveTo(x, y);
      else
        context.lineTo(x, y);
    }
    context.stroke();
    for (let i = 0; i < this.n; i++) {
      if (!this.isShown[i] && this.n > this.width / 8)
        continue;
      context.beginPath();
      context.fillStyle = cssColor(this.isShown[i] ? "more" : "user");
      context.arc(this.x(this.times[i]), this.y(this.values[i]), this.isShown[i] ? 4 : 2, 0,
                  2 * Math.PI);
      context.fill();
    }
  }

  nearest(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    let found = 0;
    for (let i = 1; i < this.n; i++) {
      if (Math.abs(this.x(this.times[i]) - x) < Math.abs(this.x(this.times[found]) - x))
        found = i;
    }
    return found;
  }

  describe(event) {
    const i = this.nearest(event), bytes = value => showValue(value, {unit: "bytes"});
    const [time, before] = this.isFirst(i) ? [this.times[i], 0]
      : [this.times[i] - this.times[i - 1], this.allocated[i - 1]];
    tip.show(event, ["point " + showNumber(this.numbers[i]), showTime(this.times[i]),
      bytes(this.bytes[i]) + " in " + plural(this.blocks[i], "block"),
      bytes(this.allocated[i]) + " allocated until then" +
        (time > 0 ? ", " + bytes((this.allocated[i] - before) / time * 1e9) + " a second" : "")]);
  }
}

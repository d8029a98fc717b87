// A counter's values over time: each holds until the next one. Blocks of values have their
// least and most, so that a column of pixels is found fast, whatever it has.

const SERIES_BLOCK = 64;

class Series {
  constructor(events, number, first, last) {
    const c = events.c;
    this.time = events.values.time.subarray(first, last);
    this.value = events.values.value.subarray(first, last);
    this.lane = c["series.lane"][number];
    this.label = c["series.label"][number];
    const name = events.name(this.label), arg = events.strings[c["series.arg"][number]];
    const id = events.strings[c["series.id"][number]];
    this.name = name + (id ? " #" + id : "") + (arg && arg !== name ? " \u00b7 " + arg : "");
    this.findBlocks();
  }

  findBlocks() {
    const n = Math.ceil(this.value.length / SERIES_BLOCK);
    this.low = new Float64Array(n).fill(Infinity);
    this.high = new Float64Array(n).fill(-Infinity);
    for (let i = 0; i < this.value.length; i++) {
      const block = Math.floor(i / SERIES_BLOCK);
      this.low[block] = Math.min(this.low[block], this.value[i]);
      this.high[block] = Math.max(this.high[block], this.value[i]);
    }
    this.least = this.low.reduce((a, b) => Math.min(a, b), Infinity);
    this.most = this.high.reduce((a, b) => Math.max(a, b), -Infinity);
  }

  // The least and the most of the values first..last - 1.
  span(first, last) {
    let low = Infinity, high = -Infinity;
    for (let i = first; i < last;) {
      const block = i / SERIES_BLOCK;
      if (Number.isInteger(block) && i + SERIES_BLOCK <= last) {
        low = Math.min(low, this.low[block]);
        high = Math.max(high, this.high[block]);
        i += SERIES_BLOCK;
      } else {
        low = Math.min(low, this.value[i]);
        high = Math.max(high, this.value[i]);
        i++;
      }
    }
    return [low, high];
  }

  // The place of the value at a time, or -1.
  placeAt(time) {
    return bound(this.time, 0, this.time.length, time, true) - 1;
  }

  // Of a time: how many values, the least, the mean over time, the most and the last.
  summary(from, to) {
    const before = this.placeAt(from), first = Math.max(0, before), n = this.time.length;
    const last = bound(this.time, 0, n, to, false);
    if (first >= last)
      return null;
    const [least, most] = this.span(first, last);
    let sum = 0, time = 0;
    for (let i = first; i < last; i++) {
      const begin = Math.max(from, this.time[i]), end = i + 1 < last ? this.time[i + 1] : to;
      sum += this.value[i] * (end - begin);
      time += end - begin;
    }
    return {n: last - Math.max(first, before + 1), least, most,
            mean: time > 0 ? sum / time : this.value[last - 1], last: this.value[last - 1]};
  }
}

// A number of any size: "12", "3.25", "21,593,948", "1.500e+15".
function showAny(value) {
  const size = Math.abs(value);
  if (size < 1e15 && (Number.isInteger(value) || size >= 1e5))
    return showNumber(value);
  return size >= 1e15 || (value !== 0 && size < 1e-3)
    ? value.toPrecision(4) : String(Number(value.toFixed(size >= 100 ? 1 : 3)));
}

// What lasts, in rows: slices, operations, states and what CPUs ran. The intervals of a row
// are beside each other, by their begins; "reach" is the latest end in the row until there,
// "cover" the time of all before. What is visible is found by a binary search, and what is
// too narrow for a column of pixels is one density, however many there are.

class Intervals {
  // By positions: begins, ends; rows begin at `rowFirst`, which has one more than rows.
  constructor(start, end, rowFirst) {
    this.start = start;
    this.end = end;
    this.rowFirst = rowFirst;
    this.n = start.length;
    this.cover = new Float64Array(this.n + 1);
    this.reach = end;
    for (let i = 0; i < this.n; i++)
      this.cover[i + 1] = this.cover[i] + (end[i] - start[i]);
    this.findReach();
  }

  // Where intervals of a row overlap, which is rare, their ends are in no order.
  findReach() {
    for (let row = 0; row + 1 < this.rowFirst.length; row++) {
      for (let i = this.rowFirst[row] + 1; i < this.rowFirst[row + 1]; i++) {
        if (this.end[i] >= this.reach[i - 1])
          continue;
        if (this.reach === this.end)
          this.reach = this.end.slice();
        this.reach[i] = this.reach[i - 1];
      }
    }
  }

  // The first of a row that ends after a time.
  firstAfter(row, time) {
    return bound(this.reach, this.rowFirst[row], this.rowFirst[row + 1], time, true);
  }

  // The first of a row that begins at a time or later.
  firstFrom(row, time) {
    return bound(this.start, this.rowFirst[row], this.rowFirst[row + 1], time, false);
  }

  rowOf(position) {
    return bound(this.rowFirst, 0, this.rowFirst.length, position, true) - 1;
  }

  // The innermost one of a row at a time, or -1: both its ends count.
  at(row, time) {
    const i = bound(this.start, this.rowFirst[row], this.rowFirst[row + 1], time, true) - 1;
    return i >= this.rowFirst[row] && this.end[i] >= time ? i : -1;
  }

  // How much of a time a row covers.
  covered(row, from, to) {
    let first = this.firstAfter(row, from), sum = 0;
    const last = this.firstFrom(row, to);
    if (first >= last)
      return 0;
    sum = this.cover[last] - this.cover[first];
    sum -= Math.max(0, from - this.start[first]) + Math.max(0, this.end[last - 1] - to);
    return Math.max(0, sum);
  }

  // Calls one(i, left, right) for each interval of a row that is a pixel wide or more, and
  // many(i, n, pixel, share) for each pixel with narrower ones. Pixels count from `from`.
  walk(row, from, to, width, one, many) {
    const {start, end, cover} = this, last = this.rowFirst[row + 1], scale = width / (to - from);
    for (let i = this.firstAfter(row, from); i < last && start[i] < to;) {
      const left = (start[i] - from) * scale, right = (end[i] - from) * scale;
      if (right - left >= 1 || right < 0) {
        if (right >= 0)
          one(i, left, right);
        i++;
        continue;
      }
      const pixel = Math.max(0, Math.floor(left));
      let next = gallop(start, i + 1, last, from + (pixel + 1) / scale);
      // The last may be a wide one.
      if (next > i + 1 && (end[next - 1] - start[next - 1]) * scale >= 1)
        next--;
      many(i, next - i, pixel, Math.min(1, (cover[next] - cover[i]) * scale));
      i = next;
    }
  }
}

// The first of first..last - 1 whose value is `value` or more, or if `isAfter` more than it.
function bound(values, first, last, value, isAfter) {
  while (first < last) {
    const middle = (first + last) >>> 1;
    if (isAfter ? values[middle] <= value : values[middle] < value)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// The same, not after it, where it is probably near.
function gallop(values, first, last, value) {
  let step = 1;
  while (first + step < last && values[first + step] < value)
    step *= 2;
  return bound(values, first + (step >>> 1), Math.min(last, first + step + 1), value, false);
}

// Sorts by rows and keeps the order within each: the rows' begins, and the new positions.
function sortByRows(rowOf, nRows) {
  const rowFirst = new Uint32Array(nRows + 1), position = new Uint32Array(rowOf.length);
  for (let i = 0; i < rowOf.length; i++)
    rowFirst[rowOf[i] + 1]++;
  for (let row = 0; row < nRows; row++)
    rowFirst[row + 1] += rowFirst[row];
  const at = rowFirst.slice();
  for (let i = 0; i < rowOf.length; i++)
    position[i] = at[rowOf[i]]++;
  return {rowFirst, position};
}

function permute(values, position) {
  const to = new values.constructor(values.length);
  for (let i = 0; i < values.length; i++)
    to[position[i]] = values[i];
  return to;
}

// Where each part begins whose sizes are given, and the sum of all as the last.
function sumsBefore(sizes) {
  const sums = new Uint32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++)
    sums[i + 1] = sums[i] + sizes[i];
  return sums;
}

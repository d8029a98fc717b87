// Reads the data of the page: see html.h for their form.

function decodeBase64(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++)
    bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function decompress(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Large numbers, and those that may be negative.
const WIDE_COLUMNS = /\.(time|duration|value|count)$/;
const SIGNED_COLUMNS = /\.value$/;

function makeColumn(name, length) {
  return WIDE_COLUMNS.test(name) ? new Float64Array(length) : new Uint32Array(length);
}

function readColumns(bytes, at, list) {
  const columns = {};
  for (const [name, length] of list) {
    const column = makeColumn(name, length);
    for (let i = 0; i < length; i++) {
      let byte = bytes[at++];
      let number = byte & 0x7f;
      for (let scale = 128; byte >= 0x80; scale *= 128) {
        byte = bytes[at++];
        number += (byte & 0x7f) * scale;
      }
      column[i] = number;
    }
    if (SIGNED_COLUMNS.test(name)) {
      for (let i = 0; i < length; i++)
        column[i] = column[i] % 2 === 0 ? column[i] / 2 : -(column[i] + 1) / 2;
    }
    columns[name] = column;
  }
  return columns;
}

const BLOCK = 64;

// A number of `width` bits, `bit` bits after the byte at `at`.
function readBits(bytes, at, bit, width) {
  if (width > 24)
    return readBits(bytes, at, bit, 24) + 2 ** 24 * readBits(bytes, at, bit + 24, width - 24);
  at += bit >>> 3;
  const word = bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
  return word >>> (bit & 7) & ((1 << width) - 1);
}

// Most numbers are in four bytes.
function readBlock(bytes, at, width, column, first, n) {
  const mask = (1 << width) - 1;
  if (width === 0)
    return;
  if (width > 24) {
    for (let i = 0; i < n; i++)
      column[first + i] = readBits(bytes, at, i * width, width);
    return;
  }
  for (let i = 0, bit = 0; i < n; i++, bit += width) {
    const from = at + (bit >>> 3);
    const word = bytes[from] | bytes[from + 1] << 8 | bytes[from + 2] << 16 | bytes[from + 3] << 24;
    column[first + i] = word >>> (bit & 7) & mask;
  }
}

function readRows(bytes, list) {
  const columns = {};
  let at = 0;
  for (const [name, length] of list) {
    const column = makeColumn(name, length);
    for (let first = 0; first < length; first += BLOCK) {
      const width = bytes[at++], n = Math.min(BLOCK, length - first);
      readBlock(bytes, at, width, column, first, n);
      at += BLOCK / 8 * width;
    }
    columns[name] = column;
  }
  return columns;
}

// The bytes of an element, which is no longer needed.
function takeBytes(id) {
  const element = document.getElementById(id);
  element.remove();
  return decodeBase64(element.textContent);
}

async function readData() {
  const bytes = await decompress(takeBytes("data"));
  const size = new DataView(bytes.buffer).getUint32(0, true);
  const facts = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  return {facts, columns: {...readColumns(bytes, 4 + size, facts.columns),
                           ...readRows(takeBytes("rows"), facts.rows)}};
}

// Rectangles as pixels in memory, since a canvas takes too long for a hundred thousand of
// them; and the colours of names, which are the same on each track.

const NAME_HUES = [212, 28, 150, 265, 345, 190, 95, 310, 48, 235, 170, 5];
const NAME_SHADES = 3;

// A colour as canvases have it in memory, from parts of 0 to 255.
function pixelOf(red, green, blue) {
  return (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
}

function pixelOfHsl(hue, saturation, lightness) {
  const part = n => {
    const k = (n + hue / 30) % 12, a = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return pixelOf(part(0), part(8), part(4));
}

// Of a colour of the style, "#rrggbb".
function pixelOfStyle(name) {
  const number = parseInt(cssColor(name).slice(1), 16);
  return pixelOf(number >> 16 & 255, number >> 8 & 255, number & 255);
}

// Of two colours, `part` of the first.
function mixPixels(a, b, part) {
  const mix = shift => Math.round((a >>> shift & 255) * part + (b >>> shift & 255) * (1 - part));
  return pixelOf(mix(0), mix(8), mix(16));
}

class NameColors {
  constructor(events) {
    this.choices = Uint8Array.from({length: events.nLabels}, (_, label) => this.choose(events.name(label)));
    // Threads of one name differ.
    this.threads = Uint8Array.from({length: events.nThreads}, (_, thread) =>
      this.choose(events.threadName(thread) + events.laneOfThread(thread)[3]));
    this.makePixels();
    dark.addEventListener("change", () => this.makePixels());
  }

  choose(name) {
    return hashText(name) % (NAME_HUES.length * NAME_SHADES);
  }

  makePixels() {
    this.pixels = Uint32Array.from({length: NAME_HUES.length * NAME_SHADES}, (_, i) => {
      const hue = NAME_HUES[i % NAME_HUES.length], shade = Math.floor(i / NAME_HUES.length) - 1;
      return dark.matches ? pixelOfHsl(hue, 0.4, 0.37 + 0.03 * shade)
                          : pixelOfHsl(hue, 0.64, 0.74 + 0.035 * shade);
    });
    this.theme = {};
    for (const name of ["paper", "panel", "edge", "ink", "quiet", "accent", "user", "kernel", "self",
                        "runnable", "blocked", "suspended", "total", "chosen", "found"])
      this.theme[name] = pixelOfStyle(name);
  }
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
  }

  start(width, height, color) {
    const scale = Math.min(devicePixelRatio || 1, 2);
    const wide = Math.max(1, Math.round(width * scale)), high = Math.max(1, Math.round(height * scale));
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.canvas.style.width = width + "px";
      this.canvas.style.height = height + "px";
      this.image = null;
    }
    this.context = this.canvas.getContext("2d");
    if (!this.image) {
      this.image = this.context.createImageData(wide, high);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    Object.assign(this, {scale, wide, high, texts: []});
    this.pixels.fill(color);
  }

  // In CSS pixels; at least one pixel in each direction.
  rect(x, y, width, height, color) {
    const {scale, wide, high, pixels} = this;
    const left = Math.max(0, Math.round(x * scale)), top = Math.max(0, Math.round(y * scale));
    const right = Math.min(wide, Math.max(left + 1, Math.round((x + width) * scale)));
    const bottom = Math.min(high, Math.max(top + 1, Math.round((y + height) * scale)));
    if (left >= right)
      return;
    if (right === left + 1) {
      for (let at = top * wide + left, end = bottom * wide; at < end; at += wide)
        pixels[at] = color;
      return;
    }
    for (let row = top; row < bottom; row++)
      pixels.fill(color, row * wide + left, row * wide + right);
  }

  text(text, x, y, style, font) {
    this.texts.push([text, x, y, style, font]);
  }

  // The rectangles, and the texts over them; what is drawn afterwards is over both.
  finish() {
    const {context, scale} = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.image, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.textBaseline = "middle";
    context.textAlign = "left";
    let lastStyle = null, lastFont = null;
    for (const [text, x, y, style, font] of this.texts) {
      if (style !== lastStyle)
        context.fillStyle = lastStyle = style;
      if (font !== lastFont)
        context.font = lastFont = font;
      context.fillText(text, x, y);
    }
    return context;
  }
}

// Text of a font in which all letters have one width, cut to a width.
function cutText(text, width, letter) {
  const most = Math.floor(width / letter);
  return text.length <= most ? text : most < 2 ? "" : text.slice(0, most - 1) + "\u2026";
}

// Colours: one hue for the code of each module, so that a colour means something; warm
// ones for the kernel; grey for what has no name.

const dark = matchMedia("(prefers-color-scheme: dark)");

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ hash >>> 15) >>> 0;
}

const MODULE_HUES = [212, 150, 265, 190, 335, 110, 235, 170, 300, 80];

class Colors {
  constructor(profile) {
    this.profile = profile;
    this.hues = new Map();
    this.fills = [];
    dark.addEventListener("change", () => { this.fills = []; });
    this.rankModules();
  }

  // The heaviest modules get the hues that differ most.
  rankModules() {
    const all = this.profile.everything;
    const weights = new Map();
    for (let f = 0; f < this.profile.nFunctions; f++) {
      const module = this.profile.module(f);
      weights.set(module, (weights.get(module) || 0) + Math.abs(all.functionSelf[f]));
    }
    [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).forEach(([name], i) =>
      this.hues.set(name, MODULE_HUES[i % MODULE_HUES.length]));
  }

  // The fill of a function's frames.
  fill(f) {
    if (this.fills[f] === undefined)
      this.fills[f] = this.choose(f);
    return this.fills[f];
  }

  choose(f) {
    const state = this.profile.stateOf(f);
    if (state !== null)
      return cssColor(state);
    const kind = this.profile.kind(f), vary = hashText(this.profile.name(f)) % 9 - 4;
    if (kind & CUT)
      return dark.matches ? "#4a4a52" : "#c9c9d0";
    if (kind & UNNAMED)
      return dark.matches ? `hsl(220 5% ${33 + vary}%)` : `hsl(220 8% ${84 + vary / 2}%)`;
    if (kind & KERNEL)
      return dark.matches ? `hsl(${26 + vary} 52% ${37 + vary / 2}%)`
                          : `hsl(${30 + vary} 86% ${77 + vary / 2}%)`;
    const module = this.profile.module(f);
    const hue = vary * 1.5 + (module !== "" ? this.hues.get(module)
      : MODULE_HUES[hashText(this.profile.name(f)) % MODULE_HUES.length]);
    return dark.matches ? `hsl(${hue} 36% ${37 + vary / 2}%)`
                        : `hsl(${hue} 62% ${79 + vary / 2}%)`;
  }

  // Of a difference of shares, as a part of the largest one: red for more, blue for less.
  change(part) {
    const strength = Math.min(1, Math.sqrt(Math.abs(part)));
    if (strength < 0.08)
      return dark.matches ? "#3a3a41" : "#ececef";
    const hue = part > 0 ? 4 : 216;
    return dark.matches ? `hsl(${hue} ${25 + 35 * strength}% ${27 + 17 * strength}%)`
                        : `hsl(${hue} ${60 + 25 * strength}% ${93 - 26 * strength}%)`;
  }
}

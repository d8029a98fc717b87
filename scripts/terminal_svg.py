#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Text with the escape sequences of a terminal as an SVG: terminal_svg.py COMMAND <TEXT."""
import re
import sys
from xml.sax.saxutils import escape

CELL, LINE, LEFT, TOP, COLUMNS = 7.8, 18, 18, 46, 80
COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#f2cc60", "34": "#79c0ff",
          "35": "#d2a8ff", "36": "#76e3ea", "90": "#8b949e"}


def style(codes):
    """The attributes of a text."""
    found = []
    for code in codes:
        if code == "1":
            found.append('font-weight="bold"')
        elif code == "2":
            found.append('fill="#8b949e"')
        elif code in COLORS:
            found.append('fill="%s"' % COLORS[code])
    return "".join(" " + attribute for attribute in found)


def add_line(text, y):
    """Each part is as wide as its columns, whatever the font."""
    column, codes, parts = 0, [], []
    for piece in re.split("(\x1b\\[[0-9;]*m)", text):
        sequence = re.fullmatch("\x1b\\[([0-9;]*)m", piece)
        if sequence:
            new = [code for code in sequence[1].split(";") if code not in ("", "0")]
            codes = codes + new if new else []
            continue
        for part in re.finditer(r"\S+(?: \S+)*", piece):
            words, x = part[0], LEFT + CELL * (column + part.start())
            parts.append('<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>\n' % (
                x, y, CELL * len(words), style(codes), escape(words)))
        column += len(piece)
    return "".join(parts)


def main(command):
    lines = ["\x1b[32m$\x1b[0m \x1b[1m" + command + "\x1b[0m", *sys.stdin.read().splitlines()]
    width, height = 2 * LEFT + CELL * COLUMNS, TOP + LINE * len(lines) + 4
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
          'viewBox="0 0 %d %d">' % (width, height, width, height))
    print('<rect width="100%" height="100%" rx="8" fill="#161b22"/>')
    for i, color in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        print('<circle cx="%d" cy="18" r="5.5" fill="%s"/>' % (LEFT + 5 + 18 * i, color))
    print('<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
          'font-size="13" fill="#e6edf3">')
    for i, line in enumerate(lines):
        sys.stdout.write(add_line(line, TOP + LINE * i + 4))
    print("</g>\n</svg>")


main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws what docs/format.md says of words and values from include/fxt/format.h:

    scripts/format_page.py            writes the page's drawings and tables again
    scripts/format_page.py --check    exits with 1 if they are not as format.h has it

The page has comments, which a reader of the rendered page does not see, each followed by a
block that is made of it:

    <!-- words: FIELD[=VALUE] FIELD ... | word | word -->
        a record: the fields of its first word, as FXT_FIELD_ names them, and the words after
    <!-- values: ENUM -->
        the enumerators of enum fxt_ENUM with their numbers, and what their comments say
    <!-- constants: NAME ... -->
        the values of FXT_NAME

Every field and every enumeration of format.h has to be on the page.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.path.join(ROOT, "include/fxt/format.h")
PAGE = os.path.join(ROOT, "docs/format.md")

# What a drawing leaves out of the names of fields: it is in the heading above.
PREFIXES = ["EVENT_", "BLOB_", "USERSPACE_OBJECT_", "KERNEL_OBJECT_", "CONTEXT_SWITCH_",
            "THREAD_WAKEUP_", "LEGACY_SWITCH_", "LOG_", "PROFILER_", "LARGE_BLOB_", "ARG_",
            "MAPPING_", "TRACE_INFO_"]
FIELD = re.compile(r"^#define FXT_FIELD_(\w+) (\d+), (\d+)$", re.M)
CONSTANT = re.compile(r"^#define FXT_(\w+) (\w+)$", re.M)
ENUM = re.compile(r"^enum fxt_(\w+) {(.*?)};", re.M | re.S)
ENUMERATOR = re.compile(r"(?:/\*(?P<comment>.*?)\*/\s*)?FXT_(?P<name>\w+) = (?P<value>\d+)", re.S)
MARK = re.compile(r"^<!-- (?:(words): ([^>]*?) -->\n(?:```\n[^`]*```\n)?"
                  r"|(values|constants): ([^>]*?) -->\n(?:\n(?:\|[^\n]*\n)+)?)", re.M)


class Format:
    """What format.h has; `left` are the fields and enumerations not yet on the page."""

    def __init__(self, text):
        self.fields = {name: (int(low), int(high)) for name, low, high in FIELD.findall(text)}
        self.constants = dict(CONSTANT.findall(text))
        self.enums = {name: [match.groupdict() for match in ENUMERATOR.finditer(body)]
                      for name, body in ENUM.findall(text)}
        self.left = set(self.fields) | set(self.enums)


def label(name):
    """A field's name without the record's; of several types and sizes, whose it is."""
    if name in ("RECORD_TYPE", "ARG_TYPE", "RECORD_WORDS", "LARGE_WORDS", "ARG_WORDS"):
        return name.split("_")[1].lower()
    for prefix in PREFIXES:
        if name.startswith(prefix) and not name.endswith("_TYPE"):
            return name[len(prefix):].lower().replace("_", " ")
    return name.lower().replace("_", " ")


def cells_of(format_, fields):
    """The cells of a word, from bit 63 down: label, high, low; what no field has is 0."""
    values = dict(field.split("=") if "=" in field else (field, None) for field in fields)
    format_.left -= set(values)
    cells, above = [], 64
    for name in sorted(values, key=lambda name: -format_.fields[name][0]):
        low, high = format_.fields[name]
        if high >= above:
            raise ValueError(f"{name} overlaps the field above it")
        if high + 1 < above:
            cells.append(("0", above - 1, high + 1))
        text = label(name)
        cells.append((f"{text} = {values[name]}" if values[name] else text, high, low))
        above = low
    if above > 0:
        cells.append(("0", above - 1, 0))
    return cells


def draw(format_, specification):
    first, *others = [part.strip() for part in " ".join(specification.split()).split(" | ")]
    cells = cells_of(format_, first.split())
    bits = [str(high) if high == low else f"{high}..{low}" for _, high, low in cells]
    widths = [max(len(cell[0]), len(bit)) + 2 for cell, bit in zip(cells, bits)]
    total = sum(widths) + len(widths) - 1
    short = max([len(other) + 2 for other in others], default=0) - total
    if short > 0:
        widths[0] += short
        total += short
    edge = "+" + "+".join("-" * width for width in widths) + "+"
    lines = [" " + " ".join(bit.center(width) for bit, width in zip(bits, widths)).rstrip(), edge,
             "|" + "|".join(cell[0].center(width) for cell, width in zip(cells, widths)) + "|",
             edge]
    for other in others:
        lines += ["|" + (" " + other).ljust(total) + "|"]
    if others:
        lines.append("+" + "-" * total + "+")
    return "```\n" + "\n".join(lines) + "\n```\n"


def list_values(format_, name):
    format_.left.discard(name)
    rows = format_.enums[name]
    comments = any(row["comment"] for row in rows)
    lines = ["| number | `FXT_` |" + (" |" if comments else ""),
             "|---|---|" + ("---|" if comments else "")]
    for row in rows:
        text = " ".join((row["comment"] or "").replace("\n     *", " ").split())
        lines.append(f"| {row['value']} | `{row['name']}` |" + (f" {text} |" if comments else ""))
    return "\n" + "\n".join(lines) + "\n"


def list_constants(format_, names):
    lines = ["| `FXT_` | value |", "|---|---|"]
    lines += [f"| `{name}` | {format_.constants[name]} |" for name in names.split()]
    return "\n" + "\n".join(lines) + "\n"


def write_page(header, page):
    """The page with its blocks as the header has them."""
    format_ = Format(header)
    makers = {"words": draw, "values": list_values, "constants": list_constants}

    def make(match):
        kind, what = match[1] or match[3], match[2] or match[4]
        return f"<!-- {kind}: {what} -->\n" + makers[kind](format_, what)

    made = MARK.sub(make, page)
    if format_.left:
        sys.exit(f"docs/format.md lacks {', '.join(sorted(format_.left))} of format.h")
    return made


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    page = read(PAGE)
    made = write_page(read(HEADER), page)
    if sys.argv[1:] == ["--check"]:
        if made != page:
            sys.exit("docs/format.md is not as format.h has it: scripts/format_page.py")
        return
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Flame graphs as another parser of XML reads them, and against the folded stacks of the
same samples. Arguments: the tools' build directory, and the files with the style and the
script."""
import collections
import random
import re
import sys
import xml.etree.ElementTree as ElementTree

import fxtwrite
from profile_cases import FXT2FOLDED, busy_trace, main, run, write

STYLE, SCRIPT = sys.argv[2:4]
SVG = "{http://www.w3.org/2000/svg}"
MARGIN = 10
WIDTH = 1200

Frame = collections.namedtuple("Frame", "depth start count name")
Box = collections.namedtuple("Box", "frame numbers x y width height label")


def draw(*arguments):
    """The parsed SVG."""
    return ElementTree.fromstring(run(FXT2FOLDED, "-q", "--format", "svg", *arguments,
                                      text=False))


def boxes(root, inverted=False):
    """The frames with their geometry, in the order of the file."""
    found = []
    for group in root.find(SVG + "g[@class='frames']"):
        title, rect, *text = group
        name, numbers = title.text.split("\n")
        found.append([name, numbers, int(group.get("data-at")),
                      int(group.get("data-count")), text[0].text if text else None]
                     + [float(rect.get(key)) for key in ("x", "y", "width", "height")])
    base = found[0][6]
    rows = [abs(box[6] - base) / 16 for box in found]
    assert all((box[6] <= base) != inverted or box[6] == base for box in found)
    return [Box(Frame(int(row), start, count, name), numbers, x, y, width, height, label)
            for row, (name, numbers, start, count, label, x, y, width, height)
            in zip(rows, found)]


def fold(*arguments):
    """The folded stacks, as lists of names and counts."""
    lines = run(FXT2FOLDED, "-q", *arguments).splitlines()
    return [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1]))
            for line in lines]


def tree(stacks, reverse=False):
    """The frames that stacks should have, in order."""
    rows = sorted(([name.encode() for name in (names[::-1] if reverse else names)], count)
                  for names, count in stacks)
    frames = []

    def place(depth, start, part):
        """The frames at a depth for rows that have the same frames below."""
        while part and len(part[0][0]) == depth:
            start += part.pop(0)[1]
        while part:
            name = part[0][0][depth]
            same = [row for row in part if row[0][depth] == name]
            part = part[len(same):]
            count = sum(row[1] for row in same)
            frames.append(Frame(depth + 1, start, count, name.decode()))
            place(depth + 1, start, same)
            start += count

    frames.append(Frame(0, 0, sum(row[1] for row in rows), "all"))
    place(0, 0, rows)
    return frames


def random_trace(seed, n=300):
    """Stacks that share their beginnings, their ends, or names in between."""
    source = random.Random(seed)
    trace = fxtwrite.Trace()
    trace.process(1, b"one")
    trace.process(2, b"two")
    for i in range(n):
        depth = source.randrange(1, 12)
        pcs = [0x10 * source.randrange(1, 2 + level) for level in range(depth)]
        trace.backtrace(i, source.randrange(1, 3), 5, *reversed(pcs))
    return trace


def check_geometry(all_boxes):
    total = all_boxes[0].frame.count
    scale = (WIDTH - 2 * MARGIN) / total
    open_boxes = []
    for box in all_boxes:
        frame = box.frame
        assert abs(box.x - (MARGIN + frame.start * scale)) <= 0.0101, box
        assert abs(box.width - frame.count * scale) <= 0.0101, box
        open_boxes = open_boxes[:frame.depth + 1]
        if len(open_boxes) > frame.depth:
            before = open_boxes.pop()
            assert before.x + before.width <= box.x + 1e-9, (before, box)
            assert before.frame.name.encode() < frame.name.encode(), (before, box)
        if frame.depth > 0:
            below = open_boxes[-1]
            assert below.x <= box.x and box.height == 15, (below, box)
            assert box.x + box.width <= below.x + below.width + 1e-9, (below, box)
            assert abs(below.y - box.y) == 16, (below, box)
        open_boxes.append(box)


def test_frames_are_those_of_the_folded_stacks():
    for seed in range(8):
        write("p.bin", random_trace(seed))
        for options in ([], ["--inverted"], ["--reverse"], ["--reverse", "--inverted"],
                        ["--roots", "none"], ["--roots", "cpu,process,thread"]):
            roots = options if options[:1] == ["--roots"] else []
            expected = tree(fold(*roots, "p.bin"), "--reverse" in options)
            found = boxes(draw("--min-width", "0", *options, "p.bin"),
                          "--inverted" in options)
            assert [box.frame for box in found] == expected, (seed, options)
            assert found[0].frame.count == 300
            check_geometry(found)


def test_narrow_frames_are_counted_where_they_are_not_drawn():
    write("p.bin", random_trace(9, 3000))
    expected = tree(fold("p.bin"))
    for width in ("0.39", "1", "2.5", "100"):
        wide = [frame for frame in expected if frame.depth == 0 or
                frame.count * (WIDTH - 2 * MARGIN) * 100 >= round(float(width) * 100) * 3000]
        root = draw("--min-width", width, "p.bin")
        found = boxes(root)
        assert [box.frame for box in found] == wide, width
        check_geometry(found)
        subtitle = root.find(SVG + "text[@class='subtitle']").text or ""
        left_out = re.match(r"([0-9,]+) frames? narrower than %s px" % width, subtitle)
        count = int(left_out[1].replace(",", "")) if left_out else 0
        assert count == len(expected) - len(wide), (width, subtitle)
        assert height_of(root) == 60 + 34 + 16 * (1 + max(box.frame.depth for box in found))


def height_of(root):
    assert root.get("viewBox") == "0 0 %s %s" % (root.get("width"), root.get("height"))
    return int(root.get("height"))


def test_titles_tell_the_numbers():
    trace = fxtwrite.Trace()
    for i in range(3000):
        trace.backtrace(i, 1, 2, 0x10 if i < 2000 else 0x20)
    write("p.bin", trace)
    found = boxes(draw("--roots", "none", "--count-name", "<ticks>", "p.bin"))
    assert [(box.frame.name, box.numbers) for box in found] == [
        ("all", "3,000 <ticks>, 100.00 %"), ("0x10", "2,000 <ticks>, 66.67 %"),
        ("0x20", "1,000 <ticks>, 33.33 %")], found


def test_labels_fit():
    write("p.bin", random_trace(10))
    for options in ([], ["--width", "300"], ["--width", "5000"]):
        for box in boxes(draw(*options, "p.bin")):
            cells = int((box.width - 6) / 7.32)
            if box.label is None:
                assert cells < 3, box
            elif box.label != box.frame.name:
                assert box.label[-1] == "\u2026" and len(box.label) == cells, box
                assert box.frame.name.startswith(box.label[:-1]), box
            else:
                assert len(box.label) <= cells, box


HOSTILE = [b"</title><script>alert(1)</script>", b"]]>", b"]]><script>", b"<!--", b"&amp;",
           b"&#0;", b"\" onclick=\"alert(1)", b"' fill='red", b"${alert(1)}", b"`",
           b"\x00\x01\x08\x0b\x1f\x7f", b"a\nb\r\nc\td", b"\xff\xfe\xc0\x80", b"\xed\xa0\x80",
           b"\xef\xbf\xbe\xef\xbf\xbf", b"\xc2\x85\xe2\x80\xa8", b"\xf4\x8f\xbf\xbf",
           b"\xe2\x80\xaetxt", b"\\u003cscript\\u003e", b"a;b;c", b"  ", b"",
           "\u6f22\u5b57\U0001f525".encode() * 25]


def test_hostile_names_are_data():
    trace = fxtwrite.Trace()
    trace.magic()
    for i, name in enumerate(HOSTILE):
        trace.process(10 + i, name)
        trace.module(10 + i, 1, name, b"")
        trace.mapping(10 + i, 1, 0x1000 * i, 0x1000, 0)
        trace.backtrace(1, 10 + i, 1000 + i, 0x1000 * i + 1)
    write("p.fxt", trace)
    names = [name for stack, _ in fold("p.fxt") for name in stack]
    # XML has no way to write these two.
    names = [re.sub("[\ufffe\uffff]", "\ufffd", name) for name in names]
    text = "".join(name.decode("utf-8", "replace") + "\n" for name in HOSTILE)
    # An argument ends at a zero byte, which test_quote.c has.
    text = text.replace("\0", "")
    root = draw("--title", text, "--subtitle", text, "--count-name", text, "p.fxt")
    assert sorted(box.frame.name for box in boxes(root)) == sorted(["all"] + names)
    for element in root.iter():
        assert element.tag in [SVG + tag for tag in (
            "svg", "title", "desc", "style", "rect", "text", "g", "script")], element.tag
        for key in element.attrib:
            assert re.fullmatch("class|data-[a-z]+|d?x|y|width|height|viewBox|fill|role|"
                                "tabindex|font-size", key), key
    for tag, name in (("style", STYLE), ("script", SCRIPT)):
        found = root.findall(".//" + SVG + tag)
        with open(name, encoding="ascii") as file:
            assert [element.text for element in found] == ["\n" + file.read()], tag
    visible = root.find(SVG + "title").text
    assert "</title><script>alert(1)</script>\u240a]]>" in visible, visible
    assert not re.search("[\0-\x1f\x7f-\x9f\ufffe\uffff]", visible), visible


def test_long_names_are_whole_but_in_their_labels():
    names = [b"&" * 3990, "\U0001f525".encode() * 990, b"\xff" * 3990, b"x" * 3990]
    trace = fxtwrite.Trace()
    trace.magic()
    for i, name in enumerate(names):
        trace.process(10 + i, name)
        trace.backtrace(1, 10 + i, 5, 0x10)
    write("p.fxt", trace)
    found = {box.frame.name: box for box in boxes(draw("p.fxt")) if box.frame.depth == 1}
    assert sorted(found) == sorted("%s[%d]" % (name.decode("utf-8", "replace"), 10 + i)
                                   for i, name in enumerate(names))
    for box in found.values():
        # 295 pixels less 6 are 39 cells of 7.32; what may be as wide as two counts as that.
        n_fit = 19 if ord(box.label[0]) >= 0x1000 else 38
        assert box.label == box.frame.name[:n_fit] + "\u2026", box.label


def test_stacks_may_be_thousands_of_frames_deep():
    deep = [0x10 * i for i in range(20000, 0, -1)]
    trace = fxtwrite.Trace()
    trace.sample(1, 2, 3, *deep)
    trace.sample(2, 2, 3, 0x7, *deep[15000:])
    write("p.bin", trace)
    (names, _), (short, _) = sorted(fold("--roots", "none", "p.bin"), key=lambda s: -len(s[0]))
    assert len(names) == 20000 and short == names[:5000] + ["0x7"]
    for options in ([], ["--inverted"]):
        found = boxes(draw("--roots", "none", *options, "p.bin"), bool(options))
        frames = [box.frame for box in found]
        leaf = [frame for frame in frames if frame.name == "0x7"]
        assert [(frame.depth, frame.count) for frame in leaf] == [(5001, 1)], leaf
        frames.remove(leaf[0])
        assert [frame.name for frame in frames] == ["all"] + names
        assert [frame.depth for frame in frames] == list(range(20001))
        assert [frame.count for frame in frames] == [2] * 5001 + [1] * 15000
        check_geometry(found)


def test_nothing_is_loaded_from_elsewhere():
    text = run(FXT2FOLDED, "-q", "--format", "svg", write("p.fxt", busy_trace()))
    assert re.findall("[a-z]+://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"href|@import|url\(|\bimport\b|fetch|XMLHttp|eval|innerHTML", text)


def test_bytes_do_not_depend_on_the_order_of_the_input():
    records = [(i, 1 + i % 3, 7 + i % 2, [0x10 * (i % 7 + 1), 0x1000, 0x10 * (i % 5 + 1)])
               for i in range(500)]
    outputs = set()
    for seed in range(4):
        random.Random(seed).shuffle(records)
        trace = fxtwrite.Trace()
        trace.process(1, b"one")
        for now, process, thread, pcs in records:
            trace.backtrace(now, process, thread, *pcs)
        for palette in ("hot", "module"):
            outputs.add(run(FXT2FOLDED, "-q", "--format", "svg", "--palette", palette,
                            write("p.bin", trace)))
    assert len(outputs) == 2


def test_modules_have_their_colours():
    trace = fxtwrite.Trace()
    trace.magic()
    for module in (1, 2):
        trace.module(5, module, b"lib%d.so" % module, b"")
        trace.mapping(5, module, 0x10000 * module, 0x1000, 0)
    for pc in range(0x10000, 0x10030):
        trace.backtrace(1, 5, 6, pc, 0x20000 + pc % 16 + 1, 0x5)
    write("p.fxt", trace)
    hues = collections.defaultdict(set)
    for group in draw("--palette", "module", "p.fxt").find(SVG + "g[@class='frames']"):
        red, green, blue = bytes.fromhex(group.find(SVG + "rect").get("fill")[1:])
        module = re.match("lib.|", group.find(SVG + "title").text)[0]
        hues[module].add("red" if red > blue + 40 else "blue" if blue > red + 40 else
                         "grey" if red == green == blue else "other")
    assert dict(hues) == {"": {"grey"}, "lib1": {"red"}, "lib2": {"blue"}}, hues


def test_no_samples_are_said():
    write("p.bin", fxtwrite.Trace())
    text = run(FXT2FOLDED, "-q", "--format", "svg", "p.bin", status=1)
    root = ElementTree.fromstring(text.encode())
    assert root.find(SVG + "text[@class='subtitle']").text == "there are no samples"
    assert len(root.find(SVG + "g[@class='frames']")) == 0


def test_what_was_lost_stands_in_the_file():
    root = draw(write("p.fxt", busy_trace()))
    assert "17 records dropped" in root.find(SVG + "desc").text


if __name__ == "__main__":
    main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Flame graphs as another parser of XML reads them, and against the folded stacks of the
same samples. Arguments: the tools' build directory, and the files with the style and the
script."""
import collections
import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import fxtwrite
from profile_cases import FXT2FOLDED, busy_trace, main, run, write

STYLE, SCRIPT = sys.argv[2:4]
SVG = "{http://www.w3.org/2000/svg}"
MARGIN = 10
WIDTH = 1200
DRAWN_MAX = 2000

Frame = collections.namedtuple("Frame", "depth start count name")
Box = collections.namedtuple("Box", "frame numbers x y width height label")


def draw(*arguments):
    """The parsed SVG."""
    return ElementTree.fromstring(run(FXT2FOLDED, "-q", "--format", "svg", *arguments,
                                      text=False))


def boxes(root, upright=False):
    """The frames with their geometry, in the order of the file, from the elements, which
    are those that the data has, or the widest of them."""
    holder = root.find(SVG + "g[@class='frames']")
    data = json.loads(root.find(SVG + "metadata[@class='data']").text)
    listed = [(depth, start, count, data["names"][name], color, numbers)
              for depth, start, count, name, color, numbers in data["frames"]]
    widest = set(sorted(listed, key=lambda f: (-f[2], f[0], f[1]))[:DRAWN_MAX])
    drawn = [frame for frame in listed if frame in widest]
    assert len(holder) == len(drawn) == min(len(listed), DRAWN_MAX)
    found = []
    for group, (depth, start, count, name, color, numbers) in zip(holder, drawn):
        title, rect, *text = group
        numbers = re.sub("[\0-\x1f]", lambda found: chr(0x2400 + ord(found[0])), numbers)
        numbers = re.sub("\x7f", "\u2421", re.sub("[\x80-\x9f]", "\ufffd", numbers))
        assert title.text == name + "\n" + numbers and rect.get("fill") == "#" + color
        x, y, width, height = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
        assert y == float(holder.get("data-root")) + 16 * (-depth if upright else depth)
        found.append(Box(Frame(depth, start, count, name), numbers, x, y, width, height,
                         text[0].text if text else None))
    assert upright == ("data-upright" in holder.attrib)
    return found


def frames_of(root):
    """All frames of the data."""
    data = json.loads(root.find(SVG + "metadata[@class='data']").text)
    return [Frame(depth, start, count, data["names"][name])
            for depth, start, count, name, _, _ in data["frames"]]


def fold(*arguments):
    """The folded stacks, as lists of names and counts."""
    lines = run(FXT2FOLDED, "-q", "--ids", "repeated", *arguments).splitlines()
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
        for options in ([], ["--upright"], ["--reverse"], ["--reverse", "--upright"],
                        ["--roots", "none"], ["--roots", "cpu,process,thread"]):
            roots = options if options[:1] == ["--roots"] else []
            expected = tree(fold(*roots, "p.bin"), "--reverse" in options)
            found = boxes(draw("--min-width", "0", *options, "p.bin"),
                          "--upright" in options)
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
        assert frames_of(root) == wide, width
        check_geometry(found)
        subtitle = root.find(SVG + "text[@class='subtitle']").text or ""
        left_out = re.match(r"([0-9,]+) frames? narrower than %s px" % width, subtitle)
        count = int(left_out[1].replace(",", "")) if left_out else 0
        assert count == len(expected) - len(wide), (width, subtitle)
        assert height_of(root) == 60 + 34 + 16 * (1 + max(frame.depth for frame in wide))


def height_of(root):
    assert root.get("viewBox") == "0 0 %s %s" % (root.get("width"), root.get("height"))
    return int(root.get("height"))


def test_titles_have_the_numbers():
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
    trace = fxtwrite.archive()
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
            "svg", "title", "desc", "style", "rect", "text", "g", "script", "metadata")], element.tag
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
    trace = fxtwrite.archive()
    for i, name in enumerate(names):
        trace.process(10 + i, name)
        trace.backtrace(1, 10 + i, 5, 0x10)
    write("p.fxt", trace)
    found = {box.frame.name: box for box in boxes(draw("p.fxt")) if box.frame.depth == 1}
    assert sorted(found) == sorted(name.decode("utf-8", "replace") for name in names)
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
    for options in ([], ["--upright"]):
        root = draw("--roots", "none", *options, "p.bin")
        frames = frames_of(root)
        found = boxes(root, bool(options))
        # The widest ones are those next to the root.
        assert [box.frame for box in found] == frames[:DRAWN_MAX]
        check_geometry(found)
        assert root.find(SVG + "text[@class='static']").text.startswith(
            "Only the 2,000 widest of 20,002 frames are shown")
        leaf = [frame for frame in frames if frame.name == "0x7"]
        assert [(frame.depth, frame.count) for frame in leaf] == [(5001, 1)], leaf
        frames.remove(leaf[0])
        assert [frame.name for frame in frames] == ["all"] + names
        assert [frame.depth for frame in frames] == list(range(20001))
        assert [frame.count for frame in frames] == [2] * 5001 + [1] * 15000


def test_nothing_is_loaded_from_elsewhere():
    text = run(FXT2FOLDED, "-q", "--format", "svg", write("p.fxt", busy_trace()))
    assert re.findall("[a-z]+://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"href=|@import|url\(|\bimport\b|fetch|XMLHttp|eval|innerHTML", text)


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
    trace = fxtwrite.archive()
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


def server(counts, koid=1000, name=b"server"):
    """A recording with as many samples of each leaf, called from main."""
    trace = fxtwrite.archive()
    trace.process(koid, name)
    trace.functions(koid, [(0x1000 * i, 0x1000, 0, function.encode())
                           for i, function in enumerate(["main", *sorted(LEAVES)], 1)])
    for leaf, n in counts.items():
        for i in range(n):
            trace.backtrace(i + 1, koid, 5, 0x1000 * (2 + sorted(LEAVES).index(leaf)), 0x1010)
    return trace


LEAVES = ["grew", "shrank", "same", "gone", "new", "rare"]


def numbers_of(root):
    data = json.loads(root.find(SVG + "metadata[@class='data']").text)
    return {data["names"][name]: (count, color, numbers)
            for _, _, count, name, color, numbers in data["frames"]}


def hue(color):
    red, green, blue = bytes.fromhex(color)
    return "red" if red > blue else "blue" if blue > red else "grey" if red == green else color


def test_differences_by_hand():
    """1000 samples before, 2000 after: 10, 30, 40, 19.9 and 0.1 % become 30, 10, 40, 0 and 0;
    20 % are new. So the largest change is that of the total of 20 %."""
    write("before.fxt", server({"grew": 100, "shrank": 300, "same": 400, "gone": 199,
                                "rare": 1}, 77))
    write("after.fxt", server({"grew": 600, "shrank": 200, "same": 800, "new": 400}))
    root = draw("--diff", "before.fxt", "after.fxt")
    found = numbers_of(root)
    assert {name: (count, hue(color), numbers) for name, (count, color, numbers)
            in found.items()} == {
        "all": (2000, "grey", "2,000 samples, 100.00 %; before 100.00 %: +0.00 %"),
        "server": (2000, "grey", "2,000 samples, 100.00 %; before 100.00 %: +0.00 %"),
        "main": (2000, "grey", "2,000 samples, 100.00 %; before 100.00 %: +0.00 %"),
        "grew": (600, "red", "600 samples, 30.00 %; before 10.00 %: +20.00 %"),
        "shrank": (200, "blue", "200 samples, 10.00 %; before 30.00 %: -20.00 %"),
        "same": (800, "grey", "800 samples, 40.00 %; before 40.00 %: +0.00 %"),
        "new": (400, "red", "400 samples, 20.00 %; new")}, found
    # All of them changed by as much, so the colours are the strongest.
    assert {found[name][1] for name in ("grew", "new")} == {"f46c5c"}, found
    assert found["shrank"][1] == "689cf0", found
    lines = [line.text for line in root.findall(SVG + "text[@class='subtitle']")]
    assert lines == ["compared: red is more than before, blue is less, by up to 20.00 %; "
                     "grey is unchanged or within noise",
                     "Gone: gone 19.90 %, 1 within noise"], lines
    check_geometry(boxes(root))
    # The same recording has not changed.
    root = draw("--diff", "after.fxt", "after.fxt")
    assert {color for _, color, _ in numbers_of(root).values()} == {"e4e4e4"}
    assert root.find(SVG + "text[@class='subtitle']").text == \
        "compared: no change beyond noise"


def test_small_changes_of_few_samples_are_noise():
    """Of 100 samples, 50 and 54 % differ by 4 %; two standard errors are 14.1 %. Of 10000
    samples they are 1.4 %."""
    for n, colors in ((1, {"grey"}), (100, {"grey", "red", "blue"})):
        write("before.fxt", server({"grew": 50 * n, "shrank": 50 * n}))
        write("after.fxt", server({"grew": 54 * n, "shrank": 46 * n}))
        found = numbers_of(draw("--diff", "before.fxt", "after.fxt"))
        assert {hue(color) for _, color, _ in found.values()} == colors, (n, found)
        assert ("within noise" in found["grew"][2]) == (n == 1), found


def test_differences_of_random_stacks():
    """Counts before are those of the folded stacks, whatever the options."""
    write("before.bin", random_trace(21))
    write("after.bin", random_trace(22))
    for options in ([], ["--reverse"], ["--upright"], ["--roots", "none"]):
        roots = options if options[:1] == ["--roots"] else []
        now, before = ({frame[:1] + path: frame.count for frame, path in paths(
            tree(fold("--ids", "never", *roots, name), "--reverse" in options))}
            for name in ("after.bin", "before.bin"))
        root = draw("--min-width", "0", "--diff", "before.bin", *options, "after.bin")
        data = json.loads(root.find(SVG + "metadata[@class='data']").text)
        found = [(Frame(depth, start, count, data["names"][name]), numbers)
                 for depth, start, count, name, _, numbers in data["frames"]]
        assert len(found) == len(now)
        for (frame, path), (_, numbers) in zip(paths(frame for frame, _ in found), found):
            assert now[frame[:1] + path] == frame.count
            was = before.get(frame[:1] + path, 0)
            expected = "; before %.2f %%" % (100 * was / 300) if was else "; new"
            assert expected in numbers, (frame, was, numbers)


def paths(frames):
    """Each frame with the names of what it is on, and its own."""
    open_names = []
    for frame in frames:
        open_names = open_names[:frame.depth] + [frame.name]
        yield frame, tuple(open_names)


def test_what_is_compared_has_the_same_kind_of_values():
    write("samples.fxt", server({"same": 3}))
    trace = fxtwrite.archive()
    trace.complete(10, 20, 1, 2, b"span")
    write("spans.fxt", trace)
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.several()
    trace.sampled(0, b"task-clock", b"nanoseconds", 1000)
    trace.sampled(1, b"page-faults", b"count")
    trace.weighed(10, 5, 6, 0, 0, 0xa, 0x1)
    trace.weighed(20, 5, 7, 1, 53, 0xb, 0x1)
    write("events.fxt", trace)
    for options, message in (
            (["events.fxt", "samples.fxt"],
             "events.fxt: cannot be compared: it has task-clock, and the later recording "
             "samples: see --value samples"),
            (["samples.fxt", "--value", "task-clock", "events.fxt"],
             "samples.fxt: --value task-clock: there is no such value in the input, which "
             "has samples")):
        done = subprocess.run([FXT2FOLDED, "-q", "--format", "svg", "--diff", *options],
                              capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (2, b""), (options, done)
        assert done.stderr.decode() == "fxt2folded: %s\n" % message, done.stderr
    for options, status in ((["--diff", "none.fxt", "samples.fxt"], 2),
                            (["--diff", "spans.fxt", "samples.fxt"], 1),
                            (["--diff", "samples.fxt", "--no-merge", "samples.fxt"], 2),
                            (["--diff", "samples.fxt", "--palette", "io", "samples.fxt"], 2),
                            (["--spans", "--diff", "spans.fxt", "spans.fxt"], 0)):
        out = run(FXT2FOLDED, "-q", "--format", "svg", *options, status=status)
        assert (out == "") == (status == 2), options
    # The output would take the place of what is compared.
    before = open("samples.fxt", "rb").read()
    run(FXT2FOLDED, "-q", "--format", "svg", "-o", "samples.fxt", "--diff", "samples.fxt",
        "spans.fxt", status=2)
    assert open("samples.fxt", "rb").read() == before


def test_numbers_of_processes_are_there_where_names_repeat():
    trace = fxtwrite.archive()
    for koid, name in ((10, b"one"), (11, b"two"), (12, b"two")):
        trace.process(koid, name)
        trace.thread(20 + koid, b"worker", koid)
        trace.backtrace(1, koid, 20 + koid, 0x10)
    trace.backtrace(1, 13, 33, 0x10)
    write("p.fxt", trace)
    for options, expected in (
            ([], {"one", "two[11]", "two[12]", "process[13]"}),
            (["--roots", "process,thread"],
             {"one", "two[11]", "two[12]", "process[13]", "worker", "thread[33]"}),
            (["--roots", "thread"], {"worker[30]", "worker[31]", "worker[32]", "thread[33]"}),
            (["--ids", "never"], {"one", "two", "process[13]"}),
            (["--ids", "always"], {"one[10]", "two[11]", "two[12]", "process[13]"})):
        found = set(numbers_of(draw(*options, "p.fxt"))) - {"all", "0x10"}
        assert found == expected, (options, found)
    folded = run(FXT2FOLDED, "-q", "p.fxt")
    assert folded == ("one[10];0x10 1\nprocess[13];0x10 1\ntwo[11];0x10 1\n"
                      "two[12];0x10 1\n"), folded
    assert run(FXT2FOLDED, "-q", "--ids", "never", "p.fxt") == \
        "one;0x10 1\nprocess[13];0x10 1\ntwo;0x10 2\n"


def test_the_title_is_the_command():
    for commands, options, expected in (
            ([], [], "Icicle Graph"), ([], ["--upright"], "Flame Graph"),
            ([b"fxtrecord -F 99 ./a </title>"], [], "fxtrecord -F 99 ./a </title>"),
            ([b"fxtrecord ./a"], ["--title", "mine"], "mine"),
            ([b"fxtrecord ./a", b"fxtrecord ./b"], [], "Icicle Graph")):
        trace = server({"same": 1})
        for command in commands:
            trace.recording(1000, None, command)
        root = draw(*options, write("p.fxt", trace))
        assert root.find(SVG + "title").text == expected, (commands, options)
        assert root.find(SVG + "text[@class='title']").text == expected
    trace = server({"same": 1})
    trace.recording(1000, None, b"x" * 300)
    root = draw(write("p.fxt", trace))
    assert root.find(SVG + "title").text == "x" * 300
    assert root.find(SVG + "text[@class='title']").text == "x" * 89 + "\u2026"


def test_times_and_bytes_have_units():
    for ns, expected in ((1, "1 ns"), (999, "999 ns"), (1500, "1.5 \u00b5s"),
                         (2345678, "2.345 ms"), (5000000000, "5 s"),
                         (7200000000000, "7,200 s")):
        trace = fxtwrite.archive()
        trace.complete(10, 10 + ns, 1, 2, b"span")
        found = numbers_of(draw("--spans", write("p.fxt", trace)))
        assert found["span"][2] == expected + ", 100.00 %", found


def test_that_there_are_no_samples_is_reported():
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

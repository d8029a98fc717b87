# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of pprof's profiles: the message as lists and dictionaries, and its
stacks as a folded file has them."""
import collections
import gzip

from strict import varint

FIELDS = {
    "profile": {1: ("sample_type", "value_type"), 2: ("sample", "sample"),
                3: ("mapping", "mapping"), 4: ("location", "location"),
                5: ("function", "function"), 6: ("string_table", "bytes"),
                9: ("time_nanos", 0), 10: ("duration_nanos", 0),
                11: ("period_type", "value_type"), 12: ("period", 0), 13: ("comment", []),
                14: ("default_sample_type", 0)},
    "value_type": {1: ("type", 0), 2: ("unit", 0)},
    "sample": {1: ("location_id", []), 2: ("value", []), 3: ("label", "label")},
    "label": {1: ("key", 0), 2: ("str", 0), 3: ("num", 0), 4: ("num_unit", 0)},
    "mapping": {1: ("id", 0), 2: ("memory_start", 0), 3: ("memory_limit", 0),
                4: ("file_offset", 0), 5: ("filename", 0), 6: ("build_id", 0),
                7: ("has_functions", 0), 8: ("has_filenames", 0),
                9: ("has_line_numbers", 0), 10: ("has_inline_frames", 0)},
    "location": {1: ("id", 0), 2: ("mapping_id", 0), 3: ("address", 0),
                 4: ("line", "line")},
    "line": {1: ("function_id", 0), 2: ("line", 0)},
    "function": {1: ("id", 0), 2: ("name", 0), 3: ("system_name", 0), 4: ("filename", 0),
                 5: ("start_line", 0)},
}


def varints(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def message(data, kind):
    """Numbers are 0 where they are missing; what is repeated is a list, and a message
    that is there at most once is one of these too."""
    fields = FIELDS[kind]
    found = {name: 0 if what == 0 else [] for name, what in fields.values()}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, what = fields[tag >> 3]
        value, at = varint(data, at)
        if tag & 7 == 0:
            assert what in (0, []), name
            found[name] = value if what == 0 else found[name] + [value]
            continue
        assert tag & 7 == 2 and at + value <= len(data), (kind, name)
        inside, at = data[at:at + value], at + value
        if what == []:
            found[name] += varints(inside)
        else:
            found[name].append(inside if what == "bytes" else message(inside, what))
    return found


def read(path):
    with open(path, "rb") as file:
        return parse(file.read())


def parse(data):
    """A profile, compressed or not, with its strings in the places of their numbers."""
    profile = message(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, "profile")
    strings = [string.decode() for string in profile["string_table"]]
    assert strings[0] == ""
    for name, keys in (("sample_type", ("type", "unit")), ("period_type", ("type", "unit")),
                       ("mapping", ("filename", "build_id")),
                       ("function", ("name", "system_name", "filename"))):
        for item in profile[name]:
            item.update({key: strings[item[key]] for key in keys})
    for sample in profile["sample"]:
        for label in sample["label"]:
            label.update({key: strings[label[key]] for key in ("key", "str", "num_unit")})
    profile["comment"] = [strings[i] for i in profile["comment"]]
    profile["default_sample_type"] = strings[profile["default_sample_type"]]
    return profile


def labels(sample):
    """Each label's string or number by its key."""
    return {label["key"]: label["str"] or label["num"] for label in sample["label"]}


def fold(profile, root=lambda labels: [], value=0):
    """How often each stack is in it, root first, as fxt2folded would have them: `root`
    makes the first frames of the labels."""
    functions = {f["id"]: f["name"] for f in profile["function"]}
    frames = {loc["id"]: [functions[line["function_id"]] for line in loc["line"]]
              for loc in profile["location"]}
    stacks = collections.Counter()
    for sample in profile["sample"]:
        stack = [name for ident in sample["location_id"] for name in frames[ident]]
        stacks[tuple(root(labels(sample)) + stack[::-1])] += sample["value"][value]
    return stacks


def read_folded(text):
    """The same of a folded file."""
    stacks = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        assert tuple(stack.split(";")) not in stacks, line
        stacks[tuple(stack.split(";"))] = int(count)
    return stacks

# SPDX-License-Identifier: BSD-2-Clause
"""Whether a recording of stripped files has samples in the functions that the files' symbols
have there.

A file is split into a stripped one, which is recorded, and one for debuggers, which has the
truth: `nm` and `readelf` read it, and nothing of ours."""
import bisect
import collections
import json
import os
import re
import subprocess

import pprof_read
from readelf import build_id


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout.decode()


def split(path, folder, debug_folder):
    """Copies a file to `folder` without its symbols, which go to `debug_folder` by build id.
    Returns the truth about it."""
    number = build_id(path)
    debug = os.path.join(debug_folder, ".build-id", number[:2], number[2:] + ".debug")
    stripped = os.path.join(folder, os.path.basename(path))
    os.makedirs(os.path.dirname(debug), exist_ok=True)
    os.makedirs(folder, exist_ok=True)
    run("objcopy", "--only-keep-debug", path, debug)
    run("strip", "-o", stripped, path)
    return Truth(stripped, debug)


class Truth:
    """The functions of a file by its symbols."""

    def __init__(self, stripped, debug):
        self.path, self.build_id = os.path.realpath(stripped), build_id(stripped)
        self.segments = [(int(offset, 16), int(vaddr, 16), int(size, 16)) for offset, vaddr, size
                         in re.findall(r"LOAD +0x(\S+) 0x(\S+) 0x\S+ 0x(\S+)",
                                       run("readelf", "-lW", stripped))]
        self.limits, self.by_name = {}, collections.defaultdict(set)
        named = {}
        for line in run("readelf", "-sW", debug).splitlines():
            cells = line.split()
            if len(cells) < 8 or cells[3] not in ("FUNC", "IFUNC") or not cells[6].isdigit():
                continue
            start, size = int(cells[1], 16), int(cells[2], 0)
            # Go's table of functions does not have what its linker adds.
            name = re.sub(r"(@.*|\.abi0)$", "", cells[7])
            if size > 0:
                self.limits[start] = max(self.limits.get(start, 0), start + size)
                self.by_name[name].add(start)
                named.setdefault(start, set()).add(name)
        self.starts = sorted(self.limits)
        self.wholes = {start: self.whole(start, names) for start, names in named.items()}

    def whole(self, start, names):
        """Where the functions begin that a part may be of: local ones can have one name."""
        parts = {re.sub(r"\.cold(\.\d+)?$", "", name) for name in names if ".cold" in name}
        return set.union({start}, *(self.by_name[name] for name in parts))

    def vaddr(self, mapping, address):
        offset = address - mapping["memory_start"] + mapping["file_offset"]
        for start, vaddr, size in self.segments:
            if start <= offset < start + size:
                return offset - start + vaddr
        return None

    def function(self, vaddr):
        """The start of the innermost symbol that has an address, or None."""
        i = bisect.bisect_right(self.starts, vaddr)
        for start in reversed(self.starts[max(i - 4, 0):i]):
            if vaddr < self.limits[start]:
                return start
        return None


class Result:
    """Sums over the samples of a file whose function is known."""

    def __init__(self):
        self.samples = self.right = 0
        self.frames = self.frames_right = 0
        # What each function of the symbols is called, and each name the functions of it.
        self.names = collections.defaultdict(set)
        self.functions = collections.defaultdict(set)
        self.wrong = collections.Counter()

    def take(self, truth, mapping, address, name, count, is_leaf):
        vaddr = truth.vaddr(mapping, address)
        start = truth.function(vaddr)
        if start is None:
            return
        found = re.fullmatch(r".*\+0x([0-9a-f]+)", name)
        is_right = bool(({int(found[1], 16)} if found else truth.by_name[name]) &
                        truth.wholes[start])
        self.frames += count
        self.frames_right += count * is_right
        if is_leaf:
            self.samples += count
            self.right += count * is_right
        if not is_right:
            self.wrong[hex(vaddr), hex(start), name] += count
        # A part and the whole are one.
        whole = min(truth.wholes[start] - {start}, default=start)
        self.names[whole].add(name)
        self.functions[name].add(whole)

    def unmatched(self):
        """Made-up names of several functions, and functions of several names."""
        return ([(name, found) for name, found in self.functions.items()
                 if len(found) > 1 and "+0x" in name] +
                [(start, found) for start, found in self.names.items() if len(found) > 1])


def compare(fxt2pprof, trace, truths):
    """The results by the files' paths."""
    output = trace + ".pb.gz"
    run(fxt2pprof, "-q", "--inlines", "off", "-o", output, trace)
    profile = pprof_read.read(output)
    by_id = {truth.build_id: truth for truth in truths}
    mappings = {mapping["id"]: mapping for mapping in profile["mapping"]}
    functions = {function["id"]: function["name"] for function in profile["function"]}
    locations = {location["id"]: location for location in profile["location"]}
    results = {truth.path: Result() for truth in truths}
    for sample in profile["sample"]:
        for i, ident in enumerate(sample["location_id"]):
            location = locations[ident]
            mapping = mappings.get(location["mapping_id"])
            truth = mapping and by_id.get(mapping["build_id"])
            if truth:
                name = functions[location["line"][-1]["function_id"]]
                results[truth.path].take(truth, mapping, location["address"], name,
                                         sample["value"][0], i == 0)
    return results


def rows(fxtreport, trace, *options):
    """By modules, the values of the functions' own samples in a report, sorted."""
    found = collections.defaultdict(collections.Counter)
    document = json.loads(run(fxtreport, "-q", "--json", "--inlines", "off", *options, trace))
    for row in document["functions"]:
        key = row["name"], row["file"], row["line"]
        found[os.path.basename(row.get("module") or "-")][key] += row["self"]
    return {module: sorted(values.values()) for module, values in found.items()}

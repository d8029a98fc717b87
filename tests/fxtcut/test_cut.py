#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A cut is what fxtdump --json prints of the input, filtered here, and what that needs.

    test_cut.py FXTCUT FXTDUMP

The archives are random, of all types of records, of several providers, in both byte
orders, whole and damaged.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import fxtrandom
import patience
from unresolved import named, resolved

N_ARCHIVES = 30
FXTCUT, FXTDUMP = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()
MARK = {"name": "cut", "type": "bool", "value": True}


def run(*args, data=None, status=(0, 1)):
    done = subprocess.run(args, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=patience.SECONDS, check=False)
    assert done.returncode in status, (args, done.returncode, done.stderr)
    return done.stdout


def write(name, data):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def dump(path, *options):
    """All records but errors; a reference to nothing is as text shows it, since that may
    stand in its place."""
    return [plain(one) for one in dump_raw(path, *options)]


def dump_raw(path, *options):
    lines = run(FXTDUMP, "-q", "--json", "--payload", *options, path).decode().split("\n")
    return [json.loads(line) for line in lines[:-1] if '"type":"error"' not in line]


def plain(one):
    return resolved(one, {"offset"})


# ---- What is kept ----


def is_registration(one):
    return one["type"] in ("string", "thread", "initialization") or (
        one["type"] == "metadata" and one["metadata"] in (
            "provider_info", "provider_section", "trace_info"))


def is_description(one):
    return (one["type"] in ("kernel_object", "userspace_object")
            or one.get("profiler") in ("module", "mapping"))


def is_clipped(one):
    return bool(one.get("args")) and one["args"][-1] == MARK


def timeless(one):
    """The clock's rate may change between where a record was and where it is needed."""
    return {key: value for key, value in one.items()
            if not (is_description(one) and key == "time_ns")}


def threads_of(one):
    """Pairs of process and thread, either of which may be missing."""
    if one["type"] == "kernel_object":
        if one["object_type"] == "process":
            return [(one["koid"], None)]
        process = [arg["value"] for arg in one["args"] if arg["name"] == "process"][:1]
        kinds = [arg["type"] for arg in one["args"] if arg["name"] == "process"][:1]
        thread = one["koid"] if one["object_type"] == "thread" else None
        return [(process[0] if kinds == ["koid"] else None, thread)]
    if "outgoing_thread" in one:
        return [(one.get(side + "_process"), one[side + "_thread"])
                for side in ("outgoing", "incoming")]
    if "waking_thread" in one:
        return [(None, one["waking_thread"])]
    return [(one.get("process"), one.get("thread"))]


def names_of(one):
    """The words by which a type is chosen."""
    kind = one["type"]
    if kind in ("metadata", "event", "scheduling", "profiler"):
        return (one[kind], kind)
    return ("sample" if "pcs" in one else kind, kind)


def is_mark(one):
    return (one["type"], one.get("index")) == ("string", 32767) and re.fullmatch(
        r"fxt-part( \d+( of \d+)?)?", one["value"] or "") is not None


def has_tracks(records):
    return any(re.match("duration_(begin|end)|async|flow", str(one.get("event")))
               for one in records)


class Tracks:
    """An end is kept if its begin is."""

    def __init__(self):
        self.open = {}

    def key(self, one):
        if one["event"].startswith("async"):
            name = json.dumps(one["name"] or one["category"])
            return ("async", one["process"], one["async_id"], name)
        return (one["process"], one["thread"], one.get("thread_ref"))

    def decide(self, one, chosen):
        kind = one.get("event")
        if kind in ("duration_begin", "async_begin"):
            self.open.setdefault(self.key(one), []).append(chosen)
        elif kind in ("duration_end", "async_end"):
            stack = self.open.get(self.key(one))
            return stack.pop() if stack else chosen
        elif kind == "async_instant":
            stack = self.open.get(self.key(one))
            return stack[-1] if stack else chosen
        return chosen


def choose(rng, objects):
    """Options, and which of the objects they keep."""
    kinds = rng.sample(("time", "pid", "tid", "category", "name", "type"), rng.choice((1, 1, 2)))
    options, takes = [], {}
    for kind in kinds:
        one, other = rng.choice(objects), rng.choice(objects)
        if kind in ("pid", "tid"):
            at = kind == "tid"
            koids = {who[at] for o in (one, other) for who in threads_of(o)} - {None} or {7}
            value = ",".join("%d" % koid for koid in koids)
            takes[kind] = lambda o, at=at, koids=koids: any(
                who[at] in koids for who in threads_of(o))
        elif kind == "time":
            times = sorted(o["time_ns"] for o in (one, other)
                           if o.get("time_ns") is not None) or [0]
            times = [min(time, 2**64 - 2) for time in times]
            value = "%dns-%dns" % (times[0], times[-1])
            takes[kind] = lambda o, times=times: (
                o.get("time_ns") is not None and times[0] <= o["time_ns"] <= times[-1])
        elif kind == "type":
            words = [word for word in names_of(one) if isinstance(word, str)
                     and word != "unknown"] or ["log"]
            value = ",".join(words)
            takes[kind] = lambda o, words=words: any(word in names_of(o) for word in words)
        else:
            value = rng.choice(("a", "^[a-m]", "fault$", "#", "e.*8", "^$"))
            # A zero byte ends what is matched.
            takes[kind] = lambda o, kind=kind, value=value: o.get(kind) is not None and bool(
                re.search(value, named(o[kind]).split("\0")[0]))
        options += ["--" + kind, value]
    return options, takes


def kept(objects, takes):
    tracks = Tracks()
    by_type = takes.get("type", lambda o: True)
    by_time = takes.get("time", lambda o: True)
    others = [take for kind, take in takes.items() if kind not in ("time", "type")]
    tracked = {"time", "category", "name"} & takes.keys()
    for one in objects:
        chosen = all(take(one) for take in others)
        if tracked and one["type"] == "event":
            chosen = tracks.decide(one, chosen)
        if chosen and by_type(one) and by_time(one):
            yield one


# ---- The properties ----


def is_whole(one):
    """A complete event that a window cuts has another end, and its mark."""
    return one.get("event") != "duration_complete"


def match(wanted, found, at):
    """Whether the records wanted are there, in this order. Returns all others."""
    rest = []
    wanted = iter(wanted)
    one = next(wanted, None)
    for other in found:
        if one is not None and one == other:
            one = next(wanted, None)
        else:
            rest.append(other)
    assert one is None, (at, "is missing", one)
    return rest


def without_magic(objects):
    return [one for one in objects if one.get("trace_info") != "magic_number"]


def check_rest(rest, objects, options, at):
    """What is there beside: registrations and descriptions of the input, and what windows
    cut."""
    known = {json.dumps(timeless(one)) for one in objects}
    for one in rest:
        if is_clipped(one):
            assert "--time" in options, (at, one)
        elif is_registration(one) or is_description(one):
            stands_in = (one.get("metadata") in ("provider_section", "trace_info")
                         or one["type"] == "thread" and one["process"] == one["thread"] == 0
                         or one["type"] == "string" and one["value"] == "#%d" % one["index"])
            assert json.dumps(timeless(one)) in known or stands_in, (at, one)
        elif one.get("event") == "duration_complete":
            assert "--time" in options and json.dumps(timeless(one)) in known, (at, one)
        else:
            raise AssertionError((at, "is not asked for", one))


def check_order(found, objects, at):
    """Mappings are of the module of their number that came last before them."""
    def code(records):
        of = {}
        for one in records:
            if one.get("profiler") in ("module", "mapping"):
                of.setdefault(one["process"], []).append(json.dumps(timeless(one)))
        return of

    whole = code(objects)
    for process, records in code(found).items():
        rest = iter(whole[process])
        assert all(one in rest for one in records), (at, process)


def check_filters(rng, path, objects, reading, at):
    options, takes = choose(rng, objects)
    data = run(FXTCUT, "-q", *reading, *options, path)
    found = dump(write("cut", data), *[o for o in reading if o != "--resync"])
    wanted = [plain(one) for one in kept(without_magic(objects), takes)]
    objects = [plain(one) for one in objects]
    found = check_mark(found, objects, options != ["--time"] + options[1:2], at + options)
    check_order(found, objects, at + options)
    if "--time" in options:
        wanted = [one for one in wanted if is_whole(one)]
    check_rest(match(wanted, without_magic(found), at + options), objects, options,
               at + options)
    if "--time" in options or {"--category", "--name"} & set(options):
        return
    # Registrations that nothing refers to are not there.
    if not any(is_registration(one) for one in wanted):
        check_needed(found, at + options)


def check_mark(found, objects, is_chosen, at):
    """What was chosen says at its end that ends may be missing. Returns the rest."""
    rest = [one for one in found if not is_mark(one)]
    if has_tracks(rest) and (is_chosen or has_lost(objects)):
        rest.append({"type": "string", "index": 32767, "value": "fxt-part", "size": 16})
    assert found == rest, (at, found[-1:], rest[-1:])
    return [one for one in rest if not is_mark(one)]


def has_lost(objects):
    """The input says that it lacks records, as when a buffer was full."""
    return any(one.get("metadata") == "provider_event" and one["event"] == "buffer_full" or (
        one.get("event") == "duration_complete" and one["process"] == 0
        and (one["category"], one["name"]) == ("#40", "#41")
        and [arg["name"] for arg in one["args"]] == ["#42", "#43"]) for one in objects)


def check_needed(found, at):
    """Each string is in a record that comes before it is registered again."""
    last = None
    for one in found:
        assert not (last is not None and last["type"] == "string"
                    and one["type"] == "string" and one["index"] == last["index"]), (at, one)
        last = one


def check_parts(rng, path, objects, at):
    split = rng.choice(("%d" % rng.randrange(1, 12), "%dK" % rng.randrange(1, 4), "100us"))
    name = os.path.join(FOLDER.name, "part.fxt")
    run(FXTCUT, "-q", "--split", split, "-o", name, path)
    parts = sorted(file for file in os.listdir(FOLDER.name) if file.startswith("part."))
    found = []
    for i, part in enumerate(parts):
        assert part == "part.%04d.fxt" % (i + 1), parts
        part = os.path.join(FOLDER.name, part)
        records = dump(part)
        of_all = " of %d" % len(parts) if i + 1 == len(parts) else ""
        marks = [one["value"] for one in records if is_mark(one)]
        if len(parts) > 1 and not has_lost(objects):
            assert marks == ["fxt-part %d%s" % (i + 1, of_all)] and is_mark(records[-1]), marks
        content = [one for one in records if not is_registration(one)
                   and not is_description(one)]
        if split.isdigit():
            limit = int(split)
            assert len(content) == limit or i + 1 == len(parts), (at, split, part)
        found += content
        os.unlink(part)
    wanted = [one for one in objects if not is_registration(one) and not is_description(one)]
    assert found == wanted, (at, split)


def check_archive(seed):
    rng = random.Random(seed)
    big_endian = rng.randrange(3) == 0
    data = fxtrandom.Generator(seed, big_endian).archive(rng.randrange(1, 120))
    path = write("whole", data)
    assert run(FXTCUT, "-q", path) == data, (seed, "a copy is the input")
    assert run(FXTCUT, "-q", "-", data=data) == data, seed
    reading = []
    if rng.randrange(2) == 0:
        data = fxtrandom.damaged(data, big_endian, rng)
        reading = ["--archive", "--byte-order", "big" if big_endian else "little"]
        reading += rng.choice(([], ["--resync"]))
    path = write("input", data)
    at = [seed] + reading
    raw = dump_raw(path, *reading)
    objects = [plain(one) for one in raw]
    if not objects:
        return
    copy = dump(write("copy", run(FXTCUT, "-q", *reading, path)),
                *[o for o in reading if o != "--resync"])
    check_rest(match(without_magic(objects), without_magic(copy), at), objects, [], at)
    for _ in range(4):
        check_filters(rng, path, raw, reading, at)
    if not reading:
        check_parts(rng, path, objects, at)


def main():
    for seed in range(N_ARCHIVES):
        check_archive(seed)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Parts of an archive, merged, are the archive's records by time; clocks are aligned, and
machines kept apart.

    test_merge.py FXTMERGE FXTDUMP FXTCUT [sanitized]

The archives are random, of all types of records, of several providers, in both byte
orders, whole and damaged. What fxtmerge cannot write is left out on both sides: records of
unknown types, and what contradicts itself.
"""
import collections
import glob
import gzip
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import fxtrandom
import fxtwrite as w
import patience
from unresolved import resolved

N_ARCHIVES = 15
FXTMERGE, FXTDUMP, FXTCUT = sys.argv[1:4]
FOLDER = tempfile.TemporaryDirectory()
SANITIZED = len(sys.argv) > 4
LITTLE_MEMORY = "" if SANITIZED else f"ulimit -v {24 << 10} && "


def run(*args, data=None, status=(0, 1)):
    done = subprocess.run(args, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=patience.SECONDS, check=False)
    assert done.returncode in status, (args, done.returncode, done.stderr)
    return done


def path_of(name):
    return os.path.join(FOLDER.name, name)


def write(name, data):
    with open(path_of(name), "wb") as file:
        file.write(data)
    return path_of(name)


def merge(*args, data=None, status=(0, 1)):
    """The merged archive's name, and what was printed."""
    done = run(FXTMERGE, "-o", path_of("merged.fxt"), *args, data=data, status=status)
    return path_of("merged.fxt"), done.stderr.decode()


# ---- What records say ----


def plain(one):
    drop = {"offset", "size", "provider_id"}
    if "pcs" in one:
        drop.add("payload")  # The words, in the order of bytes of either archive.
    return resolved(one, drop)


def is_written(one):
    kind = one.get(one["type"])
    if one["type"] in ("string", "thread", "initialization", "unknown", "error"):
        return False
    if one["type"] == "metadata":
        return kind == "provider_event"
    if isinstance(kind, int) and one["type"] != "event":
        return False
    if any(isinstance(arg["type"], int) for arg in one.get("args", ())):
        return False
    return one.get("event") != "duration_complete" or one["timestamp"] <= one["end_timestamp"]


def dump(path, *options):
    lines = run(FXTDUMP, "-q", "--json", "--payload", *options, path).stdout.decode()
    return [json.loads(line) for line in lines.split("\n")[:-1]]


def contents(path, *options):
    return [plain(one) for one in dump(path, *options) if is_written(one)]


def texts(records):
    return sorted(json.dumps(one, sort_keys=True) for one in records)


def check_same(expected, found, what):
    expected, found = texts(expected), texts(found)
    for one, other in zip(expected, found):
        assert one == other, f"{what}:\n  {one}\n  {other}"
    assert len(expected) == len(found), (what, len(expected), len(found))


def check_order(records, what):
    times = [one["time_ns"] if one["time_ns"] is not None else 2**64 - 1
             for one in records if "time_ns" in one]
    assert times == sorted(times), what


# ---- Parts of random archives ----


def is_context(header):
    """What later records depend on, which every part has."""
    kind, metadata = header & 15, header >> 16 & 15
    return kind in (1, 2, 3) or kind == 0 and metadata in (1, 2, 4)


def cut(data, big_endian, n_parts, rng):
    found = list(fxtrandom.headers(data, big_endian))
    parts = [b""] * n_parts
    for (at, header), (end, _) in zip(found, found[1:] + [(len(data), 0)]):
        chosen = range(n_parts) if is_context(header) else [rng.randrange(n_parts)]
        for i in chosen:
            parts[i] += data[at:end]
    return parts


def as_it_was(paths):
    """Some of the random clocks have a wall clock."""
    return [word for path in paths for word in ("--offset", f"{path}=0s")]


def check_parts(seed):
    rng = random.Random(seed)
    big_endian = seed % 2 == 1
    data = fxtrandom.Generator(seed, big_endian).archive(rng.randrange(20, 300))
    n_parts = rng.randrange(1, 6)
    paths = [write(f"part{i}.fxt", part)
             for i, part in enumerate(cut(data, big_endian, n_parts, rng))]
    rng.shuffle(paths)
    merged, _ = merge(*paths, *as_it_was(paths), *rng.choice(([], ["--one-table"])))
    found = contents(merged)
    check_same(contents(write("whole.fxt", data)), found, f"archive {seed}")
    check_order(found, f"archive {seed}")


def check_damaged(seed):
    rng = random.Random(seed)
    big_endian = seed % 2 == 1
    paths, expected, status = [], [], 0
    for i in range(3):
        data = fxtrandom.Generator(10 * seed + i, big_endian).archive(100)
        data = data[:8] + fxtrandom.damaged(data[8:], big_endian, rng)
        paths.append(write(f"damaged{i}.fxt", data))
        expected += contents(paths[-1], "--resync")
        status |= run(FXTDUMP, "-q", "--resync", paths[-1]).returncode
    done = run(FXTMERGE, "-o", path_of("merged.fxt"), *paths, *as_it_was(paths))
    check_same(expected, contents(path_of("merged.fxt")), f"damaged {seed}")
    assert done.returncode >= status, f"damaged {seed} is not reported"


def split(whole, size):
    """The parts that fxtcut makes of it, in any order."""
    for old in glob.glob(path_of("split.*")):
        os.unlink(old)
    run(FXTCUT, "-q", "--split", size, "-o", path_of("split.fxt"), whole)
    parts = sorted(glob.glob(path_of("split.*.fxt")))
    random.Random(len(parts)).shuffle(parts)
    return parts


def is_part(path):
    with open(path, "rb") as file:
        return b"fxt-part" in file.read()


def is_name(one):
    return one["type"] in ("kernel_object", "userspace_object")


def check_descriptions():
    """Each part begins with the names and the code that it needs, as they are there: together
    they are written once, and at the time from which on they are so."""
    def program(at, name):
        return [w.kernel_object(1, 5, name), w.module(at, (5, 0), 3, name, name),
                w.mapping(at, (5, 0), 3, 4096, 4096, 0, 5)]

    samples = [w.sample(10 + 2 * i, (5, 6), [4096 + i]) for i in range(600)]
    records = [*program(1, b"shell"), w.kernel_object(2, 6, b"main", [w.arg(8, b"process", 5)]),
               *samples[:300], *program(609, b"server"), *samples[300:]]
    whole = write("whole.fxt", archive(w.provider_info(3, b"p"), *records))
    parts = split(whole, "4K")
    merged, said = merge(*parts, status=[0])
    assert len(parts) > 5 and contents(merged) == contents(merge(whole, status=[0])[0]), said
    assert [one["name"] for one in contents(merged) if is_name(one)] == ["shell", "main", "server"]


def check_names_of_two():
    """Readers take the last name of an object, whichever provider gave it: in each part that
    is the last one in the whole. Together the parts say nothing again that others say, though
    another provider has given another name in between."""
    def named(provider, name):
        return w.provider_info(provider, b"p"), w.kernel_object(1, 5, name)

    names = [*named(3, b"first"), *named(4, b"other"), *named(3, b"last")]
    whole = write("whole.fxt", archive(*names, *(instant(10 + i, 5, 6, b"n") for i in range(300))))
    parts = split(whole, "2K")
    assert len(parts) > 3
    for part in parts:
        assert [one["name"] for one in contents(part) if is_name(one)][-1] == "last", part
    merged, _ = merge(*parts, status=[0])
    assert [one["name"] for one in contents(merged) if is_name(one)] == ["first", "other", "last"]


def check_unknown_name():
    """A name with arguments that would not fit into a record with their names inline is the
    last one, too: what another file says after it is no repetition."""
    args = [w.arg(3, 1, i) for i in range(15)]
    long_name = b"x" * 20000
    names = write("names.fxt", archive(
        w.string(1, b"k" * 1000), instant(1, 5, 6, b"event"), w.kernel_object(1, 5, b"shell"),
        w.kernel_object(1, 5, long_name, args)))
    later = write("later.fxt", archive(w.kernel_object(1, 5, b"shell"), instant(3, 5, 6, b"third")))
    merged, _ = merge(names, later, status=[0])
    found = [one["name"] for one in contents(merged) if is_name(one)]
    assert found == ["shell", long_name.decode(), "shell"], found


def check_random_cuts(seed):
    """Of random archives by time; of what the input says twice, a part may say it again."""
    data = fxtrandom.Generator(seed, seed % 2 == 1).archive(200)
    mixed = write("mixed.fxt", data)
    whole = shutil.copy(merge("-q", mixed, *as_it_was([mixed]))[0], path_of("whole.fxt"))
    found, expected = [], []
    parts = split(whole, "2K")
    merged, _ = merge("-q", *parts, *as_it_was(parts))
    for made, path in (found, merged), (expected, whole):
        made += contents(path)
    found, expected = collections.Counter(texts(found)), collections.Counter(texts(expected))
    for one in found | expected:
        is_description = is_name(json.loads(one)) or "module_id" in one
        n, n_found = expected[one], found[one]
        assert n_found == n or is_description and 0 < n_found < n, (seed, n, n_found, one)


def check_cuts():
    """What fxtcut has split is what it was, in its order."""
    events = [w.event(0, 10 * i, (5, 6 + i % 3), b"c%d" % (i % 7), b"name %d" % (i % 40),
                      [w.arg(6, b"key", b"value %d" % i)]) for i in range(3000)]
    whole = write("whole.fxt", archive(w.provider_info(3, b"p"), *events))
    parts = split(whole, "20K")
    merged, _ = merge(*parts, status=[0])
    assert len(parts) > 5 and contents(merged) == contents(whole), len(parts)
    assert all(is_part(part) for part in parts) and not is_part(merged)
    assert is_part(merge(*parts[1:], status=[0])[0])
    # More than may be open at first.
    parts = split(whole, "1K")
    run("sh", "-c", 'ulimit -S -n 64 && exec "$0" "$@"', FXTMERGE, "-o", merged, *parts, status=[0])
    assert len(parts) > 64 and contents(merged) == contents(whole), len(parts)


# ---- Clocks and machines ----


def archive(*records):
    return b"".join(w.to_bytes(one) for one in [w.magic(), *records])


def instant(at, process, thread, name):
    return w.event(0, at, (process, thread), b"c", name)


def recording(at, boot_id, method=b"perf"):
    """As fxtrecord says it."""
    return w.event(0, at, (1, 1), b"fxtrecord", b"recording",
                   [w.arg(6, b"method", method), w.arg(6, b"boot_id", boot_id)])


def based(ticks_per_second, ticks, wall_ns):
    return [w.provider_info(1, b"p"), w.initialization(ticks_per_second, [ticks, wall_ns])]


def times_of(path):
    return {one["name"]: one["time_ns"] for one in dump(path) if one["type"] == "event"}


def check_clocks():
    """b's clock is five seconds behind, and has another rate."""
    a = write("a.fxt", archive(*based(10**9, 100, 10**18 + 100), instant(7 * 10**9, 5, 6, b"x")))
    b = write("b.fxt", archive(*based(24000000, 0, 10**18 + 5 * 10**9),
                               instant(24000000, 5, 6, b"y"), instant(72000000, 5, 6, b"z")))
    for paths in ((a, b), (b, a)):
        merged, _ = merge(*paths, status=[0])
        times = times_of(merged)
        assert times == {"y": 6 * 10**9, "x": 7 * 10**9, "z": 8 * 10**9}, times
        bases = {one["base_wall_ns"] - one["base_ticks"] * 10**9 // one["ticks_per_second"]
                 for one in dump(merged) if one["type"] == "initialization"}
        assert bases == {10**18}, bases
    merged, _ = merge(a, b, "--offset", f"{b}=-20ms", "--offset", f"{a}=1.5s", status=[0])
    assert times_of(merged) == {"x": 8500000000, "y": 980000000, "z": 2980000000}
    none = write("none.fxt", archive(instant(3, 5, 6, b"n")))
    merged, said = merge(a, none, status=[0])
    assert times_of(merged)["n"] == 3 and "no wall clock" in said, said
    early = ("--offset", f"{none}=-1s", none)
    merged, said = merge(*early, status=[1])
    assert times_of(merged) == {"n": 0} and "were cut: 1" in said, said
    assert merge("-q", *early, status=[1])[1] == ""


def check_one_boot():
    """The wall clock was set by a little between recordings of one boot."""
    paths = [write(f"boot{i}.fxt", archive(*based(10**9, 0, 10**18 + 1000 * i),
                                           recording(10 + i, b"one boot"),
                                           instant(20 + i, 5, 6, b"e%d" % i)))
             for i in range(2)]
    merged, _ = merge(*paths, status=[0])
    assert times_of(merged)["e0"] == 20 and times_of(merged)["e1"] == 21
    assert {one["process"] for one in dump(merged) if one["type"] == "event"} == {1, 5}


def machine_of(boot_id, process, large):
    return archive(
        *based(10**9, 0, 10**18), recording(1, boot_id),
        w.kernel_object(1, process, b"server"),
        w.kernel_object(2, process + 1, b"worker", [w.arg(8, b"process", process)]),
        w.kernel_object(3, large, b"vmo"),
        w.context_switch(2, 3, 1, process + 1, 0),
        w.thread_wakeup(3, 3, process + 1, [w.arg(8, b"waker", process + 2)]),
        w.event(0, 4, (process, process + 1), b"c", b"e", [w.arg(4, b"n", 5)]))


def check_machines():
    a = write("web.fxt", machine_of(b"boot a", 1234, 2**33))
    b = write("db.2.fxt.gz", gzip.compress(machine_of(b"boot b", 1234, 2**33)))
    merged, _ = merge(a, b, status=[0])
    objects = [(one["koid"], one["name"]) for one in dump(merged)
               if one["type"] == "kernel_object"]
    large = 2**33 ^ 1 << 48, 2**33 ^ 2 << 48
    assert objects == [(1234, "web: server"), (1235, "web: worker"), (large[0], "vmo"),
                       (10001234, "db: server"), (10001235, "db: worker"),
                       (large[1], "vmo")], objects
    args = [arg["value"] for one in dump(merged) for arg in one.get("args", ())
            if arg["type"] == "koid"]
    assert args == [1234, 10001234, 1236, 10001236], args
    switches = [(one["cpu"], one["outgoing_thread"], one["incoming_thread"])
                for one in dump(merged) if one.get("scheduling") == "context_switch"]
    assert switches == [(3, 1235, 0), (1003, 10001235, 0)], switches
    providers = [(one["provider_id"], one["name"]) for one in dump(merged)
                 if one.get("metadata") == "provider_info"]
    assert providers == [(1, "web: p"), (2, "db: p")], providers
    merged, _ = merge(a, b, "--machine", f"{a}=one", "--machine", f"{b}=one", status=[0])
    names = {one["name"] for one in dump(merged) if one["type"] == "kernel_object"}
    assert names == {"server", "worker", "vmo"}, names


# ---- Order and memory ----


def write_events(name, n, first, step):
    events = b"".join(struct.pack("<2Q", 4 | 2 << 4 | 1 << 24,
                                  first + step * i) for i in range(n))
    header = archive(w.thread(1, 10, 11))
    return write(name, header + events)


def check_order_and_memory():
    """Inputs in order need no more memory than a part of them; those that are not are
    sorted as far as the window allows, which is reported."""
    n = 60000
    paths = [write_events(f"ordered{i}.fxt", n, i, 3) for i in range(3)]
    # All records at once would take three times as much.
    run("sh", "-c", LITTLE_MEMORY + 'exec "$0" "$@"', FXTMERGE, "-o", path_of("merged.fxt"), *paths,
        status=[0])
    found = dump(path_of("merged.fxt"))
    assert [one["timestamp"] for one in found if one["type"] == "event"] == list(range(3 * n))
    backwards = write("backwards.fxt", archive(
        *(instant(20000 - i, 5, 6, b"back") for i in range(20000))))
    merged, said = merge(backwards, status=[0])
    check_order(contents(merged), "backwards")
    assert said == "", said
    merged, said = merge("--window", "100K", backwards, status=[0])
    check_same(contents(backwards), contents(merged), "a small window")
    assert "records stand later than others" in said, said
    merged, _ = merge("--window", "1", backwards, backwards, status=[0])
    check_same(2 * contents(backwards), contents(merged), "a window of less than a byte each")


def check_tail():
    """What follows a record that is larger than the rest is read at the end of the input, and
    no more of it at once than of what precedes."""
    tail = write("tail.fxt", archive(
        instant(1, 5, 6, b"before"), [15 | 1 << 24], *(instant(i, 5, 6, b"after")
                                                       for i in range(2, 100002))))
    run("sh", "-c", LITTLE_MEMORY + 'exec "$0" "$@"', FXTMERGE, "-o", path_of("merged.fxt"), tail,
        status=[1])
    found = dump(path_of("merged.fxt"))
    assert sum(one["type"] == "event" for one in found) == 100001, len(found)


def check_long_names():
    """Names before the first time take as much memory as their texts, which the file has once."""
    names = write("long.fxt", archive(w.string(1, b"x" * 30000),
                                      *(w.kernel_object(1, koid, 1) for koid in range(2000))))
    run("sh", "-c", LITTLE_MEMORY + 'exec "$0" "$@"', FXTMERGE, "-o", path_of("merged.fxt"), names,
        status=[0])
    assert sum(is_name(one) for one in dump(path_of("merged.fxt"))) == 2000


def check_turns():
    """What threads have traced in turns is sorted, however long a turn is."""
    turns = write("turns.fxt", archive(
        *based(10**9, 0, 10**18), recording(0, b"one boot", b"trace.h"),
        *(instant(10 * i + thread, 5, thread, b"turn")
          for thread in (6, 7) for i in range(4000))))
    merged, said = merge(turns, status=[0])
    check_order(contents(merged), "turns")
    assert said == "", said


def check_late(seed):
    """Records that are few or many places late are sorted; of those with equal times the
    first in the input comes first."""
    rng = random.Random(seed)
    times = [max(0, i - rng.choice([0, 0, 0, 3, 30, 40, 300])) // 2 for i in range(3000)]
    late = write("late.fxt", archive(*(instant(time, 5, 6, b"%d" % i)
                                       for i, time in enumerate(times))))
    merged, said = merge(late, status=[0])
    found = [int(one["name"]) for one in dump(merged) if one["type"] == "event"]
    assert found == sorted(range(len(times)), key=times.__getitem__), seed
    assert said == "", said


# ---- Files ----


def check_files():
    a = write("a.fxt", archive(instant(1, 5, 6, b"x")))
    done = run(FXTMERGE, "-", a, data=archive(instant(2, 5, 6, b"y")), status=[0])
    assert [one["name"] for one in contents(write("piped.fxt", done.stdout))] == ["x", "y"]
    for args in ((), ("-", "-"), (a, "--offset", a), (a, "--offset", "b.fxt=1s"),
                 (a, "--offset", a + "=1 s"), (a, "--window", "x"), ("-o", "x.json", a),
                 ("-o", a, a), ("/nonexistent.fxt",), (a, "--machine", a + "=")):
        done = run(FXTMERGE, *args, data=b"", status=[2])
        assert done.stdout == b"" and done.stderr, args
    assert os.path.getsize(a) > 8
    region = write("region.bin", w.to_bytes(w.sample(1, (5, 6), [4096])) + bytes(11))
    assert len(contents(merge(region, status=[0])[0])) == 1
    text = write("text.json", b'{"traceEvents": []}')
    done = run(FXTMERGE, "-o", path_of("other.fxt"), a, text, status=[2])
    assert not os.path.exists(path_of("other.fxt")), done.stderr
    done = run(FXTMERGE, "-o", "/dev/full", a, status=[1])
    assert b"No space" in done.stderr, done.stderr


def check_seeds():
    """Of the fuzzer's seeds, whatever is damaged in them, all that is kept can be read."""
    seeds = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                                   "fuzz", "corpus", "reader", "*"))
    assert len(seeds) > 50
    merged, _ = merge("-q", *sorted(seeds), status=[1])
    run(FXTDUMP, "-q", "--stats", merged, status=[0])


def check_killed():
    """Killed while it writes, it leaves nothing under the name."""
    for how in (signal.SIGKILL, signal.SIGTERM):
        name = path_of("killed.fxt")
        with subprocess.Popen([FXTMERGE, "-o", name, "-"], stdin=subprocess.PIPE) as child:
            child.stdin.write(archive(*(instant(i, 5, 6, b"e%d" % i) for i in range(20000))))
            child.stdin.flush()
            time.sleep(0.2)
            child.send_signal(how)
            child.wait()
        assert not os.path.exists(name)


def main():
    for seed in range(N_ARCHIVES):
        check_parts(seed)
        check_damaged(seed)
        if seed % 3 == 0:
            check_random_cuts(seed)
    check_cuts()
    check_descriptions()
    check_names_of_two()
    check_unknown_name()
    check_clocks()
    check_one_boot()
    check_machines()
    check_order_and_memory()
    check_tail()
    check_long_names()
    check_turns()
    check_late(1)
    check_files()
    check_seeds()
    check_killed()
    print("merged")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtdump's filters and --stats, against the same choice and the same counts made here
from what --json prints of everything.

    test_filters.py FXTDUMP SANITIZERS
"""
import collections
import fnmatch
import json
import os
import random
import subprocess
import sys
import tempfile

import fxtrandom
import fxtwrite as w
import patience

N_ARCHIVES = 25
FOLDER = tempfile.TemporaryDirectory()


def run(*args, status=(0, 1)):
    done = subprocess.run([sys.argv[1], "-q", *args], stdout=subprocess.PIPE, timeout=patience.SECONDS,
                          check=False)
    assert done.returncode in status, (args, done.returncode)
    return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n")[:-1]]


def write(name, data):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


# ---- What a record is, by its JSON ----


def is_drop_stats(one):
    args = [(arg["type"], arg["name"]) for arg in one["args"]]
    return (one["event"] == "duration_complete" and one["process"] == 0
            and one["thread"] < 2**32 and "thread_ref" not in one
            and all(isinstance(name, dict) or name == text for name, text in (
                (one["category"], "kernel:meta"), (one["name"], "drop_stats")))
            and len(args) == 2 and [kind for kind, _ in args] == ["uint32"] * 2
            and all(isinstance(name, dict) or name == text for (_, name), text in zip(
                args, ("num_records", "num_bytes"))))


def kind_of(one):
    """The word or the number for its kind, and its type."""
    kind = one["type"]
    if kind in ("metadata", "event", "scheduling", "profiler"):
        kind = one[kind]
    if kind == "large_blob" and "pcs" in one:
        kind = "sample"
    if kind == "duration_complete" and is_drop_stats(one):
        kind = "drop_stats"
    if kind == "unknown":
        kind = one["record_type"]
    return kind, one["type"]


def threads_of(one):
    """Pairs of process and thread, either of which may be missing."""
    if one["type"] == "kernel_object":
        if one["object_type"] == "process":
            return [(one["koid"], None)]
        process = [arg["value"] for arg in one["args"]
                   if arg["name"] == "process" and arg["type"] == "koid"][:1]
        thread = one["koid"] if one["object_type"] == "thread" else None
        return [(process[0] if process else None, thread)]
    if "outgoing_thread" in one:
        return [(one.get(side + "_process"), one[side + "_thread"])
                for side in ("outgoing", "incoming")]
    if "waking_thread" in one:
        return [(None, one["waking_thread"])]
    return [(one.get("process"), one.get("thread"))]


def name_of(one):
    return one.get("name") if one["type"] != "error" else None


def goes_by(string, pattern):
    if isinstance(string, dict):
        string = "#%d" % string["ref"]
    return string is not None and fnmatch.fnmatchcase(string, pattern)


# ---- Filters ----


def some_filter(rng, objects):
    """An option, its value, and whether a record is taken."""
    one = rng.choice(objects)
    which = rng.choice(("type", "process", "thread", "category", "name", "time"))
    if which == "type":
        words = [word for word in rng.choice((kind_of(one), kind_of(rng.choice(objects))))
                 if isinstance(word, str)] or ["log"]
        return which, ",".join(words), lambda o: any(word in kind_of(o) for word in words)
    if which in ("process", "thread"):
        at = which == "thread"
        koids = {who[at] for o in (one, rng.choice(objects)) for who in threads_of(o)}
        koids = [koid for koid in koids if koid is not None] or [7]
        return which, ",".join("%d" % koid for koid in koids), lambda o: any(
            who[at] in koids for who in threads_of(o))
    if which == "time":
        times = sorted(o["time_ns"] for o in (one, rng.choice(objects))
                       if o.get("time_ns") is not None) or [0]
        value = "%dns-%dns" % (times[0], times[-1])
        return which, value, lambda o: (o.get("time_ns") is not None
                                        and times[0] <= o["time_ns"] <= times[-1])
    pattern = rng.choice(("*", "*a*", "vm:fault", "[a-m]*", "[!a-m]*", "#*", "e*8", "#30"))
    if which == "category":
        return which, pattern, lambda o: goes_by(o.get("category"), pattern)
    return which, pattern, lambda o: goes_by(name_of(o), pattern)


def filters_take_what_they_say(path, objects, rng):
    records = [one for one in objects if one["type"] != "error"]
    for _ in range(12):
        chosen = [some_filter(rng, records) for _ in range(rng.randrange(1, 4))]
        args = [word for option, value, _ in chosen for word in ("--" + option, value)]
        # Of times the last counts, of all else any.
        kinds = collections.defaultdict(list)
        for option, _, takes in chosen:
            if option == "time":
                kinds[option].clear()
            kinds[option].append(takes)
        expected = [one for one in objects if one["type"] == "error" or all(
            any(takes(one) for takes in some) for some in kinds.values())]
        found = run("--json", "--archive", *args, path)
        assert found == expected, "%s %s:\nexpected %s\ngot %s" % (args, path, expected, found)
        count = rng.randrange(1, 9)
        n_records, first = 0, []
        for one in expected:
            n_records += one["type"] != "error"
            first.append(one)
            if n_records == count:
                break
        found = run("--json", "--archive", *args, "--count", str(count), path)
        assert found == first, (args, count)


# ---- Counts ----


def count(table, key, one):
    row = table.setdefault(key, {"records": 0, "bytes": 0})
    row["records"] += 1
    row["bytes"] += one["size"]


def rows(stats, table, *keys):
    """A table of the output by its keys; and its rows must come in their order."""
    sizes = [row["bytes"] for row in stats[table]]
    assert table in ("drops", "regions") or sizes == sorted(sizes, reverse=True), table
    found = {}
    for row in stats[table]:
        key = tuple(json.dumps(row[key]) for key in keys)
        assert key not in found, (table, key)
        found[key] = {word: row[word] for word in ("records", "bytes")}
    return found


def counts_are_those_of_the_records(path, objects):
    (stats,) = run("--stats", "--json", "--archive", path)
    types, kinds, events, providers, drops = {}, {}, {}, {}, {}
    current, names = 0, {0: ""}
    times, skipped, errors = [], 0, collections.Counter()
    for one in objects:
        if one["type"] == "error":
            skipped += one["size"]
            errors[one["code"]] += 1
            continue
        kind, kind_type = kind_of(one)
        if kind in ("provider_info", "provider_section"):
            current = one["provider_id"]
            names.setdefault(current, "")
            names[current] = one.get("name", names[current])
        count(types, (json.dumps(kind_type),), one)
        count(kinds, (kind_type, kind), one)
        count(providers, (json.dumps(current), json.dumps(names[current])), one)
        if kind_type == "event":
            count(events, (json.dumps(one["category"]), json.dumps(one["name"])), one)
        if kind == "drop_stats":
            row = drops.setdefault((json.dumps(one["thread"]),), {"records": 0, "bytes": 0})
            row["records"] += one["args"][0]["value"]
            row["bytes"] += one["args"][1]["value"]
        times += [one["time_ns"]] if "time_ns" in one else []
    assert rows(stats, "types", "type") == types
    assert {(row["type"], kind["kind"]): {word: kind[word] for word in ("records", "bytes")}
            for row in stats["types"] for kind in row["kinds"]} == kinds
    assert rows(stats, "events", "category", "name") == events
    assert rows(stats, "providers", "provider_id", "name") == providers
    assert rows(stats, "drops", "cpu") == drops
    total = {word: sum(row[word] for row in types.values()) for word in ("records", "bytes")}
    assert {word: stats[word] for word in total} == total
    assert stats["skipped_bytes"] == skipped
    assert stats["buffer_full"] == sum(one.get("event") == "buffer_full" for one in objects)
    last = 2**64 if None in times else max(times, default=None)
    assert stats["first_time_ns"] == min((t for t in times if t is not None), default=None)
    assert stats["last_time_ns"] == (None if last == 2**64 else last)
    found = collections.Counter()
    for row in stats["errors"]:
        if row["severity"] == "error":
            found[row["code"]] += row["reports"]
    assert found == errors, (found, errors)
    assert stats["regions"] == [{
        "region": 0, "file": path, **total, "first_time_ns": stats["first_time_ns"],
        "last_time_ns": stats["last_time_ns"], "errors": sum(errors.values())}]


def counts_of_a_filter_are_those_of_what_it_takes(path):
    (stats,) = run("--stats", "--json", "--archive", "--type", "event,log", path)
    shown = [one for one in run("--json", "--archive", "--type", "event,log", path)
             if one["type"] != "error"]
    assert stats["records"] == len(shown)
    assert stats["bytes"] == sum(one["size"] for one in shown)


# ---- Bounds ----


def names_beyond_the_limit_are_counted_together():
    trace = w.Trace()
    trace.magic()
    for i in range(200000):
        trace.add(w.event(0, i, (1, 2), b"c%07d" % (i % 100000), b""))
    for i in range(5000):
        trace.add(w.provider_info(i, b"p%d" % i))
        trace.add(w.log(1, (1, 2), b""))
    path = write("many", trace.data())
    (stats,) = run("--stats", "--json", path, status=(0,))
    assert len(stats["events"]) == 65536
    assert stats["other_events"] == {"records": 2 * (100000 - 65536),
                                     "bytes": 2 * (100000 - 65536) * 40}
    # Provider 0 is there twice, before it has a name and after.
    assert len(stats["providers"]) == 4096
    assert stats["other_providers"]["records"] == 2 * (5001 - 4096)
    assert stats["records"] == 210001
    text = subprocess.run([sys.argv[1], "-q", "--stats", path], stdout=subprocess.PIPE,
                          check=True).stdout.decode("utf-8")
    assert "others, beyond the first 65536" in text
    assert "others, beyond the first 4096" in text


# In a small separate process, whose memory counts as that of its children.
MEASURE = """
import os, resource, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                     file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
assert os.waitpid(pid, 0)[1] == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_of_memory(n_names):
    trace = w.Trace()
    trace.magic()
    for i in range(n_names):
        trace.add(w.event(0, i, (1, 2), b"category %d" % i, b"%0200d" % i))
    done = subprocess.run([sys.executable, "-c", MEASURE, sys.argv[1], "-q", "--stats",
                           write("many", trace.data())], stdout=subprocess.PIPE, check=True)
    return int(done.stdout)


def memory_is_bounded():
    """Four times as many names take no more, once there are more than are counted separately."""
    few, many = peak_of_memory(70000), peak_of_memory(280000)
    assert many < few + 4096, (few, many)


def long_names_are_bounded_too():
    trace = w.Trace()
    trace.magic()
    n_fit = (16 << 20) // 20000
    for i in range(2 * n_fit):
        trace.add(w.event(0, i, (1, 2), b"", b"%020000d" % i))
    (stats,) = run("--stats", "--json", write("long", trace.data()), status=(0,))
    assert len(stats["events"]) == n_fit
    assert stats["other_events"]["records"] == n_fit


def regions_beyond_the_limit_are_counted_together():
    path = write("regions", w.to_bytes([0]) * 70000 + w.to_bytes([1]))
    (stats,) = run("--stats", "--json", "--region-size", "8", path, status=(1,))
    assert len(stats["regions"]) == 65536
    assert stats["other_regions"] == {"records": 0, "bytes": 0, "first_time_ns": None,
                                      "last_time_ns": None, "errors": 1}


def main():
    rng = random.Random(1)
    for seed in range(N_ARCHIVES):
        generator = fxtrandom.Generator(seed)
        data = generator.archive(60)
        if seed % 3 == 0:
            data = fxtrandom.damaged(data, False, rng)
        path = write("archive", data)
        objects = run("--json", "--archive", path)
        filters_take_what_they_say(path, objects, rng)
        counts_are_those_of_the_records(path, objects)
        counts_of_a_filter_are_those_of_what_it_takes(path)
    names_beyond_the_limit_are_counted_together()
    long_names_are_bounded_too()
    regions_beyond_the_limit_are_counted_together()
    if sys.argv[2] == "none":
        memory_is_bounded()
    print("%d archives" % N_ARCHIVES)


if __name__ == "__main__":
    main()

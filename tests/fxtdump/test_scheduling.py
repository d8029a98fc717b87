#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The times of threads and CPUs of fxtdump --stats, against random schedules of which the
times are known.

    test_scheduling.py FXTDUMP SANITIZERS
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import fxtref
import fxtsched
import fxtwrite as w
import patience

FOLDER = tempfile.TemporaryDirectory()
KINDS = ("legacy", "zircon", "linux")


def run(*args, status=(0,)):
    done = subprocess.run([sys.argv[1], "-q", "--stats", *args], stdout=subprocess.PIPE,
                          timeout=patience.SECONDS, check=False)
    assert done.returncode in status, (args, done.returncode)
    return done.stdout.decode()


def stats(data, *args, status=(0,), name="trace"):
    path = write(data, name)
    return json.loads(run("--json", *args, path, status=status)).get("scheduling")


def write(data, name="trace"):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def close(found, exact):
    return abs(found - exact) <= max(32, exact / 32)


def percentile(times, percent):
    return sorted(times)[math.ceil(len(times) * percent / 100) - 1]


def check_latencies(row, times):
    assert row["wakeups"] == len(times), (row, len(times))
    if not times:
        assert row["latency_median_ns"] is row["latency_p99_ns"] is None
        return
    assert row["latency_max_ns"] == max(times)
    assert close(row["latency_median_ns"], percentile(times, 50)), row
    assert close(row["latency_p99_ns"], percentile(times, 99)), row


def check_truth(found, schedule):
    rows = {row["thread"]: row for row in found["threads"]}
    for thread in schedule.threads:
        row = rows.pop(thread.koid, None)
        if row is None:
            assert (thread.run, thread.wait, thread.blocked, thread.switches) == (0, 0, 0, 0)
            continue
        assert row["process"] == 7 and row["name"] == f"t{thread.koid}", row
        assert (row["run_ns"], row["wait_ns"], row["blocked_ns"], row["unknown_ns"]) == (
            thread.run, thread.wait, thread.blocked, 0), (row, vars(thread))
        assert (row["switches"], row["migrations"]) == (thread.switches, thread.migrations)
        check_latencies(row, thread.latencies)
    assert not rows, rows
    cpus = {row["cpu"]: (row["busy_ns"], row["idle_ns"], row["unknown_ns"])
            for row in found["cpus"]}
    assert cpus == {cpu: (busy, idle, 0) for cpu, (busy, idle)
                    in enumerate(zip(schedule.busy, schedule.idle)) if busy + idle > 0}
    for key in ("unusable_records", "lost_switches", "backward_switches",
                "switches_without_wakeup", "needless_wakeups", "drop_reports"):
        assert found[key] == 0, (key, found[key])
    run_ns = [row["run_ns"] for row in found["threads"]]
    assert run_ns == sorted(run_ns, reverse=True)


def check_sums(found, data):
    """What holds whatever is missing."""
    objects = fxtref.read_inputs([data], fxtref.Options(kind="archive")).objects
    lives, cpus = fxtsched.life_times(objects)
    for row in found["threads"]:
        total = sum(row[key] for key in ("run_ns", "wait_ns", "blocked_ns", "unknown_ns"))
        assert total == lives.pop(row["thread"]), row
    assert not any(lives.values()), lives
    for row in found["cpus"]:
        assert row["busy_ns"] + row["idle_ns"] + row["unknown_ns"] == cpus.pop(row["cpu"]), row
    assert not any(cpus.values()), cpus
    assert sum(row["busy_ns"] for row in found["cpus"]) == (
        sum(row["run_ns"] for row in found["threads"]))


# ---- Tests ----


def schedules(rng, rounds, n_events):
    for i in range(rounds):
        yield fxtsched.Schedule(rng, KINDS[i % 3], rng.randrange(1, 9), rng.randrange(1, 20),
                                rng.randrange(2, n_events))


def test_times_are_those_of_the_schedule():
    for schedule in schedules(random.Random(1), 36, 2500):
        data = schedule.trace().data()
        found = stats(data)
        if found is None:
            assert schedule.last == schedule.time and not any(schedule.records)
            continue
        check_truth(found, schedule)
        check_sums(found, data)


def test_times_of_events_that_are_sorted_in_a_temporary_file():
    schedule = fxtsched.Schedule(random.Random(2), "linux", 4, 30, 160000)
    check_truth(stats(schedule.trace().data()), schedule)


def test_where_records_are_missing_all_times_still_add_up():
    rng = random.Random(3)
    n_lost = 0
    for schedule in schedules(rng, 30, 1500):
        data = schedule.trace(keep=rng.choice((0.5, 0.9, 0.99))).data()
        found = stats(data)
        if found is not None:
            check_sums(found, data)
            n_lost += found["lost_switches"]
    assert n_lost > 500, n_lost


def test_a_missing_switch_makes_times_unknown_and_not_wrong():
    schedule = fxtsched.Schedule(random.Random(4), "linux", 1, 5, 1000)
    switches = [i for i, (_, record) in enumerate(schedule.records[0])
                if record[0] >> 60 == 1]
    del schedule.records[0][switches[200]]
    found = stats(schedule.trace().data())
    assert found["lost_switches"] == 1
    true = {thread.koid: thread for thread in schedule.threads}
    assert found["cpus"][0]["unknown_ns"] > 0
    for row in found["threads"]:
        thread = true[row["thread"]]
        assert row["run_ns"] <= thread.run and row["blocked_ns"] <= thread.blocked
        assert row["unknown_ns"] >= thread.run - row["run_ns"], row


def test_damaged_traces_are_read_to_their_end():
    rng = random.Random(5)
    for i in range(90):
        schedule = fxtsched.Schedule(rng, KINDS[i % 3], 3, 6, 200)
        data = bytearray(schedule.trace().data())
        for _ in range(rng.randrange(1, 40)):
            data[rng.randrange(8, len(data))] ^= 1 << rng.randrange(8)
        found = stats(bytes(data), "--archive", "--resync", status=(0, 1))
        for row in found["cpus"] if found else ():
            assert row["busy_ns"] + row["idle_ns"] + row["unknown_ns"] < 2**64


def switch(time, cpu, outgoing, incoming, state=3):
    return w.context_switch(time, cpu, state, outgoing, incoming)


def trace_of(*records):
    trace = w.Trace()
    trace.magic()
    for record in records:
        trace.add(record)
    return trace.data()


def thread_of(found, koid):
    (row,) = [row for row in found["threads"] if row["thread"] == koid]
    return row


def test_after_dropped_records_nothing_is_known_until_the_next_switch():
    records = [switch(1000, 2, 0, 5), switch(5000, 2, 5, 0), switch(5000, 3, 0, 6)]
    found = stats(trace_of(*records))
    assert thread_of(found, 5)["run_ns"] == 4000 and found["drop_reports"] == 0
    found = stats(trace_of(*records, w.drop_stats(2, 7, 700, 2000, 4000)))
    assert found["drop_reports"] == 1 and found["lost_switches"] == 0
    assert thread_of(found, 5)["run_ns"] == 1000
    assert thread_of(found, 5)["unknown_ns"] == 3000
    assert found["cpus"][0] == {"cpu": 2, "busy_ns": 1000, "idle_ns": 0, "unknown_ns": 3000}
    # Whatever records are chosen.
    assert stats(trace_of(*records, w.drop_stats(2, 7, 700, 2000, 4000)), "--type",
                 "scheduling")["cpus"] == found["cpus"]


def test_a_full_buffer_makes_the_end_unknown():
    records = [switch(1000, 0, 0, 5), switch(3000, 1, 0, 6), switch(5000, 1, 6, 0)]
    found = stats(trace_of(*records))
    assert thread_of(found, 5)["run_ns"] == 4000
    found = stats(trace_of(*records, w.provider_event(0, 0)))
    assert thread_of(found, 5)["run_ns"] == 0
    assert thread_of(found, 5)["unknown_ns"] == 4000


def test_the_clock_rate_is_that_of_the_provider():
    found = stats(trace_of(w.initialization(1000), switch(1, 0, 0, 5), switch(4, 0, 5, 0)))
    assert thread_of(found, 5)["run_ns"] == 3000000


def test_records_that_say_nothing_are_counted():
    found = stats(trace_of(
        switch(1, 0, 0, 5), w.legacy_context_switch(2, 0, 3, 9, (1, 2)),
        w.scheduling(7, 0, [1, 2]), w.initialization(1), switch(2**63, 0, 5, 0)))
    assert found["unusable_records"] == 3 and found["records"] == 4


def test_switches_that_go_back_in_time_are_sorted_and_counted():
    found = stats(trace_of(switch(1, 0, 0, 5), switch(9, 0, 6, 0), switch(4, 0, 5, 6)))
    assert found["backward_switches"] == 1 and found["lost_switches"] == 0
    assert thread_of(found, 6)["run_ns"] == 5


def test_archives_are_separate_traces_and_regions_are_not():
    first = write(trace_of(switch(10, 0, 0, 5), switch(14, 0, 5, 0)), "first")
    second = write(trace_of(switch(1, 1, 0, 5), switch(3, 1, 5, 0)), "second")
    found = json.loads(run("--json", first, second))["scheduling"]
    assert thread_of(found, 5)["run_ns"] == 6 and thread_of(found, 5)["migrations"] == 0
    assert thread_of(found, 5)["blocked_ns"] == 0
    for name in ("first", "second"):
        with open(os.path.join(FOLDER.name, name), "rb") as file:
            data = file.read()
        write(data[8:], name)
    found = json.loads(run("--json", "--region", first, second))["scheduling"]
    assert thread_of(found, 5)["run_ns"] == 6 and thread_of(found, 5)["migrations"] == 1
    assert thread_of(found, 5)["blocked_ns"] == 7


def test_threads_are_chosen_after_all_records_were_used():
    schedule = fxtsched.Schedule(random.Random(6), "linux", 3, 8, 2000)
    data = schedule.trace().data()
    everything = stats(data)
    koids = [row["thread"] for row in everything["threads"]][1:3]
    found = stats(data, "--thread", ",".join(map(str, koids)))
    assert found["threads"] == [row for row in everything["threads"] if row["thread"] in koids]
    assert found["cpus"] == everything["cpus"] and found["lost_switches"] == 0
    assert stats(data, "--process", "7")["threads"] == everything["threads"]
    assert stats(data, "--process", "8")["threads"] == []
    assert stats(data, "--type", "event") is None


def test_threads_and_memory_are_bounded():
    n = 40000
    trace = w.Trace()
    trace.magic()
    for i in range(n):
        trace.add(switch(10 * i, 0, 1000 + i, 1001 + i))
        trace.add(w.thread_wakeup(10 * i + 5, 0, 1000 + i))
    found = stats(trace.data())
    assert len(found["threads"]) == 32768
    known = sum(row["run_ns"] for row in found["threads"])
    assert found["other_threads"]["run_ns"] > 0
    assert known + found["other_threads"]["run_ns"] == found["cpus"][0]["busy_ns"]
    text = run(os.path.join(FOLDER.name, "trace"))
    assert "others, beyond the first 32768" in text


MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(path):
    done = subprocess.run([sys.executable, "-c", MEASURE, sys.argv[1], "-q", "--stats", path],
                          stdout=subprocess.PIPE, check=True, timeout=patience.SECONDS)
    code, kilobytes = map(int, done.stdout.split())
    assert code == 0
    return kilobytes


def test_memory_does_not_grow_with_the_number_of_records():
    piece = b"".join(w.to_bytes(switch(2 * i + j, 0, 5 + j, 6 - j))
                     for i in range(50000) for j in (0, 1))
    magic = w.to_bytes(w.magic())
    small = peak(write(magic + piece * 4, "small"))
    large = peak(write(magic + piece * 40, "large"))
    assert large < small + 8000, (small, large)


def test_text_has_the_same_numbers():
    schedule = fxtsched.Schedule(random.Random(7), "zircon", 2, 4, 500)
    data = schedule.trace().data()
    found = stats(data)
    lines = run(os.path.join(FOLDER.name, "trace")).splitlines()
    for row in found["threads"]:
        (line,) = [line for line in lines if line.endswith(f"7/{row['thread']} {row['name']}")]
        words = line.split()
        for word, key in zip(words, ("run_ns", "wait_ns", "blocked_ns", "unknown_ns")):
            assert round(float(word) * 1e9) == row[key]
        assert [int(word) for word in words[4:7]] == [
            row["switches"], row["migrations"], row["wakeups"]]
    for row in found["cpus"]:
        total = row["busy_ns"] + row["idle_ns"]
        assert any(line.split()[:1] == [f"{total // 10**9}.{total % 10**9:09}"]
                   and line.split()[-2:] == [f"{(row['busy_ns'] * 1000 + total // 2) // total / 10}",
                                             str(row["cpu"])] for line in lines), row


if __name__ == "__main__":
    sanitized = sys.argv[2] != "none"
    for name, test in list(globals().items()):
        if name.startswith("test_") and not (sanitized and "memory_does_not_grow" in name):
            test()
            print(name)

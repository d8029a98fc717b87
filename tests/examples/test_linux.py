#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The module of examples/linux in a kernel of Debian's, booted under qemu: what it leaves
of a load, read by the tools. Argument: the tools' build directory."""
import collections
import json
import os
import re
import sys

import linux_guest
import patience
import shares
from profile_cases import FXT2FOLDED, TOOLS, main, need, run

need("nm")
FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
CPUS = 0, 1
N_SAMPLES = 2000
N_UNLOADS = 100 if patience.IS_LONG else 40

LEFT = linux_guest.boot(n_samples=N_SAMPLES, n_unloads=N_UNLOADS)

# What a region has, as fxtdump has it.
Region = collections.namedtuple("Region", "samples names drops others")


def put(name):
    with open(name, "wb") as file:
        file.write(LEFT[name])
    return name


def counts(name):
    """The lines of the module's file `counts`, by CPU."""
    found = {}
    for line in LEFT[name].decode().splitlines():
        words = line.split()
        row = dict(zip(words[::2], map(int, words[1::2])))
        found[row["cpu"]] = row
    assert sorted(found) == list(CPUS), found
    return found


def dump(session, cpu):
    """A region's records, of which fxtdump has nothing to warn."""
    output = run(FXTDUMP, "--strict", "--json", put("%s-cpu%d.bin" % (session, cpu)))
    found = Region([], [], [], [])
    for record in map(json.loads, output.splitlines()):
        if record["type"] == "large_blob":
            found.samples.append(record)
        elif record["type"] == "kernel_object":
            found.names.append(record)
        elif record.get("name") == "drop_stats":
            found.drops.append(record)
        else:
            found.others.append(record)
    return found


def fold():
    """The stacks of the load, each as a list of functions, root first, and a count."""
    output = run(FXT2FOLDED, "-q", "--ids", "never", "--cut-frames", "hide", "--inlines",
                 "off", "--kallsyms", put("kallsyms"), "--elf", put("load"),
                 put("plain-cpu0.bin"), put("plain-cpu1.bin"))
    stacks = [line.rsplit(" ", 1) for line in output.splitlines()]
    return [(stack.split(";"), int(count)) for stack, count in stacks]


def dropped(region, name):
    return sum(arg["value"] for record in region.drops for arg in record["args"]
               if arg["name"] == name)


def check_accounts(session, cpu):
    """Every tick is a sample or a drop, and every record in the ring or reported."""
    count, region = counts(session + "-counts")[cpu], dump(session, cpu)
    print("#", session, count, "drops reported:", len(region.drops))
    assert count["ticks"] == count["samples"] + count["dropped_samples"]
    assert count["no_registers"] == count["invalid_records"] == 0
    assert len(region.samples) == count["samples"] > 0
    assert len(region.names) == count["names"] > 0
    assert dropped(region, "num_records") == count["dropped_records"]
    assert dropped(region, "num_bytes") == count["dropped_bytes"]
    assert count["dropped_records"] >= count["dropped_samples"]
    assert not region.others
    times = [sample["time_ns"] for sample in region.samples]
    assert times == sorted(times)
    return count, region


def test_every_sample_is_there():
    n = 0
    for session in "plain", "again":
        for cpu in CPUS:
            count, region = check_accounts(session, cpu)
            assert count["dropped_records"] == 0 and not region.drops
            # Where the kernel's unwinder gave up.
            assert count["leaf_only"] <= 0.01 * count["samples"] + 1
            n += count["samples"] if session == "plain" else 0
    assert n >= N_SAMPLES
    assert LEFT["running"] == b"0\n"


def test_commands_of_the_page():
    """Those that linux_guest.py has taken from the example's README."""
    for cpu in CPUS:
        count, region = check_accounts("page", cpu)
        assert count["samples"] >= 20 and not region.drops
        with open("cpu%d.bin" % cpu, "wb") as file:
            file.write(LEFT["page-cpu%d.bin" % cpu])
    put("kallsyms")
    program, *arguments = linux_guest.FOLD.replace("/proc/kallsyms", "kallsyms").split()
    assert program == "fxt2folded"
    run(FXT2FOLDED, *arguments)
    with open("profile.svg", encoding="utf-8") as file:
        assert "do_syscall_64" in file.read()


def test_every_drop_is_accounted_for_under_overload():
    n_reports = 0
    for session in "overload", "pieces":
        for cpu in CPUS:
            count, region = check_accounts(session, cpu)
            n_reports += len(region.drops)
    # One at the end of each, and some between two reads.
    assert n_reports >= 8
    assert sum(row["dropped_samples"] for row in counts("overload-counts").values()) >= 500


def test_a_session_has_nothing_of_the_one_before():
    for cpu in CPUS:
        first, second = dump("plain", cpu).samples, dump("again", cpu).samples
        assert first[-1]["time_ns"] < second[0]["time_ns"]


def test_stacks_have_the_kernel_and_the_program():
    """From the function of the kernel that works to those of the program that called it."""
    stacks = fold()
    n_draws, n_whole, n_named, n_frames = 0, 0, 0, 0
    for stack, count in stacks:
        n_frames += count * len(stack)
        n_named += count * sum(not re.match("0x|\\[", name) for name in stack)
        # Nothing of the sampler, nor of the interrupt that it is called by.
        assert not {"sampler_tick", "stack_trace_save", "take_kernel"} & set(stack), stack
        if "__x64_sys_getrandom" not in stack:
            continue
        at = stack.index("__x64_sys_getrandom")
        n_draws += count
        n_whole += count * (
            stack[0] == "load" and stack[at - 1] == "do_syscall_64" and
            stack[at - 6:at - 2] in (["work_on", "work", "draw_long", "draw"],
                                     ["work_on", "work", "draw_short", "draw"]) and
            stack[at + 1:at + 2] in ([], ["get_random_bytes_user"]))
    print("# %d of %d stacks in getrandom are whole; %d of %d frames have names" % (
        n_whole, n_draws, n_named, n_frames))
    assert n_draws >= 0.1 * N_SAMPLES
    # The others were interrupted between two frames of the program's, or by a fault.
    assert n_whole >= 0.97 * n_draws
    # busybox has no symbols.
    assert n_named >= 0.9 * n_frames


def test_shares_are_those_of_the_work():
    """In the program, and in the kernel by who in the program has called it."""
    stacks = fold()
    for long, short in ("spin_long", "spin_short"), ("draw_long", "draw_short"):
        n = [sum(count for stack, count in stacks if name in stack) for name in (long, short)]
        share = n[0] / sum(n)
        print("# %s %.3f of %d, expected 0.667" % (long, share, sum(n)))
        assert sum(n) >= 0.1 * N_SAMPLES
        assert abs(share - 2 / 3) < shares.allowed(2 / 3, sum(n))


def test_threads_have_names():
    """In each region, before the first sample of the thread."""
    for cpu in CPUS:
        region, first = dump("plain", cpu), {}
        for name in region.names:
            first.setdefault((name["object_type"], name["koid"]), name["offset"])
        for sample in region.samples:
            for kind in "process", "thread":
                assert first[kind, sample[kind]] < sample["offset"]
        assert "load" in [name["name"] for name in region.names]


def test_a_cpu_that_is_offline_takes_no_samples():
    before, after = counts("offline-before"), counts("offline-after")
    assert after[1] == before[1]
    assert after[0]["samples"] >= before[0]["samples"] + 20


def test_it_is_unloaded_under_load():
    """Each time without an oops, which would have ended the guest."""
    n, _ = LEFT["unloads"].split()
    assert int(n) == N_UNLOADS
    log = LEFT["dmesg"].decode(errors="replace")
    for fault in "Oops", "BUG:", "general protection":
        assert fault not in log, log[-4000:]
    # Others may have to warn of a machine that is slow.
    for warning in log.split("WARNING:")[1:]:
        assert "[fxtsampler]" not in warning[:6000], warning[:6000]


def test_wrong_parameters_are_refused():
    assert "accepted" not in LEFT
    assert b"fxtsampler: period_us is 10 to 1000000" in LEFT["dmesg"]


main(sys.modules[__name__])

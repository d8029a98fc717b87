#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kernels of examples/kernel, booted under qemu: what their samplers leave in their
memory, read by the tools. Arguments: the tools' build directory, a machine, and a compiler
if it is not GCC."""
import math
import os
import re
import shutil
import sys
import tempfile

import kernel_stacks
from kernel_guest import (FULL, OF_USER, PROBE, REGIONS, RINGS, TICK, USER, WATCHDOG, boot,
                          build)
from profile_cases import FXT2PPROF, main, run

MACHINE = sys.argv[2]
COMPILER = sys.argv[3] if len(sys.argv) > 3 else None

# As work.h has them, for each CPU.
SHARES = [{"parse": 0.6, "fold": 0.3, "link": 0.1}, {"parse": 0.2, "fold": 0.1, "link": 0.7}]
CALLERS_OF_PROBE = ["work_round", "compile", "optimise"]
ROOTS = ["kernel_main", "kernel_secondary"]
TICK_SECONDS = 300e-6
# The largest record: what it cannot have left free of a region that got full.
RECORD_BYTES = 70 * 8

WORK = tempfile.TemporaryDirectory()
ELF = os.path.join(WORK.name, "kernel.elf")
build(MACHINE, COMPILER, ELF)
GUEST = boot(MACHINE, ELF)


def count_with(stacks, *functions):
    return sum(count for stack, count in stacks if set(functions) <= set(stack))


# ---- Stacks --------------------------------------------------------------------------


def check_interrupted(guest, key):
    stacks = guest.fold(key)
    assert sum(count for _, count in stacks) > 30, key
    for stack, _ in stacks:
        kernel_stacks.check(MACHINE, stack, key[2] == WATCHDOG)
        assert stack[0] == ROOTS[key[1]], stack


def test_every_stack_is_whole_and_nothing_else():
    for key in GUEST.keys(source=TICK) + GUEST.keys(source=WATCHDOG):
        check_interrupted(GUEST, key)


def test_the_interrupted_function_is_there():
    """It is nearly always the same, and stands last, or in front of the tick's entry."""
    for key in GUEST.keys(source=TICK) + GUEST.keys(source=WATCHDOG):
        found = [(kernel_stacks.interrupted(MACHINE, stack), count)
                 for stack, count in GUEST.fold(key) if "work_round" in stack]
        n_leaf = sum(count for function, count in found if function == "spin")
        assert n_leaf > 0.6 * sum(count for _, count in found), (key, found)


def test_the_first_pc_is_an_instruction():
    for key in GUEST.keys():
        for sample in GUEST.dump(key).samples:
            assert int(sample["pcs"][0], 16) % kernel_stacks.ALIGNMENT[MACHINE] == 0, sample


def check_probed(guest, key):
    for stack, _ in guest.fold(key):
        kernel_stacks.check(MACHINE, stack, False)
        assert stack[0] == ROOTS[key[1]] and stack[-3:] == CALLERS_OF_PROBE, stack


def test_a_probe_begins_at_its_caller():
    for key in GUEST.keys(source=PROBE):
        check_probed(GUEST, key)


def test_the_watchdog_finds_the_tick_at_work():
    for cpu in range(len(ROOTS)):
        stacks = GUEST.fold(*GUEST.keys(cpu=cpu, source=WATCHDOG))
        # On the tick's stack, with the thread that it has interrupted below.
        assert count_with(stacks, "kernel_tick", "run_timers", "work_round") > 20, stacks
        assert count_with(stacks, "spin") > count_with(stacks, "run_timers", "spin") > 0


def test_shares_are_those_of_the_work():
    for cpu, shares in enumerate(SHARES):
        for source in TICK, WATCHDOG:
            stacks = GUEST.fold(*GUEST.keys(cpu=cpu, source=source))
            n = sum(count_with(stacks, function) for function in shares)
            assert n > 400, n
            for function, share in shares.items():
                got = count_with(stacks, function) / n
                allowed = 4 * math.sqrt(share * (1 - share) / n) + 0.03
                print("# cpu%d source %d: %s %.3f of %d, expected %.3f" % (
                    cpu, source, function, got, n, share))
                assert abs(got - share) < allowed


def test_go_reads_the_profile():
    if shutil.which("go") is None:
        return
    keys = GUEST.keys(session=REGIONS, source=TICK)
    names = [GUEST.write(key) for key in keys]
    run(FXT2PPROF, "-q", "-o", "profile", "--inlines", "off", "--elf", ELF,
        *GUEST.options(), *names)
    top = run("go", "tool", "pprof", "-sample_index=samples", "-top", "-nodecount=1000",
              "-nodefraction=0", "profile")
    stacks = GUEST.fold(*keys)
    for function in "parse", "fold", "link", "spin":
        row = re.search(r"^ *\d+ +\S+ +\S+ +(\d+) +\S+ +%s$" % function, top, re.M)
        assert row and int(row.group(1)) == count_with(stacks, function), (function, top)


# ---- Records -------------------------------------------------------------------------


def test_every_sample_says_its_thread_and_time():
    for key in GUEST.keys():
        samples = GUEST.dump(key).samples
        for sample in samples:
            assert (sample["process"], sample["thread"]) == (1, 100 + key[1]), sample
        times = [sample["time_ns"] for sample in samples]
        assert times == sorted(times)
        if key[2] == TICK and key[0] != RINGS:
            period = (times[-1] - times[0]) / (len(times) - 1) / 1e9
            assert TICK_SECONDS < period < 2.5 * TICK_SECONDS, period


def test_a_large_region_has_all_samples():
    for key in GUEST.keys(session=REGIONS):
        source, found = GUEST.sources[key][0], GUEST.dump(key)
        assert len(found.samples) == source.n_taken > 50
        assert source.n_dropped == source.n_invalid == 0
        assert [other["type"] for other in found.others] == ["kernel_object"]


def check_counts(guest, key):
    """What a region has no room for is counted; of a ring, its records say it."""
    source, found = guest.sources[key][0], guest.dump(key)
    assert len(found.samples) + source.n_dropped == source.n_taken
    dropped = sum(arg["value"] for record in found.drops for arg in record["args"]
                  if arg["name"] == "num_records")
    assert dropped == (source.n_dropped if key[0] == RINGS else 0), dropped


def test_a_full_region_has_the_first_samples():
    for key in GUEST.keys(session=FULL):
        check_counts(GUEST, key)
        source = GUEST.sources[key][0]
        last = GUEST.dump(key).samples[-1]
        assert source.n_dropped > 0
        assert 0 < source.size - last["offset"] - last["size"] <= RECORD_BYTES


def test_a_ring_says_what_it_has_not():
    for key in GUEST.keys(session=RINGS):
        check_counts(GUEST, key)
        assert GUEST.sources[key][0].n_dropped > 0, key


def test_nothing_comes_between_sessions():
    last = 0
    for session in REGIONS, FULL, RINGS:
        times = [sample["time_ns"] for key in GUEST.keys(session)
                 for sample in GUEST.dump(key).samples]
        assert min(times) > last
        last = max(times)


# ---- User mode -----------------------------------------------------------------------

# As user.h has it: whole stacks, and those that end at a frame pointer that leads nowhere.
USER_STACKS = [["user_main"], ["user_main", "user_parse"],
               ["user_main", "user_parse", "user_spin"], ["user_main", "user_plan"],
               ["user_main", "user_plan", "user_search"],
               ["user_main", "user_plan", "user_search", "user_spin"],
               ["user_main", "user_lost"]]
LOST = ["[cut: unreadable stack]", "user_lost"]
OUTERMOST, UNREADABLE = 1, 4


def check_user(guest, key):
    stacks = guest.fold(key)
    n = sum(count for _, count in stacks)
    for stack, _ in stacks:
        assert stack in USER_STACKS or stack == LOST, stack
    n_lost = sum(count for stack, count in stacks if stack == LOST)
    ends = [sample_end(sample) for sample in guest.dump(key).samples]
    assert ends.count(UNREADABLE) == n_lost > 0, (n_lost, ends)
    assert ends.count(OUTERMOST) == n - n_lost, ends
    return stacks, n


def sample_end(sample):
    return next(arg["value"] for arg in sample["args"] if arg["name"] == "end")


def test_user_mode_is_sampled_on_the_way_back_to_it():
    keys = GUEST.keys(session=OF_USER)
    assert len(keys) == len(ROOTS), keys
    for key in keys:
        assert key[2] == USER
        source, found = GUEST.sources[key][0], GUEST.dump(key)
        assert len(found.samples) == source.n_taken >= 400 and source.n_dropped == 0
        for sample in found.samples:
            assert (sample["process"], sample["thread"]) == (2, 200 + key[1]), sample
        stacks, n = check_user(GUEST, key)
        leaves = count_with(stacks, "user_spin")
        assert leaves > 0.5 * n, stacks
        share = count_with(stacks, "user_parse", "user_spin") / leaves
        assert abs(share - 4 / 7) < 4 * math.sqrt(4 / 7 * 3 / 7 / leaves) + 0.03, share


# ---- Other runs ----------------------------------------------------------------------


def test_another_run_leaves_the_same_bytes():
    again = boot(MACHINE, ELF)
    assert again.sources == GUEST.sources


def test_any_speed_will_do():
    """The fewer instructions there are between interrupts, the more of them come at odd
    moments: in the tick's first and last instructions."""
    for shift in 3, 4:
        guest = boot(MACHINE, ELF, shift=shift)
        for key in guest.keys():
            check_counts(guest, key)
            if key[2] != PROBE:
                check_interrupted(guest, key)
        for key in guest.keys(session=OF_USER):
            check_user(guest, key)


def test_cpus_that_run_at_once_do_as_well():
    guest = boot(MACHINE, ELF, parallel=True)
    for key in guest.keys():
        check_counts(guest, key)
        if key[2] == PROBE:
            check_probed(guest, key)
        else:
            check_interrupted(guest, key)
    for key in guest.keys(session=OF_USER):
        check_user(guest, key)


main(sys.modules[__name__])

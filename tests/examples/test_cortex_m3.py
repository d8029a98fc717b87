#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The firmware of examples/cortex-m3 under qemu, whose ring gdb drains by drain.py. Argument:
the tools' build directory."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import patience
from profile_cases import FXT2FOLDED, TOOLS, main, need, run

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "cortex-m3")
FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")

# As main.c has them.
SHARES = {"parse": 0.6, "fold": 0.3, "link": 0.1}
CALLS = {"main": ["work"], "work": ["parse", "optimise", "link"], "optimise": ["fold"],
         "parse": ["spin"], "fold": ["spin"], "link": ["spin"]}

WORK = tempfile.TemporaryDirectory()
ELF = os.path.join(WORK.name, "firmware.elf")


def build():
    need("gdb-multiarch", "qemu-system-arm")
    done = subprocess.run([os.path.join(EXAMPLE, "build.sh"), ELF], check=False,
                          stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(done.returncode)


def record(name, condition=""):
    """The example's own script, which drains the ring where `condition` holds. Returns how
    many samples were taken, and the file."""
    directory = os.path.join(WORK.name, name)
    shutil.copytree(EXAMPLE, directory)
    shutil.copy(ELF, directory)
    script = os.path.join(directory, "record.gdb")
    with open(script, encoding="utf-8") as file:
        text = file.read()
    with open(script, "w", encoding="utf-8") as file:
        file.write("set $calls = 0\n" + text.replace(
            "break sampler_ring_half_full", "break sampler_ring_half_full " + condition))
    done = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", "record.gdb", "firmware.elf"],
                          check=False, cwd=directory, timeout=patience.SECONDS,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    taken = re.search(r"(\d+) samples were taken", done.stdout)
    assert taken and done.returncode == 0, done.stdout
    return int(taken.group(1)), os.path.join(directory, "samples.bin")


def dump(path):
    output = run(FXTDUMP, "--strict", "--json", path)
    records = [json.loads(line) for line in output.splitlines()]
    samples = [record for record in records if record["type"] == "large_blob"]
    drops = [record for record in records if record.get("name") == "drop_stats"]
    return samples, drops


def n_dropped(drops):
    return sum(arg["value"] for drop in drops for arg in drop["args"]
               if arg["name"] == "num_records")


build()


def test_a_debugger_gets_every_sample_with_its_stack():
    n_taken, path = record("drained")
    samples, drops = dump(path)
    assert n_taken == len(samples) >= 1000 and not drops
    times = [sample["time_ns"] for sample in samples]
    assert times == sorted(times)

    output = run(FXT2FOLDED, "-q", "--inlines", "off", "--roots", "none", "--elf", ELF, path)
    stacks = [line.rsplit(" ", 1) for line in output.splitlines()]
    stacks = [(stack.split(";"), int(count)) for stack, count in stacks]
    assert sum(count for _, count in stacks) == n_taken
    n_linked = 0
    for stack, count in stacks:
        assert stack[0] == "main", stack
        n_linked += count * all(callee in CALLS[caller]
                                for caller, callee in zip(stack, stack[1:]))
    # The others were interrupted while they made or removed their frame record.
    assert n_linked >= 0.9 * n_taken, stacks
    for name, share in SHARES.items():
        got = sum(count for stack, count in stacks if name in stack) / n_taken
        allowed = 4 * math.sqrt(share * (1 - share) / n_taken) + 0.05
        print("# %s %.3f, expected %.3f" % (name, got, share))
        assert abs(got - share) < allowed


def test_a_debugger_that_is_late_loses_what_is_counted():
    n_taken, path = record("late", 'if $calls++ % 100 == 99 || $_caller_is("sampler_stop")')
    samples, drops = dump(path)
    print("# %d taken, %d written, %d reported as dropped"
          % (n_taken, len(samples), n_dropped(drops)))
    assert drops and 0 < len(samples) < n_taken
    assert len(samples) + n_dropped(drops) == n_taken


def test_a_ring_that_is_none_is_refused():
    done = subprocess.run(
        ["gdb-multiarch", "-nx", "-batch", "-ex", "source " + os.path.join(EXAMPLE, "drain.py"),
         "-ex", "fxt-drain"], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    assert "fxt-drain RING FILE" in done.stdout, done.stdout
    script = ("source %s\ntarget remote | exec qemu-system-arm -M lm3s6965evb -nographic "
              "-monitor none -serial null -S -gdb stdio -kernel %s\n"
              "set *(unsigned *)&sampler_ring = 0xffffffff\n"
              "python\n"
              "try:\n"
              "    gdb.execute('fxt-drain sampler_ring never.bin')\n"
              "except gdb.error as error:\n"
              "    print(error)\n"
              "end\n"
              "kill\n" % (os.path.join(EXAMPLE, "drain.py"), ELF))
    path = os.path.join(WORK.name, "refused.gdb")
    with open(path, "w", encoding="utf-8") as file:
        file.write("set confirm off\n" + script)
    done = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", path, ELF], check=False,
                          cwd=WORK.name, timeout=patience.SECONDS, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert "this is no ring: head 4294967295" in done.stdout, done.stdout
    assert not os.path.exists(os.path.join(WORK.name, "never.bin"))


main(sys.modules[__name__])

# SPDX-License-Identifier: BSD-2-Clause
"""The stacks of stopped programs of this machine, none of which has frame pointers, against
gdb's.

    test_gdb.py PRINT_STACK [ROUNDS]

Programs are stopped wherever they happen to be. Stacks must be equal, up to the outermost
frame. gdb also shows functions that are no longer on the stack because they ended with a
jump to another one, as debug information tells; these do not count.
"""

import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import time

PROGRAMS = {
    "python3": ["python3", "-c",
                "import json\nwhile True: json.loads(json.dumps({str(n): [n] * 3 for n in range(99)}))"],
    "perl": ["perl", "-e", "while (1) { my %h = map { $_ => $_ x 3 } 1..99; join ',', sort keys %h }"],
    "xz": ["sh", "-c", "exec xz -9 -c </dev/zero >/dev/null"],
    "sort": ["sh", "-c", "seq 1 9999999 | exec sort -R >/dev/null"],
    "gzip": ["sh", "-c", "exec gzip -c </dev/urandom >/dev/null"],
    "bash": ["bash", "-c", "f() { local x=$1; ((x > 0)) && f $((x - 1)); }; while true; do f 20; done"],
    "sqlite3": ["sqlite3", ":memory:",
                "with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c a, c b"],
}

GDB = r"""
python
frame = gdb.newest_frame()
while frame is not None:
    if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
        print("pc %x" % frame.pc())
    why = frame.unwind_stop_reason()
    frame = frame.older()
print("why", gdb.frame_stop_reason_string(why))
end
"""


def stack_of_gdb(pid, script):
    printed = subprocess.run(
        ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set backtrace past-main on",
         "-ex", "set backtrace past-entry on", "-x", script],
        capture_output=True, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "DEBUGINFOD_URLS": ""}).stdout.decode("utf-8", "replace")
    pcs = [int(line.split()[1], 16) for line in printed.splitlines() if line.startswith("pc ")]
    why = [line[4:] for line in printed.splitlines() if line.startswith("why ")]
    return pcs, why[0] if why else printed


def stack_of_ours(print_stack, pid):
    printed = subprocess.run([print_stack, str(pid)], capture_output=True, check=False)
    if printed.returncode != 0:
        print(printed.stderr.decode())
        return None, None
    *pcs, end = printed.stdout.decode().splitlines()
    return [int(pc, 16) for pc in pcs], int(end.split()[1])


def is_stopped(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()[0] in "Tt"


def compare(print_stack, name, process, script, seed):
    """Whether the two are equal; None if it could not be tried."""
    random.seed(seed)
    os.kill(process.pid, signal.SIGCONT)
    time.sleep(0.05 + random.random() / 5)
    os.kill(process.pid, signal.SIGSTOP)
    while not is_stopped(process.pid):
        time.sleep(0.01)
    ours, end = stack_of_ours(print_stack, process.pid)
    theirs, why = stack_of_gdb(process.pid, script)
    if ours is None or not theirs:
        print(f"{name}: no stack: {why}")
        return None
    if ours == theirs and end == 0:
        return len(ours)
    print(f"{name}: end {end}, gdb: {why}")
    print("  ours  ", " ".join(f"{pc:x}" for pc in ours))
    print("  theirs", " ".join(f"{pc:x}" for pc in theirs))
    return False


def main():
    print_stack = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    if platform.machine() != "x86_64" or not shutil.which("gdb"):
        sys.exit(77)
    script = f"/tmp/unwind-gdb-{os.getpid()}"
    with open(script, "w", encoding="utf-8") as file:
        file.write(GDB)
    results = []
    for name, command in PROGRAMS.items():
        if not shutil.which(name):
            continue
        # Its own session, so that the pipes' other ends go, too.
        process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            results += [compare(print_stack, name, process, script, seed)
                        for seed in range(rounds)]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    os.unlink(script)
    tried = [result for result in results if result is not None]
    equal = [result for result in tried if result is not False]
    print(f"{len(equal)} of {len(tried)} stacks are equal to gdb's, {sum(equal)} frames")
    if not tried:
        sys.exit(77)
    sys.exit(0 if len(equal) == len(tried) else 1)


if __name__ == "__main__":
    main()

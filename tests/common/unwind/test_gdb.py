# SPDX-License-Identifier: BSD-2-Clause
"""The stacks of stopped programs of this machine, none of which has frame pointers, against
gdb's and eu-stack's.

    test_gdb.py PRINT_STACK STOPPED [ROUNDS]

Programs are stopped wherever they happen to be; STOPPED has threads in system calls, in
stubs and in signal handlers. The stacks of all threads must be equal, up to the outermost
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
    "xz": ["sh", "-c", "exec xz -T2 -9 -c </dev/zero >/dev/null"],
    "sort": ["sh", "-c", "seq 1 9999999 | exec sort -R >/dev/null"],
    "gzip": ["sh", "-c", "exec gzip -c </dev/urandom >/dev/null"],
    "bash": ["bash", "-c", "f() { local x=$1; ((x > 0)) && f $((x - 1)); }; while true; do f 20; done"],
    "sqlite3": ["sqlite3", ":memory:",
                "with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c a, c b"],
    "threads": ["STOPPED"],
    "openssl": ["openssl", "speed", "-seconds", "99", "sha256"],
    "awk": ["awk", "BEGIN { while (1) { gsub(/a+/, \"b\", x); x = x \"aaaa\" n++ % 7 } }"],
    "find": ["sh", "-c", "while true; do find /usr/lib; done"],
    "dd": ["dd", "if=/dev/urandom", "of=/dev/null", "bs=1M"],
    "sleep": ["sleep", "1000"],
    "md5sum": ["sh", "-c", "exec md5sum </dev/zero"],
}

GDB = r"""
python
for thread in gdb.selected_inferior().threads():
    thread.switch()
    print("thread", thread.ptid[1])
    frame = gdb.newest_frame()
    while frame is not None:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            print("pc %x" % frame.pc())
        why = frame.unwind_stop_reason()
        frame = frame.older()
    print("why", gdb.frame_stop_reason_string(why))
end
"""


def run(*command):
    return subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "DEBUGINFOD_URLS": ""}
                          ).stdout.decode("utf-8", "replace")


def stacks_of_gdb(pid, script):
    """By thread: PCs, and why there are no more."""
    stacks = {}
    for line in run("gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set backtrace past-main on",
                    "-ex", "set backtrace past-entry on", "-x", script).splitlines():
        if line.startswith("thread "):
            pcs, why = [], []
            stacks[int(line.split()[1])] = pcs, why
        elif line.startswith("pc "):
            pcs.append(int(line.split()[1], 16))
        elif line.startswith("why "):
            why.append(line[4:])
    return stacks


def stacks_of_eu_stack(pid):
    stacks = {}
    for line in run("eu-stack", "-q", "-n", "0", "-p", str(pid)).splitlines():
        if line.startswith("TID "):
            pcs, why = [], []
            stacks[int(line.split()[1].rstrip(":"))] = pcs, why
        elif line.startswith("#"):
            pcs.append(int(line.split()[1], 16))
    return stacks


def stack_of_ours(print_stack, tid):
    printed = subprocess.run([print_stack, str(tid)], capture_output=True, check=False)
    assert printed.returncode == 0, printed.stderr.decode()
    *pcs, end = printed.stdout.decode().splitlines()
    return [int(pc, 16) for pc in pcs], int(end.split()[1])


def is_stopped(tid):
    with open(f"/proc/{tid}/stat", encoding="utf-8", errors="replace") as file:
        state = file.read().rsplit(")", 1)[1].split()[0]
    assert state not in "ZX", f"{tid} has ended"
    return state in "Tt"


def compare(name, tid, ours, others):
    """How many frames each of the others has, and whether all are equal."""
    pcs, end = ours
    sizes = {}
    for tool, (theirs, why) in others.items():
        if pcs == theirs and end == 0:
            sizes[tool] = len(pcs)
            continue
        print(f"{name}, thread {tid}: end {end}, {tool}: {' '.join(why)}")
        print("  ours  ", " ".join(f"{pc:x}" for pc in pcs))
        print("  theirs", " ".join(f"{pc:x}" for pc in theirs))
        sizes[tool] = None
    return sizes


def stop_and_compare(print_stack, name, pid, script, seed):
    random.seed(seed)
    os.kill(pid, signal.SIGCONT)
    time.sleep(0.05 + random.random() / 5)
    os.kill(pid, signal.SIGSTOP)
    while not all(is_stopped(tid) for tid in os.listdir(f"/proc/{pid}/task")):
        time.sleep(0.01)
    ours = {int(tid): stack_of_ours(print_stack, tid) for tid in os.listdir(f"/proc/{pid}/task")}
    others = {"gdb": stacks_of_gdb(pid, script)} if shutil.which("gdb") else {}
    if shutil.which("eu-stack"):
        others["eu-stack"] = stacks_of_eu_stack(pid)
    for tool, stacks in others.items():
        if not stacks:
            print(f"{name}: {tool} has no stack")
    return [compare(name, tid, stack,
                    {tool: stacks[tid] for tool, stacks in others.items() if tid in stacks})
            for tid, stack in ours.items()]


def main():
    print_stack, stopped = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    if platform.machine() != "x86_64" or not (shutil.which("gdb") or shutil.which("eu-stack")):
        sys.exit(77)
    PROGRAMS["threads"] = [stopped]
    script = f"/tmp/unwind-gdb-{os.getpid()}"
    with open(script, "w", encoding="utf-8") as file:
        file.write(GDB)
    results = []
    for name, command in PROGRAMS.items():
        if name != "threads" and not shutil.which(name):
            continue
        # Its own session, so that the pipes' other ends go, too.
        process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            for seed in range(rounds):
                results += stop_and_compare(print_stack, name, process.pid, script, seed)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    os.unlink(script)
    n_bad = 0
    for tool in "gdb", "eu-stack":
        sizes = [result[tool] for result in results if tool in result]
        equal = [size for size in sizes if size is not None]
        n_bad += len(sizes) - len(equal)
        print(f"{len(equal)} of {len(sizes)} stacks are equal to {tool}'s, {sum(equal)} frames")
    sys.exit(1 if n_bad or not any(results) else 0)


if __name__ == "__main__":
    main()

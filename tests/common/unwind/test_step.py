# SPDX-License-Identifier: BSD-2-Clause
"""The stack after every single instruction of programs, against what calls have pushed.

    test_step.py STEP STEPPED.CPP

Programs: all of a program's life, from the dynamic linker's first instruction to the last;
and stepped.cpp as different compilers and options make it. No stack may be wrong; few may
be cut, which are those inside longjmp, where no stack is whole.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

CUT_MAX = 12
SUMMARY = re.compile(r"(\d+) instructions, (\d+) wrong, (\d+) cut, (\d+) being replaced, "
                     r"\d+ with guesses, (\d+) signals, (\d+) deep")

WAYS = [
    ["g++", "-O2", "-Wl,-z,lazy"],
    ["g++", "-O0", "-Wl,-z,lazy"],
    ["g++", "-O1", "-mstackrealign", "-fcf-protection=full", "-Wl,-z,lazy"],
    ["g++", "-O2", "-static", "-DNO_EXCEPTIONS"],
    ["clang++", "-O2", "-Wl,-z,lazy"],
]


def step(program, *options):
    tracer = sys.argv[1]
    result = subprocess.run([tracer, *options, program], capture_output=True, check=False)
    printed = result.stdout.decode()
    summary = SUMMARY.search(printed)
    if "ptrace" in result.stderr.decode() or not summary:
        print(printed, result.stderr.decode())
        if os.environ.get("CI") or "ermission" not in result.stderr.decode():
            sys.exit(1)
        sys.exit(77)
    print(summary.group(0))
    instructions, wrong, cut, _, signals, _ = map(int, summary.groups())
    if result.returncode != 0 or wrong > 0 or cut > CUT_MAX:
        print(printed)
        sys.exit(1)
    return instructions, signals


def main():
    if platform.machine() != "x86_64":
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        source = os.path.join(folder, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }\n")
        subprocess.run(["cc", "-O2", "-Wl,-z,lazy", "-o", program, source], check=True)
        instructions, _ = step(program, "-a")
        assert instructions > 10000, instructions
        for way in WAYS:
            if not shutil.which(way[0]):
                continue
            print(" ".join(way))
            subprocess.run([*way, "-o", program, sys.argv[2]], check=True)
            instructions, signals = step(program)
            assert instructions > 1000 and signals == 3, (instructions, signals)


if __name__ == "__main__":
    main()

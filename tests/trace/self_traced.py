# SPDX-License-Identifier: BSD-2-Clause
"""What tests of fxt/trace.h share: building programs with it, running them, and reading what
they have traced. Their arguments begin with TOOLS and INCLUDE."""
import collections
import json
import os
import subprocess
import sys

import profile_cases as cases
import patience

INCLUDE = os.path.abspath(sys.argv[2])
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def build(name, source, *options, compiler="cc", implementation=True):
    """Builds a program that has the implementation in it, or links the library."""
    suffix = ".cpp" if compiler in ("c++", "g++", "clang++") else ".c"
    with open(name + suffix, "w", encoding="utf-8") as file:
        file.write(("#define FXT_TRACE_IMPLEMENTATION\n" if implementation else "") + source)
    cases.run(compiler, "-O2", *WARNINGS, "-D_GNU_SOURCE", "-I", INCLUDE, "-o", name,
              name + suffix, "-pthread", *options)
    return "./" + name


def environment(path="t.fxt", **more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FXT_TRACE")}
    return {**kept, **({"FXT_TRACE_FILE": path} if path else {}), **more}


def trace(program, *arguments, path="t.fxt", status=0, **more):
    done = subprocess.run([program, *arguments], env=environment(path, **more),
                          capture_output=True, check=False, timeout=patience.SECONDS)
    assert done.returncode == status, (done.returncode, done.stderr)
    assert done.stderr == b"", done.stderr
    return done.stdout.decode()


def records(path="t.fxt"):
    """All records of a file in which nothing is wrong."""
    return [json.loads(line) for line in
            cases.run(cases.FXTDUMP, "--json", path).splitlines()]


def events(path="t.fxt", category=None):
    return [x for x in records(path) if x["type"] == "event" and x["category"] != "fxtrecord"
            and (category is None or x["category"] == category)]


def dropped(path="t.fxt"):
    return sum(a["value"] for x in events(path, "kernel:meta") for a in x["args"]
               if a["name"] == "num_records")


def names_of(found):
    return collections.Counter((x["event"], x["name"]) for x in found)

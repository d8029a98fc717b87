#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""examples/traced_pool.cpp: its trace has each task, from where it was submitted to its end,
also by an exception, and nothing is wrong with it.

Usage: test_traced_pool.py TOOLS INCLUDE SOURCE"""
import json
import os
import subprocess
import sys

sys.argv[1:] = [os.path.abspath(x) for x in sys.argv[1:]]
import profile_cases as cases  # pylint: disable=wrong-import-position
from self_traced import INCLUDE, WARNINGS, environment, records  # pylint: disable=wrong-import-position

SOURCE = sys.argv[3]
N = 200


def test_all_tasks_are_traced():
    cases.need("c++")
    cases.run("c++", "-std=c++17", "-O2", *WARNINGS, "-D_GNU_SOURCE", "-DFXT_TRACE_IMPLEMENTATION",
              "-I", INCLUDE, "-o", "pool", SOURCE, "-pthread")
    names = [f"{i}.txt" for i in range(N)]
    for i, name in enumerate(names):
        with open(name, "w", encoding="ascii") as file:
            file.write("word\n" * i)
    done = subprocess.run(["./pool", *names, "missing"], env=environment(), check=False,
                          capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == "missing: cannot be read\n", done
    assert done.stdout == "".join(f"{i} {name}\n" for i, name in enumerate(names))
    found = json.loads(cases.run(cases.FXTREPORT, "--json", "t.fxt"))
    counts = {x["name"]: x["count"] for x in found["spans"]}
    assert counts == {"submit": N + 1, "run": N + 1, "file": N + 1, "read": N + 1, "count": N,
                      "wait": N + 1}, counts
    assert all(x["unfinished"] == 0 for x in found["spans"] + found["async"])
    assert [(x["name"], x["count"]) for x in found["async"]] == [("task", N + 1)]
    assert [(x["name"], x["count"]) for x in found["flows"]] == [("to thread", N + 1)]
    assert [(x["name"], x["count"]) for x in found["instants"]] == [("failed", 1)]
    assert [(x["series"], x["last"]) for x in found["counters"]] == [("waiting", 0)]
    threads = {x["name"] for x in records() if x.get("object_type") == "thread"}
    assert threads == {"main", "pool"}, threads
    cases.run(os.path.join(cases.TOOLS, "fxtlint", "fxtlint"), "-q", "t.fxt")


if __name__ == "__main__":
    cases.main(sys.modules[__name__])

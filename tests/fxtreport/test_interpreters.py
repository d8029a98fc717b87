#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is said of languages whose functions have no names: which it is, and how to start it.
Of real programs, and of recordings by hand of what this machine does not have. Arguments: the
tools' build directory; and, where there is a recorder, that and a program."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import fxtwrite
from profile_cases import FXTDUMP, FXTREPORT, main, run, write

RECORDER = [os.path.abspath(path) for path in sys.argv[2:3]]
PERF = "-X perf, or with PYTHONPERFSUPPORT=1 in the environment"
NODE = "--perf-basic-prof --interpreted-frames-native-stack"
JAVA = "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"
NOWHERE = 0x7f0000001000


def missing(name):
    """The section of that name, as one line."""
    text = run(FXTREPORT, "--rows", "1", name)
    return re.sub(r"\s+", " ", text.partition("What is missing\n")[2].partition("\n\n")[0])


def sampled(module, n=50, other=50, names=(), is_in_file=True):
    """A recording with `n` stacks of a program or library, and others."""
    trace = fxtwrite.archive()
    trace.module(1, 1, module, b"\x12\x34")
    trace.module(1, 2, b"/usr/bin/other", b"\x56\x78")
    trace.mapping(1, 1, 0x10000, 0x1000, 0)
    trace.mapping(1, 2, 0x20000, 0x1000, 0)
    for i in range(n):
        trace.backtrace(1000 + i, 1, 1, *([] if is_in_file else [NOWHERE]), 0x10100, 0x10200)
    for i in range(other):
        trace.backtrace(2000 + i, 1, 1, 0x20100)
    if names:
        trace.functions(1, [(NOWHERE, 0x100, 0, name) for name in names])
    return write("a.fxt", trace)


def test_python_by_its_version():
    where = "50.0% of stacks are of Python"
    without = " without the functions of its program: "
    cannot = "it cannot name them; version 3.12 and later can, started as python3.12 " + PERF
    for module, what in ((b"/usr/bin/python3.11", " 3.11 WITHOUT" + cannot),
                         (b"/usr/bin/python2.7", " 2.7 WITHOUT" + cannot),
                         (b"/usr/bin/python3.11d", " 3.11 WITHOUT" + cannot),
                         (b"libpython3.9.so.1.0", " 3.9 WITHOUT" + cannot),
                         (b"/usr/bin/python3.12", " 3.12 WITHOUTstart it as python3.12 " + PERF),
                         (b"/opt/libpython3.13t.so.1.0",
                          " 3.13 WITHOUTstart it as python3.13 " + PERF),
                         (b"/usr/bin/python4.0", " 4.0 WITHOUTstart it as python4.0 " + PERF),
                         (b"/opt/python3", " WITHOUTstart it as python3 %s, from version 3.12 on"
                          % PERF),
                         (b"python", " WITHOUTstart it as python3 %s, from version 3.12 on"
                          % PERF)):
        said = missing(sampled(module))
        assert where + what.replace(" WITHOUT", without) in said, (module, said)


def test_what_is_no_python_or_does_not_matter():
    for module in (b"pythonic", b"python3-config", b"/usr/lib/python3.12/_json.so", b"pypy3",
                   b"python3.12-gdb", b"libpythonqt.so"):
        assert "Python" not in missing(sampled(module)), module
    assert "Python" in missing(sampled(b"python3.12", 10, 90))
    assert "Python" not in missing(sampled(b"python3.12", 9, 91))


def test_python_with_its_map():
    said = missing(sampled(b"python3.12", names=[b"py::leaf:/home/me/busy.py"], is_in_file=False))
    assert "Python" not in said, said
    # Code of something else is none of Python's.
    said = missing(sampled(b"python3.12", names=[b"JS:*leaf"], is_in_file=False))
    assert "Python 3.12" in said, said


def test_compilers_by_the_program_or_library():
    for module, what in ((b"/usr/bin/node", "JavaScript: start node with " + NODE),
                         (b"/usr/bin/nodejs", "JavaScript: start nodejs with " + NODE),
                         (b"libnode.so.108", "JavaScript: start node with " + NODE),
                         (b"/usr/lib/jvm/lib/server/libjvm.so",
                          "Java: start java 17 or later with " + JAVA),
                         (b"libcoreclr.so", ".NET: start it with DOTNET_PerfMapEnabled=1")):
        said = missing(sampled(module, is_in_file=False))
        assert "50.0% of stacks have compiled code without names, as of " + what in said, said
        # All of it has names, or there is none.
        for name in (sampled(module, is_in_file=False, names=[b"some name"]), sampled(module)):
            assert "compiled code" not in missing(name), name
        assert "compiled code" not in missing(sampled(module, 9, 91, is_in_file=False))
    assert "compiled code" not in missing(sampled(b"/usr/bin/nodes", is_in_file=False))


BUSY_PYTHON = """
import time
def leaf(n):
    return sum(i * i for i in range(n))
end = time.process_time() + 1
while time.process_time() < end:
    leaf(10000)
"""
BUSY_NODE = """
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s }
const start = process.cpuUsage().user
while (process.cpuUsage().user - start < 1000000) leaf(100000)
"""


def record(*command):
    """The maps that compilers leave in /tmp are removed again."""
    run(*RECORDER, "-q", "-o", "a.fxt", *command)
    for line in run(FXTDUMP, "--json", "a.fxt").splitlines():
        object_of = json.loads(line)
        if object_of.get("object_type") == "process":
            for path in glob.glob("/tmp/perf-%d.map" % object_of["koid"]):
                os.remove(path)
    return missing("a.fxt")


def python_version(path):
    done = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"],
                          capture_output=True, check=False)
    return tuple(int(n) for n in done.stdout.split()) if done.returncode == 0 else None


def test_real_pythons():
    if not RECORDER:
        print("skipped: there is no recorder")
        return
    # The first one that has maps may not be Debian's.
    paths = (glob.glob("/usr/bin/python3.*[0-9]") +
             glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3.12")))
    found = [(version, path) for path in paths if (version := python_version(path))]
    if not found:
        print("skipped: there is no /usr/bin/python3.*")
    for version, path in found:
        said = record(path, "-c", BUSY_PYTHON)
        assert "of stacks are of Python %d.%d without" % version in said, said
        assert ("it cannot name them" in said) == (version < (3, 12)), said
        if version >= (3, 12):
            said = record(path, "-X", "perf", "-c", BUSY_PYTHON)
            assert "Python" not in said, said


def test_a_real_node():
    if not RECORDER or shutil.which("node") is None:
        print("skipped: there is no recorder, or no node")
        return
    said = record("node", "-e", BUSY_NODE)
    assert "as of JavaScript: start" in said and NODE in said, said
    said = record("node", *NODE.split(), "-e", BUSY_NODE)
    assert "JavaScript" not in said, said


if __name__ == "__main__":
    main(sys.modules[__name__])

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtsymbolize: names, files and lines are added to archives, and nothing else changes.

test_symbolize.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import glob
import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

import fxtwrite
import patience
from profile_cases import FXT2FOLDED, FXTDUMP, FXTREPORT, HAS_LINES, TOOLS, main, need, run, \
    skip, symbols, write
from readelf import build_id, code_segment

FXTSYMBOLIZE = os.path.join(TOOLS, "fxtsymbolize", "fxtsymbolize")
FXTRECORD = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
if not HAS_LINES:
    skip("built without libdw")
need("c++", "objcopy", "strip", "readelf", "nm")

SOURCE = """
struct Mixer {
    unsigned long seed;
    inline unsigned long step(unsigned long x) const
    {
        for (int i = 0; i < 20; i++)
            x = (x ^ seed) * 6364136223846793005ul + (x >> 7);
        return x;
    }
};
__attribute__((noinline)) static unsigned long mix_all(const Mixer &mixer, unsigned long x)
{
    for (int i = 0; i < 500; i++)
        x = mixer.step(x);
    return x;
}
int main(int argc, char **)
{
    unsigned long x = argc;
    for (int i = 0; i < 3000; i++)
        x += mix_all({x}, x);
    return x == 42;
}
"""
BASE = 0x555500000000


def read(name):
    with open(name, "rb") as file:
        return file.read()


def build(name="program", *options):
    """A program without symbols, and its debug file in ./debug. Returns where its symbols
    are, and its build id."""
    with open("mix.cpp", "w", encoding="ascii") as file:
        file.write(SOURCE)
    run("c++", "-g", "-O2", "-fpie", "-pie", "-Wl,--build-id", *options, "-o", name, "mix.cpp")
    at, number = symbols(name), build_id(name)
    directory = "debug/.build-id/" + number[:2]
    os.makedirs(directory, exist_ok=True)
    run("objcopy", "--only-keep-debug", name, "%s/%s.debug" % (directory, number[2:]))
    run("strip", name)
    return at, number


def hot(at):
    name, = (name for name in at if "mix_all" in name and not name.endswith(".end"))
    return at[name]


def archive(at, number, elf="program", name=None, big_endian=False):
    """Samples in all instructions of the hot function, which main called."""
    trace = fxtwrite.Trace(big_endian)
    trace.magic()
    trace.init(1000000000)
    vaddr, size = code_segment(elf)
    trace.module(1, 1, name or os.path.abspath(elf).encode(), bytes.fromhex(number))
    trace.mapping(1, 1, BASE + vaddr, size, vaddr)
    for i in range(40):
        trace.sample(1000 + i, 1, 2, BASE + hot(at) + i, BASE + at["main"] + 4)
    return trace


def symbolize(*arguments, status=0, env=None, **options):
    """What is printed on standard error."""
    done = subprocess.run([FXTSYMBOLIZE, *arguments], stderr=subprocess.PIPE, check=False,
                          env={"PATH": os.environ["PATH"], **(env or {})}, **options)
    assert done.returncode == status, (arguments, done)
    return done.stderr.decode()


def line_records(name, status=0):
    """(offset, size, fields without offset and time) of each record that was added."""
    found = []
    for line in run(FXTDUMP, "--json", name, status=status).splitlines():
        record = json.loads(line)
        if (record.get("category"), record.get("name")) == ("symbols", "lines"):
            found.append((record["offset"], record["size"], {
                k: v for k, v in record.items() if k not in ("offset", "timestamp", "time_ns")}))
    return found


def added(name, status=0):
    return [fields for _, _, fields in line_records(name, status)]


def without_added(name, status=0):
    data, at, kept = read(name), 0, b""
    for offset, size, _ in line_records(name, status):
        kept += data[at:offset]
        at = offset + size
    return kept + data[at:]


def names(name, *options, status=0):
    folded = run(FXT2FOLDED, "-q", "--roots", "none", "--lines", *options, name, status=status)
    return set(re.split("[;\n]", re.sub(r" \d+$", "", folded, flags=re.M))) - {""}


def is_named(name, **options):
    found = {re.sub(r" \(.*", "", frame) for frame in names(name, **options)}
    return {"main", "mix_all(Mixer const&, unsigned long)"} <= found or \
        any(frame.startswith("mix_all") for frame in found)


def hide(*files):
    for file in files:
        os.rename(file, file + ".gone")


# ---- what is added ----


def test_a_stripped_program_is_named_where_its_debug_file_is_and_then_anywhere():
    at, number = build()
    write("a.fxt", archive(at, number))
    assert not is_named("a.fxt")
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    expected = names("a.fxt", "--debug-dir", "debug")
    hide("program", "debug")
    assert names("b.fxt") == expected and is_named("b.fxt"), (names("b.fxt"), expected)
    assert any("step" in frame and "mix.cpp:" in frame for frame in expected), expected
    assert any("mix.cpp:" in frame and "mix_all" in frame for frame in expected), expected
    assert without_added("b.fxt") == read("a.fxt")
    assert "Mixer::step" in run(FXTREPORT, "-q", "--lines", "b.fxt") + run(
        FXTREPORT, "-q", "b.fxt")
    assert number in run(FXTDUMP, "b.fxt")


def test_a_recording_is_named_as_it_would_have_been_at_once():
    if FXTRECORD is None:
        return
    build()
    home = os.path.abspath("home")
    os.mkdir(home)
    run("c++", "-g", "-O2", "-Wl,--build-id", "-o", "home/full", "mix.cpp")
    run(FXTRECORD, "-q", "-F", "2000", "--embed-symbols", "-o", "at-once.fxt", "home/full")
    with open("plain.fxt", "wb") as file:
        file.write(without_added("at-once.fxt"))
    symbolize("plain.fxt", "-o", "later.fxt")
    assert added("later.fxt") == added("at-once.fxt") != []
    assert without_added("later.fxt") == read("plain.fxt")
    symbolize("at-once.fxt", "-o", "again.fxt")
    assert read("again.fxt") == read("at-once.fxt"), "what is known is added again"
    hide("home")
    assert any("mix.cpp:" in frame for frame in names("later.fxt"))


def test_switched_out_stacks_are_named_too_and_once():
    at, number = build()
    trace = archive(at, number)
    where = [BASE + at["main"] + 4]
    for time, pcs in ((2000, where), (3000, [BASE + hot(at) + 3] + where)):
        trace.add(fxtwrite.large_blob(time, (1, 2), b"sched", b"switch_out",
                                      b"".join(pc.to_bytes(8, "little") for pc in pcs)))
        trace.add(fxtwrite.context_switch(time, 0, 3, 2, 3))
        trace.add(fxtwrite.context_switch(time + 500, 0, 3, 3, 2))
    write("a.fxt", trace)
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    expected = names("a.fxt", "--sched", "off-cpu", "--debug-dir", "debug")
    hide("program", "debug")
    assert names("b.fxt", "--sched", "off-cpu") == expected
    assert any("main" in frame for frame in expected), expected
    # Of the addresses there is one that no sample has: where it is the innermost.
    entries = [arg["value"] for record in added("b.fxt") for arg in record["args"]
               if arg["name"] == "entries"]
    assert len(entries) == 2 and entries[1] == 1, entries


def test_a_second_run_adds_nothing_and_more_symbols_add_more():
    at, number = build()
    run("c++", "-O2", "-fpie", "-pie", "-Wl,--build-id=0x" + number, "-o", "unstripped", "mix.cpp")
    write("a.fxt", archive(at, number))
    symbolize("a.fxt", "-o", "none.fxt")
    assert not is_named("none.fxt")
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    before = os.stat("b.fxt")
    assert "nothing added" in symbolize("-i", "--debug-dir", "debug", "b.fxt")
    after = os.stat("b.fxt")
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    symbolize("--debug-dir", "debug", "b.fxt", "-o", "c.fxt")
    assert read("c.fxt") == read("b.fxt")
    # Names without lines, which stay until lines are found.
    run("strip", "-g", "unstripped", "-o", "program")
    symbolize("a.fxt", "-o", "names.fxt")
    assert is_named("names.fxt") and not any("mix.cpp" in x for x in names("names.fxt"))
    symbolize("-i", "--debug-dir", "debug", "names.fxt")
    hide("program", "debug")
    assert any("mix.cpp:" in frame for frame in names("names.fxt"))


def test_names_that_the_archive_has_stay():
    at, number = build()
    trace = archive(at, number)
    trace.lines(os.path.abspath("program").encode(), number.encode(),
                [(hot(at) + i, b"known", b"known.c", 7, 1) for i in range(40)])
    write("a.fxt", trace)
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    assert read("b.fxt")[:len(read("a.fxt"))] == read("a.fxt")
    found = names("b.fxt")
    assert "known (known.c:7)" in found and any("main" in x for x in found), found
    assert not any("mix_all" in frame for frame in found), found


def test_what_is_added_has_the_time_of_the_last_record():
    """Also where only profiler records have times."""
    at, number = build()
    trace = archive(at, number)
    for i, time in enumerate((7000, 9000, 8000)):
        trace.backtrace(time, 1, 2, BASE + hot(at) + i)
    write("a.fxt", trace)
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    assert {json.loads(line)["timestamp"] for line in run(FXTDUMP, "--json", "b.fxt").splitlines()
            if '"lines"' in line} == {9000}


def test_big_endian_archives():
    at, number = build()
    write("a.fxt", archive(at, number, big_endian=True))
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    hide("program", "debug")
    assert is_named("b.fxt") and read("b.fxt").startswith(read("a.fxt"))
    run(FXTDUMP, "--strict", "b.fxt")


# ---- which files count ----


def test_another_file_at_the_path_is_not_used():
    at, number = build()
    write("a.fxt", archive(at, "00" * 20))
    said = symbolize("a.fxt", "-o", "b.fxt")
    assert read("b.fxt") == read("a.fxt")
    assert "replaced: build id " + "00" * 20 + ", now " + number in said, said


def test_without_a_build_id_only_a_file_that_the_user_names_is_used():
    at, number = build()
    run("c++", "-g", "-O2", "-fpie", "-pie", "-o", "unstripped", "mix.cpp")
    write("a.fxt", archive(at, "", elf="unstripped"))
    assert is_named("a.fxt"), "the others take what is there"
    symbolize("a.fxt", "-o", "b.fxt")
    assert read("b.fxt") == read("a.fxt"), "a file was used for its path alone"
    symbolize("--elf", "unstripped+%#x" % BASE, "a.fxt", "-o", "b.fxt")
    hide("unstripped")
    assert is_named("b.fxt")


def test_an_elf_file_serves_its_modules_wherever_it_is():
    at, number = build()
    shutil.move("program", "elsewhere")
    write("a.fxt", archive(at, number, elf="elsewhere", name=b"/no/such/file"))
    symbolize("--elf", "debug/.build-id/%s/%s.debug" % (number[:2], number[2:]), "a.fxt", "-o",
              "b.fxt")
    assert is_named("b.fxt")


def test_several_files_linked_at_0_are_told_apart_by_their_build_ids():
    _, other = build("other", "-O1")
    at, number = build()
    write("a.fxt", archive(at, number))
    options = []
    for digits in other, number:
        options += "--elf", "debug/.build-id/%s/%s.debug" % (digits[:2], digits[2:])
    symbolize(*options, "a.fxt", "-o", "b.fxt")
    hide("program")
    assert is_named("b.fxt")


# ---- what is missing ----


def test_missing_files_are_named_with_those_of_most_samples_first():
    at, number = build()
    trace = archive(at, number)
    trace.module(1, 2, b"/no/such/rare", b"\1" * 20)
    trace.mapping(1, 2, 0x10000, 0x1000, 0)
    trace.sample(5000, 1, 2, 0x10010)
    write("a.fxt", trace)
    said = symbolize("a.fxt", "-o", "b.fxt").splitlines()
    assert "program: no debugging symbols; 40 samples without its names" in said[0], said
    assert "/no/such/rare: not found; 1 sample without its names" in said[1], said
    assert "    export DEBUGINFOD_URLS=https://" in said[3], said
    assert symbolize("-q", "a.fxt", "-o", "b.fxt") == ""


def test_installed_files_are_named_with_their_packages():
    path = os.path.realpath(shutil.which("xz") or "/")
    found = subprocess.run(["dpkg-query", "-S", path, re.sub("^/usr", "", path)], check=False,
                           capture_output=True, text=True).stdout if shutil.which(
                               "dpkg-query") else ""
    if "ID=debian" not in read("/etc/os-release").decode().split("\n") or not found:
        return
    package = found.split(": ")[0]
    number = build_id(path)
    if glob.glob("/usr/lib/debug/.build-id/%s/%s*" % (number[:2], number[2:])):
        return
    vaddr, size = code_segment(path)
    trace = fxtwrite.archive()
    trace.module(1, 1, path.encode(), bytes.fromhex(number))
    trace.mapping(1, 1, BASE + vaddr, size, vaddr)
    trace.sample(5, 1, 2, BASE + vaddr + size // 2)
    write("a.fxt", trace)
    for said in symbolize("a.fxt", "-o", "b.fxt"), subprocess.run(
            [FXT2FOLDED, "-o", "/dev/null", "a.fxt"], capture_output=True, text=True,
            check=True).stderr, run(FXTREPORT, "a.fxt"):
        assert "these are in the package %s-dbgsym" % package in " ".join(said.split()), said
        assert re.search("^    for p in %s-dbgsym; do .*apt-get install -y" % package, said,
                         re.M), said
    assert subprocess.run(["sh", "-n"], input="\n".join(re.findall(
        "^    (.*)", said, re.M)), text=True, check=False).returncode == 0


# ---- damage ----


def test_what_can_be_read_of_damaged_archives_is_named_and_all_is_kept():
    at, number = build()
    whole = archive(at, number).data()
    sample = 8 * 7
    cases = {"cut": (whole + whole[-40:-8], len(whole)),
             "lost": (whole + bytes(8) + b"\xff" * 5, None),
             "framing": (whole + b"\x03" + bytes(7) + whole[-sample:], len(whole))}
    for name, (data, at_least) in cases.items():
        with open(name + ".fxt", "wb") as file:
            file.write(data)
        status = subprocess.run([FXTDUMP, "-q", name + ".fxt"], check=False,
                                stdout=subprocess.DEVNULL).returncode
        said = symbolize("--debug-dir", "debug", name + ".fxt", "-o", "b.fxt", status=1)
        assert "fxtsymbolize: %s.fxt:0x" % name in said, said
        copy = read("b.fxt")
        offset, size, _ = line_records("b.fxt", status)[0]
        assert copy[:offset] + copy[offset + size:] == data, name
        assert at_least in (None, offset), (name, offset, at_least)
        assert is_named("b.fxt", status=1)
        # In place, too: nothing of it is lost.
        symbolize("-i", "--debug-dir", "debug", name + ".fxt", status=1)
        assert read(name + ".fxt") == copy


def test_after_damage_resync_reads_on():
    at, number = build()
    whole = archive(at, number)
    whole.words(0xfff0000000000003, 7)
    pcs = [BASE + at["main"] + 4]
    for i in range(5):
        whole.sample(9000 + i, 1, 2, *pcs)
    data = whole.data()
    damaged = data.replace((0xfff0000000000003).to_bytes(8, "little"), bytes([3]) + bytes(7))
    assert damaged != data
    with open("a.fxt", "wb") as file:
        file.write(damaged)
    symbolize("--resync", "--debug-dir", "debug", "a.fxt", "-o", "b.fxt", status=1)
    copy = read("b.fxt")
    assert copy.startswith(damaged), "added before the end"


def test_an_input_that_ends_early_is_not_replaced():
    at, number = build()
    data = gzip.compress(archive(at, number).data() * 2)[:-20]
    with open("a.fxt.gz", "wb") as file:
        file.write(data)
    said = symbolize("-i", "--debug-dir", "debug", "a.fxt.gz", status=1)
    assert read("a.fxt.gz") == data and "could not be read to its end" in said, said
    symbolize("--debug-dir", "debug", "a.fxt.gz", "-o", "b.fxt", status=1)
    assert is_named("b.fxt", status=1)


def test_refusals():
    at, number = build()
    write("a.fxt", archive(at, number))
    trace = fxtwrite.Trace()
    trace.sample(5, 1, 2, 0x1000)
    write("cpu0.bin", trace)
    for data, name in ((b"", "empty.fxt"), (b'{"traceEvents": []}', "a.json")):
        with open(name, "wb") as file:
            file.write(data)
    for arguments, why in ((("cpu0.bin",), "is no archive"), (("empty.fxt",), "is no archive"),
                           (("a.json",), "not FXT but"), (("missing.fxt",), "No such file"),
                           (("--elf", "a.fxt", "a.fxt"), "a.fxt")):
        said = symbolize(*arguments, "-o", "b.fxt", status=2)
        assert why in said and not os.path.exists("b.fxt"), (arguments, said)
        said = symbolize("-i", *arguments, status=2)
    for arguments in (("a.fxt", "-o", "a.fxt"), ("-i", "-"), ("-i", "-o", "b.fxt", "a.fxt"),
                      ("a.fxt", "-o", "b.svg"), ("a.fxt", "b.fxt"), ("--elf", "", "a.fxt")):
        symbolize(*arguments, status=2)
    os.mkfifo("pipe")
    with open("pipe", "rb+", buffering=0) as pipe:
        pipe.write(read("a.fxt"))
        assert "regular file" in symbolize("-i", "pipe", status=2)
    assert read("a.fxt") == archive(at, number).data()
    assert not os.path.exists("b.fxt")


# ---- inputs and outputs ----


def test_pipes_and_compressed_files():
    at, number = build()
    write("a.fxt", archive(at, number))
    symbolize("--debug-dir", "debug", "a.fxt", "-o", "b.fxt")
    options = ("--debug-dir", "debug")
    piped = subprocess.run([FXTSYMBOLIZE, "-q", *options], input=read("a.fxt"),
                           capture_output=True, check=True)
    assert piped.stdout == read("b.fxt")
    piped = subprocess.run([FXTSYMBOLIZE, "-q", *options, "-"],
                           input=gzip.compress(read("a.fxt")), capture_output=True, check=True)
    assert piped.stdout == read("b.fxt")
    symbolize(*options, "a.fxt", "-o", "b.fxt.gz")
    assert gzip.decompress(read("b.fxt.gz")) == read("b.fxt")
    shutil.copy("a.fxt", "real.fxt")
    os.chmod("real.fxt", 0o640)
    os.symlink("real.fxt", "link.fxt")
    symbolize("-i", *options, "link.fxt")
    assert os.path.islink("link.fxt") and read("real.fxt") == read("b.fxt")
    assert os.stat("real.fxt").st_mode & 0o777 == 0o640
    with open("plain-name.fxt", "wb") as file:
        file.write(gzip.compress(read("a.fxt")))
    symbolize("-i", *options, "plain-name.fxt")
    assert gzip.decompress(read("plain-name.fxt")) == read("b.fxt")
    if shutil.which("zstd") is not None:
        run("zstd", "-q", "a.fxt", "-o", "a.fxt.zst")
        symbolize("-i", *options, "a.fxt.zst")
        assert read("a.fxt.zst")[:4] == b"\x28\xb5\x2f\xfd"
        run("zstd", "-qd", "a.fxt.zst", "-o", "c.fxt")
        assert read("c.fxt") == read("b.fxt")
    assert "/dev/full" in symbolize("a.fxt", "-o", "/dev/full", status=1)


class Hanging:
    """A program that waits for a server, which does not answer, for as long as it takes: on
    a busy machine it may not even have connected in the seconds that one may cost."""
    def __init__(self, *arguments):
        # libdebuginfod takes a connection that was closed for an answer that there is none.
        shutil.rmtree("cache", ignore_errors=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(patience.SECONDS)
        self.process = subprocess.Popen(
            [FXTSYMBOLIZE, "-q", *arguments], stderr=subprocess.PIPE, text=True, env={
                "PATH": os.environ["PATH"], "DEBUGINFOD_CACHE_PATH": os.path.abspath("cache"),
                "HOME": os.getcwd(), "DEBUGINFOD_TIMEOUT": str(patience.SECONDS),
                "DEBUGINFOD_MAXTIME": str(patience.SECONDS),
                "DEBUGINFOD_URLS": "http://127.0.0.1:%d" % self.server.getsockname()[1]})
        self.connection = self.server.accept()[0]

    def finish(self):
        self.connection.close()
        self.server.close()
        said = self.process.communicate(timeout=patience.SECONDS)[1]
        return self.process.returncode, said


def test_a_program_that_is_killed_leaves_all_as_it_was():
    if os.environ.get("HAS_LIBDEBUGINFOD") != "1":
        return
    at, number = build()
    write("a.fxt", archive(at, number))
    data = read("a.fxt")
    for number_of_signal in signal.SIGTERM, signal.SIGKILL:
        for arguments in ("-i", "a.fxt"), ("-o", "b.fxt", "a.fxt"):
            hanging = Hanging(*arguments)
            hanging.process.send_signal(number_of_signal)
            assert hanging.finish()[0] == -number_of_signal
            assert read("a.fxt") == data and not os.path.exists("b.fxt")
            if number_of_signal == signal.SIGTERM:
                assert not glob.glob("[ab].fxt.*"), os.listdir()


def test_a_file_that_is_still_recorded_is_not_replaced():
    if os.environ.get("HAS_LIBDEBUGINFOD") != "1":
        return
    at, number = build()
    trace = archive(at, number)
    run("c++", "-O2", "-fpie", "-pie", "-Wl,--build-id=0x" + number, "-o", "program", "mix.cpp")
    write("a.fxt", trace)
    hanging = Hanging("-i", "a.fxt")
    with open("a.fxt", "ab") as file:
        file.write(trace.data()[-8 * 6:])
    data = read("a.fxt")
    status, said = hanging.finish()
    assert status == 1 and "has changed" in said, (status, said)
    assert read("a.fxt") == data


if __name__ == "__main__":
    main(sys.modules[__name__])

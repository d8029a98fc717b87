# SPDX-License-Identifier: BSD-2-Clause
"""Which file may include which, and how large a folder may be.

    test_includes.py SOURCE_ROOT

An include names a file in the same folder by its name, and any other by its path in the
tree. Every folder of the tree has an entry in MAY_INCLUDE; no folder holds more than
MAX_FILES source files, and the top no more than MAX_FOLDERS folders; and modules, a header with its .c file, do not include each other,
directly or not, but for those in CYCLES, which shall become fewer.
"""

import collections
import os
import re
import subprocess
import sys

MAX_FILES = 40
MAX_FOLDERS = 15

# A folder, and the folders whose files it may include beside its own. An entry also
# stands for the folders below it.
BASE = ["include", "common/base"]
TOOL = BASE + ["libfxtprofile/include", "tools/common", "tools/convert"]
MAY_INCLUDE = {
    "include": [],
    "libfxt": ["include"],
    "common/base": ["include"],
    "common/elf": BASE,
    "common/kernel": BASE,
    "common/unwind": BASE + ["common/elf"],
    "common/unwind/in_process": BASE + ["common/unwind"],
    "common/records": BASE,
    "common/scheduling": BASE,
    "common/spans": BASE,
    "common/processes": BASE + ["common/elf"],
    "libfxtprofile/symbols": BASE + ["common/elf", "common/kernel", "common/unwind"],
    "libfxtprofile/profile": BASE + ["common/elf", "common/unwind", "libfxtprofile/symbols"],
    "libfxtprofile/profile/mappings": BASE,
    "libfxtprofile/profile/stacks": BASE,
    "libfxtprofile/import": BASE + ["common/elf", "common/unwind", "common/records",
                                    "common/scheduling", "common/spans",
                                    "libfxtprofile/symbols", "libfxtprofile/profile",
                                    "libfxtprofile/include/fxt/profile_builder.h"],
    "libfxtprofile/output": BASE + ["common/spans", "libfxtprofile/symbols",
                                    "libfxtprofile/profile",
                                    "libfxtprofile/include/fxt/profile_write.h"],
    # libfxt/options.h because structs that begin with their size mean the same in both.
    "libfxtprofile": BASE + ["libfxt/options.h", "libfxtprofile"],
    "libfxtsampler": BASE + ["common/elf", "common/unwind", "common/processes"],
    "libfxtheap": BASE + ["common/unwind"],
    # The list of formats because all tools refuse names that end as theirs do.
    "tools/common": BASE + ["libfxtprofile/output/format_list.h"],
    "tools/convert": BASE + ["libfxtprofile/include", "tools/common"],
    "tools/tables": BASE + ["libfxtprofile/include"],
    "tools/parquet": BASE + ["tools/tables"],
    "tools/sqlite": BASE + ["tools/tables"],
    "tools/clickhouse": TOOL + ["tools/tables"],
    "tools/fxt": BASE + ["tools/common"],
    "tools/fxt2chrome": TOOL,
    "tools/fxt2firefox": TOOL,
    "tools/fxt2folded": TOOL + ["tools/clickhouse/query.h"],
    "tools/fxt2perfetto": TOOL,
    "tools/fxt2pprof": TOOL + ["tools/clickhouse/query.h"],
    "tools/fxt2parquet": TOOL + ["tools/tables", "tools/parquet"],
    "tools/fxt2sqlite": TOOL + ["tools/tables", "tools/sqlite"],
    "tools/fxt2clickhouse": TOOL + ["tools/clickhouse"],
    "tools/fxtship": TOOL + ["tools/clickhouse"],
    # Names and numbers in columns, as in reports.
    "tools/fxtquery": TOOL + ["tools/tables", "tools/sqlite", "tools/fxtreport/names.h",
                              "tools/fxtreport/units.h"],
    "tools/fxtreport": TOOL + ["tools/clickhouse/query.h"],
    "tools/fxtlint": BASE + ["common/spans", "tools/common"],
    "tools/fxtmerge": BASE + ["tools/common"],
    "tools/fxtsymbolize": BASE + ["libfxtprofile/include", "tools/common"],
    "tools/fxtcut": BASE + ["common/spans", "tools/common"],
    "tools/fxtdump": BASE + ["common/records", "common/scheduling", "common/spans",
                             "tools/common"],
    "tools/fxtheap": BASE + ["common/elf", "common/processes", "common/records",
                             "libfxtheap/include", "libfxtheap/shared",
                             "libfxtprofile/include", "tools/common"],
    "tools/fxtheap/attach": BASE + ["common/elf", "common/processes", "common/unwind",
                                    "libfxtheap/shared", "tools/common", "tools/fxtheap"],
    "tools/fxttrace": BASE + ["common/elf", "common/processes", "tools/common"],
    "tools/fxtrecord": BASE + ["common/elf", "common/kernel", "common/unwind",
                               "common/processes",
                               "libfxtsampler/include", "libfxtprofile/include",
                               "tools/common", "tools/fxtmerge"],
    "bindings": ["include"],
    # context.h because every sampler in a signal handler needs it.
    "examples": ["include", "common/base/context.h", "libfxtsampler/include",
                 "libfxtheap/include", "libfxtprofile/include"],
}
# What tests, measures and feeds the rest may look into all of it.
TESTING = ["tests", "fuzz", "bench"]
MAY_INCLUDE.update((folder, [""]) for folder in TESTING)

# Modules of one folder that still include each other.
CYCLES = []

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(fxt/[^>]+)>)', re.MULTILINE)
PUBLIC = ["include", "libfxtprofile/include", "libfxtsampler/include", "libfxtheap/include"]


def listed_by_git(root):
    """What belongs to the tree, with what is new in it; None where git cannot say."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return listed.stdout.decode().split("\0") if listed.returncode == 0 else None


def all_files(root):
    names = listed_by_git(root)
    if names is None:
        names = [os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, files in os.walk(root) for name in files
                 if not os.path.relpath(folder, root).startswith(("build", ".git"))]
    return sorted(name for name in names if os.path.exists(os.path.join(root, name)))


def sources(names):
    return [name for name in names if name.endswith((".c", ".h"))]


def top_folders(names):
    """What one sees who opens the tree."""
    return {name.split("/")[0] for name in names if "/" in name and not name.startswith(".")}


def below(path, folder):
    return folder == "" or path == folder or path.startswith(folder + "/")


def entry(folder):
    """The entry of MAY_INCLUDE for a folder: that of the longest name."""
    fitting = [name for name in MAY_INCLUDE if below(folder, name)]
    return max(fitting, key=len) if fitting else None


def resolve(root, name, quoted, public):
    """The file of the tree that an include names, or None."""
    if public:
        for folder in PUBLIC:
            if os.path.exists(os.path.join(root, folder, public)):
                return os.path.join(folder, public)
        return None
    for candidate in (os.path.join(os.path.dirname(name), quoted), quoted):
        candidate = os.path.normpath(candidate)
        if os.path.exists(os.path.join(root, candidate)):
            return candidate
    return None


def included(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        text = file.read()
    for match in INCLUDE.finditer(text):
        found = resolve(root, name, match.group(1), match.group(2))
        if found is not None:
            yield found


def reachable(graph, start):
    """All modules that one includes, directly or not."""
    found = set()
    left = [start]
    while left:
        for target in graph.get(left.pop(), ()):
            if target not in found:
                found.add(target)
                left.append(target)
    return found


def find_cycles(graph):
    """The largest sets of modules that all include each other."""
    below_each = {name: reachable(graph, name) for name in graph}
    return {frozenset(other for other in below_each[name]
                      if name in below_each.get(other, ()))
            for name in graph if name in below_each[name]}


def module(name):
    """A header and its .c file are one module."""
    return os.path.splitext(name)[0]


def check(root):
    faults = []
    graph = collections.defaultdict(set)
    sizes = collections.Counter()
    names = all_files(root)
    for name in sources(names):
        folder = os.path.dirname(name)
        sizes[folder] += 1
        own = entry(folder)
        if own is None:
            faults.append(f"{name}: {folder} has no entry in MAY_INCLUDE")
            continue
        for target in included(root, name):
            where = os.path.dirname(target)
            if not below(target, own) and not any(below(target, allowed)
                                                 for allowed in MAY_INCLUDE[own]):
                faults.append(f"{name}: includes {target}, but {own} may not include {where}")
            if module(target) != module(name) and own not in TESTING:
                graph[module(name)].add(module(target))
    faults += [f"{folder}: {n} source files, more than {MAX_FILES}"
               for folder, n in sorted(sizes.items()) if n > MAX_FILES]
    top = top_folders(names)
    if len(top) > MAX_FOLDERS:
        faults.append(f"{len(top)} folders at the top, more than {MAX_FOLDERS}: "
                      + " ".join(sorted(top)))
    known = {frozenset(f"{folder}/{name}" for name in names.split())
             for folder, names in CYCLES}
    cycles = find_cycles(graph)
    faults += ["include cycle: " + " ".join(sorted(cycle)) for cycle in cycles - known]
    faults += ["no cycle any more: " + " ".join(sorted(cycle)) for cycle in known - cycles]
    return faults


def main():
    faults = check(sys.argv[1])
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-2-Clause
"""Which file may include which, and how large a folder may be.

    test_includes.py SOURCE_ROOT

An include names a file in the same folder by its name, and any other by its path in the
tree. Every folder of the tree has an entry in MAY_INCLUDE; no two files include each other,
directly or not; and no folder holds more than MAX_FILES source files.
"""

import collections
import os
import re
import subprocess
import sys

MAX_FILES = 40

# A folder, and the folders whose files it may include beside its own. An entry also
# stands for the folders below it.
MAY_INCLUDE = {
    "include": [],
    "libfxt": ["include"],
    "base": ["include"],
    "libfxtunwind": ["include", "base"],
    "libfxtprofile/symbols": ["include", "base", "libfxtunwind"],
    "libfxtprofile/profile": ["include", "base", "libfxtunwind", "libfxtprofile/symbols"],
    "libfxtprofile/import": ["include", "base", "libfxtunwind", "libfxtprofile/symbols",
                             "libfxtprofile/profile"],
    "libfxtprofile/output": ["include", "base", "libfxtprofile/symbols",
                             "libfxtprofile/profile"],
    "libfxtprofile": ["include", "base", "libfxtprofile"],
    "libfxtsampler": ["include", "base", "libfxtunwind"],
    "libfxtheap": ["include", "base", "libfxtunwind"],
    "tools/common": ["include", "base", "libfxtprofile", "libfxtsampler/include"],
    "tools/convert": ["include", "base", "libfxtprofile", "tools/common"],
    "tools/fxt2folded": ["include", "base", "libfxtprofile", "tools/common", "tools/convert"],
    "tools/fxt2pprof": ["include", "base", "libfxtprofile", "tools/common", "tools/convert"],
    "tools/fxtdump": ["include", "base", "tools/common"],
    "tools/fxtheap": ["include", "base", "libfxtheap/include", "libfxtheap/shared",
                      "tools/common"],
    "tools/fxtrecord": ["include", "base", "libfxtsampler/include", "tools/common"],
    "examples": ["include", "libfxtsampler/include", "libfxtheap/include",
                 "libfxtprofile/include"],
    # What tests, measures and feeds the rest may look into all of it.
    "tests": [""],
    "fuzz": [""],
    "bench": [""],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(fxt/[^>]+)>)', re.MULTILINE)
PUBLIC = ["include", "libfxtprofile/include", "libfxtsampler/include", "libfxtheap/include"]


def sources(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], capture_output=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        names = [os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, files in os.walk(root) for name in files
                 if not os.path.relpath(folder, root).startswith(("build", ".git"))]
    return sorted(name for name in names
                  if name.endswith((".c", ".h")) and os.path.exists(os.path.join(root, name)))


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


def find_cycle(graph):
    """One cycle, as a list of files, or None."""
    state = {}
    for start in graph:
        path = []
        stack = [(start, iter(graph[start]))] if start not in state else []
        while stack:
            name, rest = stack[-1]
            if name not in state:
                state[name] = "open"
                path.append(name)
            for target in rest:
                if state.get(target) == "open":
                    return path[path.index(target):] + [target]
                if target not in state and target in graph:
                    stack.append((target, iter(graph[target])))
                    break
            else:
                state[name] = "done"
                path.pop()
                stack.pop()
    return None


def module(name):
    """A header and its .c file are one module."""
    return os.path.splitext(name)[0]


def check(root):
    faults = []
    graph = collections.defaultdict(set)
    sizes = collections.Counter()
    for name in sources(root):
        folder = os.path.dirname(name)
        sizes[folder] += 1
        own = entry(folder)
        if own is None:
            faults.append(f"{name}: {folder} has no entry in MAY_INCLUDE")
            continue
        for target in included(root, name):
            where = os.path.dirname(target)
            if not below(where, own) and not any(below(where, allowed)
                                                 for allowed in MAY_INCLUDE[own]):
                faults.append(f"{name}: includes {target}, but {own} may not include {where}")
            if module(target) != module(name):
                graph[module(name)].add(module(target))
    faults += [f"{folder}: {n} source files, more than {MAX_FILES}"
               for folder, n in sorted(sizes.items()) if n > MAX_FILES]
    cycle = find_cycle(graph)
    if cycle is not None:
        faults.append("include cycle: " + " -> ".join(cycle))
    return faults


def main():
    faults = check(sys.argv[1])
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

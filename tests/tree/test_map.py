# SPDX-License-Identifier: BSD-2-Clause
"""Whether the maps of the tree are short and right.

    test_map.py SOURCE_ROOT

README.md and CONTRIBUTING.md fit the screen; each folder at the top has a row in
CONTRIBUTING.md's table, of few words, and each example one in examples/README.md; and whatever a page of ours links to, or CONTRIBUTING.md
and the READMEs of the folders name as a file, is there.
"""

import os
import re
import sys

from test_includes import all_files, top_folders

MAX_BYTES = {"README.md": 8192, "CONTRIBUTING.md": 7168}
MAX_WORDS = 12

LINK = re.compile(r'\]\(([^)#\s]+)(?:#[^)]*)?\)|(?:src|srcset)="([^"]+)"')
CODE = re.compile(r"`([^`\s]+)`")
# A file of the tree: in a folder, or with a suffix that sources have.
FILE = re.compile(r"^[\w.+-]+(/[\w.+-]+)*/?$")
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b")
SUFFIXES = (".c", ".h", ".py", ".sh", ".rs", ".md", ".js", ".build", ".1")


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def without_blocks(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def folder_rows(text):
    """The table of folders: what is in each, by its name."""
    table = re.search(r"^\| folder \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.M)[1]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {name.strip("`/"): contents for name, contents in rows}


def check_folders(text, names):
    rows = folder_rows(text)
    top = top_folders(names)
    faults = [f"CONTRIBUTING.md: {name} is not in the table" for name in sorted(top - set(rows))]
    faults += [f"CONTRIBUTING.md: there is no {name}/" for name in sorted(set(rows) - top)]
    faults += [f"CONTRIBUTING.md: {name}: {len(contents.split())} words, more than {MAX_WORDS}"
               for name, contents in rows.items() if len(contents.split()) > MAX_WORDS]
    return faults


def check_examples(text, names):
    """Each program or folder of examples/ is in the table, with what it shows."""
    rows = set(re.findall(r"^\| \[`([^`]+)`\]\(\1[^)]*\) \| \S", text, re.M))
    parts = [name.split("/") for name in names if name.startswith("examples/")]
    examples = {part[1] for part in parts if len(part) > 2 or part[1].endswith((".c", ".cpp"))}
    return [f"examples/README.md: {name} is in the table or the folder only"
            for name in sorted(rows ^ examples)]


def check_links(root, name, text):
    targets = [target for pair in LINK.findall(text) for target in pair if target]
    return [f"{name}: there is no {target}" for target in targets
            if "://" not in target
            and not os.path.exists(os.path.join(root, os.path.dirname(name), target))]


def paths_of(names):
    """All files and folders, and the ends of their paths: what a page may call them."""
    ends = set()
    for name in names:
        parts = name.split("/")
        for end in range(1, len(parts) + 1):
            ends.update("/".join(parts[start:end]) for start in range(end))
    return ends


def check_named(name, text, paths):
    words = [word.removeprefix("./").rstrip("/") for word in CODE.findall(text)
             if FILE.match(word) and ("/" in word or word.endswith(SUFFIXES))]
    return [f"{name}: there is no {word}" for word in words
            if word not in paths and PLACEHOLDER.search(word) is None]


def check(root):
    names = all_files(root)
    pages = [name for name in names if name.endswith(".md")]
    paths = paths_of(names)
    faults = []
    for name, limit in MAX_BYTES.items():
        size = len(read(root, name).encode())
        if size > limit:
            faults.append(f"{name}: {size} bytes, more than {limit}")
    faults += check_folders(read(root, "CONTRIBUTING.md"), names)
    faults += check_examples(read(root, "examples/README.md"), names)
    for name in pages:
        text = without_blocks(read(root, name))
        faults += check_links(root, name, text)
        if name == "CONTRIBUTING.md" or name.count("/") == 1 and name.endswith("/README.md"):
            faults += check_named(name, text, paths)
    return faults


def main():
    faults = check(sys.argv[1])
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

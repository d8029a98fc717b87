# SPDX-License-Identifier: BSD-2-Clause
"""Whether each file that is installed is in one of Debian's packages, and in one only.

    debian_files.py INSTALLED_ROOT SOURCE_ROOT
"""

import fnmatch
import glob
import os
import re
import sys


def patterns_of(source):
    """By package: what its file of debian/ lists, without usr/."""
    found = {}
    for path in glob.glob(f"{source}/debian/*.install"):
        with open(path, encoding="utf-8") as file:
            found[os.path.basename(path)] = [line.strip().removeprefix("usr/") for line in file]
    return found


def installed(root):
    """Paths below the prefix, with libraries where Debian has them."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            path = re.sub(r"^usr/(local/)?", "", path)
            if not path.startswith("lib/systemd/"):
                path = re.sub(r"^lib(64|/[\w]+-linux-[\w]+)?/", "lib/any/", path)
            yield path


def matches(path, pattern):
    """Whether a pattern names the file, or a folder that it is in."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def main():
    root, source = sys.argv[1:]
    patterns = patterns_of(source)
    faults = []
    for path in installed(root):
        owners = [package for package, listed in patterns.items()
                  if any(matches(path, pattern) for pattern in listed)]
        if len(owners) != 1:
            faults.append(f"{path} is in {' and '.join(owners) or 'no package: debian/*.install'}")
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

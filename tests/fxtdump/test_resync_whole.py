#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--resync changes nothing where nothing is damaged, whatever a later version of the
format may have added.

    test_resync_whole.py FXTDUMP [--archives N] [--seed N]

Half of the archives are big-endian. They are read in batches: as archives, and without
their magic number as regions.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import fxtrandom

BATCH = 50


def is_changed(fxtdump, args, paths):
    plain, resync = (
        subprocess.run([fxtdump, "--json", *args, *more, *paths], timeout=120, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for more in ((), ("--resync",)))
    assert plain.returncode == 0, (plain.returncode, plain.stderr[:2000])
    return (resync.returncode, resync.stdout, resync.stderr) != (0, plain.stdout, plain.stderr)


def write_batch(folder, seeds, big_endian):
    """Archives, and the same as regions."""
    paths = [], []
    for seed in seeds:
        data = fxtrandom.Generator(seed, big_endian).archive(60)
        for kind, content in enumerate((data, data[8:])):
            path = os.path.join(folder, "%s%d.fxt" % ("ar"[kind], seed))
            with open(path, "wb") as file:
                file.write(content)
            paths[kind].append(path)
    return paths


def changed_in_batch(fxtdump, seeds, big_endian):
    order = ["--byte-order", "big" if big_endian else "little"]
    changed = []
    with tempfile.TemporaryDirectory() as folder:
        archives, regions = write_batch(folder, seeds, big_endian)
        for kind, paths in (("--archive", archives), ("--region", regions)):
            args = [kind, *order]
            if is_changed(fxtdump, args, paths):
                changed += [path for path in paths if is_changed(fxtdump, args, [path])]
    return changed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fxtdump")
    parser.add_argument("--archives", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    changed = []
    for i, first in enumerate(range(0, options.archives, BATCH)):
        seeds = range(options.seed + first, options.seed + min(first + BATCH, options.archives))
        changed += changed_in_batch(options.fxtdump, seeds, bool(i % 2))
    print("%d archives, changed by --resync: %s" % (
        options.archives, ", ".join(os.path.basename(path) for path in changed) or "none"))
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())

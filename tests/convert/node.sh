#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a test in Node.js: node.sh SCRIPT [ARGUMENT]... Exits with 77, which meson counts as
# skipped, where there is none or it is too old to run the script's language.
set -eu

skip() {
    echo "skipped: $1"
    exit 77
}

command -v node >/dev/null || skip 'there is no node'
node --eval 'let x = null; x ??= [][0]?.y; "".replaceAll' 2>/dev/null ||
    skip "node $(node --version) is too old"
exec node "$@"

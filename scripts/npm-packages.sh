#!/bin/sh
# Downloads packages of npm for tests, into build-check/DIRECTORY and nowhere else:
#
#     scripts/npm-packages.sh DIRECTORY MESSAGE PACKAGE...
#
# Needs npm, on x86-64. If they cannot be had, prints the message and exits with 1.
set -eu
cd "$(dirname "$0")/.."

to=build-check/$1
message=$2
shift 2
[ ! -e "$to" ] || exit 0
rm -rf "$to.new"
mkdir -p "$to.new"
# Nothing of that name is ever incomplete.
if [ "$(uname -m)" = x86_64 ] && command -v npm >/dev/null &&
    timeout 120 npm install --silent --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
        --cache "$to.new/cache" --prefix "$to.new" "$@"; then
    rm -rf "$to.new/cache"
    mv "$to.new" "$to"
else
    rm -rf "$to.new"
    echo "$message" >&2
    exit 1
fi

#!/bin/sh
# Downloads readers of Parquet for Node.js, for the test of what fxt2parquet writes:
#
#     scripts/parquet-readers.sh
#
# It installs nothing outside of build-check/parquet-readers: DuckDB and hyparquet. Needs npm,
# on x86-64. Exits with 1 if there are no readers then. A third one, which is large, is tried
# where it was added by hand: npm install --prefix build-check/parquet-readers chdb
set -eu
cd "$(dirname "$0")/.."

to=build-check/parquet-readers
[ ! -e "$to" ] || exit 0
rm -rf "$to.new"
mkdir -p "$to.new"
# Nothing of that name is ever incomplete.
if [ "$(uname -m)" = x86_64 ] && command -v npm >/dev/null &&
    timeout 120 npm install --silent --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
        --cache "$to.new/cache" --prefix "$to.new" \
        @duckdb/node-api@1.5.6-r.1 hyparquet@1.33.0 hyparquet-compressors@1.1.2; then
    rm -rf "$to.new/cache"
    mv "$to.new" "$to"
else
    rm -rf "$to.new"
    echo "No readers of Parquet (npm): continuing without them." >&2
    exit 1
fi

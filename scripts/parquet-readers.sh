#!/bin/sh
# Downloads readers of Parquet for Node.js, for the test of what fxt2parquet writes:
#
#     scripts/parquet-readers.sh
#
# It installs nothing outside of build-check/parquet-readers: DuckDB and hyparquet. Needs npm,
# on x86-64. Exits with 1 if there are no readers then. A third one, which has 550 MB, is tried
# where it was added by hand, also as today's ClickHouse:
# npm install --prefix build-check/parquet-readers chdb@3.4.0
set -eu

exec "$(dirname "$0")/npm-packages.sh" parquet-readers \
    'No readers of Parquet (npm): continuing without them.' \
    @duckdb/node-api@1.5.6-r.1 hyparquet@1.33.0 hyparquet-compressors@1.1.2

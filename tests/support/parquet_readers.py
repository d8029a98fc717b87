# SPDX-License-Identifier: BSD-2-Clause
"""Other programs' readers of Parquet, in Node.js (tests/tables/read_parquet.mjs), from npm:

    scripts/parquet-readers.sh
    export FXT_PARQUET_READERS=$PWD/build-check/parquet-readers/node_modules

ClickHouse's, which is large, is only tried where npm's chdb was added, and Apache Arrow's where
Python has pyarrow, as with Debian sid's python3-pyarrow."""
import json
import os
import shutil
import subprocess

try:
    import pyarrow.parquet as arrow
except ImportError:
    arrow = None

MODULES = os.path.abspath(os.environ.get("FXT_PARQUET_READERS") or "/nonexistent")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tables", "read_parquet.mjs")
HAS_CLICKHOUSE = os.path.exists(os.path.join(MODULES, "chdb"))

_process = None


def missing():
    """Why there are no readers; or None."""
    if shutil.which("node") is None:
        return "there is no node"
    if not os.path.exists(os.path.join(MODULES, "hyparquet")):
        return "FXT_PARQUET_READERS does not name a directory node_modules with npm's hyparquet"
    return None


def ask(**request):
    """Paths must be absolute."""
    global _process  # pylint: disable=global-statement
    if _process is None:
        _process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["node", SCRIPT, MODULES], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    _process.stdin.write(json.dumps(request) + "\n")
    _process.stdin.flush()
    answer = json.loads(_process.stdout.readline())
    assert "error" not in answer, (request, answer["error"])
    return answer


def read(path):
    """By hyparquet: the rows, and the metadata."""
    answer = ask(file=os.path.abspath(path))
    return answer["rows"], answer["metadata"]


def read_by_arrow(path):
    """The rows; None without Apache Arrow. Times are nanoseconds, and NaN is None, as above."""
    if arrow is None:
        return None
    table = arrow.read_table(path)
    table.validate(full=True)
    columns = [column.cast("int64") if str(column.type) == "timestamp[ns]" else column
               for column in table.columns]
    return [[None if value != value else value for value in row]  # pylint: disable=comparison-with-itself
            for row in zip(*(column.to_pylist() for column in columns))]


def duckdb(sql):
    """In the SQL, @ is the current directory."""
    return ask(duckdb=sql.replace("@", os.getcwd()))


def clickhouse(sql):
    return ask(chdb=sql.replace("@", os.getcwd()))

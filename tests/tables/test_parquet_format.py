#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables of any values as Parquet: what DuckDB and hyparquet read is what was written.
Arguments: rows2parquet, and yes or no for zstd. See support/parquet_readers.py."""
import math
import os
import random
import struct
import subprocess
import sys

import parquet_readers
from parquet_readers import clickhouse, duckdb, read
from profile_cases import main, skip

ROWS2PARQUET = os.path.abspath(sys.argv[1])
CODECS = ("none", "gzip", "zstd") if sys.argv[2] == "yes" else ("none", "gzip")
NUMBERS = ("int64", "uint64", "bool", "time")
GROUP_ROWS = 1 << 18


def pack(value, kind):
    if value is None:
        return b"\0"
    if kind in NUMBERS:
        return b"\1" + struct.pack("<Q", int(value) & (2**64 - 1))
    if kind == "double":
        return b"\1" + struct.pack("<d", value)
    data = b"".join(value) if kind == "list of hashes" else value
    data = data.encode() if isinstance(data, str) else data
    return b"\1" + struct.pack("<Q", len(data)) + data


def write(columns, rows, codec="none", name="t.parquet"):
    kinds = [kind.rstrip("?") for kind in columns.values()]
    subprocess.run([ROWS2PARQUET, name, codec, *[f"{n}:{kind}" for n, kind in columns.items()]],
                   input=b"".join(pack(v, k) for row in rows for v, k in zip(row, kinds)),
                   check=True)
    return name


def shown(value):
    """A value as read_parquet.mjs has it."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return "-0" if value == 0 and math.copysign(1, value) < 0 else value
    if isinstance(value, list):
        return [v.hex() for v in value]
    return value.hex() if isinstance(value, bytes) else str(value)


def compare(columns, rows, codec="none"):
    """Returns the metadata of what was written and read."""
    found, metadata = read(write(columns, rows, codec))
    expected = [[shown(v) for v in row] for row in rows]
    assert len(found) == len(expected), (len(found), len(expected))
    for i, pair in enumerate(zip(found, expected)):
        assert pair[0] == pair[1], (i, pair)
    assert int(metadata["num_rows"]) == len(rows)
    return metadata


def chunks(metadata, column):
    found = []
    for group in metadata["row_groups"]:
        found += [chunk["meta_data"] for chunk in group["columns"]
                  if chunk["meta_data"]["path_in_schema"][0] == column]
    return found


# ---- Values ----

EVERY = {"i": "int64", "in": "int64?", "u": "uint64", "un": "uint64?", "t": "time?", "d": "double",
         "dn": "double?", "b": "bool", "bn": "bool?", "s": "string", "sn": "string?", "x": "blob?",
         "h": "hash", "hn": "hash?", "l": "list of hashes", "ln": "list of hashes?"}
STRINGS = ("", "a", "\u00e9\u20ac\U0001f600", "x" * 300, "line\nbreak", '"quoted"', "\ufffd")
DOUBLES = (0.0, -0.0, 1.5, -2.25, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308)


def random_rows(rng, n):
    hashes = [rng.randbytes(16) for _ in range(9)]
    integers = (-2**63, 2**63 - 1, 0, 1, -1)

    def a_list():
        return [rng.choice(hashes) for _ in range(rng.choice((0, 1, 2, 7, 30)))]

    return [[rng.choice(integers + (i,)), rng.choice((None, i, -i)), rng.choice((0, 2**64 - 1, i)),
             rng.choice((None, 2**63)), rng.choice((None, 1700000000 * 10**9 + 999 * i)),
             rng.choice(DOUBLES), rng.choice((None,) + DOUBLES), rng.random() < 0.5,
             rng.choice((None, True, False)), rng.choice(STRINGS), rng.choice((None, "", f"q{i}")),
             rng.choice((None, b"", b"\xff\0\x80", b"\0" * 40)), rng.choice(hashes),
             rng.choice((None, rng.randbytes(16))), a_list(), rng.choice((None, [], a_list()))]
            for i in range(n)]


def test_values_of_every_type():
    for seed, codec in enumerate(CODECS):
        rng = random.Random(seed)
        for n in (1, 8, 9, 700):
            compare(EVERY, random_rows(rng, n), codec)


def test_sums_and_types_in_duckdb():
    for codec in CODECS:
        rows = random_rows(random.Random(1), 3000)
        write(EVERY, rows, codec)
        found = duckdb("""select count(*), sum(i::hugeint), count("in"), sum("in"), sum(u::hugeint),
            count(un), max(un), sum(b::int), count(distinct s), count(sn), sum(len(l)), count(ln),
            sum(len(ln)), count(distinct h), sum(octet_length(x)), sum(epoch_ns(t)::hugeint),
            sum(isnan(d)::int), sum((d > 1)::int) from read_parquet('@/t.parquet')""")
        column = dict(zip(EVERY, zip(*rows)))
        there = {name: [v for v in values if v is not None] for name, values in column.items()}
        expected = [len(rows), sum(column["i"]), len(there["in"]), sum(there["in"]), sum(column["u"]),
                    len(there["un"]), 2**63, sum(column["b"]), len(set(column["s"])),
                    len(there["sn"]), sum(map(len, column["l"])), len(there["ln"]),
                    sum(map(len, there["ln"])), len(set(column["h"])), sum(map(len, there["x"])),
                    sum(there["t"]), sum(map(math.isnan, column["d"])),
                    sum(v > 1 or math.isnan(v) for v in column["d"])]
        assert [int(v) for v in found[0]] == expected, (found, expected)
    types = {name: kind for name, kind, *_ in duckdb("describe from read_parquet('@/t.parquet')")}
    assert types == {
        "i": "BIGINT", "in": "BIGINT", "u": "UBIGINT", "un": "UBIGINT", "t": "TIMESTAMP_NS",
        "d": "DOUBLE", "dn": "DOUBLE", "b": "BOOLEAN", "bn": "BOOLEAN", "s": "VARCHAR",
        "sn": "VARCHAR", "x": "BLOB", "h": "BLOB", "hn": "BLOB", "l": "BLOB[]", "ln": "BLOB[]"}, types


def test_sums_in_clickhouse():
    if not parquet_readers.HAS_CLICKHOUSE:
        return
    rows = random_rows(random.Random(1), 3000)
    for codec in CODECS:
        write(EVERY, rows, codec)
        found = clickhouse("""select count(), toString(sum(toInt128(i))), toString(sum(toInt128(u))),
            sum(b), uniqExact(s), sum(length(l)), uniqExact(h), count(sn) from file('@/t.parquet')""")
        column = dict(zip(EVERY, zip(*rows)))
        assert found == [[len(rows), str(sum(column["i"])), str(sum(column["u"])), sum(column["b"]),
                          len(set(column["s"])), sum(map(len, column["l"])), len(set(column["h"])),
                          len(rows) - column["sn"].count(None)]], found


def test_tables_without_rows_and_without_values():
    assert compare(EVERY, [])["row_groups"] == []
    nullable = {name: kind for name, kind in EVERY.items() if kind.endswith("?")}
    metadata = compare(nullable, [[None] * len(nullable)] * 1000)
    for name in nullable:
        statistics = chunks(metadata, name)[0]["statistics"]
        assert statistics["null_count"] == "1000" and "min_value" not in statistics, statistics
    assert duckdb("select count(*), count(sn), count(ln) from read_parquet('@/t.parquet')") == [
        ["1000", "0", "0"]]
    compare({"l": "list of hashes"}, [[[]]] * 100)


def test_integers_of_all_distances():
    """Differences of any width, and those that overflow."""
    rng = random.Random(5)
    columns = {"u": "uint64", "i": "int64", "o": "int64?"}
    values = [rng.getrandbits(bits) if bits else 7 for bits in range(65) for _ in range(150)]
    rows = [[v, v - 2**63, None if v % 3 == 0 else 2**63 - 1 - v] for v in values]
    compare(columns, rows)
    for n in (1, 2, 32, 33, 34, 128, 129, 130, 257):
        compare(columns, rows[3000:3000 + n])
    compare({"i": "int64"}, [[-2**63 if i % 2 else 2**63 - 1] for i in range(500)]
            + [[i * i * i - 2**63] for i in range(500)])


def test_runs_of_all_lengths():
    """Levels and numbers of values are runs, and groups of eight."""
    rng = random.Random(6)
    for _ in range(5):
        rows = []
        while len(rows) < 2000:
            value = rng.choice((None, "a", "b", "c" * rng.randrange(20)))
            rows += [[value, value is None or None]] * rng.choice((1, 1, 2, 7, 8, 9, 15, 16, 17, 70))
        compare({"s": "string?", "b": "bool?"}, rows)


# ---- Large tables ----


def test_many_different_strings_have_no_dictionary():
    n = GROUP_ROWS + 1000
    rows = [[f"string {i * 7919 % n}", "same", 10**12 * (i * i % 300)] for i in range(n)]
    write({"s": "string", "same": "string", "i": "int64"}, rows, CODECS[-1])
    assert duckdb("""select count(*), count(distinct s), min(s), max(s), count(distinct same), sum(i)
        from read_parquet('@/t.parquet')""") == [[str(n), str(n), "string 0", "string 99999", "1",
                                                str(sum(row[2] for row in rows))]]
    rows = duckdb("""select path_in_schema, encodings, row_group_num_rows
        from parquet_metadata('@/t.parquet') order by row_group_id, column_id""")
    assert [row[2] for row in rows] == [str(GROUP_ROWS)] * 3 + ["1000"] * 3, rows
    assert ["RLE_DICTIONARY" in row[1] for row in rows] == [False, True, True] * 2, rows


def test_large_rows_end_a_row_group_early():
    rng = random.Random(7)
    rows = [[rng.randbytes(1 << 20), [rng.randbytes(16) for _ in range(1000)]] for _ in range(70)]
    write({"x": "blob", "l": "list of hashes"}, rows)
    assert duckdb("""select sum(octet_length(x)), sum(len(l)), count(distinct x)
        from read_parquet('@/t.parquet')""") == [[str(70 << 20), "70000", "70"]]
    sizes = duckdb("""select row_group_num_rows, max(row_group_bytes) from
        parquet_metadata('@/t.parquet') group by row_group_id, 1""")
    assert len(sizes) == 2 and all(int(size[1]) < 132 << 20 for size in sizes), sizes


def test_pages_end_with_rows():
    """Lists of 1 to 200 items, of which there are several pages."""
    rng = random.Random(8)
    hashes = [rng.randbytes(16) for _ in range(500)]
    rows = [[rng.choices(hashes, k=i % 200), i] for i in range(3000)]
    compare({"l": "list of hashes?", "i": "int64"}, rows, CODECS[-1])


# ---- Statistics ----


def bounds(metadata, column):
    return [(c["statistics"].get("min_value"), c["statistics"].get("max_value"),
             int(c["statistics"]["null_count"])) for c in chunks(metadata, column)]


def test_statistics_are_of_each_type():
    rows = [[-5, 2**63 + 1, -1.5, "b", None], [7, 3, math.nan, "\u00e9", b"\xff"],
            [0, 2**63, math.inf, "a", b"\0"]]
    metadata = compare({"i": "int64", "u": "uint64", "d": "double", "s": "string", "x": "blob?"}, rows)
    assert bounds(metadata, "i") == [("-5", "7", 0)]
    assert bounds(metadata, "u") == [("3", str(2**63 + 1), 0)]
    assert bounds(metadata, "d") == [(-1.5, "Infinity", 0)]
    found = duckdb("""select stats_min_value, stats_max_value, stats_null_count
        from parquet_metadata('@/t.parquet') where path_in_schema in ('s', 'x') order by 1 desc""")
    assert found[0] == ["a", "\u00e9", "0"] and found[1][2] == "1", found


def test_statistics_of_what_has_no_order():
    column = {"d": "double"}
    assert bounds(compare(column, [[math.nan]] * 3), "d") == [(None, None, 0)]
    assert duckdb("select count(*) from read_parquet('@/t.parquet') where d = 'nan'") == [["3"]]
    # A zero may be either one.
    assert bounds(compare(column, [[0.0], [0.0]]), "d") == [("-0", 0, 0)]
    assert bounds(compare(column, [[-0.0], [-0.0]]), "d") == [("-0", 0, 0)]
    # Long strings are not repeated in the metadata.
    assert bounds(compare({"s": "string"}, [["x" * 1000], ["a"]]), "s") == [(None, None, 0)]


def test_readers_that_skip_row_groups_find_all_rows():
    rng = random.Random(9)
    n = GROUP_ROWS + 5000
    rows = [[i - GROUP_ROWS, i + 2**63 - GROUP_ROWS, float(i), f"s{i // GROUP_ROWS}",
             i if i % 2 else None] for i in range(n)]
    write({"i": "int64", "u": "uint64", "d": "double", "s": "string", "o": "int64?"}, rows)
    for at in [0, GROUP_ROWS - 1, GROUP_ROWS, n - 1] + [rng.randrange(n) for _ in range(6)]:
        i, u, d, s, _ = rows[at]
        found = duckdb(f"""select
            (select count(*) from read_parquet('@/t.parquet') where i = {i}),
            (select count(*) from read_parquet('@/t.parquet') where u = {u}),
            (select count(*) from read_parquet('@/t.parquet') where u < {u}),
            (select count(*) from read_parquet('@/t.parquet') where d >= {d}),
            (select count(*) from read_parquet('@/t.parquet') where s = '{s}'),
            (select count(*) from read_parquet('@/t.parquet') where o is null and i <= {i})""")
        expected = [1, 1, at, n - at, min(GROUP_ROWS, n - at // GROUP_ROWS * GROUP_ROWS), at // 2 + 1]
        assert [int(v) for v in found[0]] == expected, (at, found, expected)


if __name__ == "__main__":
    if parquet_readers.missing():
        skip(parquet_readers.missing())
    main(sys.modules[__name__])

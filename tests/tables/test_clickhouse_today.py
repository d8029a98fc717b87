#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Today's ClickHouse, npm's chdb, takes the same tables, rows and queries as the version of
Debian: the tests of that which need neither users nor shards. Arguments: the tools' directory,
docs/schema.md, and the dashboard of Grafana."""
import os
import sys

import clickhouse_server
import parquet_readers
from profile_cases import main, skip

if not parquet_readers.HAS_CLICKHOUSE:
    skip("FXT_PARQUET_READERS does not name a directory node_modules with npm's chdb")
clickhouse_server.use_today(parquet_readers.MODULES)

# pylint: disable=wrong-import-position, unused-import
import test_clickhouse_report as report  # noqa: E402
from test_clickhouse_report import (  # noqa: E402, F401
    test_archives_that_fxtship_dropped, test_comparison, test_dashboard,
    test_losses_are_those_of_the_recordings, test_many_archives_and_conditions,
    test_more_recordings_than_a_query_has, test_one_archive_is_the_same_from_both,
    test_what_is_missing_is_named)
from test_clickhouse_server import (  # noqa: E402, F401
    test_killed_senders, test_sums_and_what_is_sent_twice, test_sums_of_hours,
    test_tables_that_lack_a_column)

report.DASHBOARD = os.path.abspath(sys.argv[3])

if __name__ == "__main__":
    main(sys.modules[__name__])

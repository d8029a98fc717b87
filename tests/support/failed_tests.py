#!/usr/bin/env python3
"""failed_tests.py BUILD: the names of the tests that failed when BUILD's were run last."""

import json
import os
import sys

with open(os.path.join(sys.argv[1], 'meson-logs', 'testlog.json'), encoding='utf-8') as log:
    for line in log:
        test = json.loads(line)
        if test['result'] in ('FAIL', 'ERROR', 'TIMEOUT', 'UNEXPECTEDPASS'):
            # "libfxt:unit / name"
            print(test['name'].split(' / ', 1)[-1])

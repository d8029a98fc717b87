#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""examples/profile_yourself answers as net/http/pprof does, with a profile of itself.

    test_profile_yourself.py PROFILE_YOURSELF
"""

import gzip
import http.client
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse

import patience
import pprof_read

HOT = ("hash_numbers", "sort_numbers")
SECONDS = 2


def get(url, method="GET"):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=patience.SECONDS)
    connection.request(method, f"{parts.path}?{parts.query}" if parts.query else parts.path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert int(answer.headers["Content-Length"]) == len(body)
    return answer, body


def worker_cpu_seconds(process):
    """The CPU time of the worker threads so far."""
    ticks = 0
    folder = f"/proc/{process}/task"
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/stat", encoding="ascii") as file:
            name, fields = file.read().rsplit(")", 1)
        if name.endswith("(worker"):
            ticks += sum(map(int, fields.split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def read_profile(body):
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        return pprof_read.read(file.name)


def check_lines(profile, source):
    """The hot functions have lines, which are within this function in the source."""
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    functions = {f["id"]: f for f in profile["function"]}
    n_checked = 0
    for location in profile["location"]:
        for line in location["line"]:
            function = functions[line["function_id"]]
            # What a sanitizer has added is in no line.
            if function["name"] not in HOT or line["line"] == 0:
                continue
            start = next(i for i, text in enumerate(lines, 1)
                         if f" {function['name']}(" in text and "OWN_FRAME" in text)
            end = lines.index("}", start) + 1
            assert start <= line["line"] <= end, (function["name"], line["line"])
            assert function["filename"].endswith("profile_yourself.c"), function
            n_checked += 1
    assert n_checked >= 2, n_checked


def check_profile(process, url, source):
    begun, cpu = time.monotonic(), worker_cpu_seconds(process)
    answer, body = get(f"{url}?seconds={SECONDS}")
    passed, cpu = time.monotonic() - begun, worker_cpu_seconds(process) - cpu
    assert answer.status == 200, (answer.status, body)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Content-Encoding" not in answer.headers
    assert gzip.decompress(body)
    assert passed >= SECONDS
    profile = read_profile(body)
    types = [(t["type"], t["unit"]) for t in profile["sample_type"]]
    assert types == [("samples", "count"), ("cpu", "nanoseconds")], types
    stacks = pprof_read.fold(profile)
    total = sum(stacks.values())
    total_ns = sum(pprof_read.fold(profile, value=1).values())
    shares = {name: sum(n for stack, n in stacks.items() if name in stack) / total
              for name in HOT}
    print(f"{total} samples, {total_ns / 1e9:.2f} s of {cpu:.2f} s in {passed:.2f} s:",
          shares)
    # The workers continue while the profile is made: the samples are of part of their time,
    # about as much as the part of the request that was sampled.
    assert total_ns / 1e9 <= cpu * 1.1 + 0.1
    assert total_ns / 1e9 >= cpu * SECONDS / passed * 0.4, (total_ns, cpu, passed)
    assert sum(shares.values()) > 0.8 and min(shares.values()) > 0.05, shares
    check_lines(profile, source)
    labels = [pprof_read.labels(sample) for sample in profile["sample"]]
    assert any(label.get("thread", "").startswith("worker") for label in labels), labels[:3]
    assert any(m["filename"].endswith("profile_yourself") and m["build_id"]
               for m in profile["mapping"]), profile["mapping"]


def check_refusals(url):
    for path, method, status in (("/", "GET", 404), ("/debug/pprof/profiles", "GET", 404),
                                 ("/debug/pprof/profile", "POST", 405)):
        answer, _ = get(urllib.parse.urljoin(url, path), method)
        assert answer.status == status, (path, answer.status)
        assert answer.headers["Content-Type"].startswith("text/plain")


def main():
    program, source = sys.argv[1:]
    with subprocess.Popen([program, "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            check_refusals(url)
            for _ in range(2):
                check_profile(server.pid, url, source)
            assert server.poll() is None
        finally:
            server.kill()


main()

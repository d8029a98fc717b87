#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""examples/traced_server: its trace has each request, from its arrival to its answer, and
every view shows it.

Usage: test_server.py TOOLS SERVER"""
import http.client
import json
import os
import subprocess
import sys
import threading

sys.argv[1:] = [os.path.abspath(x) for x in sys.argv[1:]]
import profile_cases as cases  # pylint: disable=wrong-import-position
import patience  # pylint: disable=wrong-import-position

SERVER = sys.argv[2]
N = 60


def ask(port, path, answers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.SECONDS)
    connection.request("GET", path)
    answers.append(connection.getresponse().read())


def serve(path):
    with subprocess.Popen([SERVER, "0", str(N)], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "FXT_TRACE_FILE": path}) as server:
        port = int(server.stdout.readline())
        answers = []
        for i in range(0, N, 6):
            threads = [threading.Thread(target=ask, args=(port, "/" + "x" * (i + j), answers))
                       for j in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert server.wait(patience.SECONDS) == 0
    assert len(answers) == N and all(x.strip().isdigit() for x in answers)


def report(*options):
    return json.loads(cases.run(cases.FXTREPORT, "--json", *options, "t.fxt"))


def test_all_requests_are_traced():
    serve("t.fxt")
    found = report()
    spans = {x["name"]: x for x in found["spans"]}
    assert {k: x["count"] for k, x in spans.items() if k != "wait for room"} == {
        x: N for x in ("accept", "answer", "read", "work", "send")}, spans
    assert all(x["unfinished"] == 0 for x in found["spans"])
    assert [(x["name"], x["count"], x["unfinished"]) for x in found["async"]] == [("request", N, 0)]
    assert [(x["name"], x["count"]) for x in found["flows"]] == [("to worker", N)]
    assert [(x["series"], x["count"], x["last"]) for x in found["counters"]] == [("waiting", 2 * N, 0)]
    assert found["instants"] == []
    # What a request waited for is on another thread.
    text = cases.run(cases.FXTREPORT, "--span", "answer", "--critical-path", "t.fxt")
    assert "acceptor" in text or "worker" in text, text
    threads = {json.loads(x)["name"] for x in cases.run(cases.FXTDUMP, "--json", "t.fxt").splitlines()
               if '"object_type":"thread"' in x}
    assert threads == {"acceptor", "worker"}, threads


def test_other_views():
    serve("t.fxt")
    for tool, output in (("fxtreport", "t.html"), ("fxt2firefox", "t.json"),
                         ("fxt2perfetto", "t.perfetto-trace"), ("fxt2chrome", "t.chrome.json")):
        cases.run(os.path.join(cases.TOOLS, tool, tool), "-o", output, "t.fxt")
        assert os.path.getsize(output) > 2000, output
    print(cases.run(os.path.join(cases.TOOLS, "fxtlint", "fxtlint"), "t.fxt"))


if __name__ == "__main__":
    cases.main(sys.modules[__name__])

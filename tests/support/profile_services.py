# SPDX-License-Identifier: BSD-2-Clause
"""What stands for services that take profiles in pprof's format: each checks a request as the
service does, and that there are samples in it. A request that it would not take is answered
with status 400 and the reason, which curl -f fails on."""
import base64
import http.server
import json
import re
import threading
import urllib.parse

import pprof_read

NAME = re.compile(r"[\w.-]+(\{\w+=[^{},=]+(,\w+=[^{},=]+)*\})?")
LABEL = re.compile(r"[a-zA-Z_]\w*")


def check_profile(data):
    """pprof, compressed, with a time."""
    assert data[:2] == b"\x1f\x8b", "the profile is not compressed"
    profile = pprof_read.parse(data)
    assert profile["sample"], "there are no samples"
    assert profile["time_nanos"] > 10**18, "there is no time"
    return profile


def check_pyroscope(request, url, body):
    """A time in seconds, and a name with labels in braces."""
    query = {name: value for name, (value,) in urllib.parse.parse_qs(
        url.query, keep_blank_values=True, strict_parsing=True).items()}
    assert url.path == "/ingest" and query.pop("format") == "pprof"
    assert NAME.fullmatch(query.pop("name")) and query.pop("spyName")
    begin, end = int(query.pop("from")), int(query.pop("until"))
    assert not query, query
    # A form would have this type.
    assert "multipart" not in request.headers["Content-Type"]
    # In whole seconds, of which the last may be that of the beginning, too.
    assert begin <= check_profile(body)["time_nanos"] / 1e9 < end + 1, "not of that time"


def check_parca(request, url, body):
    """JSON, as the gateway to gRPC takes it."""
    assert url.path == "/api/profiles/writeraw" and not url.query
    assert request.headers["Content-Type"] == "application/json"
    message = json.loads(body)
    assert list(message) == ["series"]
    for series in message["series"]:
        assert set(series) == {"labels", "samples"} and list(series["labels"]) == ["labels"]
        labels = {label["name"]: label["value"] for label in series["labels"]["labels"]}
        assert labels["__name__"] and all(map(LABEL.fullmatch, labels))
        for sample in series["samples"]:
            assert list(sample) == ["rawProfile"]
            check_profile(base64.b64decode(sample["rawProfile"], validate=True))


def check_collector(request, url, body):
    """The body is the profile."""
    assert url.path == "/v1/pprof" and not url.query
    # It would be decompressed twice.
    assert "Content-Encoding" not in request.headers
    check_profile(body)


def start(check):
    """The URL of a service that takes what `check` does not refuse."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                check(self, urllib.parse.urlsplit(self.path), body)
                status, answer = 200, b""
            except (AssertionError, KeyError, TypeError, ValueError) as fault:
                status, answer = 400, repr(fault).encode()
                print(self.path, repr(fault), flush=True)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"

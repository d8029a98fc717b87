# SPDX-License-Identifier: BSD-2-Clause
"""What fxt2clickhouse speaks to in place of a server: it keeps the rows that come, the last
one of each key, and can be told to answer wrongly."""
import gzip
import http.server
import re
import struct
import threading
import urllib.parse

CREATE = re.compile(r"CREATE TABLE IF NOT EXISTS `\w+`\.`(\w+)_rows` \((.*?)\n\)\n.*?"
                    r"ORDER BY \((.*?)\)", re.S)
COLUMN = re.compile(r"^  `([\w.]+)` (.+?),?$", re.M)
INSERT = re.compile(r"INSERT INTO `(\w+)`\.`(\w+)_rows` \((.*)\) FORMAT RowBinary")


def tables_of(schema):
    """{name: ({column: type}, [key])} from what --schema prints."""
    return {name: (dict(COLUMN.findall(columns)), key.split(", "))
            for name, columns, key in CREATE.findall(schema)}


class Rows:
    """Bytes in RowBinary."""

    NUMBERS = {"Int64": "<q", "UInt64": "<Q", "Float64": "<d", "UInt8": "<B",
               "DateTime('UTC')": "<I"}

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert size <= len(self.data) - self.at, "a row is cut"
        self.at += size
        return self.data[self.at - size:self.at]

    def size(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def value(self, kind):
        if kind in self.NUMBERS:
            code = self.NUMBERS[kind]
            return struct.unpack(code, self.take(struct.calcsize(code)))[0]
        if kind == "String":
            return self.take(self.size())
        if kind == "FixedString(16)":
            return self.take(16)
        outer, inner = re.fullmatch(r"(\w+)\((.*)\)", kind).groups()
        if outer == "Nullable":
            return None if self.value("UInt8") else self.value(inner)
        assert outer == "Array", kind
        return tuple(self.value(inner) for _ in range(self.size()))


class StandIn:
    """`wrong` is called with each request's handler, and its statement or None for rows; it
    returns whether it has answered."""

    def __init__(self, schema, wrong=lambda handler, statement: False, tls=None):
        self.types, self.wrong = tables_of(schema), wrong
        self.rows = {name: {} for name in self.types}
        self.requests, self.largest, self.lock = [], 0, threading.Lock()
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Headers and bodies are sent separately, and would wait for one another.
            disable_nagle_algorithm = True

            def do_POST(self):
                stand_in.handle(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        self.server.daemon_threads = True
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, handler):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
        size = int(handler.headers["Content-Length"])
        body = handler.rfile.read(size)
        if len(body) < size:
            return
        is_insert = "query" in query
        with self.lock:
            statement = query["query"][0] if is_insert else body.decode()
            self.requests.append((statement, dict(handler.headers)))
            if self.wrong(handler, statement):
                return
            if is_insert:
                assert handler.headers["Content-Encoding"] == "gzip"
                self.insert(statement, gzip.decompress(body))
        self.answer(handler, 200, b"ClickHouse\t1.2.3\n" if statement.startswith("SELECT") else b"")

    @staticmethod
    def answer(handler, status, body, **headers):
        handler.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    def insert(self, statement, data):
        _, table, columns = INSERT.fullmatch(statement).groups()
        columns = re.findall(r"`([\w.]+)`", columns)
        types, key = self.types[table]
        assert set(columns) == set(types)
        self.largest = max(self.largest, len(data))
        rows = Rows(data)
        while rows.at < len(data):
            row = {name: rows.value(types[name]) for name in columns}
            self.rows[table][tuple(row[name] for name in key)] = row


ONE_LOSS = b"\x0fdropped_records\0\7no room" + struct.pack("<qq", 12, 1)


def have_one_stack(handler, statement):
    """A `wrong`: what a server answers that has samples of one stack, of nginx."""
    stack, frame = b"s" * 16, b"f" * 16
    answers = {
        "SELECT recording ": b"r" * 16,
        "SELECT process_name": b"\5nginx\6worker" + stack + struct.pack("<qq", 7, 7000000),
        "SELECT id, frames": stack + b"\1" + frame + b"\5whole",
        "SELECT id, name": frame + b"\4main\5nginx\4abcd\6main.c" + struct.pack("<qB", 9, 0),
        "SELECT name, ": ONE_LOSS,
    }
    for start, answer in answers.items():
        if statement.startswith(start):
            StandIn.answer(handler, 200, answer)
            return True
    return False

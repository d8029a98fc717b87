# SPDX-License-Identifier: BSD-2-Clause
"""A server of debug files on the loopback that does whatever a test wants, and knows what
it was asked for."""

import contextlib
import socket
import threading

import patience

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"


class Server:
    """`answer(connection, server)` answers a request whose head was read; then the
    connection is closed. `asked` has the build ids of all requests."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []
        self.is_over = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.socket.getsockname()[1]
        self.threads = [threading.Thread(target=self.serve, daemon=True)]

    def serve(self):
        while not self.is_over.is_set():
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            thread = threading.Thread(target=self.talk, args=(connection,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def talk(self, connection):
        with connection, contextlib.suppress(OSError):
            connection.settimeout(patience.SECONDS)
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65536)
                if not part:
                    return
                head += part
            self.asked.append(head.split()[1].decode().rpartition("buildid/")[2].split("/")[0])
            self.answer(connection, self)

    def hang(self):
        """Until the test is over."""
        self.is_over.wait(patience.SECONDS)

    def __enter__(self):
        self.threads[0].start()
        return self

    def __exit__(self, *unused):
        self.is_over.set()
        # Closing it does not wake what accepts.
        with contextlib.suppress(OSError):
            socket.create_connection(self.socket.getsockname()).close()
        self.socket.close()
        for thread in self.threads:
            thread.join()


def absent(connection, _):
    connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def silent(_, server):
    server.hang()


def hang_after_headers(connection, server):
    connection.sendall(OK + b"Content-Length: 1000000\r\n\r\n")
    server.hang()


def trickle(connection, server):
    connection.sendall(OK + b"Content-Length: 1000000\r\n\r\n")
    while not server.is_over.wait(0.05):
        connection.sendall(b"x")


def trickle_headers(connection, server):
    connection.sendall(OK)
    while not server.is_over.wait(0.05):
        connection.sendall(b"X-Header: x\r\n")


def redirect(connection, _):
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /buildid/00/again\r\n"
                       b"Content-Length: 0\r\nConnection: close\r\n\r\n")


def garbage(connection, _):
    connection.sendall(b"\0\xff\x1b[2J" * 1000)


def failure(connection, _):
    connection.sendall(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def endless(connection, server):
    """As fast as it can, for ever."""
    connection.sendall(OK + b"Connection: close\r\n\r\n")
    while not server.is_over.wait(0.01):
        connection.sendall(b"x" * 65536)


def content(data):
    def send(connection, _):
        connection.sendall(OK + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(data))
        connection.sendall(data)
    return send


@contextlib.contextmanager
def blackhole():
    """The address of a port that does not answer: its queue is full, and nobody accepts."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = []
        for _ in range(4):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
            waiting.append(one)
        yield "http://127.0.0.1:%d" % listener.getsockname()[1]
        for one in waiting:
            one.close()

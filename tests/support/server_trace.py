# SPDX-License-Identifier: BSD-2-Clause
"""A trace of a server and its database, with all kinds of events that traces have: requests
as operations, flows from the thread that accepts them to the one that serves them and on to
the database, spans within these, counters, instants and scheduling on four CPUs."""
import random

import fxtwrite
from fxtwrite import arg

INSTANT, COUNTER, ASYNC_BEGIN, ASYNC_END, FLOW_BEGIN, FLOW_STEP, FLOW_END = 0, 1, 5, 7, 8, 9, 10
SERVER, DATABASE, ACCEPT, WRITER = 100, 200, 101, 201
WORKERS = [110, 111, 112, 113]
MS, US = 10**6, 10**3
PATHS = [b"/", b"/search", b"/item", b"/cart", b"/login"]


class Server:
    def __init__(self, n_requests, seed=1):
        self.rng = random.Random(seed)
        self.trace = fxtwrite.archive()
        self.free = {thread: MS for thread in WORKERS + [WRITER]}
        self.n_spans = 0
        self.bytes = 20 << 20
        # When threads run: (begin, end, thread).
        self.runs = []
        self.names()
        for i in range(n_requests):
            self.request(i + 1, MS + int(i * 0.42 * MS + self.rng.random() * 0.3 * MS))
        self.schedule()

    def names(self):
        t = self.trace
        t.provider(1, b"server")
        t.process(SERVER, b"server")
        t.process(DATABASE, b"database")
        t.thread(ACCEPT, b"accept", SERVER)
        t.thread(WRITER, b"writer", DATABASE)
        for i, thread in enumerate(WORKERS):
            t.thread(thread, b"worker %d" % i, SERVER)

    def span(self, begin, end, process, thread, name, *args):
        self.n_spans += 1
        self.trace.add(fxtwrite.event(4, begin, (process, thread), b"http" if process == SERVER else b"db",
                                      name, args, extra=[end]))

    def event(self, kind, time, process, thread, name, *args, extra=()):
        self.trace.add(fxtwrite.event(kind, time, (process, thread), b"http", name, args, extra=extra))

    def took(self, median):
        return int(median * self.rng.lognormvariate(0, 0.45))

    def request(self, number, arrival):
        rng = self.rng
        accepted = arrival + self.took(18 * US)
        self.span(arrival, accepted, SERVER, ACCEPT, b"accept")
        self.runs.append((arrival, accepted, ACCEPT))
        self.event(ASYNC_BEGIN, arrival, SERVER, ACCEPT, b"request", extra=[number])
        self.event(FLOW_BEGIN, accepted - 2 * US, SERVER, ACCEPT, b"dispatch", extra=[number])
        thread = min(WORKERS, key=self.free.get)
        begin = max(accepted + 10 * US, self.free[thread])
        end = self.serve(number, begin, thread, rng.choice(PATHS))
        self.free[thread] = end + 8 * US
        self.runs.append((begin, end, thread))
        self.event(ASYNC_END, end, SERVER, thread, b"request", extra=[number])
        waiting = sum(free > arrival for free in self.free.values())
        if number % 2 == 0:
            self.event(COUNTER, arrival, SERVER, ACCEPT, b"busy workers", arg(1, b"n", waiting), extra=[0])
        if number % 4 == 0:
            self.bytes = max(4 << 20, self.bytes + rng.randrange(-3 << 20, (3 << 20) + 9000))
            self.event(COUNTER, arrival, SERVER, ACCEPT, b"heap", arg(4, b"bytes", self.bytes), extra=[0])
        if number % 97 == 0:
            self.event(INSTANT, end, SERVER, thread, b"slow request", arg(6, b"path", b"/search"))

    def serve(self, number, begin, thread, path):
        rng, now = self.rng, begin + self.took(6 * US)
        self.event(FLOW_STEP, begin + US, SERVER, thread, b"dispatch", extra=[number])
        parsed = now + self.took(45 * US)
        self.span(now, parsed, SERVER, thread, b"parse")
        now = parsed + 4 * US
        if rng.random() < 0.7:
            queried = self.query(number, now + 12 * US, thread)
            self.span(now, queried + 20 * US, SERVER, thread, b"query", arg(1, b"rows", rng.randrange(1, 400)))
            now = queried + 30 * US
        rendered = now
        for part in (b"header", b"body", b"footer")[:rng.randrange(1, 4)]:
            until = rendered + self.took(90 * US if part == b"body" else 25 * US)
            self.span(rendered + 2 * US, until, SERVER, thread, b"template", arg(6, b"part", part))
            rendered = until + 3 * US
        self.span(now, rendered, SERVER, thread, b"render")
        now = rendered + self.took(12 * US)
        sent = now + self.took(30 * US)
        self.span(now, sent, SERVER, thread, b"send", arg(1, b"bytes", rng.randrange(200, 60000)))
        self.span(begin, sent + 5 * US, SERVER, thread, b"handle", arg(6, b"path", path),
                  arg(4, b"request", number))
        return sent + 5 * US

    def query(self, number, begin, thread):
        start = max(begin + 15 * US, self.free[WRITER])
        self.event(FLOW_STEP, begin, SERVER, thread, b"dispatch", extra=[number])
        locked = start + self.took(14 * US)
        slow = 12 if self.rng.random() < 0.01 else 1
        read = locked + self.took(70 * US) * slow
        self.event(FLOW_END, start + US, DATABASE, WRITER, b"dispatch", extra=[number])
        self.span(start, read + 9 * US, DATABASE, WRITER, b"execute", arg(4, b"request", number))
        self.span(start + US, locked, DATABASE, WRITER, b"lock")
        self.span(locked + US, read, DATABASE, WRITER, b"read pages")
        self.free[WRITER] = read + 15 * US
        self.runs.append((start, read + 9 * US, WRITER))
        return read + 24 * US

    def schedule(self):
        """Each thread runs on the first CPU that is free, so that sometimes one waits."""
        free = [0] * 4
        switches = []
        for begin, end, thread in sorted(self.runs):
            cpu = min(range(4), key=lambda i: (free[i] > begin, i, free[i]))
            begin = max(begin, free[cpu])
            if end <= begin:
                continue
            switches.append((max(free[cpu], begin - 6 * US), fxtwrite.thread_wakeup(
                max(free[cpu], begin - 6 * US), cpu, thread)))
            switches.append((begin, fxtwrite.context_switch(begin, cpu, 0, 0, thread)))
            switches.append((end, fxtwrite.context_switch(end, cpu, 3, thread, 0)))
            free[cpu] = end + US
        for _, record in sorted(switches, key=lambda switch: switch[0]):
            self.trace.add(record)


def server_trace(n_requests=3000, seed=1):
    return Server(n_requests, seed).trace

# SPDX-License-Identifier: BSD-2-Clause
"""Traces of spans, worked out by hand, for the tests of fxtreport --span."""
import json

import fxtwrite
import patience
from fxtwrite import arg
from profile_cases import FXTREPORT, run

INT32, UINT32, INT64, UINT64, DOUBLE, STRING, KOID, BOOL = 1, 2, 3, 4, 5, 6, 8, 9
BEGIN, END, COMPLETE = 2, 3, 4
ASYNC_BEGIN, ASYNC_END, FLOW_BEGIN, FLOW_STEP, FLOW_END = 5, 7, 8, 9, 10
SUSPENDED, BLOCKED = 2, 3


def report(*arguments, status=0):
    return json.loads(run(FXTREPORT, "-q", "--json", *arguments, status=status,
                          timeout=patience.SECONDS))


def archive(n_threads=3):
    trace = fxtwrite.archive()
    trace.process(1, b"app")
    for i in range(n_threads):
        trace.thread(2 + i, b"t%d" % (2 + i), 1)
    return trace


def put(trace, kind, time, thread, name, *words, args=(), process=1):
    trace.add(fxtwrite.event(kind, time, (process, thread), b"cat", name, list(args),
                             list(words)))


def span(trace, begin, end, thread, name, *args, **options):
    put(trace, COMPLETE, begin, thread, name, end, args=args, **options)


def switch(trace, time, cpu, state, outgoing, incoming):
    trace.add(fxtwrite.context_switch(time, cpu, state, outgoing, incoming))


def wake(trace, time, cpu, thread, waker):
    trace.add(fxtwrite.thread_wakeup(time, cpu, thread, [arg(KOID, b"waker", waker)]))


def worked_trace():
    """main has a request, for which worker does a query; see the comments for when."""
    trace = archive()
    # main (2) runs from 0 on CPU 0, worker (3) until 2 on CPU 1.
    switch(trace, 0, 0, BLOCKED, 0, 2)
    switch(trace, 1, 1, BLOCKED, 0, 3)
    switch(trace, 2, 1, BLOCKED, 3, 0)
    # main has to let 4 run from 4 to 6.
    switch(trace, 4, 0, 1, 2, 4)
    switch(trace, 6, 0, BLOCKED, 4, 2)
    # main wakes worker at 18, which runs from 19 on; main blocks at 20.
    wake(trace, 18, 0, 3, 2)
    switch(trace, 19, 1, BLOCKED, 0, 3)
    switch(trace, 20, 0, BLOCKED, 2, 0)
    # worker wakes main at 60, which runs from 65 to 100.
    wake(trace, 60, 1, 2, 3)
    switch(trace, 62, 1, BLOCKED, 3, 0)
    switch(trace, 65, 0, BLOCKED, 0, 2)
    switch(trace, 100, 0, BLOCKED, 2, 0)
    span(trace, 5, 90, 2, b"request", arg(STRING, b"table", b"users"), arg(INT32, b"n", -3))
    span(trace, 10, 20, 2, b"parse")
    span(trace, 12, 14, 2, b"skip")
    span(trace, 66, 80, 2, b"reply")
    span(trace, 19, 62, 3, b"query")
    span(trace, 30, 40, 3, b"disk")
    for time, pc in (11, 0x1000), (15, 0x1000), (70, 0x2000), (90, 0x3000), (4, 0x3000):
        trace.backtrace(time, 1, 2, pc)
    trace.backtrace(30, 1, 3, 0x4000)
    return trace

# Spans of some names, and what the slowest had to wait for.
python3 - "$data/../support" >trace.fxt <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import fxtwrite
from fxtwrite import arg
trace = fxtwrite.archive()
trace.process(1, b"server")
for koid, name in (2, b"main"), (3, b"worker"), (4, b"other"):
    trace.thread(koid, name, 1)
US, MS = 1000, 1000000
def put(kind, time, thread, name, *words, args=()):
    trace.add(fxtwrite.event(kind, time, (1, thread), b"http", name, list(args), list(words)))
for i in range(200):
    start, length = 10 * MS * i, 50 * US + i * i * 10
    table = (b"users", b"orders", b"carts")[i % 3]
    put(4, start, 2 + i % 2, b"request", start + length, args=[arg(6, b"table", table)])
    put(4, start + 10 * US, 2 + i % 2, b"parse", start + 20 * US)
put(2, 2000 * MS, 2, b"request", args=[arg(6, b"table", b"users"), arg(1, b"rows", 12)])
put(8, 2001 * MS, 2, b"job", 7)
put(4, 2003 * MS, 3, b"query", 2008 * MS)
put(9, 2003 * MS, 3, b"job", 7)
put(9, 2008 * MS, 3, b"job", 7)
put(10, 2009 * MS, 2, b"job", 7)
put(3, 2010 * MS, 2, b"request")
put(2, 2011 * MS, 2, b"request, again")
put(4, 2011 * MS, 2, b"parse", 2012 * MS)
sys.stdout.buffer.write(trace.data())
END
fxtreport --span '^request' --by-arg table trace.fxt
LC_ALL=C fxtreport --span '^request$' --width 100 trace.fxt | sed -n '/^Durations/,/^$/p'
fxtreport --span '^parse' --width 100 --tid 3 --rows 1 trace.fxt
fxtreport --span '^request' --critical-path trace.fxt
fxtreport --span '^request' --critical-path --at 1.990001 --width 120 trace.fxt
fxtreport --span '^request' --critical-path --at 2011ms trace.fxt
fxtreport --json --span query --critical-path trace.fxt
fxtreport --span nothing trace.fxt
echo "exit $?"
fxtreport --span query --critical-path --at 1 trace.fxt
echo "exit $?"

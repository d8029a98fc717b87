# Colors where they are wanted, and nowhere else.
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
process 1 server
backtrace 1000 1 2 0x1010 0x1100
backtrace 1001 1 3 0xffffffff80000000
backtrace 1002 1 3 0x9999
END
show() {
    "$@" | python3 -c 'import sys; print(sys.stdin.read().replace("\x1b", "<ESC>"), end="")'
}
show fxtreport --color always a.fxt
show fxtreport --color always --tree a.fxt
show fxtreport --color always --diff a.fxt --tid 2 a.fxt
for when in auto never; do
    fxtreport --color $when a.fxt | grep -c "$(printf '\033')"
done
# On a terminal: yes, unless something forbids it.
terminal() {
    python3 - "$@" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    out += data
os.waitpid(pid, 0)
print(sys.argv[1:], out.count(b"\x1b"), out.count(b"\n") > 10)
END
}
export TERM=xterm
terminal fxtreport --no-pager a.fxt
NO_COLOR=1 terminal fxtreport --no-pager a.fxt
TERM=dumb terminal fxtreport --no-pager a.fxt
terminal fxtreport --no-pager --color never a.fxt
NO_COLOR=1 terminal fxtreport --no-pager --color always a.fxt
terminal fxtreport --json a.fxt

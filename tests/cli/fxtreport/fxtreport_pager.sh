# A pager for what is longer than the terminal; lines as wide as the terminal.
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
process 1 a_process_with_a_name_that_takes_more_than_eighty_columns_and_so_is_cut_in_the_middle_of_it
process 2 client
backtrace 1000 1 2 0x1010 0x1100
backtrace 1001 2 3 0xffffffff80000000
END
cat >terminal.py <<'END'
import fcntl, os, pty, struct, sys, termios
lines, columns = int(sys.argv[1]), int(sys.argv[2])
parent, child = pty.openpty()
fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
pid = os.fork()
if pid == 0:
    os.close(parent)
    os.dup2(child, 1)
    os.execvp(sys.argv[3], sys.argv[3:])
os.close(child)
out = b""
while True:
    try:
        data = os.read(parent, 4096)
    except OSError:
        break
    if not data:
        break
    out += data
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(out.decode().replace("\r\n", "\n"), end="")
print("exit", status)
END
terminal() {
    python3 terminal.py "$@" --color never a.fxt
}
echo "--- 10 lines"
PAGER="sed 's/^/pager: /'" terminal 10 80 fxtreport --by process
echo "--- 6 lines, which is one more than the report has"
PAGER="sed 's/^/pager: /'" terminal 6 80 fxtreport --by process
echo "--- 5 lines"
PAGER="sed 's/^/pager: /'" terminal 5 80 fxtreport --by process
echo "--- less gets its options"
unset LESS
PAGER="echo LESS is \$LESS; cat >/dev/null" terminal 5 80 fxtreport --by process
LESS=S PAGER="echo LESS is \$LESS; cat >/dev/null" terminal 5 80 fxtreport --by process
echo "--- none"
PAGER="sed 's/^/pager: /'" terminal 5 80 fxtreport --no-pager --by process
PAGER='' terminal 5 80 fxtreport --by process
PAGER=cat terminal 5 80 fxtreport --by process
echo "--- none that can be run"
PAGER=/no/such/pager terminal 5 80 fxtreport --by process 2>/dev/null
echo "--- one that reads nothing"
PAGER=true terminal 5 80 fxtreport --by process
echo "--- wider and narrower terminals"
terminal 50 120 fxtreport --by process
terminal 50 40 fxtreport --by process
echo "--- to a file"
PAGER="sed 's/^/pager: /'" terminal 5 80 fxtreport --by process -o out.txt
wc -l <out.txt
PAGER="sed 's/^/pager: /'" fxtreport --by process a.fxt | head -n 1

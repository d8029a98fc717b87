# Names may hold anything: lines stay lines, of 80 columns, and nothing reaches a terminal
# as a command.
long=$(printf '%0200d' 0)
cat >words <<END
magic
init 1000000000
process 1 'a;b'
process 2 'two\nlines\r\x00'
process 3 '\xff\xfe\xc0\x80'
process 4 '\x1b[31mred\x1b[0m'
process 5 '\xe2\x80\xaeelif'
process 6 '\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97'
process 7 'process$long'
thread 17 '\x1b]0;title\x07' 7
module 7 1 '/lib/m\x1b[2J$long.so' 00
mapping 7 1 0x7000 0x1000 0
complete 1 90 1 11 'plain'
complete 1 80 2 12 '\x1b[1m\n\t\\\\'
complete 1 70 3 13 'void std::vector<std::pair<int, char>, std::allocator<std::pair<int, char> > >::push_back(std::pair<int, char> const&)'
complete 1 60 4 14 'std::$long::last(int)'
complete 1 50 5 15 '(((((<<<<<$long'
complete 1 40 6 16 '\xf0\x9f\x98\x80\xcc\x81\xe2\x80\xae$long'
complete 1 30 7 17 ''
backtrace 1 1 11 0x10
backtrace 1 2 12 0x10
backtrace 1 3 13 0x10
backtrace 1 4 14 0x10
backtrace 1 5 15 0x10
backtrace 1 6 16 0x10
backtrace 1 7 17 0x7010
END
python3 "$data/../support/fxtwrite.py" <words >names.fxt
fxtreport names.fxt
fxtreport --unsymbolized --tree --min 0 names.fxt
fxtreport --spans names.fxt
fxtreport --spans --tree names.fxt
fxtreport --spans --width 120 --by function names.fxt | tail -n +2
fxtreport --spans --width 0 --rows 4 --by function names.fxt | tail -n +2
fxtreport --spans --json --by function names.fxt | python3 -c '
import json, sys
for row in json.load(sys.stdin)["functions"]:
    print(ascii(row["name"])[:70])'
python3 -c '
import subprocess
for view in ["--rows=0"], ["--tree"], ["--spans"], ["--spans", "--tree"], ["--json"]:
    out = subprocess.run(["fxtreport", "-q", *view, "names.fxt"], stdout=subprocess.PIPE).stdout
    assert not any(c < 32 and c != 10 or c == 127 for c in out), view
    assert "\u202e" not in out.decode(), view'

# Spans by thread, nested, and what is between them; what has no end or no begin is marked.
write() {
  python3 "$data/../support/fxtwrite.py"
}
write >trace.fxt <<'END'
magic
init 1000000000
process 1045 server
thread 2077 "worker 1" 1045
thread 2078 "\x1b[31m" 1045
begin 1000000000 1045 2077 request http
begin 1000100000 1045 2077 parse http
end 1000200000 1045 2077 parse
complete 1000300000 1000900000 1045 2077 "SELECT *" db
event 0 1000400000 1045 2077 tick
event 1 1000500000 1045 2077 bytes 4
event 5 1000550000 1045 2077 upload 42
event 8 1000560000 1045 2077 hop 7
event 9 1000570000 1045 2077 hop 7
end 1002000000 1045 2077 request
complete 1003000000 5123456789 1045 2077 "\x1b[31mred\n  fake"
begin 1003000000 1045 2077 outer
begin 1003100000 1045 2077 inner
complete 1003200000 1003100000 1045 2077 back
complete 1003200000 1003200000 1045 2077 empty
end 500 1045 2078 nothing
event 10 1000660000 1045 2078 hop 7
event 6 1000680000 1045 2078 upload 42
event 7 1000700000 1045 2078 upload 42
event 7 1000800000 1045 2078 upload 43
event 5 1000900000 1045 2078 upload 44
complete 18446744073709551614 18446744073709551615 1 1 last
complete 18446744073000000000 18446744073709551615 7 1 crossing
complete 18446744073500000000 18446744073600000000 7 1 inside
sample 1000 1 2 3 4 5
END
fxtdump --tree trace.fxt
echo "some of it:"
fxtdump --tree --time 1.00085-1.00089 --thread 2077 trace.fxt
fxtdump --tree --name parse --color always trace.fxt
fxtdump --tree --count 2 trace.fxt
echo "deeper than indentation:"
i=0
while [ $i -le 42 ]; do
  echo "begin $i 1 1 level$i"
  i=$((i + 1))
done | write >deep.bin
fxtdump --tree deep.bin | sed -n '2p; 41,44p'
echo "of several files each is a tree:"
echo "begin 1 1 1 one" | write >one.bin
echo "end 2 1 1 one" | write >two.bin
fxtdump --tree one.bin two.bin
echo "past 64 bits, and every record:"
printf 'init 1\ncomplete 18446744073 18446744074 1 1 late\n' | write >late.fxt
fxtdump --tree --archive late.fxt
fxtdump -q --tree "$data/every.fxt"
echo "what is damaged:"
cp "$data/damaged.fxt" .
fxtdump --tree damaged.fxt
echo "exit $?"
fxtdump -q --tree /dev/null
echo "exit $?"

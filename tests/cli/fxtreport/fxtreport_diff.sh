# What has grown, shrunk, come and gone, of two recordings of different lengths.
record() {
    {
        echo magic
        echo "process $1 server"
        echo "thread $2 worker $1"
        i=0
        shift 2
        for part in "$@"; do
            i=$((i + 1))
            echo "module $pid $i /$dir/lib$i.so 0$i"
            echo "mapping $pid $i 0x${i}000 0x1000 0"
            n=0
            while [ $n -lt "$part" ]; do
                n=$((n + 1))
                echo "backtrace $((1000 * n + i)) $pid $thread 0x${i}010 0x9999"
            done
        done
    } | python3 "$data/../support/fxtwrite.py"
}
pid=10 thread=11 dir=old
record $pid $thread 100 60 40 0 >old.fxt
pid=20 thread=22 dir=new
record $pid $thread 300 60 0 240 >new.fxt
fxtreport --diff old.fxt new.fxt
echo "--- the first"
fxtreport --diff old.fxt --rows 1 new.fxt | tail -n 4
echo "--- modules, the other way round"
fxtreport --diff new.fxt --by module old.fxt | tail -n 6
echo "--- the same"
fxtreport --diff new.fxt new.fxt | tail -n 2
echo "--- threads have other numbers"
fxtreport --diff old.fxt --by thread new.fxt | tail -n 2
fxtreport --diff old.fxt --by process --json new.fxt | tail -n 3
echo "--- of other kinds"
fxtreport -q --diff old.fxt --period 1ms new.fxt | tail -n 6
fxtreport --diff no/such/file new.fxt
echo "exit $?"
fxtreport --diff old.fxt -o old.fxt new.fxt
echo "exit $?"
ln -s old.fxt link
fxtreport --diff old.fxt -o link new.fxt
echo "exit $?"
cmp old.fxt link && fxtreport -q --by process old.fxt | tail -n 1
echo "--- not comparable"
: >empty.fxt
printf 'Thread 1 (LWP 7 "a"):\n#0  0x0000000000001010 in f () at a.c:1\n' >log.txt
{
    cat old.fxt
    echo recording 1000000 | python3 "$data/../support/fxtwrite.py"
} >timed.fxt
for before in log.txt empty.fxt timed.fxt; do
    fxtreport -q --diff "$before" new.fxt
    echo "exit $?"
done
fxtreport -q --diff empty.fxt timed.fxt
echo "exit $?"

# What a trace has is shown without an option; an option shows one kind alone.
python3 "$data/../support/fxtwrite.py" >trace.fxt <<'EOF'
magic
init 1000000000
process 1 server
thread 2 worker 1
thread 3 writer 1
begin 1000 1 2 request net
complete 2000 4000 1 2 query db
complete 4000 5000 1 2 query cache
end 9000 1 2
begin 10000 1 2 request net
end 11000 1 2
begin 12000 1 3 flush disk
end 500 1 3
event 5 1000 1 2 read 7
event 7 5000 1 2 read 7
event 5 6000 1 2 read 8
event 8 1000 1 2 hop 1
event 9 1500 1 3 hop 1
event 10 4000 1 2 hop 1
event 0 3000 1 2 tick
event 0 9000 1 3 tick
EOF
LC_ALL=C.UTF-8
export LC_ALL
fxtreport trace.fxt
fxtreport --width 120 --spans --sort p50 trace.fxt
fxtreport --spans --sort min trace.fxt
for view in --async --flows --counters --instants; do
    echo "--- $view"
    LC_ALL=C fxtreport $view trace.fxt
done
echo '--- none'
printf '%s\n' magic 'event 0 3000 1 2 tick' |
    python3 "$data/../support/fxtwrite.py" >instant.fxt
for view in --spans --async --flows --counters; do
    fxtreport $view instant.fxt
done
fxtreport -q --instants --pid 7 trace.fxt
echo '--- --json'
fxtreport --json trace.fxt
echo '--- --diff'
fxtreport --diff trace.fxt --time 0-6000ns trace.fxt
fxtreport --sort p50 --by function trace.fxt
echo "exit $?"
fxtreport --flows --counters trace.fxt
echo "exit $?"
fxtreport --flows --diff trace.fxt trace.fxt
echo "exit $?"

# What is written of spans, and of what else a trace has.
say() {
    echo "$*"
    echo "$*" >&2
}
gen() { python3 "$data/../support/fxtwrite.py" >"$1"; }
gen magic-trace.fxt <<'END'
magic
init 1000000000
process 1 app
thread 2 main 1
end 50 1 2 before
begin 100 1 2 main
begin 110 1 2 parse
end 150 1 2 parse
begin 150 1 2 parse
begin 155 1 2 "operator;<<"
end 160 1 2 "operator;<<"
end 170 1 2 parse
begin 180 1 2 run
event 1 185 1 2 counter 7
event 5 185 1 2 async 8
event 7 186 1 2 async 8
event 8 187 1 2 flow 9
event 0 200 1 2 instant
END
fxt2folded --spans magic-trace.fxt
echo "calls:"
fxt2folded -q --spans --value spans magic-trace.fxt
say "times, threads and processes:"
gen tiles.fxt <<'END'
magic
init 1000
process 10 tile:net
process 11 tile:pack
complete 2000 5000 10 20 frag "before what it is in"
complete 1000 6000 10 20 poll
complete 1000 6000 11 21 poll
complete 7000 6500 11 21 backwards
complete 7000 8000 11 22 "" category
complete 8000 9000 11 22 ""
words 0x0028000007040034 100 200
backtrace 100 10 20 0x10
END
fxt2folded --spans --roots process,thread tiles.fxt
fxt2folded --spans --roots process --process '*:net' tiles.fxt
fxt2folded --spans --roots none --tid 21,22 --pid 11 --time 2.5-7.25s tiles.fxt
fxt2folded --spans --roots none --time -1500ms tiles.fxt
fxt2folded --spans --idle hide --idle-function '^poll$' tiles.fxt
say "what is there and what is left out are the whole:"
for filters in "--pid 10" "--process *:pack" "--tid 20,22" "--tid 21 --pid 10 --time 3-7" \
    "--idle hide --idle-function frag --time 2.5-6" "--pid 12"; do
    fxt2folded --spans $filters tiles.fxt 2>report |
        cat - report | awk 'BEGIN { ns["ns"] = 1; ns["us"] = 1e3; ns["ms"] = 1e6; ns["s"] = 1e9 }
            / of spans left out/ { n += $2 * ns[$3]; next }
            !/^fxt2folded:/ { n += $NF } END { printf "%.0f\n", n }'
done
fxt2pprof --spans --no-gzip tiles.fxt |
    strings | grep -x 'spans\|time\|frag\|nanoseconds' | sort
say "not asked for:"
fxt2folded --roots none tiles.fxt
fxt2folded magic-trace.fxt
echo "exit $?"
for wrong in "--cpus 0" "--cpu-mask 1" "--period 1ms"; do
    fxt2folded --spans $wrong tiles.fxt
    echo "exit $?"
done
say "fewer spans than stacks with their time:"
gen overlap.fxt <<'END'
magic
process 1 app
complete 0 100 1 2 outer
complete 10 20 1 2 inner
complete 30 40 1 2 inner
complete 200 300 1 3 a
complete 250 350 1 3 b
END
fxt2folded --spans --roots none overlap.fxt
fxt2folded --spans --roots none --no-merge overlap.fxt
fxt2pprof --spans --timestamps -o p.pb.gz overlap.fxt
fxt2folded --spans --roots none --time 15ns-16ns overlap.fxt
fxt2folded --spans --roots none --time 210ns-260ns overlap.fxt

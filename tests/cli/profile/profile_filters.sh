# What is filtered out, and that it is counted.
say() {
    echo "$*"
    echo "$*" >&2
}
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
backtrace 1000000000 1045 2077 0x1010 0x2010 0x3010
backtrace 2000000000 1045 2078 0x1010 0x2010 0x3010
backtrace 3000000000 1046 2079 0x1020 0x2010 0x3010
backtrace 4000000000 1047 2080 0x4010 0x3010
backtrace 5000000000 0 2081 0x1010
thread 2081 late 1047
process 1045 shell
process 1046 net/core
process 1047 net/tcp
module 1045 1 leaf aa
module 1046 1 leaf aa
module 1047 1 leaf aa
module 1047 2 idle bb
mapping 1045 1 0x1000 0x1000 0
mapping 1046 1 0x1000 0x1000 0
mapping 1047 1 0x1000 0x1000 0
mapping 1047 2 0x4000 0x1000 0
END
try() {
    say "$*"
    fxt2folded --roots process,thread "$@" a.fxt || echo "exit $?"
}
try --pid 1045,0x416
try --pid 1045 --pid 1047
try --process 'net/*'
try --process '[!n]*' --pid 1046
try --tid 2078,2081
try --pid 1045 --tid 2078
try --pid 9
try --time 2-3.5
try --time 2000000us-
try --time -1s
try --time 3-3
try --idle hide --idle-function '^idle\+' --idle-function nothing
try --idle show --idle-function '^idle'
try --skip-above '^0x201'
try --skip-below '^0x201'
try --skip-above '0x2010$' --skip-below '0x(3|2)010'
# The same stack of two processes is still two; equal ones of one are merged.
fxt2folded --roots none --skip-above leaf a.fxt
try --idle hide
try --idle maybe
try --time 3-2
try --time 3
try --time -
try --time 1.5x-2
try --pid 1,
try --pid ''
try --process ''
try --skip-above '('
try --skip-below ''
try --value time
say "CPU time:"
fxt2folded --value time --period 10ms --roots cpu a.fxt
fxt2folded --period 10ms --roots none a.fxt

# How far apart samples are: said by the user, or by a recording; or by several that differ.
sample() {
    echo "magic
backtrace 1 1 1 0x10
backtrace 2 1 1 0x10"
    [ $# = 0 ] || echo "recording $1"
}
python3 "$data/../support/fxtwrite.py" >none.fxt <<END
$(sample)
END
for period in 1000 2000 0; do
    sample $period | python3 "$data/../support/fxtwrite.py" >$period.fxt
done
try() {
    echo "$*"
    echo "$*" >&2
    fxt2folded --roots none --value time "$@" || echo "exit $?"
}
try none.fxt
try 0.fxt
try 1000.fxt
try --period 5us 1000.fxt
try none.fxt 1000.fxt
try 1000.fxt 1000.fxt
try 1000.fxt 2000.fxt 1000.fxt
fxt2folded --roots none 1000.fxt 2000.fxt
ls

# Processes of another boot than the first one in the input are others, even if they have the
# same ids; that is reported, and stands in the profile. What does not say its boot is of the
# first.
gen() {
    python3 "$data/../support/fxtwrite.py"
}
one=7d0a2c6e-53f1-4f0b-9a3e-3f1f0c1d2e4b
other=11111111-53f1-4f0b-9a3e-3f1f0c1d2e4b
for boot in $one $other; do
    printf "magic\nprovider 1 fxtrecord\nrecording 1000000 $boot\nprocess 5 of-$boot\n" >text
    printf "provider 2 cpu0\nbacktrace 1 5 5 0x10\n" >>text
    gen <text >$boot.fxt
done
printf 'magic\nrecording 1000000\nbacktrace 1 5 5 0x10\n' | gen >untold.fxt
printf 'backtrace 1 5 5 0x10\n' | gen >region.bin
long=$(printf '%080d' 1)
printf "magic\nrecording 1000000 $long\nrecording 1000000 ''\n" | gen >odd.fxt
try() {
    echo "$*:"
    fxt2folded "$@" 2>&1
    echo "exit $?"
}
try $one.fxt $one.fxt untold.fxt region.bin odd.fxt
try $one.fxt $other.fxt
try untold.fxt $other.fxt $one.fxt $other.fxt $one.fxt
fxt2pprof -q --no-gzip $one.fxt $other.fxt | grep -ao '1 recording of another boot or machine'

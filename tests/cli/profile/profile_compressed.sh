# What is compressed, but not by gzip or zstd, is called so and not damaged, by every tool, in a
# file or a pipe; and its first bytes alone say it, so that nothing has to be installed here.
printf '\375\067zXZ\000\000\004\346\326\264\106' >trace.xz
printf 'BZh91AY&SY\226\251\375\337' >trace.bz2
printf '\004\042\115\030\144\100\247\000\000\000\000\005\135\314\002' >trace.lz4
for tool in fxtdump fxt2pprof fxt2folded; do
    for file in trace.*; do
        $tool -o out "$file"
        echo "$tool $file: exit $?"
        { head -c 1 "$file"; sleep 0.01; tail -c +2 "$file"; } | $tool -o out
        echo "$tool <$file: exit $?"
    done
done
ls
echo "what is read beside it is there:"
printf 'sample 2 1 1 0x10 0x20\n' | python3 "$data/../support/fxtwrite.py" >region.bin
fxt2folded region.bin trace.xz
echo "exit $?"
echo "a part of its magic is not enough:"
head -c 5 trace.xz | fxt2folded
echo "exit $?"
echo "what gzip has compressed is what is in it:"
gzip -c trace.lz4 | fxt2folded
echo "exit $?"

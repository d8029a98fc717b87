# Data after the zero word that ends a region, such as what an interrupted sampler has left
# there or what is of an earlier recording, is not read, and how much there is stands in the
# summary and in the profile, on any number of threads. It is no error, unless it is read.
gen() {
    python3 "$data/../support/fxtwrite.py"
}
one='backtrace 1 1 1 0x10'
printf "$one\n" | gen >whole.bin
printf "$one\nwords 0 0\n$one\nwords 0\n$one\nwords 0\n" | gen >tail.bin
{ cat tail.bin; printf 'odd'; } >odd.bin
for n in 1 2; do
    fxt2folded --threads $n tail.bin odd.bin whole.bin
    echo "exit $?"
done
echo "as one file:" >&2
cat tail.bin tail.bin >both.bin
fxt2folded --region-size $(wc -c <tail.bin) both.bin
echo "exit $?"
echo "in the profile:"
fxt2pprof -q --no-gzip tail.bin | grep -ao '96 bytes not read: after the zero word that ends a region'
echo "where it is read:" >&2
fxt2folded --resync tail.bin
echo "exit $?"

# A region that is cut or wrong is named with its offset; the others go in whole.
gen() {
    python3 "$data/../support/fxtwrite.py"
}
printf 'backtrace 1 1 1 0x10\nbacktrace 2 1 1 0x10\n' | gen >good.bin
head -c 76 good.bin >cut.bin
printf 'backtrace 1 1 1 0x20\nwords 0x1 2\nbacktrace 2 1 1 0x20\n' | gen >zero_size.bin
printf 'backtrace 1 1 1 0x30\nwords 0xff0002003a 1 2\nbacktrace 2 1 1 0x30\n' | gen >short.bin
fxt2folded good.bin cut.bin zero_size.bin short.bin good.bin
echo "exit $?"
echo "--resync:" >&2
fxt2folded --resync zero_size.bin
echo "exit $?"
echo "many:" >&2
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    echo "words 0xff0002003a 1 2"
done | gen >many.bin
fxt2folded many.bin good.bin
echo "exit $?"
echo "many, and many of them fatal:" >&2
for i in 1 2 3 4 5 6 7; do
    printf 'words 0xff0002003a 1 2\nwords 0x1\npad 64\n' |
        python3 "$data/../support/fxtwrite.py"
done >fatal.bin
fxt2folded --region-size 64 fatal.bin
echo "exit $?"
fxtdump --region-size 64 fatal.bin >dump 2>report
grep -c 'record: ' report
grep more report

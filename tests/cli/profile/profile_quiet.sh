# Nothing about the data, but the exit status.
printf 'backtrace 1 1 1 0x10\nwords 0x1 2\n' | python3 "$data/../support/fxtwrite.py" >bad.bin
fxt2folded -q bad.bin
echo "exit $?"
fxt2folded -q --cpus 5 bad.bin
echo "exit $?"
fxt2folded -q --region-size 4096 bad.bin
echo "exit $?"

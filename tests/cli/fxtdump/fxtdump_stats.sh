# Counts as text: of one archive, of several regions, of damage, of nothing.
cp "$data"/*.fxt "$data/regions.bin" .
fxtdump -q --stats every.fxt
echo "exit $?"
fxtdump -q --stats --region-size 512 regions.bin
echo "exit $?"
fxtdump -q --stats damaged.fxt lost.fxt missing
echo "exit $?"
fxtdump -q --stats </dev/null
echo "exit $?"
python3 "$data/../support/fxtwrite.py" >ends.fxt <<'END'
magic
ended 1 7 8 1 0x1010 0x1020
ended 2 7 8 3 0x1010
ended 3 7 8 1 0x1010 0x1020
ended 4 7 8 77 0x1010
ended 5 7 8 0 0x1010
backtrace 6 7 8 0x1010
END
fxtdump -q --stats ends.fxt
echo "exit $?"

# Counts as one JSON object, whatever there was; filters and --count apply.
cp "$data"/*.fxt "$data/regions.bin" .
fxtdump -q --stats --json --region-size 512 regions.bin
echo "exit $?"
fxtdump -q --stats --json --type event --name fault --count 3 every.fxt
echo "exit $?"
fxtdump -q --stats --json hostile.fxt >hostile
LC_ALL=C grep -c '[[:cntrl:]]' hostile || echo none
python3 -m json.tool hostile >/dev/null
echo "exit $?"
head -c 100 "$data/region.bin.gz" | fxtdump -q --stats --json
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
fxtdump -q --stats --json ends.fxt
echo "exit $?"

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

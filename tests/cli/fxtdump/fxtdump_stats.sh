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

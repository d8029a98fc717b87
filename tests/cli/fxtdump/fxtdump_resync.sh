# After damage fxtdump gives up the region, or with --resync continues.
cp "$data/lost.fxt" .
fxtdump lost.fxt
echo "exit $?"
fxtdump --resync lost.fxt
echo "exit $?"
fxtdump --resync --json -q lost.fxt
fxtdump --resync -q --json "$data/huge.bin"

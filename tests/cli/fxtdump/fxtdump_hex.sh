# Each record's words below its line, and what could not be read, too.
cp "$data/region.bin.gz" "$data/damaged.fxt" .
fxtdump -q --hex region.bin.gz damaged.fxt
echo "exit $?"
fxtdump -q --hex --type log,string "$data/lost.fxt"
echo "exit $?"
fxtdump -q --hex "$data/every.fxt" | sed 's/^  \(0x[0-9a-f]*\) .*/\1/' >little
fxtdump -q --hex "$data/every_big_endian.fxt" | sed 's/^  \(0x[0-9a-f]*\) .*/\1/' >big
cmp little big
# Names cannot do anything to a terminal here either.
fxtdump -q --hex "$data/hostile.fxt" | LC_ALL=C grep -c '[[:cntrl:]]' || echo none

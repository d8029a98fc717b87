# Each word below its record's line, by name; of what could not be read the header.
# tests/fxtdump/test_words.py checks this for all kinds of records.
fxtdump -q --fields --count 20 "$data/every.fxt"
echo "exit $?"
fxtdump -q --fields --type sample --count 1 "$data/region.bin"
fxtdump -q --fields --type drop_stats "$data/region.bin"
fxtdump -q --fields "$data/damaged.fxt" | sed -n '/error/,/^0x/p' | head -n 20
fxtdump -q --fields "$data/hostile.fxt" | LC_ALL=C grep -c '[[:cntrl:]]' || echo none

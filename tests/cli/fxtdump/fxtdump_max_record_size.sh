# Records beyond the limit are skipped and said; the others are read.
cp "$data/region.bin" .
fxtdump --max-record-size 64 region.bin | cut -c 1-60
fxtdump -q --max-record-size 64 --json "$data/region.bin" | grep -c too_large
fxtdump -q --max-record-size 1K "$data/region.bin" >/dev/null
echo "exit $?"

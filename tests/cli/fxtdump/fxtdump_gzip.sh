# Gzip is known by its bytes. Where it is broken, what came before is printed.
cp "$data/region.bin" "$data/region.bin.gz" .
fxtdump --json -q region.bin >json
fxtdump --json -q region.bin.gz | cmp - json
fxtdump --json -q <region.bin.gz | cmp - json
cat region.bin.gz | fxtdump --json -q | cmp - json
gzip -9 <region.bin | fxtdump --json -q | cmp - json
echo "several members, and zeros after:"
{ head -c 100 region.bin | gzip; tail -c +101 region.bin | gzip; head -c 1000 /dev/zero; } >members
fxtdump --json -q members | cmp - json
echo "cut off:"
head -c 100 region.bin.gz >cut
fxtdump --json -q cut
echo "exit $?"
echo "cut off between two records:"
head -c 135 region.bin.gz | fxtdump | cut -c 1-120
echo "garbage after:"
{ cat region.bin.gz; printf 'garbage'; } >garbage
fxtdump -q cut garbage >out
echo "exit $?"
grep -v sample out
echo "a broken block:"
{ head -c 215 region.bin.gz; printf '\377'; tail -c +217 region.bin.gz; } >block
fxtdump block
echo "exit $?"
echo "a wrong checksum:"
{ head -c 20 region.bin.gz; printf '\377'; tail -c +22 region.bin.gz; } >checksum
fxtdump --json -q checksum | tail -n 1
echo "a header and nothing else:"
printf '\037\213\010\0' | fxtdump --json
echo "exit $?"

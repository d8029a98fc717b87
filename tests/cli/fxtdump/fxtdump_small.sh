# Too little: nothing, a few bytes, a header alone, all of a record but its last byte.
: >empty
fxtdump empty
echo "exit $?"
fxtdump --json --strict empty
echo "exit $?"
fxtdump /dev/null
echo "exit $?"
printf 'FXT' >three_bytes
fxtdump --json three_bytes
echo "exit $?"
head -c 8 "$data/region.bin" | fxtdump --json
echo "exit $?"
head -c 55 "$data/region.bin" | fxtdump --json
echo "exit $?"
head -c 12 "$data/every.fxt" | fxtdump
echo "exit $?"
head -c 800 /dev/zero | fxtdump --strict
echo "exit $?"

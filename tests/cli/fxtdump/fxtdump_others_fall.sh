# What other readers of the format are known to fall over, and what fxtdump says.
# Not all builds run in so little; those with sanitizers do not.
if sh -c 'unset ASAN_OPTIONS UBSAN_OPTIONS; ulimit -v 60000; fxtdump --version; exit $?' >/dev/null 2>&1; then
  limit=60000
else
  limit=unlimited
fi
limited() {
  (ulimit -v $limit; exec fxtdump "$@")
}
echo "payloads of up to 2^64-1 bytes:"
limited --json -q "$data/said_wrong.fxt"
echo "exit $?"
echo "a record of 2^32-1 words in 1 KiB:"
limited --json -q "$data/huge.bin"
echo "exit $?"
cat "$data/huge.bin" | limited --json -q | wc -l
echo "a record of 255 MiB in 1 KiB, in little memory:"
{ printf '\377\357\377\1\0\0\0\0'; head -c 1016 /dev/zero; } | limited --json -q
echo "exit $?"
echo "indices that are registered twice, and index 0:"
limited --json -q "$data/redefined.fxt"
echo "exit $?"
echo "a payload of 300 KiB, of more than 4095 words:"
{
  # An attachment of 3 + 38400 words, then a section of provider 0.
  printf '\077\140\011\0\0\001\0\0'
  head -c 8 /dev/zero
  printf '\0\260\004\0\0\0\0\0'
  head -c 307200 /dev/zero
  printf '\020\0\002\0\0\0\0\0'
} >attachment
fxtdump --json attachment
echo "exit $?"
fxtdump --json --payload attachment | wc -c
echo "a region of that, read in its own order, without a magic number or a rate:"
fxtdump attachment

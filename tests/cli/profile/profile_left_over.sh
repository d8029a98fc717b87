# The payload of a sample ends inside a word: its whole words are PCs, as they are to the
# sampler's own consumer, and the rest is a warning.
python3 "$data/../support/fxtwrite.py" >little.bin <<'END'
words 0xaf 0 100 1045 2077 27 0x1000 0x2000 0x3000 0x4000
sample 200 1045 2077 0x1000 0x2000
words 0x7f 0 300 1045 2077 7 0x1000
END
python3 -c 'import sys
data = sys.stdin.buffer.read()
sys.stdout.buffer.write(b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8)))' \
  <little.bin >big.bin
for order in little big; do
  echo "$order:"
  echo "$order:" >&2
  for format in "" --json --stats --hex --fields; do
    fxtdump --byte-order $order $format $order.bin >out
    echo "$format: exit $?"
    grep -E 'sample|large|warning' out
  done 2>&1
  fxtdump --byte-order $order --strict -q $order.bin >out
  echo "--strict: exit $?"
  fxt2folded --byte-order $order $order.bin
  echo "fxt2folded: exit $?"
  fxt2pprof --byte-order $order -o out.pb $order.bin
  echo "fxt2pprof: exit $?"
done

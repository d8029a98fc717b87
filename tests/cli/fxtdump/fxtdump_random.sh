# Bytes that are no trace: they are reported as malformed, and nothing else happens. What
# comes out are objects only, whose number depends on the bytes; a generator instead of
# /dev/urandom gives the same ones every time.
random() {
  awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 20000; i++) printf "%c", 1 + int(rand() * 127) }'
}
for seed in 1 2 3 4 5 6 7 8; do
  random $seed >random
  for option in --region --archive --resync; do
    fxtdump --json -q $option random >out
    echo "$option: exit $?, $(grep -c -v '^{"offset":[0-9]*,"size":[0-9]*,"type":.*}$' out) other lines"
  done
done | sort | uniq -c | sed 's/^ *//'

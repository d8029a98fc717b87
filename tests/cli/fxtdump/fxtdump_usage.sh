# A wrong command line is reported, and nothing is read.
try() {
  fxtdump "$@" "$data/every.fxt"
  echo "exit $?"
}
try --nope
try -x
try --region-size
try --region-size 0
try --region-size 12Q
try --region-size -1
try --region-size 20000000000G
try --byte-order middle
try --ticks-per-second 0
try --ticks-per-second fast
try --json=yes
try --ticks-per-second -5
try --type nonsense
try --type ''
try --type log,
try --process init
try --process 1,,2
try --process ''
try --thread 18446744073709551616
try --time 5
try --time -
try --time 2-1
try --time 1-2-3
try --time 1h-
try --time 0.0000000001-
try --time 99999999999999-
try --count 0
try --count -1
try --count many
try --color sometimes
try --max-record-size 7
try --json --hex
try --fields --hex
try --stats --fields
try --stats --hex
try --stats --payload
try --tree --json
try --tree --hex
try --tree --fields
try --tree --stats
try --tree --follow
try --json --color always
for name in x.svg x.pb.gz x.folded x.JSON x.html x.png x.fxt x.txt.gz; do
  try -o $name
done
try --json -o x.svg
try --json -o x.json.gz
fxtdump -o; echo "exit $?"

# What is wrong with the command line is said, and nothing is read.
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

# One option each, several of a kind, several kinds; tests/fxtdump/test_filters.py has the rest.
try() {
  echo "$*:"
  fxtdump -q "$@" "$data/every.fxt"
}
try --type log
try --type metadata,context_switch --type module
try --type unknown
try --provider sampler --type metadata
try --provider 'sa[!a-l]pler' --type metadata
try --provider 7 --type metadata
try --provider 0
try --process 4660
try --process 0x1234,1046
try --thread 17185 --thread 2090
try --category kernel:* --name fault --type counter
try --name '#30'
try --name root?job
try --time 0.000041666-41708ns
try --time 41s-
try --time -0.00004
try --count 2
echo "over several files:"
cp "$data/redefined.fxt" "$data/region.bin" "$data/every.fxt" .
fxtdump -q --count 4 --type string,sample redefined.fxt region.bin every.fxt
echo "errors are still shown:"
fxtdump -q --type log "$data/damaged.fxt"
echo "exit $?"

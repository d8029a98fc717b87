# What cannot be written is an error, however little or much it is.
fxtdump "$data/redefined.fxt" -q >/dev/full
echo "exit $?" >&2
fxtdump --json -q "$data/redefined.fxt" >/dev/full
echo "exit $?" >&2
fxtdump -q "$data/redefined.fxt" >&-
echo "exit $?" >&2
# It stops then: this input never ends.
yes 3333333 | fxtdump -q --archive >/dev/full
echo "exit $?" >&2

# -o: a file that appears once it is whole, and not at all where there was nothing to read.
fxtdump -q -o out.txt "$data/redefined.fxt"
fxtdump -q "$data/redefined.fxt" | cmp - out.txt
fxtdump -q --json --output out.json "$data/redefined.fxt"
fxtdump -q --json "$data/redefined.fxt" | cmp - out.json
fxtdump -q -o - "$data/redefined.fxt" | cmp - out.txt
echo old >old
fxtdump -q -o old missing
echo "exit $?"
cat old
fxtdump -q -o old "$data/redefined.fxt" missing
echo "exit $?"
grep -c old old
fxtdump -q -o no/such/folder "$data/redefined.fxt"
echo "exit $?"
fxtdump -q --stats -o counts "$data/redefined.fxt"
head -n 1 counts
ls
echo "an input is not replaced:"
cp "$data/every.fxt" in
fxtdump -q -o in in
echo "exit $?"
cmp "$data/every.fxt" in

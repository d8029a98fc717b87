# A file that cannot be used is reported and costs the others nothing; it keeps its number.
mkdir folder
fxtdump no_such_file
echo "exit $?"
fxtdump folder
echo "exit $?"
fxtdump <folder
echo "exit $?"
fxtdump - <&-
echo "exit $?"
cp "$data/redefined.fxt" "$data/huge.bin" .
fxtdump --json no_such_file redefined.fxt folder huge.bin | cut -c 1-60
fxtdump -q no_such_file huge.bin >/dev/null
echo "exit $?"
name=$(printf 'no\033[31m\nfile')
fxtdump "$name"
echo "exit $?"

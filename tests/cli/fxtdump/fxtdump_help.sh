# The help and the version go to standard output, and to a full disk with an error.
fxtdump --help
fxtdump --help >help
fxtdump -h | cmp - help
fxtdump --version | sed 's/[0-9.]*$/X/'
fxtdump -V | sed 's/[0-9.]*$/X/'
fxtdump --help >/dev/full
echo "exit $?"

fxtreport --help
fxtreport -V
fxtreport -h >/dev/full
echo "exit $?"

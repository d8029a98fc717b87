# Output to a file, whose name must go with what is in it.
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
backtrace 1000 1 2 0x1010 0x1100
END
fxtreport -o report.txt a.fxt
fxtreport -o report a.fxt
cmp report.txt report && wc -l <report
fxtreport --json -o report.json a.fxt
python3 -m json.tool report.json | head -n 3
fxtreport -o copy.fxt a.fxt
echo "exit $?"
cp a.fxt region
fxtreport -o region region
echo "exit $?"
cmp a.fxt region
fxtreport a.fxt >/dev/full
echo "exit $?"
ls

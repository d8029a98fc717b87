# One sample of one frame, of no known process.
python3 "$data/../support/fxtwrite.py" >one.fxt <<'END'
magic
backtrace 5 0 0 0x1000
END
fxtreport one.fxt
fxtreport --tree one.fxt
fxtreport --callers . one.fxt
echo "exit $?"
fxtreport --unsymbolized --callers . one.fxt
fxtreport --lines one.fxt
fxtreport --diff one.fxt one.fxt

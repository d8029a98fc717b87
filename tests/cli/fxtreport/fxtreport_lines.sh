# Lines: of code without debugging information there is only the function.
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
module 1 1 /usr/bin/server aa
mapping 1 1 0x1000 0x1000 0
backtrace 1000 1 2 0x1010 0x1100
backtrace 1001 1 2 0x1010 0x1200
backtrace 1002 1 2 0x1020
END
fxtreport --lines a.fxt
fxtreport --unsymbolized --lines a.fxt

# The form that the manual page documents.
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
recording 1000000
process 1 server
thread 2 worker 1
module 1 1 /usr/bin/server aa
mapping 1 1 0x1000 0x1000 0
backtrace 1000 1 2 0x1010 0x1100
backtrace 1001 1 2 0x1010 0xffffffff80000000
backtrace 1002 1 3 0x9999
END
fxtreport --json a.fxt
fxtreport --json --unsymbolized --tree --min 40 a.fxt
for by in line cpu source; do
    fxtreport --json --by $by --rows 1 a.fxt | tail -n +2
done
fxtreport --json --diff a.fxt --tid 2 a.fxt

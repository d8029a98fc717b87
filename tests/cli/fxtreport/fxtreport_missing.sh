# Each thing that is missing has a remedy, and a number that says how much it matters.
python3 "$data/../support/fxtwrite.py" >a.fxt <<'END'
magic
process 1 server
module 1 1 /usr/bin/server aa
module 1 2 [kernel.kallsyms] bb
mapping 1 1 0x1000 0x1000 0
mapping 1 2 0xffffffff80000000 0x10000 0
backtrace 1000 1 2 0x1010 0x1100
backtrace 1001 1 2 0x1010 0x1200
backtrace 1002 1 2 0xffffffff80000010
backtrace 1002 1 2 0xffffffffa0000010
backtrace 1003 1 2 0x9999
drops 0 3 500 1 2
drops 1 2 100 1 2
END
fxtreport --by process a.fxt
printf 'ffffffff80000000 T known\nffffffff80001000 T next\n' >kallsyms
python3 "$data/../support/fxtwrite.py" >freed.fxt <<'END'
magic
backtrace 1000 1 2 0xffffffff80000010
backtrace 1001 1 2 0xffffffffc0000010
END
fxtreport --kallsyms kallsyms --rows 1 freed.fxt
fxtreport --rows 1 a.fxt
fxtreport --json a.fxt | head -n 1
python3 "$data/../support/fxtwrite.py" >events.fxt <<'END'
magic
complete 1000 2000 1 2 request
drops 0 3 500 1 2
END
fxtreport events.fxt
fxtreport --cpus 5 a.fxt

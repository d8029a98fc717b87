# The first screen: what was recorded, what is missing, tables that add up.
python3 "$data/../support/fxtwrite.py" >server.txt.fxt <<'END'
magic
init 1000000000
recording 1000000
process 1045 server
process 1046 client
thread 2077 main 1045
thread 2078 worker 1045
thread 2079 client 1046
module 1045 1 /usr/bin/server aa
module 1045 2 /usr/lib/libc.so.6 bb
module 1046 1 /usr/bin/client cc
mapping 1045 1 0x1000 0x1000 0
mapping 1045 2 0x7000 0x1000 0
mapping 1046 1 0x1000 0x1000 0
provider 10 cpu0
backtrace 1000000000 1045 2077 0x1010 0x1100
backtrace 1001000000 1045 2077 0x1010 0x1100
backtrace 1002000000 1045 2078 0x7010 0x1200 0x1100
backtrace 1003000000 1046 2079 0x1300
provider 11 cpu1
backtrace 1004000000 1045 2078 0x7020 0x1200 0x1100
backtrace 1005000000 1045 2078 0xffffffff80001000 0x7020 0x1100
backtrace 1006000000 0 2080 0xffffffff80002000
END
fxtreport server.txt.fxt
echo "--- samples, addresses, one row each"
fxtreport --value samples --unsymbolized --rows 1 server.txt.fxt
for by in function module source line process thread cpu; do
    echo "--- $by"
    fxtreport --by $by server.txt.fxt | tail -n +3
done
echo "--- by total"
fxtreport --by module --sort total --rows 2 server.txt.fxt | tail -n +3
echo "--- of one process, from standard input"
fxtreport --pid 1046 <server.txt.fxt

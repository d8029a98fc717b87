# Spans have time and numbers, and no modules.
python3 "$data/../support/fxtwrite.py" >spans.fxt <<'END'
magic
init 1000000000
process 1 compositor
thread 2 render 1
thread 3 input 1
begin 1000000 1 2 frame
begin 2000000 1 2 layout
end 5000000 1 2 layout
end 9000000 1 2 frame
complete 20000000 21000000 1 2 frame
complete 20000000 20000500 1 3 key
backtrace 1 1 2 0x1000
END
fxtreport --spans spans.fxt
fxtreport --spans --value spans --by function spans.fxt
fxtreport --spans --by thread spans.fxt
fxtreport --spans --by module spans.fxt
echo "exit $?"
fxtreport --spans --value bytes spans.fxt
echo "exit $?"
fxtreport --value time spans.fxt
echo "exit $?"
echo "--- a thread 0, and two threads of one number"
python3 "$data/../support/fxtwrite.py" >zero.fxt <<'END'
magic
complete 0 1000000 7 0 idle
complete 0 1000000 7 1 work
complete 0 1000000 9 1 work
END
fxtreport --spans --by thread zero.fxt

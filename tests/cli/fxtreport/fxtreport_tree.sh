# Trees: chains on one line, branches below a share summed up, recursion.
python3 "$data/../support/fxtwrite.py" >calls.fxt <<'END'
magic
init 1000000000
complete 0 1000 1 2 main
complete 0 600 1 2 serve
complete 0 500 1 2 handle
complete 0 400 1 2 parse
complete 500 590 1 2 log
complete 600 990 1 2 parse
complete 600 900 1 2 parse
complete 600 700 1 2 lex
complete 950 954 1 2 warn
complete 955 958 1 2 note
complete 0 3 1 3 other
END
fxtreport --spans --tree calls.fxt
fxtreport --spans --tree --min 0 --value spans calls.fxt
fxtreport --spans --tree --min 100 calls.fxt
fxtreport --spans --by function calls.fxt
# A hundred calls, one in the other: on as many lines as they need.
{
    echo magic
    for i in $(seq 100); do
        echo "complete $i $((300 - i)) 1 2 function_number_$i"
    done
} | python3 "$data/../support/fxtwrite.py" >deep.fxt
fxtreport --spans --tree --min 30 deep.fxt
fxtreport --spans --tree --min 30 --json deep.fxt | tail -n 3 | cut -c 1-70
echo "--- numbers wider than their columns"
python3 "$data/../support/fxtwrite.py" >long.fxt <<'END'
magic
complete 0 9000000000000000000 1 2 outer
complete 1000000000000000000 3000000000000000000 1 2 inner
END
fxtreport --spans --tree long.fxt | tail -n 3

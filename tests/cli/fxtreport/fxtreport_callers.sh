# Who calls a function: recursion counts once, and each function that matches is a root.
python3 "$data/../support/fxtwrite.py" >calls.fxt <<'END'
magic
complete 0 1000 1 2 main
complete 0 600 1 2 serve
complete 0 500 1 2 parse
complete 0 400 1 2 parse
complete 600 990 1 2 parse
complete 700 800 1 2 lex
complete 0 50 1 3 parse
END
fxtreport --spans --callers '^parse$' calls.fxt
fxtreport --spans --callers 'lex|serve' --min 10 calls.fxt
fxtreport --spans --callers 'nothing' calls.fxt
echo "exit $?"
fxtreport --spans --callers '^lex' --json calls.fxt

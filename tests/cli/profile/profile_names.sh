# Several records that name the same: the longest name counts, wherever it stands.
python3 "$data/../support/fxtwrite.py" >one.fxt <<'END'
magic
process 1 sh
backtrace 1 1 3 0x10
backtrace 2 0 7 0x10
END
python3 "$data/../support/fxtwrite.py" >two.fxt <<'END'
magic
process 1 shell
thread 7 worker 1
process 1 s
END
fxt2folded --roots process,thread one.fxt two.fxt >12.folded
fxt2folded --roots process,thread two.fxt one.fxt >21.folded
cat 12.folded
cmp 12.folded 21.folded

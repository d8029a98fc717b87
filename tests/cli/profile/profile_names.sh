# The newest name counts, from its place in the stream on; a first name counts before, too.
python3 "$data/../support/fxtwrite.py" >one.fxt <<'END'
magic
process 1 a-long-name
backtrace 1 1 3 0x10
process 1 sh
backtrace 2 1 3 0x10
backtrace 2 0 7 0x10
thread 3 main 1
END
python3 "$data/../support/fxtwrite.py" >two.fxt <<'END'
magic
backtrace 8 1 3 0x10
process 1 shell
thread 7 worker 1
process 1 s
backtrace 9 1 7 0x10
backtrace 9 2 7 0x10
END
fxt2folded --roots process,thread one.fxt two.fxt >12.folded
fxt2folded --roots process,thread two.fxt one.fxt >21.folded
cat 12.folded
cmp 12.folded 21.folded

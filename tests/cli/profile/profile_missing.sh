# An input that cannot be opened takes its number; the others are still read.
echo 'backtrace 1 1 1 0x10' | python3 "$data/../support/fxtwrite.py" >region.bin
mkdir directory
fxt2folded --roots cpu region.bin no_such_file region.bin
echo "exit $?"
fxt2folded --roots cpu directory
echo "exit $?"
fxt2pprof -o out.pb.gz no_such_file
echo "exit $?"
ls
echo "a directory for symbols that is none, which is no reason to stop:"
fxt2folded --debug-dir directory --debug-dir no_such_dir --debug-dir region.bin region.bin
echo "exit $?"
fxt2folded -q --debug-dir no_such_dir region.bin

# An input that cannot be opened takes its number; the others are read all the same.
echo 'backtrace 1 1 1 0x10' | python3 "$data/../fxtwrite.py" >region.bin
mkdir directory
fxt2folded --roots cpu region.bin no_such_file region.bin
echo "exit $?"
fxt2folded --roots cpu directory
echo "exit $?"
fxt2pprof -o out.pb.gz no_such_file
echo "exit $?"
ls

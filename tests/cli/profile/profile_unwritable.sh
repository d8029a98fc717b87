# What cannot be written is an error, and no temporary file remains.
echo 'backtrace 1 1 1 0x10' | python3 "$data/../support/fxtwrite.py" >region.bin
fxt2folded -o no_such_directory/out region.bin
echo "exit $?"
fxt2folded -o /dev/full region.bin
echo "exit $?"
fxt2folded region.bin >/dev/full
echo "exit $?"
fxt2pprof region.bin >/dev/full
echo "exit $?"
echo old >out
fxt2pprof -o out --elf no_such_file region.bin
echo "exit $?"
fxt2pprof -o out no_such_file
echo "exit $?"
cat out
ls
echo "nor is an input lost, by any of its names:"
cp region.bin same.bin
ln -s region.bin link
for input in region.bin link ./region.bin -; do
    fxt2pprof -o region.bin $input <region.bin
    echo "exit $?"
done
fxt2folded -o link no_such_file region.bin
echo "exit $?"
cmp region.bin same.bin
fxt2folded -o same.bin region.bin 2>err
echo "another file is: exit $?"

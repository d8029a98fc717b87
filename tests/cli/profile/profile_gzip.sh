# Compressed input, standard input and both are the same as the file itself.
printf 'backtrace 1 1 1 0x10\nsample 2 1 1 0x10 0x20\n' |
    python3 "$data/../support/fxtwrite.py" >region.bin
gzip -9 <region.bin >region.bin.gz
fxt2folded region.bin
fxt2folded <region.bin
fxt2folded - <region.bin.gz
fxt2folded region.bin.gz
fxt2pprof -q region.bin >one.pb.gz
fxt2pprof -q -o two.pb.gz region.bin
gzip -t one.pb.gz && gzip -t two.pb.gz && echo whole
fxt2pprof -q --no-gzip region.bin | head -c 2 | od -A n -t x1
head -c 30 region.bin.gz >cut.gz
fxt2folded cut.gz region.bin
echo "exit $?"

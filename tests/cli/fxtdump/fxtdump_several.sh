# Several files, one of them damaged: headers in text, numbers in JSON, messages by file.
cp "$data/region.bin" cpu0.bin
cp "$data/damaged.fxt" cpu1.bin
: >cpu2.bin
cp "$data/huge.bin" cpu3.bin
fxtdump cpu0.bin cpu1.bin cpu2.bin cpu3.bin 2>err
echo "exit $?"
grep -v warning err >&2
fxtdump -q --json cpu0.bin cpu1.bin cpu2.bin cpu3.bin | cut -d , -f 1-4
fxtdump -q cpu0.bin - <cpu3.bin

# --cpu says which CPU the next file is of, whatever its place; a place counts on.
for cpu in 0 1 2 3; do
    echo "backtrace 100 1045 2077 0x1$cpu" | python3 "$data/../support/fxtwrite.py" >$cpu.bin
done
fxt2folded -q --roots cpu 0.bin --cpu 7 1.bin 2.bin
echo "two regions of one CPU, the last one after --:"
fxt2folded -q --roots cpu --cpu 0x3 0.bin --cpu 3 -- 0.bin
echo "regions of one file:"
cat 0.bin 1.bin | fxt2folded -q --roots cpu 3.bin --region-size 40 --cpu 5 - 2.bin
echo "an archive:"
printf 'magic\nprovider 1 cpu2\nbacktrace 1 1 1 0x98\n' |
    python3 "$data/../support/fxtwrite.py" >trace.fxt
fxt2folded -q --roots cpu trace.fxt
fxt2folded -q --roots cpu --cpu 65535 trace.fxt
fxt2folded -q --roots cpu --cpu 9 <3.bin
fxt2folded 0.bin --cpu 3
echo "exit $?"
fxt2folded --cpu 65536 0.bin
echo "exit $?"
echo "files whose names say it, in a shell's order; and two that say the same:"
for cpu in 0 1 2 3; do
    mv $cpu.bin cpu1$cpu.bin
done
fxt2folded -q --roots cpu cpu1*.bin
mkdir other
cp cpu10.bin other
fxt2folded -q --roots cpu cpu1*.bin other/cpu10.bin
cp trace.fxt cpu14.fxt
fxt2folded -q --roots cpu cpu1*
echo "with an archive that has their names, before and after:"
printf 'magic\nprocess 1045 net\n' | python3 "$data/../support/fxtwrite.py" >names.fxt
rm cpu14.fxt
fxt2folded -q --roots process,cpu names.fxt cpu1*
gzip names.fxt
fxt2folded -q --roots process,cpu cpu1* names.fxt.gz
echo "but with another region each is of the CPU that its place says:"
cp cpu10.bin more.bin
fxt2folded -q --roots cpu names.fxt.gz cpu12.bin more.bin
echo "a file after --cpu is of that one, the others of those that their names say:"
fxt2folded -q --roots cpu --cpu 3 cpu11.bin cpu10.bin
fxt2folded -q --roots cpu --cpu 11 cpu11.bin cpu10.bin
fxt2folded -q --roots cpu cpu12.bin --cpu 3 more.bin other/cpu10.bin
fxt2folded -q --roots cpu --cpu 10 cpu12.bin cpu10.bin
echo "whose names are not the names of CPUs, of those that their places say:"
fxt2folded -q --roots cpu --cpu 7 cpu11.bin cpu12.bin more.bin
echo "an archive's name does not count, even where it is like a region's:"
cp trace.fxt cpu10.fxt
gzip -c trace.fxt >other/cpu10.fxt.gz
fxt2folded -q --roots cpu cpu10.fxt cpu11.bin cpu10.bin
fxt2folded -q --roots cpu cpu10.fxt other/cpu10.fxt.gz cpu11.bin cpu10.bin
fxt2folded -q --roots cpu --cpu 8 cpu10.fxt cpu11.bin cpu10.bin
echo "but a region's does, whatever it is called:"
cp cpu11.bin cpu11.fxt
cp cpu12.bin cpu12.fxt
fxt2folded -q --roots cpu cpu12.fxt cpu11.fxt
fxt2folded -q --roots cpu --threads 1 cpu12.fxt cpu10.fxt cpu11.fxt cpu10.bin
fxt2folded -q --roots cpu --region cpu12.fxt cpu12.bin

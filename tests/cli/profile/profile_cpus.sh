# Each file is a CPU's; samples of others are counted and left out.
for cpu in 0 1 2 3; do
    echo "backtrace 100 1045 2077 0x1$cpu 0x20" |
        python3 "$data/../support/fxtwrite.py" >cpu$cpu.bin
done
printf 'magic\nbacktrace 1 1 1 0x99\nprovider 1 cpu2\nbacktrace 1 1 1 0x98\n' |
    python3 "$data/../support/fxtwrite.py" >trace.fxt
all="trace.fxt cpu0.bin cpu1.bin cpu2.bin cpu3.bin"
fxt2folded --roots cpu $all
fxt2folded --roots cpu --cpus 1-2 $all
fxt2folded --roots cpu --cpu-mask 0x9 $all
fxt2folded --roots cpu --cpus 0 --cpu-mask 2 $all
fxt2folded --roots cpu --cpus 65535 $all
echo "exit $?"

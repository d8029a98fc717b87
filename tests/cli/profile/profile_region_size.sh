# One file that holds the regions of several CPUs.
{
    printf 'backtrace 1 1 1 0x10\npad 64\n' | python3 "$data/../support/fxtwrite.py"
    printf 'words 0x1\npad 64\n' | python3 "$data/../support/fxtwrite.py"
    printf 'pad 64\n' | python3 "$data/../support/fxtwrite.py"
    # It begins like an archive, and is none.
    printf 'magic\nbacktrace 2 1 1 0x20\npad 64\n' | python3 "$data/../support/fxtwrite.py"
    printf 'backtrace 3 1 1 0x30\n' | python3 "$data/../support/fxtwrite.py"
} >regions.bin
fxt2folded --roots cpu --region-size 64 regions.bin
echo "exit $?"
fxt2folded --roots cpu --region-size 64 --cpus 3,4 regions.bin regions.bin
echo "exit $?"

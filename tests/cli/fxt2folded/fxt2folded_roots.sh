# What lines begin with, and that lines which are then the same are added up.
python3 "$data/../support/fxtwrite.py" >names.fxt <<'END'
magic
provider 1 cpu4
process 1045 shell
process 1045 sh
thread 2077 main 1045
backtrace 1 1045 2077 0x10 0x20
backtrace 2 1045 2078 0x10 0x20
provider 2 other
backtrace 3 1045 2077 0x10 0x20
backtrace 4 0 2077 0x10 0x20
END
for roots in process thread cpu cpu,process,thread none; do
    echo "$roots:"
    fxt2folded -q --roots $roots names.fxt
done

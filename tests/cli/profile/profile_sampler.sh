# Zircon's sampler on arm64: which PCs are 4 less than elsewhere, and which stand twice. In
# large blobs the second is the link register less 4, and the third may be the same again.
python3 "$data/../support/fxtwrite.py" >a.bin <<'END'
sample 1 1 2 0x1008 0x1ffc 0x2000 0x3000
sample 2 1 2 0x1008 0x1ffc 0x3000
sample 3 1 2 0x1008 0x1ffc
sample 4 1 2 0x1008
END
python3 "$data/../support/fxtwrite.py" >b.bin <<'END'
backtrace 5 1 2 0x1008 0x2000 0x3000
backtrace 6 1 2 0x1008 0x1ffc 0x2000 0x3000
END
fold() {
    echo "$*"
    echo "$*" >&2
    fxt2folded --roots none "$@" || echo "exit $?"
}
fold --sampler zircon-arm64 a.bin b.bin
fold --sampler zircon-arm64 --threads 2 a.bin b.bin
fold a.bin
fold --sampler any b.bin
fold --sampler arm64 a.bin
echo "many that stand twice are no chance:"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    echo "sample 1 1 2 0x10$i 0x1ffc 0x2000 0x3000"
done | python3 "$data/../support/fxtwrite.py" >many.bin
fold many.bin | wc -l
fold --sampler zircon-arm64 many.bin | wc -l

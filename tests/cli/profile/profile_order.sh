# The same samples in another order, or in other pieces, are the same profile to the byte.
gen() {
    python3 "$data/../support/fxtwrite.py"
}
cat >names <<'END'
process 1 one
process 2 two
module 1 1 app aa
module 2 1 app aa
module 2 2 libc.so bb
mapping 1 1 0x1000 0x1000 0
mapping 2 1 0x1000 0x1000 0
mapping 2 2 0x7000 0x1000 0x40
END
cat >samples <<'END'
backtrace 10 1 11 0x1010 0x1020
backtrace 20 1 11 0x1010 0x1020
backtrace 30 2 21 0x7010 0x1020
backtrace 40 2 22 0x7010 0x1020 0x99
backtrace 50 2 22 0x7020 0x1020
END
{ echo magic; cat names samples; } | gen >a.fxt
{ echo magic; sort -r samples; cat names; } | gen >b.fxt
fxt2pprof -q --no-gzip - <a.fxt >a.pb
fxt2pprof -q --no-gzip - <b.fxt >b.pb
cmp a.pb b.pb && fxt2folded a.fxt

# An archive that was cut inside a record is reported with that place, and shows the rest.
python3 "$data/../support/fxtwrite.py" >whole.fxt <<'EOF'
magic
init 1000000000
process 1 server
thread 2 worker 1
complete 2000 4000 1 2 query db
event 5 1000 1 2 read 7
event 7 5000 1 2 read 7
event 8 1000 1 2 hop 1
event 10 4000 1 2 hop 1
event 0 3000 1 2 tick
# queue: n=3 and n=4
words 0x80058001001100a4 0xbb8 0x1 0x2 0x71 0x6575657571 0x80010034 0x6e 0x3 0x9
words 0x80058001001100a4 0xfa0 0x1 0x2 0x71 0x6575657571 0x80010034 0x6e 0x4 0x9
EOF
size=$(wc -c <whole.fxt)
head -c $((size - 4)) whole.fxt >cut.fxt
fxtreport cut.fxt

# Everything that is not in the profile is counted, and a healthy kernel's report of what
# it dropped is no reason to warn, unless asked.
python3 "$data/../support/fxtwrite.py" >region.bin <<'END'
backtrace 100 1045 2077 0x10 0x20
drops 3 17 9248 50 60
sample 200 1045 2077 0x10 0x20
backtrace 300 1045 2077
sample 400 1045 2077
unwound 500 1045 2077 64
backtrace 600 1 2 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
drops 4 1 10 70 80
mapping 1045 9 0x1000 0x1000 0
pad 4096
END
fxt2folded region.bin | cut -c 1-60
echo "-v:" >&2
fxt2folded -v region.bin >/dev/null
echo "an event with unknown strings that is no report of drops:" >&2
python3 "$data/../support/fxtwrite.py" >event.bin <<'END'
words 0x0029002800000044 1000 0 3
drops 3 17 9248 50 60
backtrace 100 1045 2077 0x10 0x20
END
fxt2folded event.bin

# Stacks that are not whole: counted by reason and file, and apart from whole ones below a
# root frame that says why.
say() {
    echo "$*"
    echo "$*" >&2
}
python3 "$data/../support/fxtwrite.py" >cut.fxt <<'END'
magic
ended 1 7 8 1 0x1010 0x1020 0x1030
ended 2 7 8 1 0x1010 0x1020 0x1030
ended 3 7 8 3 0x1010 0x2020
ended 4 7 8 3 0x2010
ended 5 7 8 5 0x1010 0x1020
ended 6 7 8 6 0x1010 0x9020
ended 7 7 8 2 0x1010 0x1020 0x1030
ended 8 7 8 0 0x1010 0x1020 0x1030
ended 9 7 9 10 0x3010
ended 10 7 9 77 0x3010
ended 11 7 9 78 0x3010
ended 12 7 10 1 0x1010
module 7 1 bin/main aa
module 7 2 lib/libfoo.so bb
mapping 7 1 0x1000 0x1000 0
mapping 7 2 0x2000 0x1000 0
END
try() {
    say "$*"
    fxt2folded --roots none "$@" cut.fxt || echo "exit $?"
}
try
try --cut-frames hide
try --cut-frames maybe
# What is left out does not count; what is cut off by a filter still does.
try --tid 8 --skip-above 'main.0x20$'
try --idle hide --idle-function 0x3010
# A frame is only what the program has.
try --format speedscope | python3 -c 'import json, sys
frames = json.loads(sys.stdin.read().split("\n", 1)[1])["shared"]["frames"]
print("\n".join(sorted(f["name"] for f in frames)))'
say markup
fxt2folded --format markup --time -4ns cut.fxt | grep '{{{bt'
say pprof
fxt2pprof --cut-frames show -o cut.pb.gz cut.fxt
cat >other.fxt.txt <<'END'
magic
backtrace 1 7 8 0x1010 0x1020
END
python3 "$data/../support/fxtwrite.py" <other.fxt.txt >other.fxt
say "no ends"
fxt2folded --roots none other.fxt

# An output's name that promises what would not be in the file is refused before anything is
# read, with the command that makes such a file; unless the format was given.
try() {
    echo "$*"
    "$@" region.bin
    echo "exit $?"
}
printf 'sample 2 1 1 0x10 0x20\n' | python3 "$data/../support/fxtwrite.py" >region.bin
for name in x.svg x.folded x.json x.speedscope.json x.markup x.html \
  x.png x.TXT x.pdf x.csv x.txt.gz x.fxt \
  x.svg.gz x.FOLDED.gz x.json.gz; do
    try fxt2pprof -q -o "$name"
done
for name in x.pb x.pb.gz x.pprof x.pprof.gz x.html x.svg.gz x.gz x.png x.TXT x.pdf \
  x.csv x.xml x.yaml x.zip x.fxt x.svg.png; do
    try fxt2folded -q -o "$name"
done
ls
for name in x.pb x.pb.gz x.pprof x.gz x; do
    try fxt2pprof -q -o "$name"
done
for name in x.svg x.folded x.json x.speedscope.json x.markup x.SVG x.out txt x; do
    try fxt2folded -q -o "$name"
done
try fxt2folded -q --format folded -o said.pb
try fxt2folded -q --format svg -o said.html
try fxt2folded -q --format svg -o said.gz
try fxt2folded -q --format folded -o said.txt
ls

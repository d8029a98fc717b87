# No samples: an empty output that is valid, a word about it, and exit status 1.
: >empty
head -c 4096 /dev/zero >zeros
echo magic | python3 "$data/../support/fxtwrite.py" >magic.fxt
for file in empty zeros magic.fxt /dev/null; do
    fxt2folded -o out $file
    echo "exit $?, $(wc -c <out) bytes"
done
fxt2folded </dev/null
fxt2pprof --no-gzip zeros | od -A n -c | head -n 2
fxt2pprof zeros | gzip -t
echo "gzip: $?"

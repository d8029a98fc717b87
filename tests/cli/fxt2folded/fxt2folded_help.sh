fxt2folded --help
fxt2folded -V
fxt2folded -h >/dev/full
echo "exit $?"

# A symbolic link stays one, and its target gets the output.
mkdir dir
echo old >dir/real
ln -s dir/real link
fxt2folded -q -o link "$data/region.bin"
[ -h link ] && head -n 1 dir/real

# What is written follows from --format, or else from the output's name.
echo 'backtrace 1 1 1 0x10' | python3 "$data/../support/fxtwrite.py" >region.bin
for options in "" "--format svg" "--format folded" "-o out" "-o out.svg" "-o out.folded" \
    "-o out.txt" "-o .svg" "-o svg" "-o out.svg.txt" "-o out.svg --format folded" \
    "-o out.txt --format svg" "--format folded --format svg"; do
    rm -f out* .svg svg
    # shellcheck disable=SC2086 # several options
    fxt2folded -q $options region.bin >stdout
    echo "'$options': $(cat stdout out* .svg svg 2>/dev/null | head -n 1 | cut -c 1-21)"
done

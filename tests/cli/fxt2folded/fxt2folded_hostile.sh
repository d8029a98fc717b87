# Names may hold anything; each line stays one line with its own semicolons only.
python3 "$data/../support/fxtwrite.py" >names.fxt <<'END'
magic
process 1 'a;b'
process 2 'two\nlines\r\x00'
process 3 '\xff\xfe\xc0\x80'
process 4 '<&">'
process 5 '\x1b[31mred\x1b[0m'
process 6 '  '
process 7 '\xe2\x80\xae'
process 8 'count 42'
module 8 1 'lib;x\n.so' 00
mapping 8 1 0x7000 0x1000 0
backtrace 1 1 10 0x10
backtrace 1 2 10 0x10
backtrace 1 3 10 0x10
backtrace 1 4 10 0x10
backtrace 1 5 10 0x10
backtrace 1 6 10 0x10
backtrace 1 7 10 0x10
backtrace 1 8 10 0x7010
END
fxt2folded names.fxt
echo "a name that changes the direction, in each format:"
python3 "$data/../support/fxtwrite.py" >direction.fxt <<'END'
magic
process 7 '\xe2\x80\xaeelif'
backtrace 1 7 10 0x10
END
for format in folded svg speedscope; do
  fxt2folded -q --format $format --title "$(printf '\342\201\246')" direction.fxt 2>/dev/null >out ||
    fxt2folded -q --format $format direction.fxt >out
  grep -o '\\*u{20[26][0-9a-f]}[a-z]*' out | sort -u
  grep -c "$(printf '\342\200\256')" out
done

# Every record as text; big-endian ones are the same.
fxtdump -v - <"$data/every.fxt" 2>err | tee little
cat err >&2
fxtdump -v - <"$data/every_big_endian.fxt" 2>big_err | cmp - little
cmp big_err err
echo "with --payload:"
fxtdump -q --payload "$data/every.fxt" | grep blob

# Warnings and notes leave the exit status 0, unless --strict.
{ head -c 8 "$data/every.fxt"; printf '\020\0\062\0\0\0\0\0'; } >unknown_provider
{ head -c 8 "$data/every.fxt"; printf '\033\0\0\0\0\0\0\0'; } >unknown_type
{ head -c 8 "$data/every.fxt"; head -c 16 /dev/zero; head -c 8 "$data/every.fxt"; } >zeros
{ head -c 16 /dev/zero; echo tail; } >tail
for file in unknown_provider unknown_type zeros tail; do
  fxtdump $file >/dev/null
  echo "$file: exit $?"
  fxtdump -q --strict $file >/dev/null
  echo "$file --strict: exit $?"
done
fxtdump --strict -q "$data/region.bin" >/dev/null
echo "drops: exit $?"
fxtdump --strict "$data/huge.bin" -q >/dev/null
echo "malformed: exit $?"

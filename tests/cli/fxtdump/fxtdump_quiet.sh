# Ten lines of a severity, all of them, or none.
{
  head -c 8 "$data/every.fxt"
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    printf '\041\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\033\0\0\0\0\0\0\0'
  done
} >faults
fxtdump faults >/dev/null
fxtdump -v faults 2>&1 >/dev/null | wc -l
fxtdump -q faults 2>&1 >/dev/null | wc -l
fxtdump -v faults 2>/dev/null | grep -c error
fxtdump --verbose faults 2>&1 >/dev/null | wc -l
fxtdump --quiet faults 2>&1 >/dev/null | wc -l

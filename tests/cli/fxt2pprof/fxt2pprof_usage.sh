# Every one of these is refused before anything is read, with exit status 2.
try() {
    fxt2pprof "$@" </dev/null
    echo "exit $?"
}
try --no-such-option
try --elf
try --cpus 0,x
try --cpus 5-2
try --cpus ''
try --cpu-mask 0xg
try --cpu-mask ''
try --region-size 0
try --region-size 12
try --region-size 64K --archive
try --byte-order middle
try --ticks-per-second 0
try --period 0ms
try --period 1
try --period 1m
try --period 10000000000s
try --start-time 0
try --start-time 1.
try --start-time 1.0000000001
try --start-time 2026-11-21
try -o ''
try --elf /dev/null
printf 'not an ELF file, but longer than the header of one would be, all in all' >text
try --elf text@0x1000

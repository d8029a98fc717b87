# Every one of these is refused before anything is read, with exit status 2.
try() {
    fxt2folded "$@" </dev/null
    echo "exit $?"
}
try --roots process,core
try --roots ''
try --roots process,
try --roots cpu,process,cpu
try --roots none,cpu
try --no-gzip
try --elf ''
try --elf no/such/file
try --elf .

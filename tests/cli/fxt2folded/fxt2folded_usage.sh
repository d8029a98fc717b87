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
try --threads 0
try --threads 257
try --format svgz
try --format ''
try -o out.svg --palette rainbow
try -o out.svg --width 199
try -o out.svg --width 100001
try -o out.svg --width 50%
try -o out.svg --height 3
try -o out.svg --height 101
try -o out.svg --height 12.5
try -o out.svg --min-width 100.01
try -o out.svg --min-width 0.125
try -o out.svg --min-width -1
try -o out.svg --count-name ''
try --title 'A flame graph'
try -o out.folded --upright
try -o out.svg --format folded --min-width 1
ls
try --unsymbolized --elf kernel.elf
try --kallsyms /proc/kallsyms --unsymbolized
try --format json --value time
try -o out.markup --value time --period 1ms

# Every one of these is refused before anything is read, with exit status 2.
try() {
    fxtreport "$@" </dev/null
    echo "exit $?"
}
try --by stack
try --by ''
try --callers '('
try --callers '[a'
try --callers ''
try --tree --lines
try --by cpu --by thread
try --color sometimes
try --diff ''
try --diff a.fxt --tree
try --min 0.5
try --tree --min 100.01
try --tree --min 0.125
try --tree --rows 5
try --span '('
try --span x --tree
try --span x --spans
try --span x --sort total
try --span x --diff a.fxt
try --by-arg x
try --critical-path
try --span x --at 1
try --span x --critical-path --at soon
try --span x --critical-path --by-arg y
try --callers x --sort total
try --tree --sort self
try --diff - -
try --diff -
try --rows -1
try --rows all
try --sort size
try --value energy
try --width 79
try --width 100001
try --json --width 100
try --json --color always
try -o report.html.gz
try -o report.html --tree
try -o report.html --json
try -o report.html --rows 5
try -o report.html --min 1
try --no-source
try -o report.svg
try -o report.json
try -o report.txt.gz
try --spans --cpus 1
try --unsymbolized --elf kernel.elf
try no/such/file
try --diff no/such/file no/such/file
ls

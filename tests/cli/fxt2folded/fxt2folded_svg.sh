# The frames of a small flame graph, its labels and what it says of itself.
python3 "$data/../support/fxtwrite.py" >app.fxt <<'END'
magic
process 1045 '<shell>'
module 1045 1 app aa
mapping 1045 1 0x1000 0x1000 0
backtrace 1 1045 1 0x1010 0x1020
backtrace 2 1045 1 0x1010 0x1020
backtrace 3 1045 1 0x1030 0x1020
backtrace 4 1046 2 0x99
END
show() {
    fxt2folded -q --format svg "$@" app.fxt >out.svg || echo "exit $?"
    sed -e '/<desc>/,/<\/desc>/d' -e '/<style>/,/<\/style>/d' \
        -e '/<script>/,/<\/script>/d' out.svg
}
show
show --title 'A & B' --subtitle "it's \"this\"" --width 300 --height 10 --min-width 75.5 \
    --palette io --upright --reverse --count-name 'ticks (1 ms)' --roots none

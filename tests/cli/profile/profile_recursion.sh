# Functions that call themselves: spans have names without any ELF file.
say() {
    echo "$*"
    echo "$*" >&2
}
python3 "$data/../support/fxtwrite.py" >r.fxt <<'END'
magic
begin 0 1 2 main
begin 10 1 2 fib
begin 20 1 2 fib
begin 30 1 2 fib
end 40 1 2
end 50 1 2
begin 50 1 2 print
begin 55 1 2 fib
end 60 1 2
end 70 1 2
end 80 1 2
end 90 1 2
END
for options in "" --fold-recursion "--skip-above fib" "--skip-below ^fib$" \
    "--skip-above fib --skip-below fib" "--fold-recursion --skip-above ^f" \
    "--idle hide --idle-function ^print$"; do
    say "fxt2folded $options"
    fxt2folded --spans --roots none $options r.fxt
done

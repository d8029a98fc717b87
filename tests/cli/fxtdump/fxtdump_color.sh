# Colours are for terminals, and where an option requests them.
esc() { sed "s/$(printf '\033')/ESC/g"; }
fxtdump -q --color always --count 4 "$data/every.fxt" | esc
fxtdump -q --color always --hex --count 1 "$data/damaged.fxt" | esc
fxtdump -q --color always --fields --count 1 "$data/damaged.fxt" | esc
fxtdump -q --color always "$data/damaged.fxt" | grep error | head -n 1 | esc
fxtdump -q --color always --stats "$data/redefined.fxt" | esc
for when in never auto; do
  fxtdump -q --color $when "$data/every.fxt" | LC_ALL=C grep -c "$(printf '\033')"
done
# A separate terminal for each.
cat >seen.py <<'END'
import os, pty, sys
chunks = []
pty.spawn(["sh", "-c", sys.argv[1]], lambda fd: chunks.append(os.read(fd, 4096)) or chunks[-1])
END
on_terminal() {
  python3 seen.py "$1" </dev/null | LC_ALL=C grep -c "$(printf '\033')"
}
TERM=xterm
export TERM
unset NO_COLOR
on_terminal "fxtdump -q $data/redefined.fxt"
NO_COLOR=1 on_terminal "fxtdump -q $data/redefined.fxt"
NO_COLOR= on_terminal "fxtdump -q $data/redefined.fxt"
TERM=dumb on_terminal "fxtdump -q $data/redefined.fxt"
NO_COLOR=1 on_terminal "fxtdump -q --color always $data/redefined.fxt"
on_terminal "fxtdump -q --color never $data/redefined.fxt"
on_terminal "fxtdump -q --json $data/redefined.fxt"
echo done

# Names that would take over a terminal, forge a line, or break a string.
fxtdump "$data/hostile.fxt" | tee text
fxtdump --json "$data/hostile.fxt" | tee json
echo "bytes that a terminal obeys:"
cat text json | LC_ALL=C tr -d '\n\040-\176\200-\377' | od -c | head -2
grep -c "$(printf '\302[\200-\237]')" text json
echo "records: $(wc -l <text) lines, $(wc -l <json) objects"

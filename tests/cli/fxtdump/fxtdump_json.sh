# Every record as JSON; big-endian ones are the same but for payloads, which are bytes.
fxtdump -q --json "$data/every.fxt" | tee little
fxtdump -q --json "$data/every_big_endian.fxt" | cmp - little

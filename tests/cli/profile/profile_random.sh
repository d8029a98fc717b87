# Bytes that mean nothing, and good recordings with some bytes changed, give an error or
# less: exit status 0 or 1, and an output that is valid.
cat >make_random.py <<'END'
import os, random, sys
sys.path.insert(0, os.path.join(os.environ["data"], "..", "support"))
sys.dont_write_bytecode = True
import fxtwrite

random.seed(int(sys.argv[1]))
trace = fxtwrite.Trace()
if random.random() < 0.5:
    trace.magic()
    trace.provider(1, b"cpu3")
    trace.init(1000000, 5, 1700000000000000000)
trace.process(5, b"process")
trace.thread(6, b"thread", 5)
trace.module(5, 1, b"libc.so", b"0123456789")
for i in range(40):
    pcs = [0x7000 + random.randrange(64) for _ in range(random.randrange(1, 70))]
    random.choice((trace.sample, trace.backtrace))(i, 5, 6, *pcs)
    trace.drops(3, 1, 100, i, i)
    trace.mapping(5, 1, 0x6ff0 + i, 64, i)
data = bytearray(trace.data())
for i in range(random.choice((0, 1, 5, 100))):
    data[random.randrange(len(data))] = random.choice((0, 1, 255, random.randrange(256)))
if random.random() < 0.1:
    data = random.randbytes(1 << 14)
sys.stdout.buffer.write(data[: random.randrange(len(data) // 2, len(data) + 1)])
END
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
    python3 make_random.py $seed >random.bin
    for options in "" --region --archive --resync "--resync --archive --byte-order big" \
        "--region-size 1K"; do
        fxt2folded -q $options random.bin >out || [ $? = 1 ] || echo "seed $seed: $?"
        LC_ALL=C sort -c out || echo "seed $seed"
        fxt2pprof -q $options random.bin >out.gz || [ $? = 1 ] || echo "seed $seed: $?"
        gzip -t out.gz
        wc -l <out >>lines
    done
done
awk '$1 > 0 {n++} END {print (n > 40) ? "most had samples" : n " had samples"}' lines

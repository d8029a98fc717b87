# A file of three regions, the last one short, in every way in which it may come.
cp "$data/regions.bin" .
fxtdump --region-size 512 regions.bin 2>err
echo "exit $?"
grep -v warning err >&2
fxtdump -q --json --region-size 0x200 regions.bin | tee json | cut -d , -f 1-4
cat regions.bin | fxtdump -q --json --region-size 512 | cmp - json
fxtdump -q --json --region-size 512 <regions.bin | cmp - json
gzip -k regions.bin
fxtdump -q --json --region-size 512 regions.bin.gz | cmp - json
(cat regions.bin; sleep 0.1) | fxtdump -q --json --region-size 512 - | cmp - json

echo "one region is as good as none:"
fxtdump -q --json regions.bin >json
for size in 1408 2K 1M 1G 0xffffffffffffffff; do
  fxtdump -q --json --region-size $size regions.bin | cmp - json
  fxtdump -q --json --region-size $size <regions.bin.gz | cmp - json
done

echo "regions larger than what is read at once, records across it, from file and pipe:"
{
  for region in 1 2; do
    for i in 1 2 3 4 5 6 7 8; do
      printf '\237\0\0\0\0\0\0\0'
      head -c 32 /dev/zero
      printf '\030\0\0\0\0\0\0\0'
      printf 'aaaaaaa\0bbbbbbb\0ccccccc\0'
    done >eight
    cat eight eight eight eight eight eight eight eight >sixty_four
    for i in 1 2 3 4 5 6 7 8 9 10; do cat sixty_four sixty_four sixty_four sixty_four; done >many
    for i in 1 2 3 4 5 6 7 8; do cat many; done
    # A blob of 256 KiB whose end lies past the region's.
    printf '\137\0\010\0\0\001\0\0'
    head -c 100000 /dev/zero
  done
} >large
fxtdump -q --json --region-size 1574568 large >from_file
echo "exit $?"
cat large | fxtdump -q --json --region-size 1574568 >from_pipe
cmp from_file from_pipe
grep -c '"pcs"' from_file
grep -v '"pcs"' from_file | cut -c 1-100

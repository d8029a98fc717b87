# Records one session of the firmware under qemu:
#
#     gdb-multiarch -batch -x record.gdb firmware.elf
#
# On a board: `target extended-remote` with the address of OpenOCD, J-Link or pyOCD.
source drain.py
target remote | exec qemu-system-arm -M lm3s6965evb -nographic -monitor none -serial null -accel tcg -icount shift=4,sleep=off -S -gdb stdio -kernel firmware.elf

break sampler_ring_half_full
commands
  silent
  fxt-drain sampler_ring samples.bin
  continue
end

break session_done
commands
  silent
  fxt-drain sampler_ring samples.bin
  printf "%u samples were taken\n", sampler_n_taken
end

continue

# It would run on. It ends without an answer, which gdb takes for an error.
set confirm off
python
try:
    gdb.execute("kill")
except gdb.error:
    pass
end

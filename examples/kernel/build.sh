#!/bin/sh
# Builds the kernel for a machine:
#
#   build.sh aarch64|riscv64|s390x|x86_64 OUTPUT [LIBRARY]
#
# with $CC, which may be a Clang but for s390x, or else GCC by the name that it has for that
# machine. Exits with 77 where there is none. With LIBRARY, a static one, that is the
# portable part of the kernel (examples/kernel-rust).
set -eu

machine=$1
output=$2
library=${3-}
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
CC=${CC:-$machine-linux-gnu-gcc}

# need COMMAND
need() {
  command -v "$1" >/dev/null || {
    echo "skipped: there is no $1"
    exit 77
  }
}

need "$CC"

# No library and no floating point. No red zone: interrupts use the same stack.
flags='-std=c11 -O2 -g -ffreestanding -fno-pic -fno-stack-protector -nostdlib
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror'

# Frames for all functions, and no calls that leave them out.
flags="$flags -fno-omit-frame-pointer -fno-optimize-sibling-calls"

case $machine in
x86_64)
  flags="$flags -mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fcf-protection=none
    -mno-omit-leaf-frame-pointer"
  ;;
aarch64)
  # Memory that is not cached, as here, allows no unaligned access.
  flags="$flags -mgeneral-regs-only -mstrict-align -mno-outline-atomics
    -mno-omit-leaf-frame-pointer"
  ;;
riscv64)
  # Assemblers do not agree on what the instructions for control registers belong to.
  arch=rv64ima_zicsr
  case $("$CC" --version) in *clang*) arch=rv64ima ;; esac
  # No compressed instructions: arch/riscv64/frames.c decodes code. No small data sections,
  # which need gp, which is not set.
  flags="$flags -march=$arch -mabi=lp64 -mcmodel=medany -mno-relax -msmall-data-limit=0"
  ;;
s390x)
  # Has no frame records, but s390x_read_frame reads its frames as such.
  flags="$flags -march=z10 -msoft-float -mbackchain -DFXT_UNWIND_HAS_RECORDS=1"
  ;;
esac

compile_flags=
link_flags="-static -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,max-page-size=4096 -L $here"
case $("$CC" --version) in
*clang*)
  need ld.lld
  flags="$flags --target=$machine-unknown-linux-gnu"
  # As -fno-shrink-wrap for GCC, below.
  compile_flags='-mllvm -enable-shrink-wrap=false'
  link_flags="$link_flags -fuse-ld=lld"
  ;;
*)
  # Where a frame is made or taken down stays together, so that arch/*/frames.c knows it;
  # no loop becomes a call of memcpy, which there is not.
  flags="$flags -fno-shrink-wrap -fno-schedule-insns -fno-schedule-insns2
    -fno-tree-loop-distribute-patterns"
  ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

portable="$here/*.c"
[ -z "$library" ] || {
  # Only what is used: the rest may use libraries that there are not.
  portable=$here/memory.c
  link_flags="$link_flags -Wl,--gc-sections"
}

# shellcheck disable=SC2086 # lists of flags are words on purpose
for source in $portable "$here/arch/$machine"/*.[cS]; do
  "$CC" $flags $compile_flags -I "$here" -I "$here/arch/$machine" -I "$include" \
    -c "$source" -o "$work/$(basename "$source").o"
done
# shellcheck disable=SC2086
"$CC" $flags $link_flags -T "$here/arch/$machine/kernel.ld" -o "$output" "$work"/*.o \
  $library

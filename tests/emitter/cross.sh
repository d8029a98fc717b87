#!/bin/sh
# Runs the tests of the emitter and the unwinder as another machine's:
#
#   cross.sh TARGET         aarch64, i686, loongarch64, powerpc64le, riscv64, s390x or
#                           thumb, under qemu-user
#
# Exits with 77, which meson counts as skipped, where a compiler or an emulator is missing.
set -eu

target=$1
tests=$(cd "$(dirname "$0")" && pwd)
top=$tests/../..
programs='emit emit_live emit_records emit_refused gate ring ring_live unwind
  unwind_options unwind_real'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# need COMMAND
need() {
  command -v "$1" >/dev/null || {
    echo "skipped: there is no $1"
    exit 77
  }
}

case $target in
aarch64 | loongarch64 | riscv64 | s390x)
  compiler=$target-linux-gnu-gcc
  run=qemu-$target
  flags=-static
  ;;
powerpc64le)
  compiler=$target-linux-gnu-gcc
  run=qemu-ppc64le
  flags=-static
  # Stacks that are made up have records of two words.
  programs='emit gate ring unwind_real'
  ;;
thumb)
  # GCC has no frame records there.
  need arm-linux-gnueabihf-gcc
  compiler=clang
  run=qemu-arm
  flags='-static --target=arm-linux-gnueabihf -march=armv7-a -mthumb
    -mno-omit-leaf-frame-pointer'
  programs='emit gate ring unwind unwind_real'
  ;;
i686)
  compiler=i686-linux-gnu-gcc
  run=qemu-i386
  flags=-static
  ;;
*)
  echo "usage: $0 aarch64|i686|loongarch64|powerpc64le|riscv64|s390x|thumb" >&2
  exit 2
  ;;
esac
need "$compiler"
need "$run"

flags="$flags -std=c11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -DTEST_PLAIN -pthread
  -fno-omit-frame-pointer -fno-optimize-sibling-calls -I $top/include -I $top"

cd "$work"
# shellcheck disable=SC2086 # lists of flags are words on purpose
{
  "$compiler" $flags -c "$top"/libfxt/*.c "$top"/libfxt/*/*.c \
    "$top/tests/support/show.c" "$top/tests/support/walk.c" || {
    echo "skipped: $compiler has no C library"
    exit 77
  }
  for program in $programs; do
    "$compiler" $flags -o "$program" "$tests/test_$program.c" ./*.o
    echo "# $program"
    "$run" "./$program"
  done
}

#!/bin/sh
# Compiles self.c and the core of libfxtunwind without the rest, and runs them:
#
#   self.sh TARGET         native, or aarch64 or riscv64, under qemu-user
#
# A walk must not need any function, not even of the C library, with any compiler, as it is
# used in signal handlers and inside malloc; building a table only memcpy and memset.
#
# Exits with 77, which meson counts as skipped, where a compiler or an emulator is missing.
set -eu

target=$1
top=$(cd "$(dirname "$0")" && pwd)/../../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# need COMMAND
need() {
  command -v "$1" >/dev/null || {
    echo "skipped: there is no $1"
    exit 77
  }
}

static=-static
signed=
case $target in
aarch64)
  compiler=aarch64-linux-gnu-gcc
  run='qemu-aarch64 -cpu max'
  signed=-mbranch-protection=standard
  need qemu-aarch64
  ;;
riscv64)
  compiler=riscv64-linux-gnu-gcc
  run=qemu-riscv64
  need qemu-riscv64
  ;;
native)
  compiler=gcc
  run=
  static=
  case $(uname -m) in
  x86_64 | aarch64 | riscv64) ;;
  *) exit 77 ;;
  esac
  ;;
*)
  echo "usage: $0 native|aarch64|riscv64" >&2
  exit 2
  ;;
esac
need "$compiler"

# All but what reads files.
core=
for file in "$top"/common/unwind/unwind_*.c; do
  case $file in
  */unwind_file.c | */unwind_function_list.c | */unwind_parts.c | */unwind_section.c) ;;
  *) core="$core $file" ;;
  esac
done
flags="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I $top/include -I $top
  -fasynchronous-unwind-tables -fno-optimize-sibling-calls"
core_flags='-fno-builtin -fno-tree-loop-distribute-patterns'

# check_undefined COMPILER FLAG...
check_undefined() {
  cc=$1
  shift
  (
    cd "$work"
    rm -f ./*.o
    # shellcheck disable=SC2086 # lists are words on purpose
    "$cc" $flags "$@" -c $core
    "$cc" -r -nostdlib -o all.out ./*.o
    "$cc" -r -nostdlib -o walk.out unwind_code.o unwind_expression.o unwind_find.o \
      unwind_guess.o unwind_space.o unwind_state.o unwind_step.o unwind_frames.o
    if nm -u walk.out | grep . || nm -u all.out | grep -v 'memcpy\|memset'; then
      echo "the core, compiled by $cc $*, needs these functions"
      exit 1
    fi
  )
}

echo 'int main(void) { return 0; }' >"$work/empty.c"
"$compiler" $static -o "$work/empty" "$work/empty.c" || {
  echo "skipped: $compiler has no C library"
  exit 77
}
# shellcheck disable=SC2086
for level in -O0 -O2; do
  for more in $static $signed ''; do
    if [ -z "$more" ] && [ "$target" != native ]; then
      continue
    fi
    echo "# $compiler $level $more"
    "$compiler" $flags $level $more $static -fomit-frame-pointer -Wl,--eh-frame-hdr \
      -o "$work/self" "$top/tests/common/unwind/self.c" $core
    $run "$work/self"
  done
done
# shellcheck disable=SC2086
check_undefined "$compiler" -O2 $core_flags
if [ "$target" = native ] && command -v clang >/dev/null; then
  check_undefined clang -O2 -fno-builtin
fi

#!/bin/sh
# Compiles the public headers, each by itself, with warnings that a strict user may have:
#
#   headers.sh hosted COMPILER STANDARD         all of include/fxt, fxt/heap.h and
#                                               fxt/sampler.h, as c11 or c++17
#   headers.sh freestanding COMPILER TARGET     those that promise to need no library, with
#                                               a kernel's flags, in both languages; what
#                                               they become may call memcpy (by the name
#                                               that the machine has for it), nothing else,
#                                               and uses little stack
#
# TARGET is "native" or an architecture, for which COMPILER must be a Clang. Exits with 77,
# which meson counts as skipped, where the compiler is missing.
# shellcheck disable=SC2086 # lists of flags are words on purpose
set -eu

mode=$1
compiler=$2
tests=$(cd "$(dirname "$0")" && pwd)
include=$tests/../include
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
  -Wcast-align -Wcast-qual -Wwrite-strings -Wvla -Werror"
freestanding_headers='arg compiler emit emit_records emit_room format gate pack ring types
  unwind unwind_machine'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# skip REASON
skip() {
  echo "skipped: $1"
  exit 77
}

# language STANDARD: what -x calls it
language() {
  case $1 in
  c++*) echo c++ ;;
  *) echo c ;;
  esac
}

# can_compile STANDARD FLAGS...
can_compile() {
  standard=$1
  shift
  echo 'int answer;' | "$compiler" "$@" -x "$(language "$standard")" -std="$standard" \
    -c -o "$work/empty.o" - 2>"$work/why"
}

# compile_alone STANDARD HEADER FLAGS...: included twice, so that guards are tested too
compile_alone() {
  standard=$1
  header=$2
  shift 2
  printf '#include <fxt/%s.h>\n#include <fxt/%s.h>\nextern int declared;\n' \
    "$header" "$header" |
    "$compiler" "$@" $warnings -I "$include" -x "$(language "$standard")" \
      -std="$standard" -O2 -c -o "$work/alone.o" - ||
    { echo "fxt/$header.h does not compile by itself as $standard"; exit 1; }
}

hosted() {
  can_compile "$1" || skip "$compiler compiles no $1"
  for path in "$include"/fxt/*.h; do
    compile_alone "$1" "$(basename "$path" .h)"
  done
  for name in heap sampler; do
    compile_alone "$1" "$name" -I "$tests/../sampler/include"
  done
  # Some warnings come with inlined functions, and depend on the level.
  for level in -O0 -O1 -O2 -O3 -Os; do
    "$compiler" $warnings -I "$include" -x "$(language "$1")" -std="$1" "$level" -c \
      -o "$work/user.o" "$tests/freestanding.c"
  done
}

# kernel_flags COMPILER_TARGET: no floating point and no vectors, whatever that is called
kernel_flags() {
  case $1 in
  x86_64*) echo '-mgeneral-regs-only -mno-sse -mno-mmx -mno-red-zone -mcmodel=kernel' ;;
  i?86*) echo '-mgeneral-regs-only -mno-sse -mno-mmx' ;;
  aarch64*) echo '-mgeneral-regs-only' ;;
  arm*) echo '-mfloat-abi=soft' ;;
  riscv64*) echo '-march=rv64imac -mabi=lp64' ;;
  s390x*) echo '-msoft-float' ;;
  esac
}

# triple TARGET: what --target calls it
triple() {
  case $1 in
  arm) echo armv7a-none-eabi ;;
  s390x) echo s390x-linux-gnu ;;
  *) echo "$1-none-elf" ;;
  esac
}

# stack_limit: the flag that warns of functions, with all that is inline in them, that use
# more than 512 bytes, or an unknown number
stack_limit() {
  case $("$compiler" --version) in
  *clang*) echo '-Wframe-larger-than=512' ;;
  *) echo '-Wstack-usage=512' ;;
  esac
}

# check_symbols STANDARD FLAGS...
check_symbols() {
  standard=$1
  shift
  limit=$(stack_limit)
  "$compiler" "$@" $warnings "$limit" -I "$include" -x "$(language "$standard")" \
    -std="$standard" -c -o "$work/user.o" "$tests/freestanding.c"
  "$nm" "$work/user.o" >"$work/symbols"
  grep -q ' T user_sample$' "$work/symbols" || { echo 'no code was made'; exit 1; }
  if grep ' [Uw] ' "$work/symbols" | grep -Ev ' U (__aeabi_)?memcpy[48]?$'; then
    echo "undefined, as $standard with $*"
    exit 1
  fi
}

# freestanding_as STANDARD FLAGS...
freestanding_as() {
  standard=$1
  shift
  for header in $freestanding_headers; do
    compile_alone "$standard" "$header" "$@"
  done
  for level in -O0 -O2 -O3 -Os; do
    check_symbols "$standard" "$@" "$level"
  done
}

freestanding() {
  nm=$(command -v nm || command -v llvm-nm) || skip 'there is no nm'
  flags='-ffreestanding -fno-builtin -fno-pic -nostdlib'
  machine=$1
  if [ "$1" = native ]; then
    machine=$("$compiler" -dumpmachine)
  else
    flags="$flags --target=$(triple "$1")"
  fi
  flags="$flags $(kernel_flags "$machine")"
  can_compile c11 $flags || skip "$compiler compiles nothing for $1: $(cat "$work/why")"
  freestanding_as c11 $flags
  if can_compile c++17 $flags; then
    freestanding_as c++17 $flags -fno-exceptions -fno-rtti
  else
    echo "$compiler compiles no c++17 for $1, so only C was tried"
  fi
}

command -v "$compiler" >/dev/null || skip "there is no $compiler"
"$mode" "$3"

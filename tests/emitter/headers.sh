#!/bin/sh
# Compiles the public headers, with warnings that a strict user may have:
#
#   headers.sh hosted COMPILER STANDARD         the public headers of all libraries, each
#                                               alone, as c11 or c++17
#   headers.sh freestanding COMPILER TARGET     those that promise to need no library, with
#                                               a kernel's flags, in both languages; what
#                                               they become may call memcpy (by the name
#                                               that the machine has for it), nothing else,
#                                               and uses little stack; libfxtemit has
#                                               each of their functions
#   headers.sh linux COMPILER TARGET            the same with the flags of a Linux kernel,
#                                               and with names that it has
#   headers.sh unknown COMPILER TARGET          fxt/unwind.h for a machine that it does not
#                                               know: with a message, and no callers
#
# TARGET is "native", or a machine that COMPILER makes code for: any if it is a Clang. Exits
# with 77, which meson counts as skipped, where the compiler is missing. For real headers of
# Linux see linux.sh.
# shellcheck disable=SC2086 # lists of flags are words on purpose
set -eu

mode=$1
compiler=$2
tests=$(cd "$(dirname "$0")" && pwd)
include=$tests/../../include
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
  -Wcast-align -Wcast-qual -Wwrite-strings -Wvla -Werror"
# Attributes that a program may have macros for.
attributes='-Dalways_inline=(!) -Dmay_alias=(!) -Dno_sanitize=(!) -Dnoinline=(!)
  -Dunused=(!) -Dvisibility=(!)'
freestanding_headers='arg compiler compiler_no_atomics emit emit_records emit_room format
  gate pack ring types unwind unwind_machine'

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

# compile_headers STANDARD HEADERS FLAGS...: one or several, included twice, so that guards
# are tested too
compile_headers() {
  standard=$1
  headers=$2
  shift 2
  # An empty file would be warned of.
  printf '#include <fxt/%s.h>\n' $headers $headers >"$work/headers"
  echo 'extern int declared;' >>"$work/headers"
  if ! "$compiler" "$@" $warnings -I "$include" -x "$(language "$standard")" -std="$standard" \
    -fsyntax-only "$work/headers" 2>"$work/printed" || [ -s "$work/printed" ]; then
    cat "$work/printed"
    echo "these do not compile without warnings, as $standard with $*: $headers"
    exit 1
  fi
}

hosted() {
  can_compile "$1" || skip "$compiler compiles no $1"
  for path in "$include"/fxt/*.h; do
    compile_headers "$1" "$(basename "$path" .h)" $attributes
  done
  for path in "$tests"/../../libfxt*/include/fxt/*.h; do
    compile_headers "$1" "$(basename "$path" .h)" $attributes -I "${path%/fxt/*}"
  done
  # Some warnings come with inlined functions, and depend on the level.
  for level in -O0 -O1 -O2 -O3 -Os; do
    "$compiler" $warnings -I "$include" -x "$(language "$1")" -std="$1" "$level" -c \
      -o "$work/user.o" "$tests/freestanding.c"
  done
}

# Machines whose frame records are not known, and those without atomic instructions.
no_records='-DFXT_UNWIND_HAS_RECORDS=0'
no_atomics="-include $tests/interrupts.h"

# kernel_flags COMPILER_TARGET: no floating point and no vectors, whatever that is called
kernel_flags() {
  case $1 in
  x86_64*) echo '-mgeneral-regs-only -mno-sse -mno-mmx -mno-red-zone -mcmodel=kernel' ;;
  i?86*) echo '-mgeneral-regs-only -mno-sse -mno-mmx' ;;
  aarch64*) echo '-mgeneral-regs-only' ;;
  thumbv6m) echo "-mfloat-abi=soft $no_atomics" ;;
  armv5te) echo "-march=armv5te -marm -mfloat-abi=soft $no_records $no_atomics" ;;
  arm | thumb*) echo '-mfloat-abi=soft' ;;
  cortex-m0plus) echo "-mcpu=$1 -mthumb -mfloat-abi=soft $no_records $no_atomics" ;;
  cortex-m*) echo "-mcpu=$1 -mthumb -mfloat-abi=soft $no_records" ;;
  riscv64*) echo '-march=rv64imac -mabi=lp64 -mcmodel=medany' ;;
  rv32imac) echo "-march=$1 -mabi=ilp32" ;;
  rv32imc) echo "-march=$1 -mabi=ilp32 $no_atomics" ;;
  powerpc64le) echo '-mno-altivec -mno-vsx' ;;
  mips*) echo "-msoft-float -mno-abicalls $no_records" ;;
  loongarch64) echo '-msoft-float' ;;
  s390x*) echo "-msoft-float $no_records" ;;
  esac
}

# triple TARGET: what --target calls it
triple() {
  case $1 in
  arm) echo armv7a-none-eabi ;;
  armv5te | thumb*) echo "$1-none-eabi" ;;
  rv32*) echo riscv32-none-elf ;;
  loongarch64) echo loongarch64-linux-gnusf ;;
  powerpc64le) echo powerpc64le-linux-gnu ;;
  s390x) echo s390x-linux-gnu ;;
  *) echo "$1-none-elf" ;;
  esac
}

is_clang() {
  case $("$compiler" --version) in
  *clang*) true ;;
  *) false ;;
  esac
}

# stack_limit: the flag that warns of functions, with all that is inline in them, that use
# more than 512 bytes, or an unknown number
stack_limit() {
  if is_clang; then
    echo '-Wframe-larger-than=512'
  else
    echo '-Wstack-usage=512'
  fi
}

# What freestanding code may leave undefined, as a regular expression: memcpy, and a name that
# PowerPC's linkers define, with functions that save its registers; on 32-bit machines also
# what their compilers' own library has.
may_call='memcpy|\.TOC\.|_(save|rest)gpr[01]_[0-9]*'
may_call_on_32_bits='memset|__aeabi_mem(cpy|clr)[48]?|__aeabi_(lmul|ll?s[lr])'
may_call_on_32_bits="$may_call_on_32_bits|__(ashl|lshr|mul)di3|__gnu_thumb1_case_.*"
# Before Armv6, the fences of fxt/compiler_no_atomics.h are calls.
may_call_before_armv6='__sync_synchronize'

is_32_bits() {
  case $machine in
  arm* | cortex* | i?86* | mips* | rv32* | thumb*) true ;;
  *) false ;;
  esac
}

# check_symbols STANDARD FLAGS...
check_symbols() {
  standard=$1
  shift
  allowed=$may_call
  ! is_32_bits || allowed="$may_call|$may_call_on_32_bits"
  [ "$machine" != armv5te ] || allowed="$allowed|$may_call_before_armv6"
  limit=$(stack_limit)
  "$compiler" "$@" $warnings "$limit" -I "$include" -x "$(language "$standard")" \
    -std="$standard" -c -o "$work/user.o" "$tests/freestanding.c"
  "$nm" "$work/user.o" >"$work/symbols"
  grep -q ' T user_sample$' "$work/symbols" || { echo 'no code was made'; exit 1; }
  if grep ' [Uw] ' "$work/symbols" | grep -Ev " U ($allowed)$"; then
    echo "undefined, as $standard with $*"
    exit 1
  fi
}

# print_inline_functions FLAGS...: the names of all functions that the headers define
print_inline_functions() {
  printf '#include <fxt/%s.h>\n' $freestanding_headers |
    "$compiler" "$@" -E -P -I "$include" -DFXT_INLINE=DEFINES -DFXT_OUT_OF_LINE=DEFINES \
      -x c -std=c11 - | tr '\n' ' ' | sed 's/DEFINES/\n&/g' |
    sed -n 's/^DEFINES[^{;]*[ *]\(fxt_[a-z0-9_]*\)(.*/\1/p' | LC_ALL=C sort
}

# check_library FLAGS...: libfxtemit has all functions of the headers, leaves undefined what
# they may, and has no variables
check_library() {
  "$compiler" "$@" $warnings $attributes -fno-short-enums -I "$include" -std=c11 -c \
    -o "$work/emit.o" "$tests/../../libfxt/emit.c"
  print_inline_functions "$@" >"$work/expected"
  [ "$(wc -l <"$work/expected")" -gt 100 ] || { echo 'the headers define nothing'; exit 1; }
  "$nm" -g --defined-only "$work/emit.o" | sed -n 's/.* T //p' | LC_ALL=C sort |
    diff -u "$work/expected" - || { echo "libfxtemit differs with $*"; exit 1; }
  if "$nm" "$work/emit.o" | grep ' [UwDBdb] ' | grep -Ev " (U ($allowed)|d \.L.*)$"; then
    echo "undefined in libfxtemit, or a variable, with $*"
    exit 1
  fi
}

# freestanding_as STANDARD FLAGS...: whether a header has all that it needs is the same for
# all machines, so that each is compiled alone only for this one.
freestanding_as() {
  standard=$1
  shift
  if [ "$is_native" ]; then
    for header in $freestanding_headers; do
      compile_headers "$standard" "$header" $attributes "$@"
    done
  fi
  compile_headers "$standard" "$freestanding_headers" $attributes "$@"
  for level in -O0 -O2 -Os; do
    check_symbols "$standard" "$@" "$level"
  done
}

# set_target TARGET FLAGS...: $machine, $is_native, and $flags for it, or skips the test
set_target() {
  machine=$1
  shift
  flags=$*
  is_native=
  if [ "$machine" = native ]; then
    is_native=1
    machine=$("$compiler" -dumpmachine)
  elif is_clang; then
    flags="$flags --target=$(triple "$machine")"
  fi
  can_compile c11 $flags ||
    skip "$compiler compiles nothing for $machine: $(cat "$work/why")"
}

# need_nm: sets $nm
need_nm() {
  nm=$(command -v nm || command -v llvm-nm) || skip 'there is no nm'
}

freestanding() {
  need_nm
  set_target "$1" -ffreestanding -fno-builtin -fno-pic -nostdlib
  flags="$flags $(kernel_flags "$machine")"
  freestanding_as c11 $flags
  check_symbols c11 $flags -O2 -nostdinc -I "$tests" '-DFXT_TYPES_HEADER=<own_types.h>'
  check_library $flags -O2
  if can_compile c++17 $flags; then
    freestanding_as c++17 $flags -fno-exceptions -fno-rtti
  else
    echo "$compiler compiles no c++17 for $1, so only C was tried"
  fi
}

# What kbuild gives a module of Linux 6.1 in Debian 12 with W=1, and for more: -Wshadow and
# the other strict warnings, less stack, and no declaration after a statement (until 6.4).
linux_warnings='-Wall -Wextra -Wundef -Wno-trigraphs -Wno-format-security -Wno-sign-compare
  -Wno-address-of-packed-member -Wno-unused-parameter -Wno-pointer-sign -Wno-type-limits
  -Wno-missing-field-initializers -Wno-shift-negative-value -Wunused
  -Wmissing-declarations -Wmissing-format-attribute -Wmissing-prototypes
  -Wold-style-definition -Wstrict-prototypes -Wmissing-include-dirs -Wunused-const-variable
  -Wimplicit-fallthrough -Wcast-function-type -Wdeclaration-after-statement -Wvla
  -Wdisabled-optimization -Wnested-externs'
linux_flags='-fno-strict-aliasing -fno-common -fshort-wchar
  -fno-PIE -fno-asynchronous-unwind-tables -fno-delete-null-pointer-checks
  -fstack-protector-strong -ftrivial-auto-var-init=zero -fno-strict-overflow
  -fno-stack-check'
linux_gcc_flags='-fno-allow-store-data-races -fno-stack-clash-protection -fconserve-stack
  -Wno-dangling-pointer -Wno-maybe-uninitialized -Wno-packed-not-aligned'
linux_x86_flags='-m64 -mno-sse -mno-mmx -mno-sse2 -mno-3dnow -mno-avx -mno-80387
  -mtune=generic -mno-red-zone -mcmodel=kernel -fcf-protection=none -fno-jump-tables
  -mharden-sls=all -pg -mfentry'
linux_x86_gcc_flags='-falign-jumps=1 -falign-loops=1 -mno-fp-ret-in-387
  -mpreferred-stack-boundary=3 -mskip-rax-setup -mindirect-branch=thunk-extern
  -mindirect-branch-register -mindirect-branch-cs-prefix -mfunction-return=thunk-extern
  -mrecord-mcount'
linux_x86_clang_flags='-mstack-alignment=8 -mretpoline-external-thunk'
linux_arm64_flags='-mgeneral-regs-only -mno-outline-atomics -mbranch-protection=pac-ret
  -fno-omit-frame-pointer'

# linux_machine_flags COMPILER_TARGET
linux_machine_flags() {
  gcc=1
  ! is_clang || gcc=
  case $1 in
  x86_64*)
    echo "$linux_x86_flags"
    [ -z "$gcc" ] && echo "$linux_x86_clang_flags" || echo "$linux_x86_gcc_flags"
    ;;
  aarch64*) echo "$linux_arm64_flags" ;;
  esac
  [ -z "$gcc" ] || echo "$linux_gcc_flags"
}

linux() {
  need_nm
  set_target "$1" -nostdinc -D__KERNEL__ -DMODULE
  # Not each compiler has all of these.
  all=$flags
  for flag in $linux_warnings $linux_flags $(linux_machine_flags "$machine"); do
    ! can_compile gnu11 -Werror $flags "$flag" || all="$all $flag"
  done
  names="-I $tests/linux/stand_in -include $tests/linux/stand_in/names.h"
  for header in $freestanding_headers; do
    compile_headers gnu11 "$header" $all $names
  done
  # Linux has memset, too, and is not compiled as freestanding code.
  may_call="$may_call|memset|__fentry__|__stack_chk_(fail|guard)|__x86_(indirect|return)_thunk.*"
  for level in -O2 -Os; do
    check_symbols gnu11 $all $names "$level"
  done
  [ "$1" != native ] || check_attributes $all $names
}

# find_instrumented FLAGS...: the functions that call what the kernel's flags put into each
find_instrumented() {
  "$compiler" "$@" -std=gnu11 -O2 -fstack-protector-all -I "$include" -c -o "$work/user.o" \
    "$tests/freestanding.c"
  objdump -dr "$work/user.o" | awk '
      /^[0-9a-f]+ <.*>:$/ { name = $2 }
      /__fentry__|__stack_chk_fail/ { print name }' | sort -u
}

# check_attributes FLAGS...: with attributes, no function of the headers is instrumented;
# without them, one at least is, since that is not inlined.
check_attributes() {
  attributes='__attribute__((no_instrument_function, no_stack_protector))'
  find_instrumented "$@" | grep -q '<fxt_' || { echo 'nothing is instrumented'; exit 1; }
  if find_instrumented "$@" "-DFXT_FUNCTION_ATTRIBUTES=$attributes" | grep '<fxt_'; then
    echo 'is instrumented in spite of FXT_FUNCTION_ATTRIBUTES'
    exit 1
  fi
}

# compile_unknown FLAGS...: leaves what the compiler prints in $work/message
compile_unknown() {
  "$compiler" "$@" $warnings -std=c11 -ffreestanding -I "$include" "$tests/unknown_machine.c" \
    2>"$work/message" || { cat "$work/message"; exit 1; }
}

unknown() {
  # This machine is made another one, whose program can be run.
  disguise='-U__aarch64__ -U__arm__ -U__i386__ -U__riscv -U__sparc__ -U__x86_64__
    -D__m68k__'
  [ "$1" = native ] || disguise=
  set_target "$1" -ffreestanding
  flags="$flags $disguise"
  case $machine in cortex*) flags="$flags -mcpu=$machine -mthumb" ;; esac
  [ "$1" = native ] || flags="$flags -c"
  compile_unknown $flags -o "$work/program"
  grep -q "does not know this machine's frame records" "$work/message" ||
    { echo "no message for $machine"; exit 1; }
  compile_unknown $flags -DFXT_UNWIND_HAS_RECORDS=0 -o "$work/program"
  [ ! -s "$work/message" ] || { cat "$work/message"; exit 1; }
  [ "$1" != native ] || "$work/program" || { echo "the walk is wrong: $?"; exit 1; }
}

command -v "$compiler" >/dev/null || skip "there is no $compiler"
"$mode" "$3"

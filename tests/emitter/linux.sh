#!/bin/sh
# Compiles the freestanding headers for the Linux kernel: a module, by kbuild, for each
# kernel whose headers are installed (linux-headers-amd64 and the like in Debian).
#
# The compiler, objtool and modpost must have nothing to say with W=1. Exits with 77, which
# meson counts as skipped, where there are no headers.
set -eu

tests=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$tests/../.." && pwd)
compiled=

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile BUILD ATTRIBUTES: the module for one kernel, whose build directory that is, with
# these on each function of the headers
compile() {
  rm -rf "$work/module"
  mkdir "$work/module"
  cp "$tests"/linux/Kbuild "$tests"/linux/module.c "$tests"/freestanding.c "$work/module"
  echo "ccflags-y += '-DFXT_FUNCTION_ATTRIBUTES=$2'" >>"$work/module/Kbuild"
  status=0
  make -C "$1" M="$work/module" FXT_TOP="$top" W=1 modules >"$work/printed" 2>&1 ||
    status=$?
  # Which compiler the kernel was made with is no concern of ours.
  if [ "$status" != 0 ] || [ ! -s "$work/module/fxt_test.ko" ] ||
    grep -i 'warning\|error' "$work/printed" | grep -qv 'the compiler differs'; then
    cat "$work/printed"
    echo "the module does not compile silently for $1, with attributes '$2'"
    exit 1
  fi
}

command -v make >/dev/null || {
  echo 'skipped: there is no make'
  exit 77
}
for build in /lib/modules/*/build; do
  [ -e "$build/Makefile" ] || continue
  compile "$build" ''
  # As docs/porting.md says.
  compile "$build" 'notrace __section(".noinstr.text")'
  compiled="$compiled $build"
done
[ -n "$compiled" ] || {
  echo "skipped: no kernel's headers are installed"
  exit 77
}
echo "compiled for$compiled"

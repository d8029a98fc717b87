#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the kernel, for x86-64:
#
#   build.sh OUTPUT [TARGET_DIR]
#
# with cargo, and with $CC, GCC or Clang for what is in C. Exits with 77 where there is none,
# or rustc makes no code for x86-64.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
case $1 in /*) output=$1 ;; *) output=$PWD/$1 ;; esac
target=x86_64-unknown-linux-gnu

# need COMMAND
need() {
  command -v "$1" >/dev/null || {
    echo "skipped: there is no $1"
    exit 77
  }
}

CC=${CC:-x86_64-linux-gnu-gcc}
command -v "$CC" >/dev/null || CC=clang
export CC
need "$CC"
need cargo
need rustc
libdir=$(rustc --print target-libdir --target "$target" 2>/dev/null) || libdir=/nonexistent
[ -n "$(find "$libdir" -name 'libcore-*.rlib' 2>/dev/null)" ] || {
  echo "skipped: rustc makes no code for $target"
  exit 77
}

cd "$here"
# They would replace the flags in .cargo/config.toml.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET
export CARGO_TARGET_DIR="${2:-$here/target}"
cargo build --release --offline --locked --quiet
../kernel/build.sh x86_64 "$output" "$CARGO_TARGET_DIR/$target/release/libkernel.a"

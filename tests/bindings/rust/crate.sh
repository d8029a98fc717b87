#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The tests of bindings/rust/fxt-emit, with the libfxtemit.a in a directory:
#
#   crate.sh SOURCE LIBFXTEMIT_DIR
#
# Exits with 77, which meson counts as skipped, where there is no cargo.
set -eu

for command in cargo rustc; do
  command -v "$command" >/dev/null || {
    echo "skipped: there is no $command"
    exit 77
  }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$1/bindings/rust/fxt-emit"
grep -q "^version = \"$("$1/scripts/version.sh")\"$" Cargo.toml || {
  echo "Cargo.toml has another version than $("$1/scripts/version.sh")"
  exit 1
}
unset RUSTFLAGS
FXT_EMIT_LIB_DIR=$2 CARGO_TARGET_DIR=$work \
  cargo test --offline --locked --quiet >"$work/printed" 2>&1 || {
  cat "$work/printed"
  exit 1
}
cat "$work/printed"
if grep -q '^warning' "$work/printed"; then
  echo 'the crate does not compile without warnings'
  exit 1
fi

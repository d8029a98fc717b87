#!/bin/sh
# Installs what ./demo and ./check need and the machine lacks: the one list of packages.
#
# On Debian (12 or later) with root or sudo. Elsewhere it says what is wanted and goes on.
set -eu

packages='
    binutils
    clang
    dwz
    g++
    gcc
    gcc-aarch64-linux-gnu
    gcc-i686-linux-gnu
    gcc-riscv64-linux-gnu
    gcc-s390x-linux-gnu
    gcovr
    gdb
    gdbserver
    git
    golang-go
    graphviz
    libc6-dev-arm64-cross
    libc6-dev-i386-cross
    libc6-dev-riscv64-cross
    libc6-dev-s390x-cross
    libcjson-dev
    libclang-rt-14-dev
    libcriterion-dev
    libdebuginfod-dev
    libdeflate-dev
    libdw-dev
    libiberty-dev
    linux-perf
    lld
    mandoc
    meson
    ninja-build
    nodejs
    pkg-config
    protobuf-compiler
    python3
    qemu-system-arm
    qemu-system-misc
    qemu-system-x86
    qemu-user
    zlib1g-dev
'

missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "This is no Debian. Wanted, by Debian's names:$missing" >&2
    exit 0
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q
# shellcheck disable=SC2086 # the list is meant to be split
$sudo apt-get install -q -y --no-install-recommends $missing

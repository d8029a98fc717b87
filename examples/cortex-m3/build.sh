#!/bin/sh
# Builds the firmware: build.sh OUTPUT
#
# with Clang, whose frame records on Arm fxt/unwind.h knows, and LLD. Exits with 77 where
# one of them is not there.
set -eu

output=$1
here=$(cd "$(dirname "$0")" && pwd)

for command in clang ld.lld; do
    command -v "$command" >/dev/null || {
        echo "skipped: there is no $command"
        exit 77
    }
done

clang --target=thumbv7m-none-eabi -mcpu=cortex-m3 -std=c11 -O2 -g -ffreestanding -nostdlib \
    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls \
    -Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror \
    -I "$here/../../include" "$here"/*.c \
    -fuse-ld=lld -static -Wl,--build-id=sha1 -T "$here/firmware.ld" -o "$output"

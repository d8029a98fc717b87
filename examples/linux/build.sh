#!/bin/sh
# Builds the module for a kernel:
#
#   build.sh OUTPUT [DIRECTORY [MAKE ARGUMENT]...]
#
# DIRECTORY is what the kernel's modules are built against, by default that of the running
# kernel; linux-headers-amd64 and the like have it in Debian.
set -eu

output=$1
directory=${2-/lib/modules/$(uname -r)/build}
shift
[ $# = 0 ] || shift
here=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Not in the source tree, which kbuild would fill with its files.
cp "$here"/Kbuild "$here"/*.[ch] "$work"
make -C "$directory" M="$work" FXT_INCLUDE="$here/../../include" "$@" modules
cp "$work/fxtsampler.ko" "$output"

#!/bin/sh
# Downloads the image and the modules of each of Debian's kernels whose headers are
# installed, for the test that boots one under qemu:
#
#     scripts/kernel-image.sh
#
# It installs nothing, as the machine would boot an installed kernel: what is in the
# package goes to build-check/linux-image-VERSION. Needs apt-get and package lists, but not
# root. Exits with 1 if there is no image for some of the kernels.
set -eu
cd "$(dirname "$0")/.."

# fetch VERSION DIRECTORY
fetch() (
    command -v apt-get >/dev/null || exit 1
    rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
    # From Linux 7 on the package of the image is empty, and depends on two others.
    apt-get -q download "linux-binary-$1" "linux-modules-$1" 2>/dev/null ||
        apt-get -q download "linux-image-$1" || exit 1
    for package in ./*.deb; do
        dpkg-deb -x "$package" . && rm "$package" || exit 1
    done
)

status=0
for headers in /lib/modules/*/build/Makefile; do
    version=${headers#/lib/modules/}
    version=${version%/build/Makefile}
    to=build-check/linux-image-$version
    if [ ! -e "$headers" ] || [ -e "/boot/vmlinuz-$version" ] ||
        [ -e "/usr/lib/modules/$version/vmlinuz" ] || [ -e "$to" ]; then
        continue
    fi
    # Nothing of that name is ever incomplete.
    if fetch "$version" "$to.new"; then
        mv "$to.new" "$to"
    else
        rm -rf "$to.new"
        echo "No image of the kernel $version: continuing without it." >&2
        status=1
    fi
done
exit $status

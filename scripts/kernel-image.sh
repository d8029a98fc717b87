#!/bin/sh
# Downloads the image and the modules of each of Debian's kernels whose headers are
# installed, for the tests that boot one under qemu; and, where qemu-system-aarch64 is
# installed, of the one for clouds on arm64:
#
#     scripts/kernel-image.sh
#
# It installs nothing, as the machine would boot an installed kernel: what is in the
# package goes to build-check/linux-image-VERSION. Needs apt-get, and package lists but for
# arm64, for which it has its own; but not root. Exits with 1 if there is no image for some
# of the kernels.
set -eu
cd "$(dirname "$0")/.."

# foreign COMMAND...: one of apt's, as if this machine were an arm64.
lists=$PWD/build-check/apt-lists
foreign() {
    command -v "$1" >/dev/null || return 1
    command=$1
    shift
    "$command" -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Dir::State="$lists" -o Dir::State::status=/dev/null -o Dir::Cache="$lists" \
        -o Acquire::Languages=none "$@"
}

# fetch VERSION DIRECTORY command|foreign
fetch() (
    rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
    # From Linux 7 on the package of the image is empty, and depends on two others.
    "$3" apt-get -q download "linux-binary-$1" "linux-modules-$1" 2>/dev/null ||
        "$3" apt-get -q download "linux-image-$1" || exit 1
    for package in ./*.deb; do
        dpkg-deb -x "$package" . && rm "$package" || exit 1
    done
)

# keep VERSION command|foreign: nothing of the directory's name is ever incomplete.
status=0
keep() {
    to=build-check/linux-image-$1
    [ ! -e "$to" ] || return 0
    if fetch "$1" "$to.new" "$2"; then
        mv "$to.new" "$to"
    else
        rm -rf "$to.new"
        echo "No image of the kernel $1: continuing without it." >&2
        status=1
    fi
}

for headers in /lib/modules/*/build/Makefile; do
    version=${headers#/lib/modules/}
    version=${version%/build/Makefile}
    if [ -e "$headers" ] && [ ! -e "/boot/vmlinuz-$version" ] &&
        [ ! -e "/usr/lib/modules/$version/vmlinuz" ]; then
        keep "$version" command
    fi
done

# The newest one at that time stays.
found=$(find /boot build-check -maxdepth 1 -name '*-*-arm64' | sed q)
if [ -z "$found" ] && command -v qemu-system-aarch64 >/dev/null; then
    mkdir -p "$lists/lists/partial" "$lists/archives/partial"
    version=
    if foreign apt-get -q update >"$lists/log" 2>&1; then
        version=$(foreign apt-cache depends linux-image-cloud-arm64 2>/dev/null |
            sed -n 's/^ *Depends: linux-image-//p')
    fi
    keep "${version:-cloud-arm64}" foreign
    rm -rf "$lists"
fi
exit $status

#!/bin/sh
# Downloads the image and the modules of each of Debian's kernels whose headers are
# installed, for the tests that boot one under qemu; and, where qemu for these machines is
# installed, of the ones for arm64 (for clouds) and for riscv64 (of Debian 13, the first
# that has it):
#
#     scripts/kernel-image.sh
#
# It installs nothing, as the machine would boot an installed kernel: what is in the
# package goes to build-check/linux-image-VERSION. Needs apt-get, and package lists but for
# other machines, for which it has its own; but not root. Exits with 1 if there is no image
# for some of the kernels.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build-check

# foreign COMMAND...: one of apt's, as if this machine were of $architecture.
lists=$PWD/build-check/apt-lists
foreign() {
    command -v "$1" >/dev/null || return 1
    command=$1
    shift
    "$command" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
        -o Dir::State="$lists" -o Dir::State::status=/dev/null -o Dir::Cache="$lists" \
        ${sources:+-o Dir::Etc::SourceList="$sources" -o Dir::Etc::SourceParts=/dev/null} \
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

# keep_foreign ARCHITECTURE QEMU PACKAGE [SOURCES]: the kernel that a package of Debian
# depends on; the newest one at that time stays.
keep_foreign() {
    architecture=$1
    sources=${4:-}
    found=$(find /boot build-check -maxdepth 1 -name "*-$1" | sed q)
    if [ -n "$found" ] || ! command -v "$2" >/dev/null; then
        return
    fi
    mkdir -p "$lists/lists/partial" "$lists/archives/partial"
    # Where one list of several cannot be had, the others may do.
    foreign apt-get -q update >"$lists/log" 2>&1 || :
    version=$(foreign apt-cache depends "$3" 2>/dev/null |
        sed -n 's/^ *Depends: linux-image-//p')
    keep "${version:-${3#linux-image-}}" foreign
    rm -rf "$lists"
}

keep_foreign arm64 qemu-system-aarch64 linux-image-cloud-arm64

cat >build-check/riscv64.list <<EOF
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian-security trixie-security main
EOF
keep_foreign riscv64 qemu-system-riscv64 linux-image-riscv64 "$PWD/build-check/riscv64.list"
exit $status

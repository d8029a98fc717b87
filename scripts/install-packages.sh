#!/bin/sh
# Installs the packages that ./demo or ./check uses and the machine lacks; all lists of
# packages are here:
#
#     scripts/install-packages.sh demo|check
#
# With apt-get, as root or with sudo, it installs packages and never removes one. A user
# who may not install gets the command line to run as root. Without apt-get it names what
# is missing. Exits with 1 if a needed package is still missing, and with 0 if only
# optional ones are.
set -eu
LC_ALL=C
export LC_ALL

case ${1-} in
    demo | check) list=$1 ;;
    *)
        echo "usage: $0 demo|check" >&2
        exit 2
        ;;
esac

install='apt-get install -y --no-install-recommends --no-remove'
cc=$(command -v cc || command -v gcc || command -v clang || echo cc)
architecture=$(dpkg --print-architecture 2>/dev/null || :)
headers="linux-headers-cloud-$architecture"
headers="$headers|linux-headers-$(uname -r)|linux-headers-$architecture"
installed=" $(dpkg-query -W -f '${Package} ${Architecture} ${Status}\n' 2>/dev/null |
    awk -v native="$architecture" '
        ($2 == native || $2 == "all") && / ok installed$/ { printf "%s ", $1 }')"

# has_package NAME[|NAME]...
has_package() (
    IFS='|'
    for name in $1; do
        case $installed in *" $name "*) exit 0 ;; esac
    done
    exit 1
)

# works PROBE: whether the contents of a package are there without the package. PROBE is
# NAME[|NAME]..., commands of which one is enough; COMPILER:HEADER, a header that a compiler
# finds; or "-", for what only dpkg can check.
works() (
    case $1 in
        -) [ -z "$architecture" ] ;;
        *:*) echo "#include <${1#*:}>" | "${1%%:*}" -E -x c - >/dev/null 2>&1 ;;
        *)
            IFS='|'
            for name in $1; do
                ! command -v "$name" >/dev/null || exit 0
            done
            exit 1
            ;;
    esac
)

# Who uses it, whether it is needed, NAME[|NAME]..., packages of which the first available
# one is taken, a probe (see works), and what it is for.
missing=
while read -r user need packages probe purpose; do
    [ "$user" = demo ] || [ "$user" = "$list" ] || continue
    has_package "$packages" || works "$probe" || missing="$missing$need $packages $purpose
"
done <<END
    demo  needed   gcc $cc the C compiler
    demo  needed   libc6-dev $cc:stdio.h the headers of the C library
    demo  needed   meson meson the build system
    demo  needed   ninja-build ninja|ninja-build|samu the build system
    demo  needed   pkg-config pkg-config|pkgconf finding libraries
    demo  needed   python3 python3 scripts of the build
    demo  needed   zlib1g-dev $cc:zlib.h gzip
    demo  optional libdeflate-dev $cc:libdeflate.h faster compression
    demo  optional libdw-dev $cc:elfutils/libdw.h source lines and inlined functions
    demo  optional libiberty-dev $cc:libiberty/demangle.h names of C++ and Rust functions
    demo  optional liblzma-dev $cc:lzma.h symbols in .gnu_debugdata
    demo  optional libpfm4-dev $cc:perfmon/pfmlib_perf_event.h names of events in fxtrecord
    demo  optional libzstd-dev $cc:zstd.h traces compressed by zstd
    check needed   binutils objdump tests of installed libraries and of symbols
    check needed   g++ g++ the headers in C++
    check needed   libbz2-dev $cc:bzlib.h linking libdw as its .pc file in Debian 12 says
    check needed   libcjson-dev $cc:cjson/cJSON.h captures in JSON, and the tests
    check needed   libcriterion-dev $cc:criterion/criterion.h unit tests
    check optional abigail-tools abidiff the interfaces of the shared libraries
    check optional bash-completion - completions in bash
    check optional busybox-static busybox a Linux kernel with a module
    check optional cargo cargo the crates in Rust
    check optional chromium chromium|chromium-browser|google-chrome pages and flame graphs in a browser
    check optional clang clang the headers in Clang, sanitizers, fuzzing
    check optional clickhouse-server clickhouse-server tables in a real ClickHouse (Debian 12)
    check optional cmake cmake use of the installed libraries from CMake
    check optional debuginfod debuginfod symbols from a real server
    check optional dwz dwz tests of debug information that files share
    check optional elfutils eu-stack stacks of stopped programs against eu-stack
    check optional fish fish completions in fish
    check optional gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc tests for aarch64
    check optional gcc-arm-linux-gnueabihf arm-linux-gnueabihf-gcc tests of PLT stubs for ARM
    check optional gcc-arm-none-eabi arm-none-eabi-gcc the headers on microcontrollers
    check optional gcc-i686-linux-gnu i686-linux-gnu-gcc tests for 32 bits
    check optional gcc-loongarch64-linux-gnu|gcc-riscv64-linux-gnu loongarch64-linux-gnu-gcc the headers on LoongArch (Debian 13)
    check optional gcc-mips-linux-gnu mips-linux-gnu-gcc the headers on MIPS
    check optional gcc-powerpc64le-linux-gnu powerpc64le-linux-gnu-gcc tests for 64-bit PowerPC
    check optional gcc-riscv64-linux-gnu riscv64-linux-gnu-gcc tests for riscv64
    check optional gcc-s390x-linux-gnu s390x-linux-gnu-gcc tests for big-endian
    check optional gcc-riscv64-unknown-elf riscv64-unknown-elf-gcc the headers on microcontrollers
    check optional gcovr gcovr coverage
    check optional gdb gdb tests of recording through a debug stub, and of stacks
    check optional gdb-multiarch gdb-multiarch firmware for Cortex-M3
    check optional gdbserver gdbserver tests of recording through a debug stub
    check optional golang-go go tests that go tool pprof reads the profiles
    check optional graphviz dot tests of go tool pprof's graphs
    check optional jq jq examples of the man pages
    check optional less less examples of the man pages
    check optional libc6-dev-arm64-cross aarch64-linux-gnu-gcc:stdio.h tests for aarch64
    check optional libc6-dev-armhf-cross arm-linux-gnueabihf-gcc:stdio.h tests of PLT stubs for ARM
    check optional libc6-dev-i386-cross i686-linux-gnu-gcc:stdio.h tests for 32 bits
    check optional libc6-dev-loong64-cross|libc6-dev-riscv64-cross loongarch64-linux-gnu-gcc:stdio.h tests for LoongArch (Debian 13)
    check optional libc6-dev-ppc64el-cross powerpc64le-linux-gnu-gcc:stdio.h tests for 64-bit PowerPC
    check optional libc6-dev-riscv64-cross riscv64-linux-gnu-gcc:stdio.h tests for riscv64
    check optional libc6-dev-s390x-cross s390x-linux-gnu-gcc:stdio.h tests for big-endian
    check optional libclang-rt-dev|libclang-rt-14-dev - sanitizers and fuzzing in Clang
    check optional libdebuginfod-dev $cc:elfutils/debuginfod.h symbols from servers
    check optional libgoogle-perftools-dev $cc:gperftools/tcmalloc.h heaps of programs with tcmalloc
    check optional libjemalloc-dev $cc:jemalloc/jemalloc.h heaps of programs with jemalloc
    check optional $headers - builds of a kernel module
    check optional libcurl4-openssl-dev $cc:curl/curl.h sending tables to ClickHouse
    check optional libsqlite3-dev $cc:sqlite3.h databases
    check optional linux-perf perf comparison with perf
    check optional lld ld.lld kernels linked with lld
    check optional make make builds of a kernel module
    check optional mandoc mandoc tests of the man pages
    check optional musl-tools musl-gcc builds with another C library
    check optional mypy mypy the types of the Python package
    check optional nodejs node|nodejs tests of the flame graphs' script
    check optional protobuf-compiler protoc tests of profiles with protoc
    check optional python3-numpy - columns of the Python package
    check optional python3-pytest - tests of the Python package
    check optional python3-zstandard - what zstd has compressed, in Python
    check optional qemu-system-arm qemu-system-aarch64 aarch64 kernels, firmware for Cortex-M3
    check optional qemu-system-misc qemu-system-riscv64 riscv64 and s390x kernels
    check optional qemu-system-x86 qemu-system-x86_64 x86-64 kernels
    check optional qemu-user qemu-aarch64 tests for other machines
    check optional systemd systemd-analyze the units of fxtrecord and fxtship
    check optional zstd zstd tests of traces compressed by zstd
    check optional zsh zsh completions in zsh
END
[ -n "$missing" ] || exit 0

# describe NEED: what is missing, and what for.
describe() {
    printf '%s' "$missing" | while read -r need packages purpose; do
        [ "$need" != "$1" ] ||
            printf '    %-8s  %-26s %s\n' "$need" "${packages%%|*}" "$purpose"
    done
}

# go_on: ends, with 1 if something needed is missing.
go_on() {
    [ -z "$(describe needed)" ] || exit 1
    exit 0
}

command -v apt-get >/dev/null || {
    echo "apt-get was not found. Missing, by the names of Debian's packages:"
    describe needed
    describe optional
    go_on
} >&2

sudo=
may_install=yes
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || may_install=no
fi

{
    echo "Packages that ./$list uses and that are not installed:"
    describe needed
    describe optional
    [ "$may_install" = no ] || $sudo apt-get update -q ||
        echo 'apt-get update failed: the package lists may be old.'
} >&2

# shellcheck disable=SC2046 # names of packages are words
available=" $(apt-cache policy $(printf '%s' "$missing" | cut -d ' ' -f 2 | tr '|' ' ') |
    awk '/^[^ ]/ { sub(":$", ""); name = $0 } /^ *Candidate: [^(]/ { printf "%s ", name }')"
# Only root can fetch package lists: without them the first names are taken.
[ "$may_install$available" != 'no ' ] ||
    available=" $(printf '%s' "$missing" | cut -d ' ' -f 2 | cut -d '|' -f 1 | tr '\n' ' ')"

# adds_kernel NAME: from Debian 13 on, headers of a kernel depend on the kernel, which the
# machine would boot from then on.
adds_kernel() (
    unset IFS
    # shellcheck disable=SC2086 # the command is words
    case $1 in
        linux-headers-*) $install -s "$1" 2>/dev/null | grep -q '^Inst linux-image-' ;;
        *) exit 1 ;;
    esac
)

# pick NAME[|NAME]...: the first that apt-get has, or the first and a failure.
pick() (
    IFS='|'
    for name in $1; do
        case $available in
            *" $name "*) adds_kernel "$name" || { echo "$name" && exit 0; } ;;
        esac
    done
    echo "${1%%|*}"
    exit 1
)

needed=
optional=
while read -r need packages _; do
    name=$(pick "$packages") && known=yes || known=no
    case $need$known in
        needed*) needed="$needed $name" ;;
        optionalyes) optional="$optional $name" ;;
        optionalno) echo "No package $name is suitable: continuing without it." >&2 ;;
    esac
done <<END
${missing%?}
END

[ "$may_install" = yes ] || {
    echo 'Installing packages takes root, and sudo was not found. Run as root:'
    printf '\n    apt-get update && %s%s%s\n\n' "$install" "$needed" "$optional"
    go_on
} >&2

# shellcheck disable=SC2086 # names of packages are words
install() {
    $sudo env DEBIAN_FRONTEND=noninteractive $install -q "$@"
}

# shellcheck disable=SC2086
[ -z "$needed" ] || install $needed || {
    echo 'The packages were not installed. To see why, run as root:'
    printf '\n    %s%s\n\n' "$install" "$needed"
    exit 1
} >&2
# One that conflicts with what is installed must not keep the others away.
# shellcheck disable=SC2086
[ -z "$optional" ] || install $optional || for name in $optional; do
    install "$name" || echo "$name was not installed: continuing without it." >&2
done

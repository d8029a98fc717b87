#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What scripts/install-packages.sh does on machines that are made of stand-ins:
#
#   packages.sh SOURCE_DIR
#
# Each case is a directory of commands that is all of PATH. What the stand-ins for apt-get
# and sudo were called with is in $log.
set -u

script=$1/scripts/install-packages.sh
sh=$(command -v sh)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
log=$work/log
failed=0

# machine [COMMAND]...: one that has what the script itself uses, and stand-ins.
machine() {
    rm -rf "${work:?}/bin"
    mkdir "$work/bin"
    : >"$log"
    for command in awk cut env grep tr uname; do
        ln -s "$(command -v "$command")" "$work/bin/"
    done
    for command in "$@"; do
        stand_in "$command" 'exit 0'
    done
}

# stand_in COMMAND SCRIPT
stand_in() {
    printf '#!%s\n%s\n' "$sh" "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# debian USER_ID [INSTALLED]...: where apt-get has all but what other architectures have.
debian() {
    user=$1
    shift
    machine
    stand_in id "echo $user"
    stand_in dpkg 'echo amd64'
    stand_in dpkg-query "printf '%s amd64 install ok installed\n' $*"
    stand_in apt-get "
        case \"\$*\" in
            *' -s linux-headers-cloud-'*) echo 'Inst linux-image-cloud (1.0)' ;;
            *' -s '*) ;;
            *) echo apt-get \"\$@\" >>'$log' ;;
        esac"
    # shellcheck disable=SC2016 # for the stand-in to expand
    stand_in apt-cache '
        shift
        for name in "$@"; do
            case $name in
                libclang-rt-dev | "linux-headers-$(uname -r)") candidate="(none)" ;;
                *) candidate=1.0 ;;
            esac
            printf "%s:\n  Installed: (none)\n  Candidate: %s\n" "$name" "$candidate"
        done'
}

# run LIST: its output and exit status.
run() {
    env PATH="$work/bin" "$sh" "$script" "$1" >"$work/out" 2>&1
    status=$?
}

fail() {
    echo "not ok: $case: $1"
    cat "$work/out" "$log"
    failed=1
}

exits() {
    [ "$status" = "$1" ] || fail "exit status $status, expected $1"
}

# has FILE WORDS...: each is one of a line of FILE.
has() {
    file=$1
    shift
    for word in "$@"; do
        grep -q -e " $word\( \|\$\)" "$file" || fail "no $word in ${file##*/}"
    done
}

has_not() {
    file=$1
    shift
    for word in "$@"; do
        ! grep -q -e " $word\( \|\$\)" "$file" || fail "$word in ${file##*/}"
    done
}

# removes_nothing: apt-get was called for nothing else than installing without removing.
removes_nothing() {
    ! grep -v '^apt-get \(update\|install .*--no-remove\) ' "$log" ||
        fail 'a call that may remove packages'
}

needed='gcc libc6-dev meson ninja-build pkg-config python3 zlib1g-dev'
needed_by_check='binutils g++ libbz2-dev libcjson-dev libcriterion-dev'

case='root installs what the demo uses and nothing else'
debian 0
run demo
exits 0
# shellcheck disable=SC2086 # lists of words
has "$log" update install --no-remove --no-install-recommends $needed libdw-dev
# shellcheck disable=SC2086
has_not "$log" clang qemu-user linux-perf $needed_by_check
removes_nothing
n=$(grep '^apt-get install' "$log" | tr ' ' '\n' | grep -vc '^-\|^apt-get$\|^install$')
[ "$n" -le 13 ] || fail "$n packages"

case='the check has the rest, too'
debian 0
run check
exits 0
# shellcheck disable=SC2086
has "$log" $needed $needed_by_check clang gcovr cmake musl-tools jq less
removes_nothing

case='of alternative packages the first available one is installed'
has "$log" libclang-rt-14-dev linux-headers-amd64
has_not "$log" libclang-rt-dev

case='headers that would bring their kernel are not installed'
has_not "$log" linux-headers-cloud-amd64

case='what is there is not installed again'
# shellcheck disable=SC2086
debian 0 gcc libc6-dev meson ninja-build pkg-config python3
run demo
exits 0
has "$log" zlib1g-dev
has_not "$log" gcc meson

case='programs that were not installed from packages count'
debian 0
stand_in meson 'exit 0'
stand_in ninja 'exit 0'
run demo
has "$log" gcc
has_not "$log" meson ninja-build

case='it is silent where nothing is missing'
# shellcheck disable=SC2086
debian 0 $needed libdeflate-dev libdw-dev libiberty-dev liblzma-dev libpfm4-dev libzstd-dev
run demo
exits 0
[ ! -s "$work/out" ] || fail 'it prints something'
[ ! -s "$log" ] || fail 'it calls apt-get'

case='a package of another architecture is another package'
debian 0
# shellcheck disable=SC2086
stand_in dpkg-query "printf '%s i386 install ok installed\n' $needed"
run demo
# shellcheck disable=SC2086
has "$log" $needed

case='a package that was removed is not there'
debian 0
# shellcheck disable=SC2086
stand_in dpkg-query "printf '%s amd64 deinstall ok config-files\n' $needed"
run demo
# shellcheck disable=SC2086
has "$log" $needed

case='a user with sudo installs by it'
debian 1000
stand_in sudo "echo sudo \"\$@\" >>'$log'; \"\$@\""
run demo
exits 0
[ "$(grep -c '^sudo ' "$log")" = "$(grep -c '^apt-get' "$log")" ] || fail 'without sudo'
has "$log" update install meson

case='a user without sudo gets the command line'
debian 1000
run demo
exits 1
[ ! -s "$log" ] || fail 'it called apt-get'
grep 'apt-get install' "$work/out" >"$work/line"
# shellcheck disable=SC2086
has "$work/line" --no-remove $needed libdw-dev
! grep -q ': not found' "$work/out" || fail 'it calls a missing command'

case='a user without sudo, and no lists of packages yet'
debian 1000
stand_in apt-cache 'exit 0'
run check
exits 1
grep 'apt-get install' "$work/out" >"$work/line"
# shellcheck disable=SC2086
has "$work/line" $needed $needed_by_check clang libclang-rt-dev

case='a user without sudo continues without what is optional'
# shellcheck disable=SC2086
debian 1000 $needed libdeflate-dev libiberty-dev liblzma-dev libpfm4-dev libzstd-dev
run demo
exits 0
grep 'apt-get install' "$work/out" >"$work/line"
has "$work/line" libdw-dev
has_not "$work/line" gcc

case='without apt-get what is missing is named'
machine id ninja
# shellcheck disable=SC2016 # for the stand-in to expand
stand_in gcc 'read -r include; [ "$include" = "#include <stdio.h>" ]'
run demo
exits 1
has "$work/out" meson zlib1g-dev libdw-dev
has_not "$work/out" gcc libc6-dev ninja-build

case='without apt-get what is there is enough'
machine id cc g++ meson ninja objdump pkg-config python3
run demo
exits 0
[ ! -s "$work/out" ] || fail 'it prints something'
run check
exits 0
has "$work/out" clang qemu-user
has_not "$work/out" gcc needed

case='a needed package that cannot be installed is an error'
debian 0
stand_in apt-get "echo apt-get \"\$@\" >>'$log'; [ \$1 = update ]"
run demo
exits 1
has "$work/out" --no-remove

case='an optional package that cannot be installed does not stop the others'
# shellcheck disable=SC2086
debian 0 $needed
stand_in apt-get "echo apt-get \"\$@\" >>'$log'; case \"\$*\" in *iberty*) exit 100 ;; esac"
run demo
exits 0
grep -q '^libiberty-dev was not installed' "$work/out" || fail 'it is not named'
grep -q ' libdw-dev$' "$log" || fail 'libdw-dev was not tried alone'

case='an optional package that is not available is named'
# shellcheck disable=SC2086
debian 0 $needed libdeflate-dev libiberty-dev liblzma-dev libpfm4-dev libzstd-dev
stand_in apt-cache 'printf "%s:\n  Installed: (none)\n  Candidate: (none)\n" libdw-dev'
run demo
exits 0
grep -q 'No package libdw-dev' "$work/out" || fail 'it is not named'
has_not "$log" install

case='a usage message for a missing argument'
machine
run ''
exits 2

exit $failed

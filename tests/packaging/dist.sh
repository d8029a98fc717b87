#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What `meson dist` makes: the same again, all that is needed to build and test libfxt, and a
# subproject by the wrap file of scripts/wrap.sh.
#
#   dist.sh BUILD SOURCE
#
# Exits with 77, which meson counts as skipped, outside of a repository. What is not
# committed is not in an archive, and not tried. The archives are gzip's, which are made in a
# tenth of the time of xz's; gzip's own header has a time in it.
set -eu

build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archives=$build/meson-dist

git -C "$source" ls-files --error-unmatch meson.build >"$work/log" 2>&1 || {
    echo 'skipped: this is no repository'
    exit 77
}

run_quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        echo "failed: $*"
        exit 1
    }
}

# make_archive: its name, after its contents have been noted in sums.
make_archive() {
    run_quietly meson dist -C "$build" --no-tests --allow-dirty --formats gztar
    archive=$(ls "$archives"/libfxt-*.tar.gz)
    gzip -dc "$archive" | cksum >>"$work/sums"
    mv "$archive" "$work"
    archive=$work/${archive##*/}
}

make_archive
sleep 1
make_archive
[ "$(sort -u "$work/sums" | wc -l)" = 1 ] || { echo 'two archives of a commit differ'; exit 1; }

tar -xzf "$archive" -C "$work"
top=${archive%.tar.gz}
(cd "$top" && find . -type f -o -type l | sed 's,^\./,,' | LC_ALL=C sort) >"$work/archived"
git -C "$source" ls-tree -r --name-only HEAD | LC_ALL=C sort | diff - "$work/archived"
run_quietly meson setup "$work/build" "$top" --buildtype plain -Dtools=disabled \
    -Dtests=enabled -Dheap=disabled -Dsampler=disabled
run_quietly ninja -C "$work/build" tests/test_reader tests/test_round_trip
run_quietly meson test -C "$work/build" --no-rebuild reader round_trip includes map

project=$work/project
mkdir -p "$project/subprojects/packagefiles"
cp "$source"/tests/packaging/superproject/* "$source/tests/packaging/libfxt.c" "$project"
echo 'int call_own_names(void); int call_own_names(void) { return 0; }' \
    >"$project/own_names_libfxt.c"
cp "$archive" "$project/subprojects/packagefiles"
"$source/scripts/wrap.sh" "$archive" >"$project/subprojects/libfxt.wrap"
run_quietly meson setup "$project/build" "$project" --buildtype plain
run_quietly ninja -C "$project/build" libfxt
"$project/build/libfxt" write | "$project/build/libfxt" read

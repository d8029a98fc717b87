#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds libfxt in the ways in which others package it, and uses it from outside:
#
#   packaging.sh libraries BUILD SOURCE
#       as shared libraries, static ones, and both, installed to a prefix where another
#       library called FxT is; with pkg-config, and by CMake, once by pkg-config and once by
#       our own files
#   packaging.sh subproject BUILD SOURCE    as a subproject of Meson
#   packaging.sh musl BUILD SOURCE          with musl's C library, without Linux's headers
#   packaging.sh options BUILD SOURCE       without each of the parts that can be left out
#
# BUILD is a build of all, whose internal libraries have the names of inner functions: each
# program has functions of these names, too. Exits with 77, which meson counts as skipped,
# where there is no musl-gcc.
# shellcheck disable=SC2046,SC2086 # lists of flags are words on purpose
set -eu

part=$1
build=$2
source=$3
programs=$source/tests/packaging
compiler=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
libdir=$prefix/lib
system_pc_path=$(pkg-config --variable pc_path pkg-config)
unset DESTDIR PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR

fail() {
    echo "$part: $1"
    exit 1
}

# run_quietly COMMAND...: shows what it prints if it fails
run_quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "failed: $*"
    }
}

# Of a library: its internal archives in BUILD, its file of exports, its link name.
internal_library() {
    case $1 in
    libfxtprofile)
        find "$build" -name "${1}_internal.a" -o -name libbase.a -o -name libbase_core.a
        ;;
    libfxtsampler)
        find "$build" -name "${1}_internal.a" -o -name libprocesses.a -o -name libbase_core.a
        ;;
    *) find "$build" -name "${1}_internal.a" ;;
    esac
}

exports() {
    case $1 in
    libfxt) echo "$source/libfxt/exports.txt" ;;
    libfxtsampler) echo "$source/libfxtsampler/exports.txt" ;;
    libfxtheap) echo "$source/libfxtheap/exports.txt" ;;
    libfxtprofile) echo "$source/libfxtprofile/exports.txt" ;;
    esac
}

link_name() {
    case $1 in
    libfxt) echo fxtrace ;;
    *) echo "${1#lib}" ;;
    esac
}

libraries=
for name in libfxt libfxtsampler libfxtheap libfxtprofile; do
    [ -z "$(internal_library $name)" ] || libraries="$libraries $name"
done

# print_own_names LIBRARY: a function for each name of an inner function
print_own_names() {
    internal_library "$1" | xargs -d '\n' nm -g --defined-only | sed -n 's/.* [A-Z] //p' |
        LC_ALL=C sort -u | LC_ALL=C comm -23 - "$(exports "$1")" >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 20 ] || fail "$1 has no inner functions"
    sed 's/.*/int &(void);\nint &(void)\n{\n    return 1;\n}/' "$work/names"
    printf 'int call_own_names(void);\nint call_own_names(void)\n{\n    return -%d%s;\n}\n' \
        "$(wc -l <"$work/names")" "$(sed 's/.*/ + &()/' "$work/names" | tr -d '\n')"
}

for name in $libraries; do
    print_own_names $name >"$work/own_names_$name.c"
done

# run_program LIBRARY PROGRAM
run_program() {
    export LD_LIBRARY_PATH="$libdir"
    case $1 in
    libfxt) "$2" write | "$2" read ;;
    libfxtsampler | libfxtprofile) "$2" ;;
    libfxtheap) "$2" "$work" ;;
    esac || fail "$2 failed"
    unset LD_LIBRARY_PATH
}

# check_needed LIBRARY PROGRAM shared|static
check_needed() {
    case $3:$(objdump -p "$2" | grep "NEEDED *lib$(link_name "$1")\.so\.[0-9]") in
    shared:?* | static:) ;;
    *) fail "$2 is not linked with a $3 $1" ;;
    esac
}

# build_and_run LIBRARY shared|static FLAGS...
build_and_run() {
    name=$1
    kind=$2
    program=$work/$1-$2
    shift 2
    run_quietly $compiler -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -o "$program" \
        "$programs/$name.c" "$work/own_names_$name.c" $(pkg-config --cflags $name) "$@"
    check_needed "$name" "$program" "$kind"
    run_program "$name" "$program"
}

# Another set of options changes an existing build, whose objects stay.
# configure_and_install OPTIONS...
configure_and_install() {
    if [ -d "$work/build" ]; then
        run_quietly meson configure "$work/build" "$@"
    else
        run_quietly meson setup "$work/build" "$source" --prefix "$prefix" --libdir lib \
            --buildtype plain --werror -Dtests=disabled "$@"
    fi
    run_quietly ninja -C "$work/build"
    run_quietly meson install -C "$work/build" --no-rebuild
    export PKG_CONFIG_LIBDIR="$libdir/pkgconfig:$system_pc_path"
}

# The files of Debian's libfxt2 and libfxt-dev.
install_other_fxt() {
    mkdir -p "$prefix/include/fxt" "$libdir/pkgconfig"
    for name in fut fxt-tools fxt; do
        cp "$programs/other_fxt.h" "$prefix/include/$name.h"
        cp "$programs/other_fxt.h" "$prefix/include/fxt/$name.h"
    done
    $compiler -fPIC -c -o "$work/other_fxt.o" "$programs/other_fxt.c"
    ar rc "$libdir/libfxt.a" "$work/other_fxt.o"
    $compiler -shared -Wl,-soname,libfxt.so.2 -o "$libdir/libfxt.so.2.0.0" "$work/other_fxt.o"
    ln -s libfxt.so.2.0.0 "$libdir/libfxt.so.2"
    ln -s libfxt.so.2.0.0 "$libdir/libfxt.so"
    touch "$libdir/libfxt.la"
    printf '%s\n' 'Name: FxT' 'Description: stand-in' 'Version: 0.3' \
        "Cflags: -I$prefix/include" "Libs: -L$libdir -lfxt" >"$libdir/pkgconfig/fxt.pc"
}

checksums() {
    (cd "$prefix" && xargs cksum) <"$work/other_files"
}

use_other_fxt() {
    run_quietly $compiler -o "$work/other" "$programs/other_fxt_user.c" \
        $(pkg-config --cflags --libs fxt)
    LD_LIBRARY_PATH=$libdir "$work/other" || fail 'a program of the other FxT fails'
}

# What a static library defines for others is what the shared one exports.
check_archive() {
    nm -g --defined-only "$libdir/lib$(link_name "$1").a" | sed -n 's/.* [A-Z] //p' |
        LC_ALL=C sort | diff -u "$(exports "$1")" - || fail "names in the static $1"
}

# absent FILE
absent() {
    [ ! -e "$1" ] || fail "$1 was installed"
}

use_shared() {
    build_and_run "$1" shared $(pkg-config --libs "$1")
}

# The flags for what is not ours, as where there are both kinds of ours the linker takes
# the shared one.
foreign_flags() {
    pkg-config --static --libs "$1" | tr ' ' '\n' | grep -v '^-lfxt'
}

use_static() {
    check_archive "$1"
    case $1 in
    libfxtprofile | libfxtsampler) own="$libdir/$1.a $libdir/libfxtrace.a" ;;
    *) own="$libdir/lib$(link_name "$1").a" ;;
    esac
    build_and_run "$1" static $own $(foreign_flags "$1")
}

# It is always static.
use_emitter() {
    run_quietly $compiler -std=c11 -Wall -Wextra -Werror -o "$work/emitter" \
        "$programs/libfxtemit.c" $(pkg-config --cflags --libs libfxtemit)
    "$work/emitter" || fail "$work/emitter failed"
    absent "$libdir/libfxtemit.so"
}

use_with_cmake() {
    command -v cmake >/dev/null || { echo 'CMake was not tried: there is no cmake'; return; }
    rm -rf "$work/cmake"
    mkdir "$work/cmake"
    cp "$programs/CMakeLists.txt" "$programs/libfxt.c" "$work/own_names_libfxt.c" "$work/cmake"
    run_quietly cmake -S "$work/cmake" -B "$work/cmake/build"
    run_quietly cmake --build "$work/cmake/build"
    check_needed libfxt "$work/cmake/build/consumer" "$1"
    run_program libfxt "$work/cmake/build/consumer"
}

# By find_package(fxtrace), after all has been moved elsewhere.
find_with_cmake() {
    command -v cmake >/dev/null || return 0
    rm -rf "$work/finder" "$work/moved"
    mkdir "$work/finder"
    cp -r "$programs/cmake" "$programs"/*.c "$work"/own_names_*.c "$work/finder"
    mv "$prefix" "$work/moved"
    libdir=$work/moved/lib
    run_quietly cmake -S "$work/finder/cmake" -B "$work/finder/build" -DCMAKE_BUILD_TYPE=Debug \
        "-DCMAKE_PREFIX_PATH=$work/moved" \
        "-DLIBRARIES=$(echo $libraries | sed 's/libfxt\>/libfxtrace/; s/\<lib//g; s/ /;/g')"
    run_quietly cmake --build "$work/finder/build"
    for name in $libraries; do
        program=$work/finder/build/$(link_name $name)
        [ "$1" = static ] || check_needed $name "$program" shared
        run_program $name "$program"
        [ "$1" = shared ] || check_needed $name "${program}_static" static
        [ "$1" = shared ] || run_program $name "${program}_static"
    done
    libdir=$prefix/lib
}

# use_installed shared|static|both LIBRARY
use_installed() {
    case $1 in
    shared)
        use_shared "$2"
        absent "$libdir/lib$(link_name "$2").a"
        ;;
    static)
        use_static "$2"
        build_and_run "$2" static $(pkg-config --static --libs "$2")
        absent "$libdir/lib$(link_name "$2").so"
        ;;
    both)
        use_shared "$2"
        use_static "$2"
        ;;
    esac
}

# install_beside_other_fxt shared|static|both OPTIONS...
install_beside_other_fxt() {
    kind=$1
    shift
    rm -rf "$prefix"
    install_other_fxt
    (cd "$prefix" && find . -type f -o -type l) >"$work/other_files"
    before=$(checksums)
    configure_and_install "-Ddefault_library=$kind" "$@"
    [ "$before" = "$(checksums)" ] || fail 'a file of the other FxT was overwritten'
    use_other_fxt
}

# install_and_use shared|static|both
install_and_use() {
    install_beside_other_fxt "$1" -Dtools=disabled
    use_emitter
    for name in $libraries; do
        [ $name = libfxtprofile ] || use_installed "$1" $name
    done
    case $1 in
    static) use_with_cmake static ;;
    *) use_with_cmake shared ;;
    esac
}

# libfxtprofile comes with the tools, as does a shared libfxtheap.
# install_and_use_all shared|static|both
install_and_use_all() {
    case $libraries in
    *libfxtprofile*)
        install_beside_other_fxt "$1" -Dtools=enabled
        use_installed "$1" libfxtprofile
        ;;
    *) install_beside_other_fxt "$1" -Dtools=disabled ;;
    esac
    find_with_cmake "$1"
}

# use_each COMMAND: with each kind of libraries.
use_each() {
    for part in both shared static; do
        "$1" $part
    done
}

# use_as_subproject shared|static OPTIONS...
# libfxtprofile needs what a subproject builds only where it is asked for the tools.
use_as_subproject() {
    kind=$1
    shift
    super=$work/super
    if [ -d "$super" ]; then
        run_quietly meson configure "$super/build" "$@"
    else
        mkdir -p "$super/subprojects"
        cp "$programs"/superproject/* "$programs"/*.c "$work"/own_names_*.c "$super"
        ln -s "$source" "$super/subprojects/libfxt"
        run_quietly meson setup "$super/build" "$super" --wrap-mode forcefallback \
            "-Dlibraries=$(echo $libraries | tr ' ' ,)" "$@"
    fi
    run_quietly ninja -C "$super/build"
    for name in $libraries; do
        check_needed $name "$super/build/$name" $kind
        run_program $name "$super/build/$name"
    done
    if find "$super/build" -name fxtdump -o -name fxtcopy -o -name 'test_*' | grep .; then
        fail 'a subproject builds more than its libraries'
    fi
}

# Debian has no zlib for musl; but of Debian's C library the static zlib needs nothing that
# musl does not have. Other libraries that pkg-config finds are those of Debian's C library.
lend_zlib() {
    mkdir "$work/zlib"
    cp $(printf '#include <zlib.h>\n' | cc -E - |
        sed -n 's/^# [0-9]* "\(.*\/z[a-z]*\.h\)".*/\1/p' | sort -u) "$work/zlib"
    cp "$(cc -print-file-name=libz.a)" "$work/zlib"
    printf '%s\n' 'Name: zlib' 'Description: zlib' 'Version: 1' "Cflags: -I$work/zlib" \
        "Libs: -L$work/zlib -lz" >"$work/zlib/zlib.pc"
    export PKG_CONFIG_PATH="$work/zlib"
}

use_with_musl() {
    command -v musl-gcc >/dev/null || {
        echo 'skipped: there is no musl-gcc'
        exit 77
    }
    compiler=musl-gcc
    export CC=musl-gcc
    run_quietly meson setup "$work/with_tests" "$source"
    run_quietly ninja -C "$work/with_tests" tests/test_chunks
    lend_zlib
    configure_and_install -Dsampler=disabled -Dheap=disabled -Dexamples=enabled -Dtools=enabled
    use_shared libfxt
    use_static libfxt
    build_and_run libfxt static -static "$libdir/libfxtrace.a"
    "$work/libfxt-static" write | "$work/build/examples/fxtcopy" >"$work/copy.fxt"
    "$work/libfxt-static" read <"$work/copy.fxt" || fail 'fxtcopy lost records'
    run_quietly "$prefix/bin/fxtdump" --stats --strict "$work/copy.fxt"
    run_quietly "$prefix/bin/fxt2folded" --help
    run_quietly "$prefix/bin/fxt2pprof" --help
    run_quietly "$prefix/bin/fxtreport" --help
}

# leave_out OPTION TARGET...
leave_out() {
    option=$1
    shift
    run_quietly meson setup "$work/without-$option" "$source" "-D$option=disabled"
    meson introspect --targets "$work/without-$option" | tr , '\n' >"$work/targets"
    grep -q '"name": "fxtrace"' "$work/targets" || fail "there is no libfxt without $option"
    for target in "$@"; do
        ! grep "\"name\": \"$target\"" "$work/targets" || fail "$option is disabled"
    done
}

leave_out_each() {
    leave_out sampler fxtsampler fxtrecord
    leave_out heap fxtheap
    leave_out examples fxtcopy selfsample workload
}

case $part in
libraries)
    # All without the tools come first: what is left out of a build loses its objects.
    use_each install_and_use
    use_each install_and_use_all
    ;;
subproject)
    libraries=$(echo $libraries | sed 's/libfxtprofile//')
    use_as_subproject shared
    use_as_subproject static -Dprefer_static=true
    ;;
musl) use_with_musl ;;
options) leave_out_each ;;
*) fail 'there is no such part' ;;
esac

#!/bin/sh
# Installs a build to an empty place and uses it from outside with pkg-config alone, as a
# user would: the programs of README.md and of docs/profiles-of-yourself.md, in C and in C++,
# against the shared and the static library.
#
# install.sh BUILD_DIR SOURCE_DIR
set -eu

build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"

pc=$(find "$work/root" -name libfxt.pc)
[ -n "$pc" ] || { echo "no libfxt.pc was installed"; exit 1; }
# The libraries that ours need, such as zlib, are the system's.
export PKG_CONFIG_LIBDIR="${pc%/*}:$(pkg-config --variable pc_path pkg-config)" \
    PKG_CONFIG_SYSROOT_DIR="$work/root"
libdir=$(pkg-config --variable=libdir libfxt)
case $libdir in "$work"/*) ;; *) libdir=$work/root$libdir ;; esac

# blocks PAGE NAME...: the programs of a page, in the order in which its blocks of C come.
blocks() {
    page=$1
    shift
    awk -v dir="$work" -v list="$*" '
        BEGIN { split(list, names) }
        /^```c$/ { file = dir "/" names[++n] ".c"; next }
        /^```$/ { file = "" }
        file != "" { print > file }
    ' "$source/$page"
}
blocks README.md read write emit
blocks docs/profiles-of-yourself.md sample

# Those of libfxt(3), as it is written in mdoc.
awk -v dir="$work" '
    BEGIN { split("page_read page_write page_trace page_emit", names) }
    /^\.Bd -literal$/ { file = dir "/" names[++n] ".c"; next }
    /^\.Ed$/ { file = "" }
    file != "" { gsub(/\\e/, "\\"); print > file }
' "$source/libfxt/libfxt.3"

fxtdump=$(find "$work/root" -path "*/bin/fxtdump")
awk 'BEGIN { for (i = 1; i <= 60000; i++) print "backtrace", i, 1, i, i, 2, 3, 4, 5 }' |
    python3 "$source/tests/support/fxtwrite.py" >"$work/many"
failed=0
# try NAME COMPILER FLAGS...: compiles all, pipes what they make into what reads it.
try() {
    name=$1
    compiler=$2
    shift 2
    for program in read write emit page_read page_write page_trace page_emit; do
        $compiler -o "$work/$program" "$work/$program.c" "$@" -Wall -Wextra -Werror \
            $(pkg-config --cflags libfxt) $libs || { echo "$name: no $program"; failed=1; return; }
    done
    lines=$("$work/emit" | LD_LIBRARY_PATH=$libdir "$work/read" | grep -c '3 frames') || :
    spans=$(LD_LIBRARY_PATH=$libdir "$work/write" | "$fxtdump" | grep -c receive) || :
    # More than one chunk of them, which end inside records.
    many=$(cat "$work/many" | LD_LIBRARY_PATH=$libdir "$work/read" | sort -u | wc -l) || :
    page=$("$work/page_emit" | LD_LIBRARY_PATH=$libdir "$work/page_read") || :
    span=$(LD_LIBRARY_PATH=$libdir "$work/page_write" | "$fxtdump" | grep -c net:receive) || :
    FXT_TRACE_FILE=$work/traced.fxt LD_LIBRARY_PATH=$libdir "$work/page_trace"
    traced=$("$fxtdump" "$work/traced.fxt" | grep -c net:receive) || :
    [ "$page" = '1 stacks' ] && [ "$span" = 1 ] && [ "$traced" = 20 ] || {
        echo "$name: libfxt(3) has $page, expected 1; $span spans, expected 1; $traced events" \
            "of a traced program, expected 20"
        failed=1
    }
    if [ "$lines" = 56 ] && [ "$spans" = 101 ] && [ "$many" = 60000 ]; then
        echo "$name: ok"
    else
        echo "$name: $lines samples came through, expected 56; $spans lines, expected 101;" \
            "$many samples, expected 60000"
        failed=1
    fi
}

libs=$(pkg-config --libs libfxt)
try "C" "${CC:-cc}" -std=c11
try "C++" "${CXX:-c++} -x c++" -std=c++17 -Wno-missing-field-initializers
# The examples in C++, which need nothing but what is installed.
for program in read write; do
    "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror -o "$work/$program" \
        "$source/bindings/cpp/examples/$program.cpp" $(pkg-config --cflags libfxt) $libs || failed=1
done
spans=$(LD_LIBRARY_PATH=$libdir "$work/write" | LD_LIBRARY_PATH=$libdir "$work/read" | wc -l)
[ "$spans" = 100 ] || { echo "fxt/fxt.hpp: $spans spans, expected 100"; failed=1; }
libs="$libdir/libfxtrace.a"
[ ! -e "$libs" ] || try "C, static" "${CC:-cc}" -std=c11

# The shared library depends on libc alone, and exports what it should.
if [ -e "$libdir/libfxtrace.so" ]; then
    needed=$(objdump -p "$libdir/libfxtrace.so" | sed -n 's/^ *NEEDED *//p' | grep -v '^libc\.' || :)
    [ -z "$needed" ] || { echo "libfxtrace.so needs $needed"; failed=1; }
    nm -D --defined-only "$libdir/libfxtrace.so" | sed -n 's/.* [TDBR] //p' | LC_ALL=C sort |
        diff -u "$source/libfxt/exports.txt" - || { echo "the exports differ"; failed=1; }
fi

for file in bin/fxt bin/fxtlint bin/fxtmerge share/man/man1/fxtlint.1 share/man/man1/fxtmerge.1 share/man/man1/fxt.1 share/zsh/site-functions/_fxt \
    share/bash-completion/completions/fxtreport share/fish/vendor_completions.d/fxtreport.fish \
    bin/fxttrace share/man/man1/fxttrace.1 bin/fxtdump bin/fxtcut bin/fxt2chrome bin/fxt2firefox bin/fxt2folded bin/fxt2perfetto bin/fxt2pprof bin/fxtreport bin/fxtsymbolize \
    share/man/man1/fxtdump.1 share/man/man1/fxtcut.1 share/man/man1/fxtsymbolize.1 share/man/man1/fxt2chrome.1 share/man/man1/fxt2firefox.1 share/man/man1/fxt2perfetto.1 \
    share/man/man1/fxt2folded.1 share/man/man1/fxt2pprof.1 \
    share/man/man1/fxtreport.1 share/man/man3/libfxt.3 share/man/man3/fxt_reader.3 \
    share/man/man3/fxt_reader_read.3 share/man/man3/fxt.hpp.3 share/doc/fxtrace/README.md share/doc/fxtrace/docs/tutorial.md \
    share/doc/fxtrace/examples/fxtcopy.c; do
    find "$work/root" -path "*/$file" | grep -q . || { echo "no $file was installed"; failed=1; }
done

if [ -n "$(find "$work/root" -path '*/bin/fxtship')" ]; then
    for file in share/man/man1/fxtship.1 lib/systemd/system/fxtrecord.service \
        lib/systemd/system/fxtship.service lib/systemd/system/fxtship.timer \
        etc/fxt/fxtrecord.conf.example etc/fxt/fxtship.conf.example; do
        find "$work/root" -path "*/$file" | grep -q . || { echo "no $file was installed"; failed=1; }
    done
fi

python3 "$source/tests/packaging/debian_files.py" "$work/root" "$source" || failed=1

for file in libfxtemit.a libfxtemit.pc cmake/fxtrace/fxtrace-config.cmake \
    cmake/fxtrace/fxtrace-config-version.cmake; do
    find "$work/root" -path "*/$file" | grep -q . || { echo "no $file was installed"; failed=1; }
done

# What makes profiles, where it was built: it has libfxt and base in it once at most.
profile=$(find "$work/root" -name libfxtprofile.so)
if [ -n "$profile" ]; then
    nm -D --defined-only "$profile" | sed -n 's/.* [TDBR] //p' | LC_ALL=C sort |
        diff -u "$source/libfxtprofile/exports.txt" - || { echo "its exports differ"; failed=1; }
    for file in include/libfxt/fxt/profile.h include/libfxt/fxt/profile_builder.h \
        include/libfxt/fxt/profile_events.h include/libfxt/fxt/profile_summary.h \
        include/libfxt/fxt/profile_format.h include/libfxt/fxt/profile_walk.h \
        include/libfxt/fxt/profile_write.h share/man/man3/libfxtprofile.3 libfxtprofile.pc; do
        find "$work/root" -path "*/$file" | grep -q . || { echo "no $file was installed"; failed=1; }
    done
fi

# The sampler, where it was built.
sampler=$(find "$work/root" -name libfxtsampler.so)
if [ -n "$sampler" ]; then
    nm -D --defined-only "$sampler" | sed -n 's/.* [TDBR] //p' | LC_ALL=C sort |
        diff -u "$source/libfxtsampler/exports.txt" - || { echo "its exports differ"; failed=1; }
    for file in bin/fxtrecord libfxt/libfxtrecord-inject.so include/libfxt/fxt/sampler.h \
        include/libfxt/fxt/sampler_archive.h include/libfxt/fxt/sampler_code.h \
        include/libfxt/fxt/sampler_config.h \
        share/man/man1/fxtrecord.1 share/man/man3/libfxtsampler.3; do
        find "$work/root" -path "*/$file" | grep -q . || { echo "no $file was installed"; failed=1; }
    done
    # The page's program writes an archive of itself, where anything can be sampled.
    if ${CC:-cc} -std=c11 -o "$work/sample" "$work/sample.c" -Wall -Wextra -Werror \
        $(pkg-config --cflags --libs libfxtsampler); then
        if LD_LIBRARY_PATH=$libdir "$work/sample" >"$work/self.fxt"; then
            "$fxtdump" "$work/self.fxt" >"$work/self.txt" || failed=1
            for what in 'fxtrecord:recording' 'module .*/sample build id' ' sample '; do
                grep -q "$what" "$work/self.txt" || { echo "its archive has no '$what'"; failed=1; }
            done
        fi
    else
        echo "the program of docs/profiles-of-yourself.md does not compile"
        failed=1
    fi
fi

# The same for heaps; and the program finds the library where it was installed.
heap=$(find "$work/root" -name libfxtheap.so)
if [ -n "$heap" ]; then
    nm -D --defined-only "$heap" | sed -n 's/.* [TDBR] //p' | LC_ALL=C sort |
        diff -u "$source/libfxtheap/exports.txt" - || { echo "its exports differ"; failed=1; }
    needed=$(objdump -p "$heap" | sed -n 's/^ *NEEDED *//p' | grep -v '^libc\.\|^ld-linux' || :)
    [ -z "$needed" ] || { echo "libfxtheap.so needs $needed"; failed=1; }
    for file in bin/fxtheap include/libfxt/fxt/heap.h share/man/man1/fxtheap.1 \
        share/man/man3/libfxtheap.3 libfxtheap.pc; do
        find "$work/root" -path "*/$file" | grep -q . || { echo "no $file was installed"; failed=1; }
    done
fi
exit $failed

#!/bin/sh
# Runs the tests of a build with sanitizers, so that whatever these say is a failure:
#
#     CC=clang meson setup build-asan -Db_sanitize=address,undefined -Db_lundef=false
#     tests/support/sanitize.sh build-asan [ARGUMENTS OF MESON TEST]
#
# A leak, or undefined behaviour, in a process that Criterion starts does not make the test
# fail: here all reports go to files, and a file that is there is a failure. The exit status
# is then 9, else that of meson test.
set -u

build=$1
shift
logs=$(mktemp -d) || exit 99
trap 'rm -rf "$logs"' EXIT

common=log_path=$logs/report:print_stacktrace=1
ASAN_OPTIONS=$common:detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
UBSAN_OPTIONS=$common
TSAN_OPTIONS=$common
MSAN_OPTIONS=$common
export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS MSAN_OPTIONS

meson test -C "$build" "$@"
status=$?
for report in "$logs"/*; do
    [ -e "$report" ] || continue
    status=9
    cat "$report"
done
exit $status

#!/bin/sh
# Proves with Frama-C (WP) that the reader's cursor and the core of the emitter stay within
# their memory, for any input, any calls and any peer at a ring's other end, and that no
# sum, difference or product in them wraps:
#
#     apt-get install --no-install-recommends frama-c-base why3 z3 cvc4
#     tests/proof/run.sh
#
# ./check runs it where those packages, almost a gigabyte, are installed. Ends with 1 if a
# goal is not proved (which a busy machine may cause: the provers have 30 seconds each), and
# with 77 where there is no Frama-C.
#
# What is not proved, and why:
#
# - FXT_PUT, where it stands in the event about drops and in a sample: that no bit is shifted
#   out. It masks the value first, which these provers do not follow.
# - The other records (fxt_emit_backtrace and those of fxt/emit_records.h), which are made of
#   the functions that are proved, and cursor_start and cursor_rest, which only set and hand
#   out bounds: they have no contracts yet. fuzz_emit and fuzz_reader are for them.
# - cursor_snapshot, fxt_emit_init and fxt_emit_init_ring, the packing of strings: they see
#   memory as bytes and as words, which WP's model of memory cannot. The tests run them up
#   to unmapped pages on either side.
# - That what one CPU publishes is what another sees: WP knows one thread. The thread
#   sanitizer and the tests with two threads and with killed writers are for that.
set -eu

proof=$(cd "$(dirname "$0")" && pwd)
top=$proof/../..
failed=0

for program in frama-c why3; do
    command -v "$program" >/dev/null || {
        echo "skipped: there is no $program"
        exit 77
    }
done

# The provers that are installed; not in the user's own list.
provers=$(mktemp -d)
trap 'rm -rf "$provers"' EXIT
export WHY3CONFIG="$provers/why3.conf"
why3 config detect >/dev/null 2>&1

# prove FILE FUNCTIONS [OPTIONS]: prints the goals that are not proved
prove() {
    file=$1
    functions=$2
    shift 2
    out=$(frama-c -wp -wp-rte -wp-prover z3,cvc4 -wp-timeout 30 -wp-par 2 \
        -wp-fct "$functions" \
        -cpp-extra-args="-I$proof -I$top/include -I$top" "$@" "$proof/$file") || {
        echo "$out"
        exit 1
    }
    echo "$out" | sed -n "s|^\[wp\] Proved goals: *|$file: proved |p"
    ! echo "$out" | grep '^\[wp\] \[Failed\]' || failed=1
}

prove cursor.c cursor_left,cursor_fail,cursor_load_,cursor_word,cursor_stream,cursor_run \
    -warn-unsigned-overflow
prove emitter.c fxt_emit_is_wide_,fxt_emit_drops_words_,fxt_emit_drop_,\
fxt_emit_go_around_,fxt_emit_find_room_,fxt_emit_make_room_,fxt_emit_reserve_,\
fxt_emit_copy_,fxt_emit_publish_ -warn-unsigned-overflow
prove emitter.c fxt_emit_put_number_,fxt_emit_put_drops_,fxt_emit_sample
exit $failed

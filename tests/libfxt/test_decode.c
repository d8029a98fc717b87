/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What records say. The worked examples are words in hexadecimal; the tables put records
 * together field by field and say, as show.h shows it, what each must come to.
 */
#include "rows.h"
#include "tests/support/worked.h"

static void check_worked(const struct worked *example, bool big)
{
    struct words w = {.big = big};

    put_worked_example(&w, example);
    check_words(&w, example->name, example->content, example->errors);
    words_free(&w);
}

TEST(decode, the_worked_examples_say_what_the_reference_states)
{
    for (size_t i = 0; i < N_WORKED; i++) {
        check_worked(&worked_examples[i], false);
        check_worked(&worked_examples[i], true);
    }
}

static const struct row metadata_rows[] = {
    {"a provider without a name",
     " type=0 kind=1 provider=4294967295 name=<> event=0 info=0 magic=0",
     "",
     {H(AT(16, 1) | AT(20, 0xffffffff))}},
    {"a provider's name of nine bytes, surplus words, unused bits",
     " type=0 kind=1 provider=1 name=<nine byte> event=0 info=0 magic=0",
     "",
     {H(AT(16, 1) | AT(20, 1) | AT(52, 9) | AT(60, 15)), S("nine byte"), W(1)}},
    {"a provider's section with a surplus word",
     " type=0 kind=2 provider=0 name=<> event=0 info=0 magic=0",
     "",
     {H(AT(16, 2)), W(1)}},
    {"a provider's event of a new kind",
     " type=0 kind=3 provider=9 name=<> event=15 info=0 magic=0",
     "unknown_provider_event",
     {H(AT(16, 3) | AT(20, 9) | AT(52, 15))}},
    {"trace info of a new kind",
     " type=0 kind=4 provider=0 name=<> event=0 info=15 magic=374634566",
     "unknown_trace_info",
     {H(AT(16, 4) | AT(20, 15) | AT(24, 0x16547846))}},
    {"metadata of kind 0",
     " type=0 kind=0 unknown={7 8}",
     "unknown_metadata",
     {H(0), W(7), W(8)}},
    {"metadata of kind 5",
     " type=0 kind=5 unknown={}",
     "unknown_metadata",
     {H(AT(16, 5))}},
    {"initialization with one surplus word",
     " type=1 kind=0 rate=5 has_base=0 base_ticks=0 base_wall_ns=0",
     "",
     {H(1), W(5), W(6)}},
    {"initialization with a wall clock",
     " type=1 kind=0 rate=5 has_base=1 base_ticks=6 base_wall_ns=7",
     "",
     {H(1), W(5), W(6), W(7)}},
    {"initialization with three surplus words",
     " type=1 kind=0 rate=0xffffffffffffffff has_base=0 base_ticks=0 base_wall_ns=0",
     "",
     {H(1 | AT(16, 0xffffffffffff)), W(UINT64_MAX), W(6), W(7), W(8)}},
    {"the last string, unused bits, a surplus word",
     " type=2 kind=0 index=32767 value=<abc>",
     "",
     {H(2 | AT(16, 0xffff) | AT(32, 0xffff8003)), S("abc"), W(1)}},
    {"an empty string", " type=2 kind=0 index=1 value=<>", "", {H(2 | AT(16, 1))}},
    {"a string at index 0",
     " type=2 kind=0 index=0 value=<abc>",
     "index_zero",
     {H(2 | AT(32, 3)), S("abc")}},
    {"the last thread, unused bits, a surplus word",
     " type=3 kind=0 index=255 process=0xffffffffffffffff thread=0",
     "",
     {H(3 | AT(16, 0xffffffffffff)), W(UINT64_MAX), W(0), W(1)}},
    {"a thread at index 0",
     " type=3 kind=0 index=0 process=1 thread=2",
     "index_zero",
     {H(3), W(1), W(2)}},
};

TEST(decode, metadata_and_registrations_say_what_is_in_them)
{
    CHECK_ROWS(metadata_rows)
}

/* The head of an event of thread #1 at time 1, without strings. */
#define EVENT(kind, n_args) H(4 | AT(16, kind) | AT(20, n_args) | AT(24, 1)), W(1)
#define EVENT_SAYS(kind)                                                                 \
    " type=4 kind=" kind " timestamp=1 thread=#1? category=<> name=<>"

static const struct row event_rows[] = {
    {"an instant",
     EVENT_SAYS("0") " id=0 end=0 scope=0",
     "thread_unknown",
     {EVENT(0, 0)}},
    {"an instant of a process",
     EVENT_SAYS("0") " id=0 end=0 scope=1",
     "thread_unknown",
     {EVENT(0, 0), W(1)}},
    {"an instant of a new scope and a surplus word",
     EVENT_SAYS("0") " id=0 end=0 scope=0xffffffffffffffff",
     "thread_unknown",
     {EVENT(0, 0), W(UINT64_MAX), W(1)}},
    {"a counter",
     EVENT_SAYS("1") " id=0xffffffffffffffff end=0 scope=0",
     "thread_unknown",
     {EVENT(1, 0), W(UINT64_MAX)}},
    {"a duration's begin and a surplus word",
     EVENT_SAYS("2") " id=0 end=0 scope=0",
     "thread_unknown",
     {EVENT(2, 0), W(9)}},
    {"a duration's end",
     EVENT_SAYS("3") " id=0 end=0 scope=0",
     "thread_unknown",
     {EVENT(3, 0)}},
    {"a complete duration",
     EVENT_SAYS("4") " id=0 end=9 scope=0",
     "thread_unknown",
     {EVENT(4, 0), W(9)}},
    {"an async begin",
     EVENT_SAYS("5") " id=9 end=0 scope=0",
     "thread_unknown",
     {EVENT(5, 0), W(9)}},
    {"an async instant",
     EVENT_SAYS("6") " id=9 end=0 scope=0",
     "thread_unknown",
     {EVENT(6, 0), W(9)}},
    {"an async end",
     EVENT_SAYS("7") " id=9 end=0 scope=0",
     "thread_unknown",
     {EVENT(7, 0), W(9)}},
    {"a flow begin",
     EVENT_SAYS("8") " id=9 end=0 scope=0",
     "thread_unknown",
     {EVENT(8, 0), W(9)}},
    {"a flow step",
     EVENT_SAYS("9") " id=9 end=0 scope=0",
     "thread_unknown",
     {EVENT(9, 0), W(9)}},
    {"a flow end and a surplus word",
     EVENT_SAYS("10") " id=9 end=0 scope=0",
     "thread_unknown",
     {EVENT(10, 0), W(9), W(8)}},
    {"an event of a new kind",
     EVENT_SAYS("11") " id=0 end=0 scope=0 unknown={9 8}",
     "unknown_event thread_unknown",
     {EVENT(11, 0), W(9), W(8)}},
    {"an event of a new kind with an argument",
     EVENT_SAYS("15") " id=0 end=0 scope=0 arg=<> type=2 value=6 unknown={}",
     "unknown_event thread_unknown",
     {EVENT(15, 1), ARG(2, 1, 0, 6)}},
    {"an event with everything inline, in its order",
     " type=4 kind=1 timestamp=1 thread=2/3 category='category' name='name' id=9 end=0"
     " scope=0 arg='arg' type=6 value='value'",
     "",
     {H(4 | AT(16, 1) | AT(20, 1) | AT(32, IN_LINE(8)) | AT(48, IN_LINE(4))), W(1), W(2),
      W(3), S("category"), S("name"), ARG(6, 3, IN_LINE(3), IN_LINE(5)), S("arg"),
      S("value"), W(9)}},
    {"inline strings of no bytes",
     " type=4 kind=0 timestamp=1 thread=0/0 category='' name='' id=0 end=0 scope=0"
     " arg='' type=6 value=''",
     "",
     {H(4 | AT(20, 1) | AT(32, IN_LINE(0)) | AT(48, IN_LINE(0))), W(1), W(0), W(0),
      ARG(6, 1, IN_LINE(0), IN_LINE(0))}},
};

TEST(decode, events_of_all_kinds_say_what_is_in_them)
{
    CHECK_ROWS(event_rows)
}

/* An instant of no thread at time 1 with one argument. */
#define CARRIER H(4 | AT(20, 1)), W(1), W(0), W(0)
#define CARRIED(arg)                                                                     \
    " type=4 kind=0 timestamp=1 thread=0/0 category=<> name=<> id=0 end=0 scope=0 " arg

static const struct row arg_rows[] = {
    {"null", CARRIED("arg=<> type=0"), "", {CARRIER, ARG(0, 1, 0, 5)}},
    {"null with surplus", CARRIED("arg=<> type=0"), "", {CARRIER, ARG(0, 3, 0, 5), Z(2)}},
    {"int32",
     CARRIED("arg=<> type=1 value=0xffffffff80000000"),
     "",
     {CARRIER, ARG(1, 1, 0, 0x80000000)}},
    {"uint32",
     CARRIED("arg=<> type=2 value=2147483648"),
     "",
     {CARRIER, ARG(2, 1, 0, 0x80000000)}},
    {"int64",
     CARRIED("arg=<> type=3 value=0x8000000000000000"),
     "",
     {CARRIER, ARG(3, 2, 0, 5), W(AT(63, 1))}},
    {"uint64 with surplus",
     CARRIED("arg=<> type=4 value=0xffffffffffffffff"),
     "",
     {CARRIER, ARG(4, 4, 0, 5), W(UINT64_MAX), W(2), W(3)}},
    {"double 42.5",
     CARRIED("arg=<> type=5 bits=0x4045400000000000"),
     "",
     {CARRIER, ARG(5, 2, 0, 5), W(0x4045400000000000)}},
    {"a NaN keeps its bits",
     CARRIED("arg=<> type=5 bits=0xfff8dead0000beef"),
     "",
     {CARRIER, ARG(5, 2, 0, 5), W(0xfff8dead0000beef)}},
    {"string, empty", CARRIED("arg=<> type=6 value=<>"), "", {CARRIER, ARG(6, 1, 0, 0)}},
    {"string, not registered",
     CARRIED("arg=<> type=6 value=#32767?"),
     "string_unknown",
     {CARRIER, ARG(6, 1, 0, 0xffff7fff)}},
    {"string, inline, with surplus",
     CARRIED("arg='n' type=6 value='eight by'"),
     "",
     {CARRIER, ARG(6, 4, IN_LINE(1), IN_LINE(8)), S("n"), S("eight by"), W(9)}},
    {"pointer",
     CARRIED("arg=<> type=7 value=0xdeadbeefdeadbeef"),
     "",
     {CARRIER, ARG(7, 2, 0, 5), W(0xdeadbeefdeadbeef)}},
    {"koid", CARRIED("arg=<> type=8 value=7"), "", {CARRIER, ARG(8, 2, 0, 5), W(7)}},
    {"true is bit 32", CARRIED("arg=<> type=9 value=1"), "", {CARRIER, ARG(9, 1, 0, 1)}},
    {"and no other bit",
     CARRIED("arg=<> type=9 value=0"),
     "",
     {CARRIER, ARG(9, 1, 0, 0xfffffffe)}},
    {"blob of no bytes",
     CARRIED("arg=<> type=10 value=[]"),
     "",
     {CARRIER, ARG(10, 1, 0, 0)}},
    {"blob with a name and surplus",
     CARRIED("arg='n' type=10 value=[010203040506070809]"),
     "",
     {CARRIER, ARG(10, 5, IN_LINE(1), 9), S("n"), S("\1\2\3\4\5\6\7\10\11"), W(1)}},
    {"a new type",
     CARRIED("arg='n' type=11 value={7 8}"),
     "unknown_arg",
     {CARRIER, ARG(11, 4, IN_LINE(1), 5), S("n"), W(7), W(8)}},
    {"a new type of one word",
     CARRIED("arg=#5? type=15 value={}"),
     "unknown_arg string_unknown",
     {CARRIER, ARG(15, 1, 5, 5)}},
};

TEST(decode, arguments_of_all_types_say_what_is_in_them){CHECK_ROWS(arg_rows)}

TEST(decode, an_event_may_have_fifteen_arguments)
{
    struct words w = {0};
    struct show content = {0};

    put_begin(&w, 4 | AT(20, 15));
    put_zeros(&w, 3);
    show_format(&content, " type=4 kind=0 timestamp=0 thread=0/0 category=<> name=<> id=0"
                          " end=0 scope=0");
    for (unsigned i = 0; i < 15; i++) {
        put(&w, 2 | AT(4, 1) | AT(32, i));
        show_format(&content, " arg=<> type=2 value=%u", i);
    }
    put_end(&w);
    check_words(&w, "fifteen", show_take(&content), "");
    show_free(&content);
    words_free(&w);
}

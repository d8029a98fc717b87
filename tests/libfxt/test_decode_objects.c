/* SPDX-License-Identifier: BSD-2-Clause */
/* What records say, as in test_decode.c: those that are not events, and references. */
#include "rows.h"

#define USERSPACE(n_args) H(6 | AT(40, n_args)), W(0xabc)

static const struct row object_rows[] = {
    {"a blob of a new type, without a name, with surplus words",
     " type=5 kind=0 name=<> of_type=255 payload=[61]",
     "",
     {H(5 | AT(32, 1) | AT(48, 255)), S("a"), Z(3)}},
    {"a blob of nothing",
     " type=5 kind=0 name=#9? of_type=0 payload=[]",
     "string_unknown",
     {H(5 | AT(16, 9))}},
    {"a userspace object of a thread that is not registered",
     " type=6 kind=0 pointer=2748 process=#255? name='obj' arg=<> type=2 value=5",
     "thread_unknown",
     {H(6 | AT(16, 255) | AT(24, IN_LINE(3)) | AT(40, 1)), W(0xabc), S("obj"),
      ARG(2, 1, 0, 5)}},
    {"a userspace object with one koid",
     " type=6 kind=0 pointer=2748 process=7/0 name='obj' arg=<> type=4 value=9",
     "",
     {H(6 | AT(24, IN_LINE(3)) | AT(40, 1)), W(0xabc), W(7), S("obj"), ARG(4, 2, 0, 0),
      W(9)}},
    {"a userspace object with two koids",
     " type=6 kind=0 pointer=2748 process=7/8 name='obj' arg=<> type=4 value=9",
     "",
     {H(6 | AT(24, IN_LINE(3)) | AT(40, 1)), W(0xabc), W(7), W(8), S("obj"),
      ARG(4, 2, 0, 0), W(9)}},
    {"a userspace object that only two koids fill, though one fits",
     " type=6 kind=0 pointer=2748 process=7/8 name=<>",
     "",
     {USERSPACE(0), W(7), W(8)}},
    {"a userspace object that neither fills, though both fit",
     " type=6 kind=0 pointer=2748 process=7/0 name=<>",
     "",
     {USERSPACE(0), W(7), W(8), W(9)}},
    {"a userspace object that both fill",
     " type=6 kind=0 pointer=2748 process=7/0 name=<> arg=<> type=3 value=16",
     "",
     {USERSPACE(1), W(7), ARG(3, 2, 0, 0), ARG(0, 1, 0, 0)}},
    {"a userspace object that only two koids fit, with a surplus word",
     " type=6 kind=0 pointer=2748 process=7/65536 name=<> arg=<> type=2 value=6",
     "",
     {USERSPACE(1), W(7), W(0x10000), ARG(2, 1, 0, 6), W(1)}},
    {"a userspace object with an unknown argument after two koids",
     " type=6 kind=0 pointer=2748 process=7/65536 name=<> arg=<> type=12 value={1}",
     "unknown_arg",
     {USERSPACE(1), W(7), W(0x10000), ARG(12, 2, 0, 6), W(1)}},
    {"a userspace object that two koids fill, where one had an unknown argument",
     " type=6 kind=0 pointer=2748 process=7/28 name=<> arg=<> type=2 value=6",
     "",
     {USERSPACE(1), W(7), W(0x1c), ARG(2, 1, 0, 6)}},
    {"a kernel object of a new type, named by any bytes",
     " type=7 kind=0 of_type=255 koid=0xffffffffffffffff name='\\xff\\xfe\\x01'",
     "",
     {H(7 | AT(16, 255) | AT(24, IN_LINE(3)) | AT(44, 0xfffff)), W(UINT64_MAX),
      S("\xff\xfe\1")}},
};

TEST(decode, blobs_and_objects_say_what_is_in_them)
{
    CHECK_ROWS(object_rows)
}

static const struct row scheduling_rows[] = {
    {"a context switch at the edges of its fields",
     " type=8 kind=1 timestamp=1 cpu=65535 state=15 outgoing=0/2 incoming=0/3 "
     "priorities=0"
     " and=0 waking=0",
     "",
     {H(8 | AT(60, 1) | AT(20, 0xffff) | AT(36, 0xffffff)), W(1), W(2), W(3), W(4)}},
    {"a wakeup with an argument",
     " type=8 kind=2 timestamp=1 cpu=65535 state=0 outgoing=0/0 incoming=0/0 priorities=0"
     " and=0 waking=2 arg='waker' type=8 value=3",
     "",
     {H(8 | AT(60, 2) | AT(20, 0xffff) | AT(16, 1)), W(1), W(2), ARG(8, 3, IN_LINE(5), 0),
      S("waker"), W(3)}},
    {"a legacy switch at the edges of its fields",
     " type=8 kind=0 timestamp=1 cpu=255 state=15 outgoing=#255? incoming=2/3"
     " priorities=255 and=255 waking=0",
     "thread_unknown",
     {H(8 | AT(16, 255) | AT(24, 15) | AT(28, 255) | AT(44, 255) | AT(52, 255)), W(1),
      W(2), W(3)}},
    {"a legacy switch with both threads inline",
     " type=8 kind=0 timestamp=1 cpu=0 state=0 outgoing=2/3 incoming=4/5"
     " priorities=0 and=0 waking=0",
     "",
     {H(8), W(1), W(2), W(3), W(4), W(5)}},
    {"scheduling of a new kind",
     " type=8 kind=15 unknown={7}",
     "unknown_scheduling",
     {H(8 | AT(60, 15)), W(7)}},
    {"a log of no bytes and a surplus word",
     " type=9 kind=0 timestamp=1 thread=#9? message=<>",
     "thread_unknown",
     {H(9 | AT(32, 9) | AT(40, 0xffffff)), W(1), W(2)}},
};

TEST(decode, scheduling_and_logs_say_what_is_in_them)
{
    CHECK_ROWS(scheduling_rows)
}

#define MODULE(thread, name_size, id_size)                                               \
    H(10 | AT(20, thread) | AT(28, 0xabcd) | AT(44, name_size) | AT(52, id_size)), W(1)
#define MODULE_SAYS(thread, rest)                                                        \
    " type=10 kind=0 timestamp=1 thread=" thread " module=43981 " rest                   \
    " start=0 length=0 vaddr=0 flags=0 pcs={}"
#define MAPPING(thread)                                                                  \
    H(10 | AT(16, 1) | AT(20, thread) | AT(28, 0xffff) | AT(44, 7) | AT(47, 0x1ffff)),   \
        W(1)
#define MAPPING_SAYS(thread)                                                             \
    " type=10 kind=1 timestamp=1 thread=" thread                                         \
    " module=65535 name=<> build_id=[] hex=0 start=5 length=6 vaddr=7 flags=7 pcs={}"

static const struct row profiler_rows[] = {
    {"a module of the first dialect: one koid, a build id in hex",
     MODULE_SAYS("7/0", "name=<libc> build_id=[3365316334656238326637396166366134666431"
                        "3432646231316638333937373936374632463737] hex=1"),
     "",
     {MODULE(0, 4, 40), W(7), S("libc"), S("3e1c4eb82f79af6a4fd142db11f83977967F2F77")}},
    {"a module of the second: one koid, a build id in bytes",
     MODULE_SAYS("7/0", "name=<libc> build_id=[6161616161616161616161616161616161616161]"
                        " hex=0"),
     "",
     {MODULE(0, 4, 20), W(7), S("libc"), S("aaaaaaaaaaaaaaaaaaaa")}},
    {"a module of the third: two koids",
     MODULE_SAYS("7/8", "name=<libc> build_id=[61] hex=0"),
     "",
     {MODULE(0, 4, 1), W(7), W(8), S("libc"), S("a")}},
    {"a module with two koids and a surplus word",
     MODULE_SAYS("7/8", "name=<> build_id=[] hex=0"),
     "",
     {MODULE(0, 0, 0), W(7), W(8), W(9)}},
    {"a module of a thread that is not registered",
     MODULE_SAYS("#9?", "name=<libc> build_id=[61] hex=0"),
     "thread_unknown",
     {MODULE(9, 4, 1), S("libc"), S("a")}},
    {"a module of a thread that is not registered, with a surplus word",
     MODULE_SAYS("#9?", "name=<libc> build_id=[61] hex=0"),
     "thread_unknown",
     {MODULE(9, 4, 1), S("libc"), S("a"), W(5)}},
    {"forty characters that are not all hex",
     MODULE_SAYS("#9?", "name=<> build_id=[3365316334656238326637396166366134666431"
                        "3432646231316638333937373936374632463767] hex=0"),
     "thread_unknown",
     {MODULE(9, 0, 40), S("3e1c4eb82f79af6a4fd142db11f83977967F2F7g")}},
    {"a mapping with one koid",
     MAPPING_SAYS("4/0"),
     "",
     {MAPPING(0), W(4), W(5), W(6), W(7)}},
    {"a mapping with two koids",
     MAPPING_SAYS("4/3"),
     "",
     {MAPPING(0), W(4), W(3), W(5), W(6), W(7)}},
    {"a mapping with two koids and a surplus word",
     MAPPING_SAYS("4/3"),
     "",
     {MAPPING(0), W(4), W(3), W(5), W(6), W(7), W(8)}},
    {"a mapping of a thread that is not registered",
     MAPPING_SAYS("#9?"),
     "thread_unknown",
     {MAPPING(9), W(5), W(6), W(7)}},
    {"a mapping of a thread that is not registered, with a surplus word",
     MAPPING_SAYS("#9?"),
     "thread_unknown",
     {MAPPING(9), W(5), W(6), W(7), W(8)}},
    {"a backtrace of no PCs, with a surplus word",
     " type=10 kind=2 timestamp=1 thread=#9? module=0 name=<> build_id=[] hex=0 start=0"
     " length=0 vaddr=0 flags=0 pcs={}",
     "thread_unknown",
     {H(10 | AT(16, 2) | AT(20, 9) | AT(36, 0xfffffff)), W(1), W(2)}},
    {"a profiler record of a new kind",
     " type=10 kind=3 unknown={7 8}",
     "unknown_profiler",
     {H(10 | AT(16, 3)), W(7), W(8)}},
};

TEST(decode, profiler_records_of_three_dialects_say_what_is_in_them)
{
    CHECK_ROWS(profiler_rows)
}

/* Whether a build id of forty times `a` with another byte in it is taken for hex. */
static bool is_hex_with(unsigned char byte, size_t at)
{
    struct words w = {0};
    struct reading reading;
    char id[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    bool is_hex;

    id[at] = (char)byte;
    put_begin(&w, 10 | AT(52, 40));
    put_zeros(&w, 3);
    put_bytes(&w, id, 40);
    put_end(&w);
    reading = read_words(&w);
    is_hex = strstr(show_take(&reading.records), " hex=1") != NULL;
    show_free(&reading.records);
    show_free(&reading.errors);
    words_free(&w);
    return is_hex;
}

TEST(decode, forty_hex_digits_of_either_case_are_a_build_id_in_hex)
{
    for (int byte = 0; byte < 256; byte++) {
        bool is_digit = byte != 0 && strchr("0123456789abcdefABCDEF", byte) != NULL;

        CHECK(is_hex_with((unsigned char)byte, 0) == is_digit, "%d first", byte);
        CHECK(is_hex_with((unsigned char)byte, 39) == is_digit, "%d last", byte);
    }
}

static const struct row large_rows[] = {
    {"a large blob with everything, in its order",
     " type=15 kind=0 format=0 timestamp=1 thread=2/3 category='category' name='name'"
     " payload=[6e696e652062797465] arg=<> type=2 value=6",
     "",
     {H(15), W(IN_LINE(8) | AT(16, IN_LINE(4)) | AT(32, 1)), S("category"), S("name"),
      W(1), W(2), W(3), ARG(2, 1, 0, 6), W(9), S("nine byte")}},
    {"a large blob of a thread that is not registered, with surplus words",
     " type=15 kind=0 format=0 timestamp=1 thread=#255? category=#1? name=<> payload=[]",
     "string_unknown thread_unknown",
     {H(15), W(1 | AT(36, 255) | AT(44, 0xfffff)), W(1), W(0), W(5), W(6)}},
    {"a sample of no PCs",
     " type=15 kind=0 format=0 timestamp=1 thread=2/3 category=<> name=<> payload=[]",
     "",
     {H(15), W(0), W(1), W(2), W(3), W(0)}},
    {"a sample with bits that are unused",
     " type=15 kind=0 format=0 timestamp=1 thread=2/3 category=<> name=<> payload=[]",
     "",
     {H(15 | AT(44, 0xfffff)), W(0), W(1), W(2), W(3), W(0)}},
    {"a sample of half a PC, with a surplus word",
     " type=15 kind=0 format=0 timestamp=1 thread=2/3 category=<> name=<> "
     "payload=[61626364]",
     "",
     {H(15), W(0), W(1), W(2), W(3), W(4), S("abcd"), W(9)}},
    {"a large blob without metadata, without strings",
     " type=15 kind=0 format=1 timestamp=0 thread=0/0 category=<> name=<> payload=[61]",
     "",
     {H(15 | AT(40, 1)), W(AT(32, 0xffffffff)), W(1), S("a"), W(9)}},
    {"a large record of a new type",
     " type=15 kind=1 unknown={7 8}",
     "unknown_large",
     {H(15 | AT(36, 1)), W(7), W(8)}},
    {"a large blob of a new format",
     " type=15 kind=0 unknown={7 8}",
     "unknown_blob_format",
     {H(15 | AT(40, 2)), W(7), W(8)}},
};

TEST(decode, large_records_say_what_is_in_them){CHECK_ROWS(large_rows)}

TEST(decode, records_of_new_types_come_with_their_words)
{
    for (uint64_t type = 11; type <= 14; type++) {
        struct words w = {0};
        char content[64];

        put_begin(&w, type | AT(16, 0xffffffffffff));
        put(&w, 7);
        put(&w, 8);
        put_end(&w);
        snprintf(content, sizeof(content), " type=%d kind=0 unknown={7 8}", (int)type);
        check_words(&w, "a new type", content, "unknown_record");
        words_free(&w);
    }
}

/* ---- references ---- */

/* A line for each registration, and then what is of interest. */
#define STRING(index, size, text) H(2 | AT(16, index) | AT(32, size)), S(text)
#define STRING_SAYS(index, text) " type=2 kind=0 index=" index " value=<" text ">\n"
#define THREAD(index, process, thread) H(3 | AT(16, index)), W(process), W(thread)
#define THREAD_SAYS(index, process, thread)                                              \
    " type=3 kind=0 index=" index " process=" process " thread=" thread "\n"

static const struct row reference_rows[] = {
    {"registered strings and threads are looked up",
     STRING_SAYS("1", "abc") STRING_SAYS("32767", "")
         THREAD_SAYS("255", "7", "8") " type=4 kind=0 timestamp=1 thread=#255=7/8 "
                                      "category=#1'abc' name=#32767'' id=0"
                                      " end=0 scope=0 arg=#1'abc' type=6 value=#1'abc'",
     "",
     {STRING(1, 3, "abc"), STRING(32767, 0, ""), THREAD(255, 7, 8),
      H(4 | AT(20, 1) | AT(24, 255) | AT(32, 1) | AT(48, 32767)), W(1), ARG(6, 1, 1, 1)}},
    {"the newest registration wins",
     STRING_SAYS("1", "abc") STRING_SAYS("1", "longer than that, and longer")
         STRING_SAYS("1", "de") THREAD_SAYS("1", "7", "8")
             THREAD_SAYS("1", "9", "10") " type=4 kind=0 timestamp=1 thread=#1=9/10 "
                                         "category=#1'de' name=<> id=0 end=0"
                                         " scope=0",
     "",
     {STRING(1, 3, "abc"), STRING(1, 28, "longer than that, and longer"),
      STRING(1, 2, "de"), THREAD(1, 7, 8), THREAD(1, 9, 10), H(4 | AT(24, 1) | AT(32, 1)),
      W(1)}},
    {"what has index 0 stays unused",
     " type=2 kind=0 index=0 value=<abc>\n type=3 kind=0 index=0 process=7 thread=8\n"
     " type=9 kind=0 timestamp=1 thread=2/3 message=<>",
     "index_zero index_zero",
     {H(2 | AT(32, 3)), S("abc"), H(3), W(7), W(8), H(9), W(1), W(2), W(3)}},
    {"all kinds of records look things up",
     STRING_SAYS("1", "abc") THREAD_SAYS(
         "1", "7",
         "8") " type=5 kind=0 name=#1'abc' of_type=0 payload=[]\n"
              " type=6 kind=0 pointer=1 process=#1=7/8 name=#1'abc'\n"
              " type=7 kind=0 of_type=0 koid=1 name=#1'abc'\n"
              " type=8 kind=0 timestamp=1 cpu=0 state=0 outgoing=#1=7/8 incoming=#1=7/8"
              " priorities=0 and=0 waking=0\n"
              " type=9 kind=0 timestamp=1 thread=#1=7/8 message=<>\n"
              " type=10 kind=2 timestamp=1 thread=#1=7/8 module=0 name=<> build_id=[] "
              "hex=0"
              " start=0 length=0 vaddr=0 flags=0 pcs={}\n"
              " type=15 kind=0 format=0 timestamp=1 thread=#1=7/8 category=#1'abc' "
              "name=#1'abc'"
              " payload=[]",
     "",
     {STRING(1, 3, "abc"), THREAD(1, 7, 8), H(5 | AT(16, 1)),
      H(6 | AT(16, 1) | AT(24, 1)), W(1), H(7 | AT(24, 1)), W(1),
      H(8 | AT(28, 1) | AT(36, 1)), W(1), H(9 | AT(32, 1)), W(1),
      H(10 | AT(16, 2) | AT(20, 1)), W(1), H(15), W(1 | AT(16, 1) | AT(36, 1)), W(1),
      W(0)}},
};

TEST(decode, references_are_looked_up_in_what_came_before)
{
    CHECK_ROWS(reference_rows)
}

/* Everything is decoded into the same memory. */
static const struct row leftover_rows[] = {
    {"a sample that is not plain, after one that overruns and an unknown argument",
     " type=7 kind=0 of_type=0 koid=1 name=<> arg=<> type=12 value={}\n"
     " type=15 kind=0 format=0 timestamp=1 thread=2/3 category=<> name=<> payload=[]",
     "unknown_arg blob_overrun",
     {H(7 | AT(40, 1)), W(1), ARG(12, 1, 0, 0), H(15), Z(4), W(1), H(15), W(0), W(1),
      W(2), W(3), W(0), W(9)}},
    {"a large blob without metadata, after one with it",
     " type=15 kind=0 format=0 timestamp=7 thread=8/9 category=<> name=<> payload=[]\n"
     " type=15 kind=0 format=1 timestamp=0 thread=0/0 category=<> name=<> payload=[]",
     "",
     {H(15), W(0), W(7), W(8), W(9), W(0), H(15 | AT(40, 1)), W(0), W(0)}},
    {"an instant without a scope, after a counter and one with a scope",
     " type=4 kind=1 timestamp=1 thread=2/3 category=<> name=<> id=9 end=0 scope=0\n"
     " type=4 kind=0 timestamp=1 thread=2/3 category=<> name=<> id=0 end=0 scope=2\n"
     " type=4 kind=4 timestamp=1 thread=2/3 category=<> name=<> id=0 end=8 scope=0\n"
     " type=4 kind=0 timestamp=1 thread=2/3 category=<> name=<> id=0 end=0 scope=0",
     "",
     {H(4 | AT(16, 1)), W(1), W(2), W(3), W(9), H(4), W(1), W(2), W(3), W(2),
      H(4 | AT(16, 4)), W(1), W(2), W(3), W(8), H(4), W(1), W(2), W(3)}},
    {"initialization without a wall clock, after one with it",
     " type=1 kind=0 rate=5 has_base=1 base_ticks=6 base_wall_ns=7\n"
     " type=1 kind=0 rate=5 has_base=0 base_ticks=0 base_wall_ns=0",
     "",
     {H(1), W(5), W(6), W(7), H(1), W(5)}},
    {"a mapping after a module",
     " type=10 kind=0 timestamp=1 thread=7/8 module=5 name=<n> build_id=[61] hex=0 "
     "start=0"
     " length=0 vaddr=0 flags=0 pcs={}\n"
     " type=10 kind=1 timestamp=1 thread=7/8 module=0 name=<> build_id=[] hex=0 start=1"
     " length=2 vaddr=3 flags=0 pcs={}",
     "",
     {H(10 | AT(28, 5) | AT(44, 1) | AT(52, 1)), W(1), W(7), W(8), S("n"), S("a"),
      H(10 | AT(16, 1)), W(1), W(7), W(8), W(1), W(2), W(3)}},
};

TEST(decode, nothing_of_one_record_is_left_in_the_next)
{
    CHECK_ROWS(leftover_rows)
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* How a writer refers to strings and threads: what it registers and when, and what stands
 * in line. Each row is some records and the stream that they come to, a line a record. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "tests/support/trip.h"

enum { ROW_RECORDS = 6 };

struct assign_refs_row {
    const char *row_name;
    enum fxt_references strings;
    enum fxt_references threads;
    const char *expected;
    struct fxt_record records[ROW_RECORDS];
    int n_records;
};

/* clang-format off */
#define TEXT(text) {text, sizeof(text) - 1, 0}
#define THREAD(process, thread) {process, thread, 0, true}
#define ARGS(...) (const struct fxt_arg[]){__VA_ARGS__}
#define EVENT(c, n, t) \
    {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_DURATION_BEGIN, \
     .event = {.timestamp = 1, .category = TEXT(c), .name = TEXT(n), .thread = t}}
#define EVENT_SAYS(thread, category, name) \
    " type=4 kind=2 timestamp=1 thread=" thread " category=" category " name=" name \
    " id=0 end=0 scope=0"
#define OBJECT(n) {.type = FXT_RECORD_KERNEL_OBJECT, .kernel_object = {1, 2, TEXT(n)}}
#define OBJECT_SAYS(name) " type=7 kind=0 of_type=1 koid=2 name=" name
#define LOG(t) {.type = FXT_RECORD_LOG, .log = {1, t, TEXT("m")}}
#define LOG_SAYS(thread) " type=9 kind=0 timestamp=1 thread=" thread " message=<m>"
#define STRING_SAYS(index, value) " type=2 kind=0 index=" index " value=<" value ">"
#define THREAD_SAYS(index, process, thread) \
    " type=3 kind=0 index=" index " process=" process " thread=" thread
#define PROVIDER(info, id) \
    {.type = FXT_RECORD_METADATA, .kind = info ? FXT_METADATA_PROVIDER_INFO \
                                               : FXT_METADATA_PROVIDER_SECTION, \
     .metadata = {.provider_id = id}}
#define PROVIDER_SAYS(kind, id) \
    " type=0 kind=" kind " provider=" id " name=<> event=0 info=0 magic=0"

static const struct assign_refs_row assign_refs_rows[] = {
    {"what is new is registered just before it is used, and once",
     0, 0,
     THREAD_SAYS("1", "7", "8") "\n" STRING_SAYS("1", "net") "\n" STRING_SAYS("2", "in")
     "\n" EVENT_SAYS("#1=7/8", "#1'net'", "#2'in'") "\n" STRING_SAYS("3", "out")
     "\n" EVENT_SAYS("#1=7/8", "#1'net'", "#3'out'")
     "\n" EVENT_SAYS("#1=7/8", "#1'net'", "#2'in'"),
     {EVENT("net", "in", THREAD(7, 8)), EVENT("net", "out", THREAD(7, 8)),
      EVENT("net", "in", THREAD(7, 8))}, 3},
    {"a string twice in a record is registered once",
     0, FXT_REFERENCES_IN_LINE,
     STRING_SAYS("1", "x") "\n" EVENT_SAYS("7/8", "#1'x'", "#1'x'"),
     {EVENT("x", "x", THREAD(7, 8))}, 1},
    {"names of objects are inline until they come again",
     0, 0,
     OBJECT_SAYS("'worker'") "\n" STRING_SAYS("1", "worker")
     "\n" OBJECT_SAYS("#1'worker'") "\n" OBJECT_SAYS("'main'"),
     {OBJECT("worker"), OBJECT("worker"), OBJECT("main")}, 3},
    {"so do values of arguments, but not their names",
     0, FXT_REFERENCES_IN_LINE,
     STRING_SAYS("1", "c") "\n" STRING_SAYS("2", "k")
     "\n" EVENT_SAYS("7/8", "#1'c'", "#1'c'") " arg=#2'k' type=6 value='v'",
     {{.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_DURATION_BEGIN,
       .n_args = 1,
       .args = ARGS({.name = TEXT("k"), .type = FXT_ARG_STRING, .value.string = TEXT("v")}),
       .event = {.timestamp = 1, .category = TEXT("c"), .name = TEXT("c"),
                 .thread = THREAD(7, 8)}}}, 1},
    {"the thread of a sample is inline",
     0, 0,
     " type=10 kind=2 timestamp=1 thread=7/8 module=0 name=<> build_id=[] hex=0 start=0"
     " length=0 vaddr=0 flags=0 pcs={}",
     {{.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_BACKTRACE,
       .profiler = {.timestamp = 1, .thread = THREAD(7, 8)}}}, 1},
    {"the unknown thread is a thread",
     0, 0,
     THREAD_SAYS("1", "0", "0") "\n" LOG_SAYS("#1=0/0") "\n" LOG_SAYS("#1=0/0"),
     {LOG({0}), LOG(THREAD(0, 0))}, 2},
    {"empty strings are not registered",
     0, FXT_REFERENCES_IN_LINE,
     EVENT_SAYS("7/8", "<>", "<>"),
     {EVENT("", "", THREAD(7, 8))}, 1},
    {"each provider has its own tables, and keeps them",
     0, FXT_REFERENCES_IN_LINE,
     STRING_SAYS("1", "a") "\n" EVENT_SAYS("7/8", "#1'a'", "#1'a'")
     "\n" PROVIDER_SAYS("1", "3") "\n" STRING_SAYS("1", "a")
     "\n" EVENT_SAYS("7/8", "#1'a'", "#1'a'") "\n" PROVIDER_SAYS("2", "0")
     "\n" EVENT_SAYS("7/8", "#1'a'", "#1'a'"),
     {EVENT("a", "a", THREAD(7, 8)), PROVIDER(1, 3), EVENT("a", "a", THREAD(7, 8)),
      PROVIDER(0, 0), EVENT("a", "a", THREAD(7, 8))}, 5},
    {"a provider that is announced again starts with empty tables",
     0, 0,
     PROVIDER_SAYS("1", "3") "\n" THREAD_SAYS("1", "7", "8") "\n" LOG_SAYS("#1=7/8")
     "\n" PROVIDER_SAYS("1", "3") "\n" THREAD_SAYS("1", "7", "8")
     "\n" LOG_SAYS("#1=7/8"),
     {PROVIDER(1, 3), LOG(THREAD(7, 8)), PROVIDER(1, 3), LOG(THREAD(7, 8))}, 4},
    {"in line, nothing is registered, and what is handed in is not written",
     FXT_REFERENCES_IN_LINE, FXT_REFERENCES_IN_LINE,
     EVENT_SAYS("7/8", "'net'", "'in'") "\n" EVENT_SAYS("7/8", "'net'", "'in'"),
     {{.type = FXT_RECORD_STRING, .string = {5, TEXT("net")}},
      {.type = FXT_RECORD_THREAD, .thread = {5, 7, 8}},
      EVENT("net", "in", THREAD(7, 8)), EVENT("net", "in", THREAD(7, 8))}, 4},
    {"what is handed in does not register itself",
     0, 0,
     THREAD_SAYS("1", "7", "8") "\n" LOG_SAYS("#1=7/8"),
     {{.type = FXT_RECORD_STRING, .string = {5, TEXT("net")}},
      {.type = FXT_RECORD_THREAD, .thread = {5, 7, 8}}, LOG(THREAD(7, 8))}, 3},
    {"strings as given and threads from the table",
     FXT_REFERENCES_AS_GIVEN, 0,
     STRING_SAYS("5", "net") "\n" THREAD_SAYS("1", "7", "8")
     "\n" EVENT_SAYS("#1=7/8", "#5'net'", "'in'"),
     {{.type = FXT_RECORD_STRING, .string = {5, TEXT("net")}},
      {.type = FXT_RECORD_THREAD, .thread = {9, 7, 8}},
      {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_DURATION_BEGIN,
       .event = {.timestamp = 1, .category = {NULL, 0, 5}, .name = TEXT("in"),
                 .thread = THREAD(7, 8)}}}, 3},
};
/* clang-format on */

static void check_refer_row(const struct assign_refs_row *row)
{
    struct fxt_writer_options options = {
        .strings = row->strings,
        .threads = row->threads,
        .byte_order = FXT_BYTE_ORDER_LITTLE,
    };
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct words w = {0};

    for (int i = 0; i < row->n_records; i++)
        CHECK(fxt_writer_write(writer, &row->records[i]) == FXT_OK, "%s: record %d",
              row->row_name, i);
    CHECK(fxt_writer_finish(writer) == FXT_OK, "%s", row->row_name);
    fxt_writer_destroy(writer);
    w.bytes = stream.data;
    w.size = stream.size;
    check_words(&w, row->row_name, row->expected, "");
    free(stream.data);
}

TEST(refer, each_record_is_written_as_its_row_says)
{
    for (size_t i = 0; i < sizeof(assign_refs_rows) / sizeof(assign_refs_rows[0]); i++)
        check_refer_row(&assign_refs_rows[i]);
}

/* ---- long strings ---- */

static uint64_t count_registered(uint32_t size)
{
    static char text[FXT_STRING_SIZE_CAP];
    struct fxt_record record = {.type = FXT_RECORD_BLOB};
    struct fxt_writer_options options = {0};
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct trip trip = {0};

    memset(text, 'x', sizeof(text));
    record.blob.name = (struct fxt_string){text, size, 0};
    for (int i = 0; i < 3; i++)
        CHECK(fxt_writer_write(writer, &record) == FXT_OK, "%u", size);
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0 && trip.n_records == trip.n_strings + 3, "");
    free(stream.data);
    return trip.n_strings;
}

TEST(refer, long_strings_always_stand_in_line)
{
    CHECK(count_registered(1) == 1, "");
    CHECK(count_registered(FXT_TABLE_STRING_SIZE_MAX) == 1, "");
    CHECK(count_registered(FXT_TABLE_STRING_SIZE_MAX + 1) == 0, "");
    CHECK(count_registered(FXT_STRING_SIZE_CAP) == 0, "");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The emitter's records beside samples: the bytes that were worked out by hand, and every
 * kind through the reader. What is refused is in test_emit_refused.c. */
#include <fxt/emit_records.h>

#include <string.h>

#include "emitted.h"
#include "tests/support/worked.h"

/* ---- Worked out by hand ------------------------------------------------------------ */

static bool emit_initialization(struct fxt_emit *emit)
{
    return fxt_emit_initialization(emit, 24000000);
}

static bool emit_string(struct fxt_emit *emit)
{
    return fxt_emit_string(emit, 1, FXT_TEXT("kernel:meta"));
}

static bool emit_thread(struct fxt_emit *emit)
{
    return fxt_emit_thread(emit, 1, 1045, 2077);
}

static bool emit_duration(struct fxt_emit *emit)
{
    const struct fxt_arg args[] = {
        fxt_arg_uint32(FXT_TEXT("n"), 3),
        fxt_arg_string(FXT_TEXT("who"), fxt_string_ref(1)),
    };
    struct fxt_event event = {
        .timestamp = 1000,
        .thread = fxt_thread_ref(1),
        .category = fxt_string_ref(1),
        .name = FXT_TEXT("vm:fault"),
        .end_timestamp = 4096,
    };

    return fxt_emit_event(emit, FXT_EVENT_DURATION_COMPLETE, &event, args, 2);
}

static bool emit_kernel_object(struct fxt_emit *emit)
{
    const struct fxt_arg process = fxt_arg_koid(FXT_TEXT("process"), 1045);

    return fxt_emit_kernel_object(emit, FXT_OBJECT_THREAD, 2077, FXT_TEXT("worker"),
                                  &process, 1);
}

static bool emit_context_switch(struct fxt_emit *emit)
{
    const struct fxt_arg weight = fxt_arg_int32(FXT_TEXT("incoming_weight"), -1);

    return fxt_emit_context_switch(emit, 5000, 3, FXT_THREAD_BLOCKED, 2077, 2090, &weight,
                                   1);
}

static bool emit_wakeup(struct fxt_emit *emit)
{
    return fxt_emit_wakeup(emit, 4990, 3, 2090, NULL, 0);
}

static bool emit_log(struct fxt_emit *emit)
{
    return fxt_emit_log(emit, 777, fxt_thread_from(1045, 2077), FXT_TEXT("hello log"));
}

static const uint64_t worked_pcs[] = {0x43dc387f8e10, 0x2b069ffa16c, 0x2b069ffb000};

static bool emit_sample(struct fxt_emit *emit)
{
    return fxt_emit_sample(emit, 123456789, 1045, 2077, worked_pcs, 3);
}

static bool emit_backtrace(struct fxt_emit *emit)
{
    return fxt_emit_backtrace(emit, 123456789, 1045, 2077, worked_pcs, 3);
}

static bool emit_module(struct fxt_emit *emit)
{
    static const unsigned char build_id[20] = {0x3e, 0x1c, 0x4e, 0xb8, 0x2f, 0x79, 0xaf,
                                               0x6a, 0x4f, 0xd1, 0x42, 0xdb, 0x11, 0xf8,
                                               0x39, 0x79, 0x77, 0x2f, 0x98, 0x67};

    return fxt_emit_module(emit, 123456789, 1045, 0, FXT_TEXT("libfdio.so"), build_id,
                           sizeof(build_id));
}

static bool emit_mapping(struct fxt_emit *emit)
{
    return fxt_emit_mapping(emit, 123456789, 1045, 0, 0x3bfd82b3000, 0x62000, 0,
                            FXT_MAPPING_READ | FXT_MAPPING_EXECUTE);
}

static bool emit_instant(struct fxt_emit *emit)
{
    const struct fxt_arg data = fxt_arg_blob(FXT_TEXT("data"), "\1\2\3\4\5", 5);
    struct fxt_event event = {
        .timestamp = 9, .thread = fxt_thread_from(1, 2), .name = FXT_TEXT("i")};

    return fxt_emit_event(emit, FXT_EVENT_INSTANT, &event, &data, 1);
}

static bool emit_blob(struct fxt_emit *emit)
{
    return fxt_emit_blob(emit, FXT_BLOB_PERFETTO, FXT_TEXT("p"), "\xde\xad", 2);
}

/* As the kernel's own writer lays it out. */
static bool emit_kernel_drops(struct fxt_emit *emit)
{
    const struct fxt_arg args[] = {
        fxt_arg_uint32(fxt_string_ref(42), 17),
        fxt_arg_uint32(fxt_string_ref(43), 9248),
    };
    struct fxt_event event = {
        .timestamp = 1000,
        .thread = fxt_thread_from(0, 3),
        .category = fxt_string_ref(40),
        .name = fxt_string_ref(41),
        .end_timestamp = 2000,
    };

    return fxt_emit_event(emit, FXT_EVENT_DURATION_COMPLETE, &event, args, 2);
}

static const struct {
    const char *name;
    bool (*emit)(struct fxt_emit *emit);
} worked_calls[] = {
    {"initialization to 24 MHz", emit_initialization},
    {"string 1, kernel:meta", emit_string},
    {"thread 1, 1045/2077", emit_thread},
    {"a complete duration with two arguments", emit_duration},
    {"kernel object thread 2077, worker", emit_kernel_object},
    {"a context switch on CPU 3", emit_context_switch},
    {"a thread wakeup on CPU 3", emit_wakeup},
    {"a log of an inline thread", emit_log},
    {"a sample as a large blob with metadata", emit_sample},
    {"a sample as a profiler backtrace", emit_backtrace},
    {"a profiler module", emit_module},
    {"a profiler mapping", emit_mapping},
    {"an instant with a blob", emit_instant},
    {"the kernel's own drop_stats", emit_kernel_drops},
    {"a blob of Perfetto's", emit_blob},
};

static struct worked find_worked(const char *name)
{
    size_t i = 0;

    while (i < N_WORKED && strcmp(worked_examples[i].name, name) != 0)
        i++;
    CHECK(i < N_WORKED, "there is no example %s", name);
    return worked_examples[i];
}

TEST(emit_records, all_have_the_bytes_that_were_worked_out_by_hand)
{
    for (size_t i = 0; i < sizeof(worked_calls) / sizeof(*worked_calls); i++) {
        struct words expected = {.big = FXT_HOST_IS_BIG_ENDIAN};
        struct worked example = find_worked(worked_calls[i].name);
        uint64_t region[16];
        struct fxt_emit emit;

        /* The payload of a large blob is bytes to a reader, but PCs are words. */
        if (worked_calls[i].emit == emit_sample)
            example.streams = 0;
        put_worked_example(&expected, &example);
        memset(region, 0xff, sizeof(region));
        fxt_emit_init(&emit, region, sizeof(region));
        CHECK_TRUE(worked_calls[i].emit(&emit));
        CHECK_EQ(emit.pos * 8, expected.size);
        CHECK(memcmp(region, expected.bytes, expected.size) == 0, "%s",
              worked_calls[i].name);
        CHECK_EQ(region[emit.pos], 0);
        words_free(&expected);
    }
}

/* ---- Events ------------------------------------------------------------------------ */

static bool emit_kind(struct fxt_emit *emit, uint32_t kind, uint64_t scope)
{
    struct fxt_event event = {
        .timestamp = 5,
        .thread = fxt_thread_from(1, 2),
        .category = FXT_TEXT("c"),
        .name = FXT_TEXT("name of more than eight"),
        .id = 77,
        .end_timestamp = 99,
        .scope = scope,
    };

    return fxt_emit_event(emit, kind, &event, NULL, 0);
}

static const struct {
    uint32_t kind;
    uint64_t scope;
    const char *read;
} kinds[] = {
    {FXT_EVENT_INSTANT, FXT_SCOPE_THREAD, "id=0 end=0 scope=0"},
    {FXT_EVENT_INSTANT, FXT_SCOPE_GLOBAL, "id=0 end=0 scope=2"},
    {FXT_EVENT_COUNTER, 0, "id=77 end=0 scope=0"},
    {FXT_EVENT_DURATION_BEGIN, 0, "id=0 end=0 scope=0"},
    {FXT_EVENT_DURATION_END, 0, "id=0 end=0 scope=0"},
    {FXT_EVENT_DURATION_COMPLETE, 0, "id=0 end=99 scope=0"},
    {FXT_EVENT_ASYNC_BEGIN, 0, "id=77 end=0 scope=0"},
    {FXT_EVENT_ASYNC_INSTANT, 0, "id=77 end=0 scope=0"},
    {FXT_EVENT_ASYNC_END, 0, "id=77 end=0 scope=0"},
    {FXT_EVENT_FLOW_BEGIN, 0, "id=77 end=0 scope=0"},
    {FXT_EVENT_FLOW_STEP, 0, "id=77 end=0 scope=0"},
    {FXT_EVENT_FLOW_END, 0, "id=77 end=0 scope=0"},
};

TEST(emit_records, every_kind_of_event_has_what_belongs_to_it)
{
    struct emitted e = emitted_start();
    struct show expected = {0};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        CHECK_TRUE(emit_kind(&e.emit, kinds[i].kind, kinds[i].scope));
        show_format(&expected,
                    " type=4 kind=%u timestamp=5 thread=1/2 category='c'"
                    " name='name of more than eight' %s\n",
                    kinds[i].kind, kinds[i].read);
    }
    emitted_check(&e, show_take(&expected));
    show_free(&expected);
}

TEST(emit_records, every_type_of_argument_reads_back)
{
    struct emitted e = emitted_start();
    const struct fxt_string name = FXT_TEXT("a");
    const struct fxt_arg args[] = {
        fxt_arg_null(name),
        fxt_arg_int32(name, INT32_MIN),
        fxt_arg_uint32(name, UINT32_MAX),
        fxt_arg_int64(name, INT64_MIN),
        fxt_arg_uint64(name, UINT64_MAX),
        fxt_arg_double_bits(FXT_TEXT("one and a half"), 0x3ff8000000000000),
        fxt_arg_string(name, FXT_TEXT("in line")),
        fxt_arg_string(name, FXT_TEXT("")),
        fxt_arg_pointer(name, 0xffffffff80100000),
        fxt_arg_koid(FXT_TEXT(""), 4711),
        fxt_arg_bool(name, true),
        fxt_arg_bool(name, false),
        fxt_arg_blob(name, "", 0),
        fxt_arg_blob(name, "12345678", 8),
        fxt_arg_blob(name, "123456789", 9),
    };

    CHECK_EQ(sizeof(args) / sizeof(*args), FXT_ARGS_MAX);
    CHECK_TRUE(fxt_emit_wakeup(&e.emit, 5, 65535, 7, args, FXT_ARGS_MAX));
    emitted_check(
        &e, " type=8 kind=2 timestamp=5 cpu=65535 state=0 outgoing=0/0 incoming=0/0"
            " priorities=0 and=0 waking=7 arg='a' type=0"
            " arg='a' type=1 value=0xffffffff80000000 arg='a' type=2 value=4294967295"
            " arg='a' type=3 value=0x8000000000000000"
            " arg='a' type=4 value=0xffffffffffffffff"
            " arg='one and a half' type=5 bits=0x3ff8000000000000"
            " arg='a' type=6 value='in line' arg='a' type=6 value=<>"
            " arg='a' type=7 value=0xffffffff80100000 arg=<> type=8 value=4711"
            " arg='a' type=9 value=1 arg='a' type=9 value=0"
            " arg='a' type=10 value=[] arg='a' type=10 value=[3132333435363738]"
            " arg='a' type=10 value=[313233343536373839]\n");
}

/* ---- What is registered ------------------------------------------------------------ */

TEST(emit_records, what_was_registered_is_found_by_its_index)
{
    struct emitted e = emitted_start();

    CHECK_TRUE(fxt_emit_string(&e.emit, FXT_STRING_INDEX_MAX, FXT_TEXT("last")));
    CHECK_TRUE(fxt_emit_string(&e.emit, 1, FXT_TEXT("")));
    CHECK_TRUE(fxt_emit_thread(&e.emit, FXT_THREAD_INDEX_MAX, 3, 4));
    CHECK_TRUE(
        fxt_emit_log(&e.emit, 1, fxt_thread_ref(FXT_THREAD_INDEX_MAX), FXT_TEXT("")));
    CHECK_TRUE(
        fxt_emit_blob(&e.emit, 255, fxt_string_ref(FXT_STRING_INDEX_MAX), NULL, 0));
    CHECK_TRUE(
        fxt_emit_blob(&e.emit, FXT_BLOB_DATA, fxt_string_ref(1), "\0\1\2\3\4\5\6\7", 8));
    CHECK_TRUE(fxt_emit_string(&e.emit, 1, FXT_TEXT("again")));
    CHECK_TRUE(fxt_emit_kernel_object(&e.emit, 255, 6, fxt_string_ref(1), NULL, 0));
    emitted_check(&e, " type=2 kind=0 index=32767 value=<last>\n"
                      " type=2 kind=0 index=1 value=<>\n"
                      " type=3 kind=0 index=255 process=3 thread=4\n"
                      " type=9 kind=0 timestamp=1 thread=#255=3/4 message=<>\n"
                      " type=5 kind=0 name=#32767'last' of_type=255 payload=[]\n"
                      " type=5 kind=0 name=#1'' of_type=1 payload=[0001020304050607]\n"
                      " type=2 kind=0 index=1 value=<again>\n"
                      " type=7 kind=0 of_type=255 koid=6 name=#1'again'\n");
}

TEST(emit_records, modules_and_mappings_read_back)
{
    struct emitted e = emitted_start();

    CHECK_TRUE(fxt_emit_module(&e.emit, 1, 2, 65535, FXT_TEXT("vmlinux"), "\xab", 1));
    CHECK_TRUE(fxt_emit_module(&e.emit, 1, 2, 1, FXT_TEXT(""), NULL, 0));
    CHECK_TRUE(fxt_emit_mapping(&e.emit, 1, 2, 65535, 0xffffffff80000000, 4096, 1, 7));
    emitted_check(&e, " type=10 kind=0 timestamp=1 thread=2/0 module=65535 name=<vmlinux>"
                      " build_id=[ab] hex=0 start=0 length=0 vaddr=0 flags=0 pcs={}\n"
                      " type=10 kind=0 timestamp=1 thread=2/0 module=1 name=<>"
                      " build_id=[] hex=0 start=0 length=0 vaddr=0 flags=0 pcs={}\n"
                      " type=10 kind=1 timestamp=1 thread=2/0 module=65535 name=<>"
                      " build_id=[] hex=0 start=0xffffffff80000000 length=4096 vaddr=1"
                      " flags=7 pcs={}\n");
}

/* ---- Every size -------------------------------------------------------------------- */

TEST(emit_records, texts_of_every_size_are_padded_with_zeros)
{
    static char text[FXT_STRING_SIZE_CAP];
    uint64_t *region = map_before_guard(1 << 16);
    struct fxt_emit emit;

    memset(text, 0x41, sizeof(text));
    for (uint32_t size = 0; size <= sizeof(text); size += size < 100 ? 1 : 4073) {
        uint64_t n_words = 1 + (size + 7) / 8;

        memset(region, 0xff, (n_words + 1) * 8);
        fxt_emit_init(&emit, region, 1 << 16);
        CHECK_TRUE(fxt_emit_string(&emit, 9, fxt_string_at(text, size)));
        CHECK_EQ(emit.pos, n_words);
        CHECK_EQ(region[0], 0x00090002 | n_words << 4 | (uint64_t)size << 32);
        CHECK_BYTES(region + 1, text, size);
        for (uint64_t i = 8 + size; i < (n_words + 1) * 8; i++)
            CHECK_EQ(((unsigned char *)region)[i], 0);
    }
    unmap(region, 1 << 16);
}

TEST(emit_records, backtraces_have_up_to_255_pcs)
{
    uint64_t pcs[FXT_BACKTRACE_PCS_MAX];
    uint64_t region[512];
    struct fxt_emit emit;

    for (uint64_t i = 0; i < FXT_BACKTRACE_PCS_MAX; i++)
        pcs[i] = mix(i);
    for (uint64_t n = 1; n <= FXT_BACKTRACE_PCS_MAX; n++) {
        struct region_reader read;

        memset(region, 0, sizeof(region));
        fxt_emit_init(&emit, region, sizeof(region));
        CHECK_TRUE(fxt_emit_backtrace(&emit, 1, 2, 3, pcs, n));
        CHECK_EQ(emit.pos, 4 + n);
        CHECK_BYTES(region + 4, pcs, n * 8);
        read = region_read(region, sizeof(region), NULL, NULL);
        CHECK_EQ(read.n_stacks, 1);
        CHECK_EQ(read.n_reports, 0);
    }
}

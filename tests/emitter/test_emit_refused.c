/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emitter refuses, since the format cannot say it: nothing is cut or masked, and
 * nothing is written. */
#include <fxt/emit_records.h>
#include <fxt/ring.h>

#include <string.h>

#include "emitted.h"

static char text[70000];

/* Something of every kind that would be in order. */
static const struct fxt_event event = {.name = FXT_TEXT_INIT("n")};

/* Compilers warn where they see how it would go wrong if it were not refused. */
static struct fxt_string text_of(uint32_t size)
{
    FXT_FORGET_ORIGIN(size);
    return fxt_string_at(text, size);
}

/* An event with one argument. */
static bool emit_arg(struct fxt_emit *emit, struct fxt_arg arg)
{
    return fxt_emit_event(emit, FXT_EVENT_INSTANT, &event, &arg, 1);
}

static bool emit_name(struct fxt_emit *emit, uint16_t index, struct fxt_string of)
{
    struct fxt_name name = {of, index, false};

    fxt_emit_name(emit, &name);
    return name.is_registered;
}

/* What is in order just so, or just not. */
enum { YES = true, NO = false };

/* That a call does or does not write a record, and what it does otherwise. */
#define CHECK_CALL(expected, call)                                                       \
    do {                                                                                 \
        struct fxt_emit before = emit;                                                   \
                                                                                         \
        CHECK((call) == (expected), "%s", #call);                                        \
        CHECK_EQ(emit.invalid_records, before.invalid_records + !(expected));            \
        CHECK_EQ(emit.dropped_records, 0);                                               \
        CHECK((emit.pos > before.pos) == (expected), "%s", #call);                       \
        CHECK_EQ(emit.words[emit.pos], 0);                                               \
        if (!(expected))                                                                 \
            CHECK_EQ(emit.time, before.time);                                            \
    } while (0)

TEST(emit_refused, registrations)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;

    CHECK_CALL(NO, fxt_emit_initialization(&emit, 0));
    CHECK_CALL(YES, fxt_emit_initialization(&emit, UINT64_MAX));
    CHECK_CALL(NO, fxt_emit_string(&emit, 0, FXT_TEXT("a")));
    CHECK_CALL(YES, fxt_emit_string(&emit, 32767, FXT_TEXT("a")));
    CHECK_CALL(NO, fxt_emit_string(&emit, 32768, FXT_TEXT("a")));
    CHECK_CALL(NO, fxt_emit_string(&emit, 65537, FXT_TEXT("a")));
    CHECK_CALL(NO, fxt_emit_string(&emit, 1, fxt_string_ref(1)));
    CHECK_CALL(NO, fxt_emit_string(&emit, 1, fxt_string_at(NULL, 1)));
    CHECK_CALL(YES, fxt_emit_string(&emit, 1, text_of(FXT_STRING_SIZE_CAP)));
    CHECK_CALL(NO, fxt_emit_string(&emit, 1, text_of(FXT_STRING_SIZE_CAP + 1)));
    CHECK_CALL(NO, fxt_emit_string(&emit, 1, text_of(32768)));
    CHECK_CALL(NO, fxt_emit_string(&emit, 1, text_of(65536)));
    CHECK_CALL(NO, fxt_emit_string(&emit, 1, text_of(UINT32_MAX)));
    CHECK_CALL(NO, emit_name(&emit, 0, FXT_TEXT("a")));
    CHECK_CALL(YES, emit_name(&emit, 32767, FXT_TEXT("a")));
    CHECK_CALL(NO, emit_name(&emit, 32768, FXT_TEXT("a")));
    CHECK_CALL(NO, emit_name(&emit, 1, text_of(FXT_STRING_SIZE_CAP + 1)));
    CHECK_CALL(NO, fxt_emit_thread(&emit, 0, 1, 2));
    CHECK_CALL(YES, fxt_emit_thread(&emit, 255, 1, 2));
    CHECK_CALL(NO, fxt_emit_thread(&emit, 256, 1, 2));
    unmap(e.region, EMITTED_BYTES);
}

/* There is room for it at the ring's beginning, where nothing would be published. */
TEST(emit_refused, a_name_does_not_go_around_a_ring)
{
    static uint64_t memory[FXT_RING_CONTROL_BYTES / FXT_WORD_BYTES + 32];
    unsigned char drained[sizeof(memory)];
    struct fxt_emit emit;
    struct fxt_ring ring;
    uint64_t pos;

    CHECK(fxt_emit_init_ring(&emit, memory, sizeof(memory), 0), "");
    CHECK(fxt_ring_open(&ring, memory, sizeof(memory)), "");
    CHECK(fxt_emit_string(&emit, 1, text_of(28 * FXT_WORD_BYTES)), "");
    CHECK(fxt_ring_read(&ring, drained, sizeof(drained)) > 0, "");
    pos = emit.pos;
    CHECK(!emit_name(&emit, 0, text_of(8 * FXT_WORD_BYTES)), "");
    CHECK_EQ(emit.pos, pos);
    CHECK(emit_name(&emit, 1, text_of(8 * FXT_WORD_BYTES)), "");
    CHECK_EQ(emit.pos, 9);
}

TEST(emit_refused, events)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    struct fxt_arg args[16];
    struct fxt_event other = event;

    for (int i = 0; i < 16; i++)
        args[i] = fxt_arg_null(FXT_TEXT("a"));
    CHECK_CALL(NO, fxt_emit_event(&emit, FXT_EVENT_FLOW_END + 1, &event, NULL, 0));
    CHECK_CALL(NO, fxt_emit_event(&emit, 16, &event, NULL, 0));
    CHECK_CALL(NO, fxt_emit_event(&emit, UINT32_MAX, &event, NULL, 0));
    CHECK_CALL(YES, fxt_emit_event(&emit, 0, &event, args, 15));
    CHECK_CALL(NO, fxt_emit_event(&emit, 0, &event, args, 16));
    CHECK_CALL(NO, fxt_emit_event(&emit, 0, &event, args, UINT32_MAX));
    other.category = text_of(32768);
    CHECK_CALL(NO, fxt_emit_event(&emit, 0, &other, NULL, 0));
    other.category = fxt_string_at(NULL, 5);
    CHECK_CALL(NO, fxt_emit_event(&emit, 0, &other, NULL, 0));
    unmap(e.region, EMITTED_BYTES);
}

TEST(emit_refused, arguments)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    const struct fxt_string name = FXT_TEXT("a");
    struct fxt_arg unknown = fxt_arg_null(name);

    unknown.type = 11;
    CHECK_CALL(NO, emit_arg(&emit, unknown));
    unknown.type = 16;
    CHECK_CALL(NO, emit_arg(&emit, unknown));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_null(text_of(32768))));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_null(fxt_string_at(NULL, 1))));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_string(name, text_of(32768))));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_string(name, fxt_string_at(NULL, 9))));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_blob(name, NULL, 1)));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_blob(name, text, 40000)));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_blob(name, text, (uint64_t)1 << 32)));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_blob(name, text, UINT64_MAX)));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_blob(name, text, UINT64_MAX - 7)));
    CHECK_CALL(YES, emit_arg(&emit, fxt_arg_blob(name, NULL, 0)));
    unmap(e.region, EMITTED_BYTES);
}

/* A record has 4095 words, whatever they are made of: here 5 of the event (header,
 * timestamp, thread, name), one of the argument's header and one of its name. */
TEST(emit_refused, records_that_would_be_too_large)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    const struct fxt_string name = FXT_TEXT("a");

    CHECK_CALL(YES, emit_arg(&emit, fxt_arg_blob(name, text, (4095 - 7) * 8)));
    CHECK_EQ(emit.pos, 4095);
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_blob(name, text, (4095 - 7) * 8 + 1)));
    CHECK_CALL(YES, emit_arg(&emit, fxt_arg_string(name, text_of(32000))));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_string(name, text_of(32001))));
    CHECK_CALL(NO, emit_arg(&emit, fxt_arg_string(name, text_of(32767))));
    unmap(e.region, EMITTED_BYTES);
}

TEST(emit_refused, the_kernels_objects_and_its_scheduler)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    struct fxt_arg args[16];

    for (int i = 0; i < 16; i++)
        args[i] = fxt_arg_null(FXT_TEXT("a"));
    CHECK_CALL(NO, fxt_emit_kernel_object(&emit, 256, 1, text_of(1), NULL, 0));
    CHECK_CALL(NO, fxt_emit_kernel_object(&emit, 1, 1, text_of(32768), NULL, 0));
    CHECK_CALL(NO, fxt_emit_kernel_object(&emit, 1, 1, text_of(1), args, 16));
    CHECK_CALL(YES, fxt_emit_kernel_object(&emit, 1, 1, text_of(1), args, 15));
    CHECK_CALL(YES, fxt_emit_context_switch(&emit, 7, 65535, 15, 1, 2, args, 15));
    CHECK_CALL(NO, fxt_emit_context_switch(&emit, 8, 65536, 15, 1, 2, NULL, 0));
    CHECK_CALL(NO, fxt_emit_context_switch(&emit, 8, 1, 16, 1, 2, NULL, 0));
    CHECK_CALL(NO, fxt_emit_context_switch(&emit, 8, 1, 1, 1, 2, args, 16));
    CHECK_CALL(NO, fxt_emit_wakeup(&emit, 8, 65536, 1, NULL, 0));
    CHECK_CALL(NO, fxt_emit_wakeup(&emit, 8, 1, 1, args, 16));
    unmap(e.region, EMITTED_BYTES);
}

TEST(emit_refused, text_and_bytes)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    const struct fxt_thread thread = fxt_thread_from(1, 2);
    const struct fxt_string name = FXT_TEXT("a");

    /* 2 words are of the blob. */
    CHECK_CALL(YES, fxt_emit_log(&emit, 3, thread, text_of(32000)));
    CHECK_CALL(NO, fxt_emit_log(&emit, 4, thread, text_of(32001)));
    CHECK_CALL(NO, fxt_emit_log(&emit, 4, thread, text_of(32768)));
    CHECK_CALL(NO, fxt_emit_log(&emit, 4, thread, fxt_string_ref(1)));
    CHECK_CALL(NO, fxt_emit_log(&emit, 4, thread, fxt_string_at(NULL, 1)));
    CHECK_CALL(YES, fxt_emit_blob(&emit, 255, name, text, (4095 - 2) * 8));
    CHECK_CALL(NO, fxt_emit_blob(&emit, 255, name, text, (4095 - 2) * 8 + 1));
    CHECK_CALL(NO, fxt_emit_blob(&emit, 255, fxt_string_ref(1), text, 32768));
    CHECK_CALL(NO, fxt_emit_blob(&emit, 255, name, text, UINT64_MAX));
    CHECK_CALL(NO, fxt_emit_blob(&emit, 255, name, NULL, 1));
    CHECK_CALL(NO, fxt_emit_blob(&emit, 256, name, text, 1));
    CHECK_CALL(NO, fxt_emit_blob(&emit, 1, text_of(32768), text, 1));
    unmap(e.region, EMITTED_BYTES);
}

TEST(emit_refused, samplers_records)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    const struct fxt_string name = FXT_TEXT("a");
    static const uint64_t pcs[256];

    CHECK_CALL(NO, fxt_emit_backtrace(&emit, 1, 2, 3, pcs, 0));
    CHECK_CALL(YES, fxt_emit_backtrace(&emit, 1, 2, 3, pcs, 255));
    CHECK_CALL(NO, fxt_emit_backtrace(&emit, 2, 2, 3, pcs, 256));
    CHECK_CALL(NO, fxt_emit_backtrace(&emit, 2, 2, 3, pcs, ((uint64_t)1 << 32) + 1));
    CHECK_CALL(YES, fxt_emit_module(&emit, 3, 4, 65535, text_of(255), text, 255));
    CHECK_CALL(NO, fxt_emit_module(&emit, 4, 4, 65536, name, text, 20));
    CHECK_CALL(NO, fxt_emit_module(&emit, 4, 4, 1, text_of(256), text, 20));
    CHECK_CALL(NO, fxt_emit_module(&emit, 4, 4, 1, fxt_string_ref(3), text, 20));
    CHECK_CALL(NO, fxt_emit_module(&emit, 4, 4, 1, name, text, 256));
    CHECK_CALL(NO, fxt_emit_module(&emit, 4, 4, 1, name, NULL, 20));
    CHECK_CALL(NO, fxt_emit_module(&emit, 4, 4, 1, name, text, UINT64_MAX));
    CHECK_CALL(YES, fxt_emit_mapping(&emit, 5, 4, 65535, 1, 2, 3, 7));
    CHECK_CALL(NO, fxt_emit_mapping(&emit, 6, 4, 65536, 1, 2, 3, 7));
    CHECK_CALL(NO, fxt_emit_mapping(&emit, 6, 4, 1, 1, 2, 3, 8));
    unmap(e.region, EMITTED_BYTES);
}

/* What is impossible several times over is no more possible than once. */
TEST(emit_refused, everything_at_once)
{
    struct emitted e = emitted_start();
    struct fxt_emit emit = e.emit;
    struct fxt_arg args[15];
    struct fxt_event other = {.category = text_of(UINT32_MAX),
                              .name = text_of(UINT32_MAX)};

    for (int i = 0; i < 15; i++)
        args[i] = fxt_arg_blob(text_of(UINT32_MAX), text, UINT64_MAX);
    CHECK_CALL(NO, fxt_emit_event(&emit, UINT32_MAX, &other, args, 15));
    unmap(e.region, EMITTED_BYTES);
}

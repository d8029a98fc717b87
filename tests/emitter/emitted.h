/* SPDX-License-Identifier: BSD-2-Clause */
/* A region to emit into, and what libfxt's reader makes of it, as text. */
#ifndef TESTS_EMITTER_EMITTED_H
#define TESTS_EMITTER_EMITTED_H

#include <fxt/emit.h>
#include <fxt/reader.h>

#include <string.h>

#include "numbered.h"
#include "tests/support/region.h"
#include "tests/support/show.h"

enum { EMITTED_BYTES = 1 << 18 };

struct emitted {
    struct fxt_emit emit;
    uint64_t *region;
};

static inline struct emitted emitted_start(void)
{
    struct emitted e;

    e.region = (uint64_t *)map_before_guard(EMITTED_BYTES);
    fxt_emit_init(&e.emit, e.region, EMITTED_BYTES);
    return e;
}

static inline int emitted_take_record(void *context, const struct fxt_record *record)
{
    show_content((struct show *)context, record);
    return 0;
}

static inline int emitted_take_report(void *context, const struct fxt_error *error)
{
    show_error((struct show *)context, error);
    return 0;
}

/* Checks that the region reads as this text, without a report, and frees it. */
static inline void emitted_check(struct emitted *e, const char *expected)
{
    struct show show = {0};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = emitted_take_record,
        .on_error = emitted_take_report,
        .context = &show,
        .stream = FXT_STREAM_REGION,
        .byte_order = FXT_BYTE_ORDER_HOST,
    };
    struct fxt_chunk chunk = {e->region, EMITTED_BYTES, 0};
    struct fxt_reader *reader;
    const char *text;

    CHECK_EQ(fxt_reader_create(&options, &reader), FXT_OK);
    CHECK_EQ(fxt_reader_finish(reader, &chunk), FXT_OK);
    text = show_take(&show);
    CHECK(strcmp(text, expected) == 0, "%s", show_difference(text, expected));
    fxt_reader_destroy(reader);
    show_free(&show);
    unmap(e->region, EMITTED_BYTES);
}

#endif

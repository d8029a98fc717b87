/* SPDX-License-Identifier: BSD-2-Clause */
/* See tiling.h. */
#include "tiling.h"

void tiling_start(struct tiling *t, const void *data, size_t size)
{
    *t = (struct tiling){.data = (const unsigned char *)data, .size = size};
}

static void fail(struct tiling *t, const char *fault)
{
    if (t->fault == NULL)
        t->fault = fault;
}

static void cover(struct tiling *t, uint64_t offset, uint64_t size)
{
    if (t->rest_is_tail)
        fail(t, "something comes after the end of a region");
    if (offset < t->next)
        fail(t, "a byte is covered twice");
    if (offset > t->next)
        fail(t, "a byte is covered by nothing");
    if (size > t->size - offset)
        fail(t, "more is covered than there is");
    t->next = offset + size;
}

/* A region's end: zeros, at least a word of them, up to `offset`. */
static void pass_zeros(struct tiling *t, uint64_t offset)
{
    if (offset < t->next + FXT_WORD_BYTES)
        fail(t, "there is no zero header in front of a region's tail");
    while (t->next < offset && t->next < t->size) {
        if (t->data[t->next++] != 0)
            fail(t, "the tail of a region is not reported");
    }
}

void tiling_record(struct tiling *t, const struct fxt_record *record)
{
    if (record->size == 0 || record->size % FXT_WORD_BYTES != 0)
        fail(t, "a record has an impossible size");
    cover(t, record->offset, record->size);
    t->announced = false;
}

static bool is_stretch(const struct fxt_error *error)
{
    return error->severity >= FXT_ERROR || error->code == FXT_E_ZERO_WORDS;
}

void tiling_error(struct tiling *t, const struct fxt_error *error)
{
    if (t->announced && is_stretch(error))
        fail(t, "a report about a record is not followed by the record");
    if (error->code == FXT_E_DATA_AFTER_END) {
        pass_zeros(t, error->offset);
        t->rest_is_tail = error->severity == FXT_WARNING;
    }
    if (is_stretch(error)) {
        cover(t, error->offset, error->skipped);
    } else {
        if (error->skipped != 0)
            fail(t, "a remark says that something was skipped");
        if (error->offset != t->next)
            fail(t, "a report about a kept record is out of place");
        t->announced = error->code != FXT_E_DATA_AFTER_END;
    }
}

void tiling_end(struct tiling *t, uint64_t n_read, bool lost)
{
    if (t->announced)
        fail(t, "a record that was announced did not come");
    if (!lost && n_read != t->size)
        fail(t, "not everything was read");
    if (n_read > t->next && !t->rest_is_tail)
        pass_zeros(t, n_read);
    if (n_read < t->next)
        fail(t, "more is covered than was read");
}

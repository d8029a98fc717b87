/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record copied with all that it points to: the struct, its arguments, its bytes, and
 * last the strings that are outside of these, since they were registered.
 */
#include <fxt/record.h>

#include <stddef.h>

#include <fxt/format.h>

#include "memory.h"

struct copying {
    const struct fxt_record *from;
    /* Where the record's bytes are, and what is outside of them; NULL while it is only
     * counted how many the latter are. */
    unsigned char *bytes;
    unsigned char *outside;
    size_t outside_size;
    size_t n_outside;
};

/* Where the copy of `size` bytes at `data` is. */
static const void *move(struct copying *c, const void *data, uint64_t size)
{
    uintptr_t first = (uintptr_t)c->from->data;
    uintptr_t at = (uintptr_t)data;
    size_t before = c->n_outside;

    if (data == NULL || size == 0)
        return data == NULL ? NULL : "";
    if (at >= first && at - first < c->from->size && size <= c->from->size - (at - first))
        return c->bytes != NULL ? c->bytes + (at - first) : data;
    c->n_outside += (size_t)size;
    if (c->n_outside > c->outside_size)
        return data;
    return memcpy(c->outside + before, data, (size_t)size);
}

static void move_string(struct copying *c, const struct fxt_string *from,
                        struct fxt_string *to)
{
    to->data = (const char *)move(c, from->data, from->size);
}

static void move_bytes(struct copying *c, const struct fxt_bytes *from,
                       struct fxt_bytes *to)
{
    to->data = move(c, from->data, from->size);
}

static void move_words(struct copying *c, const struct fxt_words *from,
                       struct fxt_words *to)
{
    to->data = move(c, from->data, from->count * FXT_WORD_BYTES);
}

static void move_arg(struct copying *c, const struct fxt_arg *from, struct fxt_arg *to)
{
    move_string(c, &from->name, &to->name);
    if (from->type == FXT_ARG_STRING)
        move_string(c, &from->value.string, &to->value.string);
    else if (from->type == FXT_ARG_BLOB)
        move_bytes(c, &from->value.blob, &to->value.blob);
    else if (from->type > FXT_ARG_BLOB)
        move_words(c, &from->value.unknown, &to->value.unknown);
}

static void move_fields(struct copying *c, const struct fxt_record *from,
                        struct fxt_record *to)
{
    switch (from->type) {
    case FXT_RECORD_METADATA:
        move_string(c, &from->metadata.name, &to->metadata.name);
        break;
    case FXT_RECORD_STRING:
        move_string(c, &from->string.value, &to->string.value);
        break;
    case FXT_RECORD_EVENT:
        move_string(c, &from->event.category, &to->event.category);
        move_string(c, &from->event.name, &to->event.name);
        break;
    case FXT_RECORD_BLOB:
        move_string(c, &from->blob.name, &to->blob.name);
        move_bytes(c, &from->blob.payload, &to->blob.payload);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        move_string(c, &from->userspace_object.name, &to->userspace_object.name);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        move_string(c, &from->kernel_object.name, &to->kernel_object.name);
        break;
    case FXT_RECORD_LOG:
        move_string(c, &from->log.message, &to->log.message);
        break;
    case FXT_RECORD_PROFILER:
        move_string(c, &from->profiler.name, &to->profiler.name);
        move_bytes(c, &from->profiler.build_id, &to->profiler.build_id);
        move_words(c, &from->profiler.pcs, &to->profiler.pcs);
        break;
    case FXT_RECORD_LARGE:
        move_string(c, &from->large_blob.category, &to->large_blob.category);
        move_string(c, &from->large_blob.name, &to->large_blob.name);
        move_bytes(c, &from->large_blob.payload, &to->large_blob.payload);
        break;
    default:
        break;
    }
}

/* Sets all pointers of a record's copy and of its arguments, and nothing else. */
static void move_all(struct copying *c, struct fxt_record *to, struct fxt_arg *args)
{
    const struct fxt_record *from = c->from;

    if (!from->unknown || from->type == FXT_RECORD_EVENT)
        move_fields(c, from, to);
    if (from->unknown)
        move_words(c, &from->body, &to->body);
    for (uint32_t i = 0; i < from->n_args; i++)
        move_arg(c, &from->args[i], &args[i]);
}

size_t fxt_record_copy_to(const struct fxt_record *record, void *room, size_t size)
{
    struct copying c = {.from = record};
    uint64_t own_size =
        sizeof(*record) + record->n_args * sizeof(struct fxt_arg) + record->size;
    /* Where pointers go while it is only counted. */
    struct fxt_record counted;
    struct fxt_arg counted_args[FXT_ARGS_MAX];
    struct fxt_record *to = &counted;
    struct fxt_arg *args = counted_args;

    if (own_size <= size) {
        to = (struct fxt_record *)room;
        args = (struct fxt_arg *)(void *)(to + 1);
        c.bytes = (unsigned char *)(args + record->n_args);
        c.outside = c.bytes + record->size;
        c.outside_size = size - (size_t)own_size;
        *to = *record;
        to->args = args;
        to->data = memcpy(c.bytes, record->data, (size_t)record->size);
        for (uint32_t i = 0; i < record->n_args; i++)
            args[i] = record->args[i];
    }
    move_all(&c, to, args);
    return own_size <= SIZE_MAX / 2 - c.n_outside ? (size_t)own_size + c.n_outside
                                                  : SIZE_MAX;
}

struct fxt_record *fxt_record_copy(const struct fxt_record *record)
{
    struct memory memory = memory_make(NULL, NULL, UINT64_MAX);
    size_t size = fxt_record_copy_to(record, NULL, 0);
    void *room = size < SIZE_MAX ? memory_resize(&memory, NULL, 0, size) : NULL;

    if (room != NULL)
        fxt_record_copy_to(record, room, size);
    return (struct fxt_record *)room;
}

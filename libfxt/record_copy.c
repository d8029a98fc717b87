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
    /* NULL while it is only counted how many bytes are outside of the record. */
    struct fxt_record *to;
    unsigned char *bytes;
    unsigned char *outside;
    size_t n_outside;
};

/* Where the copy of `size` bytes at `data` is. */
static const void *move(struct copying *c, const void *data, uint64_t size)
{
    uintptr_t first = (uintptr_t)c->from->data;
    uintptr_t at = (uintptr_t)data;
    unsigned char *to;

    if (data == NULL || size == 0)
        return data == NULL ? NULL : "";
    if (at >= first && at - first < c->from->size && size <= c->from->size - (at - first))
        return c->to != NULL ? c->bytes + (at - first) : data;
    c->n_outside += (size_t)size;
    if (c->to == NULL)
        return data;
    to = c->outside + c->n_outside - size;
    memcpy(to, data, (size_t)size);
    return to;
}

static void move_string(struct copying *c, struct fxt_string *string)
{
    string->data = (const char *)move(c, string->data, string->size);
}

static void move_bytes(struct copying *c, struct fxt_bytes *bytes)
{
    bytes->data = move(c, bytes->data, bytes->size);
}

static void move_words(struct copying *c, struct fxt_words *words)
{
    words->data = move(c, words->data, words->count * FXT_WORD_BYTES);
}

static void move_arg(struct copying *c, struct fxt_arg *arg)
{
    move_string(c, &arg->name);
    if (arg->type == FXT_ARG_STRING)
        move_string(c, &arg->value.string);
    else if (arg->type == FXT_ARG_BLOB)
        move_bytes(c, &arg->value.blob);
    else if (arg->type > FXT_ARG_BLOB)
        move_words(c, &arg->value.unknown);
}

static void move_fields(struct copying *c, struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_METADATA:
        move_string(c, &record->metadata.name);
        break;
    case FXT_RECORD_STRING:
        move_string(c, &record->string.value);
        break;
    case FXT_RECORD_EVENT:
        move_string(c, &record->event.category);
        move_string(c, &record->event.name);
        break;
    case FXT_RECORD_BLOB:
        move_string(c, &record->blob.name);
        move_bytes(c, &record->blob.payload);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        move_string(c, &record->userspace_object.name);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        move_string(c, &record->kernel_object.name);
        break;
    case FXT_RECORD_LOG:
        move_string(c, &record->log.message);
        break;
    case FXT_RECORD_PROFILER:
        move_string(c, &record->profiler.name);
        move_bytes(c, &record->profiler.build_id);
        move_words(c, &record->profiler.pcs);
        break;
    case FXT_RECORD_LARGE:
        move_string(c, &record->large_blob.category);
        move_string(c, &record->large_blob.name);
        move_bytes(c, &record->large_blob.payload);
        break;
    default:
        break;
    }
}

/* Moves all pointers of a copied struct and of its arguments. */
static void move_all(struct copying *c, struct fxt_record *record, struct fxt_arg *args)
{
    if (!record->unknown || record->type == FXT_RECORD_EVENT)
        move_fields(c, record);
    if (record->unknown)
        move_words(c, &record->body);
    for (uint32_t i = 0; i < record->n_args; i++) {
        args[i] = c->from->args[i];
        move_arg(c, &args[i]);
    }
}

struct fxt_record *fxt_record_copy(const struct fxt_record *record)
{
    struct memory memory = memory_make(NULL, NULL, UINT64_MAX);
    struct copying c = {.from = record};
    struct fxt_arg args[FXT_ARGS_MAX];
    struct fxt_record moved = *record;
    size_t args_size = record->n_args * sizeof(args[0]);
    unsigned char *room;

    move_all(&c, &moved, args);
    if (record->size > SIZE_MAX / 2 - c.n_outside)
        return NULL;
    room = (unsigned char *)memory_resize(&memory, NULL, 0,
                                          sizeof(*record) + args_size +
                                              (size_t)record->size + c.n_outside);
    if (room == NULL)
        return NULL;
    c.to = (struct fxt_record *)(void *)room;
    c.bytes = room + sizeof(*record) + args_size;
    c.outside = c.bytes + record->size;
    c.n_outside = 0;
    *c.to = *record;
    c.to->args = (struct fxt_arg *)(void *)(room + sizeof(*record));
    c.to->data = memcpy(c.bytes, record->data, (size_t)record->size);
    move_all(&c, c.to, (struct fxt_arg *)(void *)(room + sizeof(*record)));
    return c.to;
}

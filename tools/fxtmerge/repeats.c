/* SPDX-License-Identifier: BSD-2-Clause */
/* See repeats.h. */
#include "repeats.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

#define REPEATS_MAX_BYTES FXT_DEFAULT_MAX_KEPT_BYTES

static int take_bytes(void *context, const void *data, size_t size)
{
    text_add((struct text *)context, data, size);
    return 0;
}

static void start_writer(struct repeats *r)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = take_bytes,
                                         .context = &r->encoded,
                                         .strings = FXT_REFERENCES_IN_LINE,
                                         .threads = FXT_REFERENCES_IN_LINE,
                                         .buffer_size = 1};

    if (fxt_writer_create(&options, &r->writer) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
}

static bool has_room(const struct repeats *r)
{
    return r->encoded.size + r->contents.bytes.size + r->n_said * sizeof(*r->said) <
           REPEATS_MAX_BYTES;
}

/* What comes again is written again then. */
static void forget(struct repeats *r)
{
    string_table_free(&r->contents);
    table_free(&r->table);
    r->n_said = 0;
}

/* Returns false for what cannot be encoded with its strings inline, and for what is too
 * much. All is forgotten then: the last name that is known might not be the last one. */
static bool find_content(struct repeats *r, const struct fxt_record *record,
                         uint64_t *content)
{
    if (r->writer == NULL)
        start_writer(r);
    r->encoded.size = 0;
    if (fxt_writer_write(r->writer, record) != FXT_OK || !has_room(r)) {
        forget(r);
        return false;
    }
    *content = string_table_add(&r->contents, r->encoded.data, r->encoded.size);
    return true;
}

/* Names replace each other. All descriptions of code stay, each with its time. */
static void find_subject(struct said *said, const struct fxt_record *record)
{
    said->type = record->type;
    switch (record->type) {
    case FXT_RECORD_KERNEL_OBJECT:
        said->type |= (uint64_t)record->kernel_object.type << 8;
        said->id = record->kernel_object.koid;
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        said->id = record->userspace_object.pointer;
        said->process = record->userspace_object.process.process;
        break;
    default:
        said->id = said->content;
        break;
    }
}

bool repeats_take(struct repeats *r, const struct fxt_record *record, size_t provider,
                  size_t source)
{
    struct said said = {.provider = provider, .source = source};
    struct said *last;
    size_t n = r->n_said;
    uint32_t number;

    if (!find_content(r, record, &said.content))
        return false;
    find_subject(&said, record);
    number = TABLE_PUT(&r->table, r->said, r->n_said, r->said_capacity, &said, provider,
                       type, id, process);
    last = &r->said[number];
    if (r->n_said == n && last->content == said.content && last->source != source)
        return true;
    *last = said;
    return false;
}

void repeats_free(struct repeats *r)
{
    fxt_writer_destroy(r->writer);
    text_free(&r->encoded);
    string_table_free(&r->contents);
    memory_release(r->said);
    table_free(&r->table);
}

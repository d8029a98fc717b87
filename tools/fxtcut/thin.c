/* SPDX-License-Identifier: BSD-2-Clause */
/* See thin.h. */
#include "thin.h"

#include <fxt/sample.h>

#include "common/base/table_items.h"

static uint64_t hash_string(uint64_t hash, const struct fxt_string *string)
{
    if (string->data == NULL)
        return hash_word(hash, string->ref);
    return hash_word(hash, hash_bytes(string->data, string->size));
}

static bool is_thinned(const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_EVENT:
    case FXT_RECORD_LOG:
        return true;
    case FXT_RECORD_PROFILER:
        return record->kind == FXT_PROFILER_BACKTRACE;
    case FXT_RECORD_LARGE:
        return !record->unknown && fxt_sample_is_blob(&record->large_blob, 1);
    default:
        return false;
    }
}

static uint64_t find_key(const struct fxt_record *record)
{
    const struct fxt_thread *thread = fxt_record_thread(record);
    uint64_t hash = hash_word(hash_start(), (uint64_t)record->type << 32 | record->kind);

    hash = hash_word(hash, record->provider->id);
    hash = hash_word(hash, thread->known ? thread->process : thread->ref);
    hash = hash_word(hash, thread->thread);
    if (record->type == FXT_RECORD_EVENT) {
        hash = hash_string(hash, &record->event.category);
        hash = hash_string(hash, &record->event.name);
    }
    return hash;
}

bool thin_takes(struct thin *t, const struct fxt_record *record)
{
    struct thin_count count = {0, 0};
    uint32_t number;

    if (t->every <= 1 || !is_thinned(record))
        return true;
    count.key = find_key(record);
    number = TABLE_PUT(&t->table, t->counts, t->n, t->capacity, &count, key);
    return t->counts[number].n++ % t->every == 0;
}

void thin_free(struct thin *t)
{
    memory_release(t->counts);
    table_free(&t->table);
}

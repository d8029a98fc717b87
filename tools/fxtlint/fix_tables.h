/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The strings and threads of a repaired archive. An index means the same for all
 * providers, and never changes: so it does not matter whether a reader has one table for
 * all of them, or keeps the first value of an index. It is the one that the input has for
 * the same, unless that is in use. Each provider registers what its records refer to
 * before the first one that does. What comes when all indices are in use is inline.
 */
#ifndef FXTLINT_FIX_TABLES_H
#define FXTLINT_FIX_TABLES_H

#include <fxt/format.h>
#include <fxt/record.h>
#include <fxt/writer.h>

#include "name_cache.h"

struct fix_thread {
    uint64_t process;
    uint64_t thread;
};

struct fix_provider {
    uint32_t id;
    /* Whether its clock rate is written. */
    bool has_rate;
    /* By the indices that the input has for it, those of the output; 0 where that is not
     * known. NULL if none is. */
    struct fix_indices *indices;
};

/* An index that a provider, by its number here, has registered. */
struct fix_registration {
    uint32_t provider;
    uint16_t index;
    uint16_t is_thread;
};

struct fix_indices {
    uint16_t strings[FXT_STRING_REF_INLINE];
    uint8_t threads[FXT_THREAD_INDEX_MAX + 1];
};

/* The indices of strings, or of threads, in the output. */
struct fix_numbering {
    /* By their numbers here; 0 for none yet. NULL while all have none. */
    uint16_t *indices;
    /* By index: whether it is in use. */
    bool *used;
    /* All that are less are in use. */
    uint32_t lowest;
};

struct fix_tables {
    struct fxt_writer *writer;
    struct fix_numbering string_numbering;
    struct fix_numbering thread_numbering;
    struct name_cache strings;
    struct fix_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    struct table thread_table;
    struct fix_provider *providers;
    size_t n_providers;
    size_t provider_capacity;
    struct table provider_table;
    size_t n_with_indices;
    struct fix_registration *registrations;
    size_t n_registrations;
    size_t registration_capacity;
    struct table registration_table;
    /* The one whose records are being written, if there is any. */
    size_t current;
};

/* The current provider, if it has this id; else NULL. */
static inline struct fix_provider *fix_tables_current(const struct fix_tables *tables,
                                                      uint32_t id)
{
    return tables->n_providers > 0 && tables->providers[tables->current].id == id
               ? &tables->providers[tables->current]
               : NULL;
}

/* Makes a provider the current one, and announces it if it is new. */
struct fix_provider *fix_tables_select(struct fix_tables *tables, uint32_t id,
                                       struct fxt_string name);

/* What the current provider's records refer to in place of these. A value is added only
 * while half of the indices are left for other strings. */
struct fxt_string fix_tables_string(struct fix_tables *tables, struct fxt_string string);
struct fxt_string fix_tables_value(struct fix_tables *tables, struct fxt_string value);
struct fxt_thread fix_tables_thread(struct fix_tables *tables, struct fxt_thread thread);

/* The same of indices of the input, from what is kept of them; or 0. */
static inline uint16_t fix_tables_find_string(const struct fix_tables *tables,
                                              uint16_t index)
{
    const struct fix_indices *indices = tables->providers[tables->current].indices;

    return indices != NULL && index < FXT_STRING_REF_INLINE ? indices->strings[index] : 0;
}

static inline uint8_t fix_tables_find_thread(const struct fix_tables *tables,
                                             uint8_t index)
{
    const struct fix_indices *indices = tables->providers[tables->current].indices;

    return indices != NULL ? indices->threads[index] : 0;
}

/* Keep what an index of the input is in the output, of a limited number of providers; 0
 * forgets it. */
void fix_tables_keep_string(struct fix_tables *tables, uint32_t index, uint16_t known);
void fix_tables_keep_thread(struct fix_tables *tables, uint32_t index, uint8_t known);

/* Whether a record of the current provider that is as libfxt's writer leaves it needs no
 * change, nor anything before it: of the types that most records have. */
bool fix_stays(const struct fix_tables *tables, const struct fxt_record *record);

void fix_tables_free(struct fix_tables *tables);

#endif

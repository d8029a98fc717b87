/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which strings and threads a stream has registered, and under which index. What is new
 * gets the next index; when all are given away, one that has not been used lately gets a
 * new meaning, but never one that the record being written uses.
 *
 * Evicting is always safe: what is not found here is registered once more, and the newest
 * registration of an index wins. So nothing here can fail: if there is no memory, or no
 * free index, the result is 0, and the caller writes inline.
 */
#ifndef LIBFXT_WRITER_INTERN_H
#define LIBFXT_WRITER_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/types.h>

#include "intern_table.h"
#include "libfxt/memory.h"
#include "word_writer.h"

/* The most strings and threads that one record refers to: category, name, and the name
 * and value of each argument; two threads of a context switch. */
enum { INTERN_RECORD_STRINGS = 2 + 2 * FXT_ARGS_MAX, INTERN_RECORD_THREADS = 2 };

enum { INTERN_SEEN = 1024, INTERN_PROVIDERS = 64 };

/* The tables of one provider, or of all. */
struct intern_tables {
    /* That of the provider that is current. */
    uint32_t salt;
    struct intern_table strings;
    struct intern_table threads;
    /* Hashes of strings that were looked up before. Each has one possible position, where
     * another may replace it. */
    uint32_t seen[INTERN_SEEN];
};

struct intern_provider {
    uint32_t id;
    /* What distinguishes the hashes of providers that share their tables; it differs in
     * more than the lowest bit. So equal strings of two of them are two entries. 0 if the
     * provider has no entries, and if it has tables to itself. */
    uint32_t salt;
    /* When it was last selected. */
    uint64_t selected;
    struct intern_tables *tables;
};

struct intern {
    struct memory *memory;
    /* All providers have the same tables. */
    bool one_table;
    /* The provider that is current, and its tables; NULL before they are needed. */
    uint32_t id;
    struct intern_tables *current;
    /* Those used last; a provider that is not among them starts with an empty table. */
    struct intern_provider providers[INTERN_PROVIDERS];
    uint32_t n_providers;
    uint32_t n_salts;
    uint64_t n_selected;
    /* The number of the record that is being written, and what was registered for it. */
    uint32_t record;
    uint16_t new_strings[INTERN_RECORD_STRINGS];
    uint16_t new_threads[INTERN_RECORD_THREADS];
    uint32_t n_new_strings;
    uint32_t n_new_threads;
};

void intern_init(struct intern *in, struct memory *memory);
void intern_free(struct intern *in);

/* Makes a provider current; if `forget`, with empty tables. */
void intern_select(struct intern *in, uint32_t id, bool forget);

/* Begins a record. */
void intern_begin(struct intern *in);

/* Removes what was registered since the record was begun, because its registrations will
 * not be in the stream. */
void intern_undo(struct intern *in);

/*
 * The index of a string, which must have at least one byte. If it has none yet, its
 * registration is written to `words`; strings that are used `seldom` are registered only
 * at their second use. 0 if it is to be inline.
 */
uint16_t intern_string(struct intern *in, const struct fxt_string *string, bool seldom,
                       struct word_writer *words);

/* The same for a thread. */
uint8_t intern_thread(struct intern *in, uint64_t process, uint64_t thread,
                      struct word_writer *words);

/* The index of a string that is registered, which is then used, or 0. A record that needs
 * nothing else need not be begun, since nothing is evicted for it. */
static inline uint16_t intern_known_string(struct intern *in, const struct fxt_string *s)
{
    struct intern_key key;

    if (FXT_UNLIKELY(in->current == NULL))
        return 0;
    key = intern_string_key(s, in->current->salt);
    return (uint16_t)intern_table_find(&in->current->strings, &key, in->record);
}

/* The same for a thread. */
static inline uint8_t intern_known_thread(struct intern *in, uint64_t process,
                                          uint64_t thread)
{
    struct intern_key key;

    if (FXT_UNLIKELY(in->current == NULL))
        return 0;
    key = intern_thread_key(process, thread, in->current->salt);
    return (uint8_t)intern_table_find(&in->current->threads, &key, in->record);
}

#endif

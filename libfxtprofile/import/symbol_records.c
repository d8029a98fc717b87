/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbol_records.h. */
#include "symbol_records.h"

#include <string.h>

#include <fxt/format.h>

#include "record_args.h"

enum { KNOWN_VERSION = 1 };

/* The words of an entry; a later writer may add more. */
enum { WORD_ADDRESS, WORD_SIZE, WORD_TIME, WORD_NAME, N_WORDS };

struct symbol_blob {
    struct modules *modules;
    const struct fxt_record *record;
    struct symbol_tally *tally;
    uint32_t source;
    /* The entries, and the bytes after them, which have the names. */
    const unsigned char *entries;
    const unsigned char *names;
    uint64_t n_name_bytes;
};

bool symbol_records_is_one(const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           blob->format == FXT_LARGE_BLOB_METADATA &&
           record_text_is(blob->category, "symbols") &&
           record_text_is(blob->name, "functions");
}

/* Finds the bytes of a name; none for an empty name, and one that is not in the blob. The
 * name ends at a zero byte, too. */
static struct string find_name(const struct symbol_blob *b, uint64_t word)
{
    uint64_t offset = word & UINT32_MAX;
    uint64_t size = word >> 32;
    struct string name = {NULL, 0};

    if (offset > b->n_name_bytes || size > b->n_name_bytes - offset)
        return name;
    name.data = (const char *)b->names + offset;
    name.size = strnlen(name.data, (size_t)size);
    return name;
}

static void take_entry(const struct symbol_blob *b, const unsigned char *entry)
{
    uint64_t ticks = record_word_at(entry, WORD_TIME);
    struct string name = find_name(b, record_word_at(entry, WORD_NAME));
    uint64_t ns = 0;

    fxt_ticks_to_ns(ticks, b->record->provider->ticks_per_second, &ns);
    if (name.size == 0 ||
        !modules_add_function(b->modules, b->source, record_word_at(entry, WORD_ADDRESS),
                              record_word_at(entry, WORD_SIZE), ns, name))
        b->tally->n_damaged++;
}

static uint32_t find_source(struct modules *modules, const struct fxt_record *record)
{
    const struct fxt_arg *arg = record_find_arg(record, "source");
    struct string name = {"[jit]", 5};

    if (arg != NULL && arg->type == FXT_ARG_STRING && arg->value.string.size > 0)
        name = (struct string){arg->value.string.data, (size_t)arg->value.string.size};
    return modules_find_source(modules, record->large_blob.thread.process, name);
}

void symbol_records_take(struct modules *modules, const struct fxt_record *record,
                         struct symbol_tally *tally)
{
    const struct fxt_bytes *payload = &record->large_blob.payload;
    uint64_t n_words = payload->size / FXT_WORD_BYTES;
    uint64_t entry_words = record_find_number(record, "entry_words");
    uint64_t n_entries = record_find_number(record, "entries");
    struct symbol_blob b = {.modules = modules, .record = record, .tally = tally};

    if (record_find_number(record, "version") != KNOWN_VERSION) {
        tally->n_unknown++;
        return;
    }
    tally->n_unread += record_find_number(record, "unread");
    if (entry_words < N_WORDS || n_entries > n_words / entry_words) {
        tally->n_damaged++;
        return;
    }
    b.source = find_source(modules, record);
    b.entries = (const unsigned char *)payload->data;
    b.names = b.entries + n_entries * entry_words * FXT_WORD_BYTES;
    b.n_name_bytes = payload->size - n_entries * entry_words * FXT_WORD_BYTES;
    for (uint64_t i = 0; i < n_entries; i++)
        take_entry(&b, b.entries + i * entry_words * FXT_WORD_BYTES);
}

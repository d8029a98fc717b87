/* SPDX-License-Identifier: BSD-2-Clause */
/* See code_names.h: the names of functions in no file as records of an archive:
 * docs/symbol-records.md. */
#include "code_names.h"

#include <fxt/fxt.h>

#include "common/base/binary.h"

/* An entry has one more word if some function has a home. */
enum { VERSION = 1, ENTRY_WORDS = 4, BLOB_ENTRIES_MAX = 16384 };

struct symbol_blob {
    const struct code_names *names;
    size_t first;
    size_t n;
    /* Of an entry. */
    uint32_t n_words;
    /* Lines or records that were not understood, as the first blob has them. */
    uint64_t n_unread;
};

static void add_word(struct text *payload, uint64_t word)
{
    text_le(payload, word, FXT_WORD_BYTES);
}

/* A string of an entry, which comes after all entries. */
static void add_string(struct text *payload, struct text *strings, struct string string)
{
    add_word(payload, (uint64_t)string.size << 32 | strings->size);
    text_add(strings, string.data, string.size);
}

static struct string home_of(const struct code_names *names,
                             const struct code_name *function)
{
    return function->has_home ? string_table_get(&names->names, function->home)
                              : (struct string){"", 0};
}

/* The entries, and then the bytes of the strings. */
static void add_entries(struct text *payload, const struct symbol_blob *blob)
{
    const struct code_names *names = blob->names;
    struct text strings = {NULL, 0, 0};

    for (size_t i = blob->first; i < blob->first + blob->n; i++) {
        const struct code_name *function = &names->all[i];

        add_word(payload, function->start);
        add_word(payload, function->size);
        add_word(payload, function->time_ns);
        add_string(payload, &strings, string_table_get(&names->names, function->name));
        if (blob->n_words > ENTRY_WORDS)
            add_string(payload, &strings, home_of(names, function));
    }
    text_add(payload, strings.data, strings.size);
    text_free(&strings);
}

static void write_blob(struct fxt_writer *writer, pid_t process, uint64_t time_ns,
                       const char *source, const struct symbol_blob *blob)
{
    struct fxt_arg args[] = {
        {.name = fxt_string_from("version"), .type = FXT_ARG_UINT32},
        {.name = fxt_string_from("entry_words"), .type = FXT_ARG_UINT32},
        {.name = fxt_string_from("entries"), .type = FXT_ARG_UINT64},
        {.name = fxt_string_from("source"), .type = FXT_ARG_STRING},
        {.name = fxt_string_from("unread"), .type = FXT_ARG_UINT64},
    };
    struct fxt_record record = {.type = FXT_RECORD_LARGE, .kind = FXT_LARGE_BLOB};
    struct text payload = {NULL, 0, 0};

    args[0].value.uint32 = VERSION;
    args[1].value.uint32 = blob->n_words;
    args[2].value.uint64 = blob->n;
    args[3].value.string = fxt_string_from(source);
    args[4].value.uint64 = blob->n_unread;
    add_entries(&payload, blob);
    record.large_blob.format = FXT_LARGE_BLOB_METADATA;
    record.large_blob.category = fxt_string_from("symbols");
    record.large_blob.name = fxt_string_from("functions");
    record.large_blob.timestamp = time_ns;
    record.large_blob.thread = fxt_thread_from((uint64_t)process, 0);
    record.large_blob.payload = (struct fxt_bytes){payload.data, payload.size};
    record.args = args;
    record.n_args = sizeof(args) / sizeof(args[0]);
    fxt_writer_write(writer, &record);
    text_free(&payload);
}

void symbol_records_write(struct fxt_writer *writer, pid_t process, uint64_t time_ns,
                          const char *source, const struct code_names *names)
{
    struct symbol_blob blob = {
        .names = names, .n_words = ENTRY_WORDS, .n_unread = names->n_malformed};

    for (size_t i = 0; i < names->n; i++) {
        if (names->all[i].has_home)
            blob.n_words = ENTRY_WORDS + 1;
    }
    while (blob.first < names->n || blob.n_unread > 0) {
        blob.n = names->n - blob.first;
        if (blob.n > BLOB_ENTRIES_MAX)
            blob.n = BLOB_ENTRIES_MAX;
        write_blob(writer, process, time_ns, source, &blob);
        blob.first += blob.n;
        blob.n_unread = 0;
    }
}

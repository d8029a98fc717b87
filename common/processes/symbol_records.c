/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbol_records.h. */
#include "symbol_records.h"

#include <fxt/fxt.h>

#include "common/base/binary.h"

enum { VERSION = 1, ENTRY_WORDS = 4, BLOB_ENTRIES_MAX = 16384 };

struct symbol_blob {
    const struct code_names *names;
    size_t first;
    size_t n;
    /* Lines or records that were not understood, as the first blob has them. */
    uint64_t n_unread;
};

static void add_word(struct text *payload, uint64_t word)
{
    text_le(payload, word, FXT_WORD_BYTES);
}

/* The entries, and then the bytes of the names. */
static void add_entries(struct text *payload, const struct symbol_blob *blob)
{
    uint64_t offset = 0;
    struct string name;

    for (size_t i = blob->first; i < blob->first + blob->n; i++) {
        const struct code_name *function = &blob->names->all[i];

        name = string_table_get(&blob->names->names, function->name);
        add_word(payload, function->start);
        add_word(payload, function->size);
        add_word(payload, function->time_ns);
        add_word(payload, (uint64_t)name.size << 32 | offset);
        offset += name.size;
    }
    for (size_t i = blob->first; i < blob->first + blob->n; i++) {
        name = string_table_get(&blob->names->names, blob->names->all[i].name);
        text_add(payload, name.data, name.size);
    }
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
    args[1].value.uint32 = ENTRY_WORDS;
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
    struct symbol_blob blob = {.names = names, .n_unread = names->n_malformed};

    while (blob.first < names->n || blob.n_unread > 0) {
        blob.n = names->n - blob.first;
        if (blob.n > BLOB_ENTRIES_MAX)
            blob.n = BLOB_ENTRIES_MAX;
        write_blob(writer, process, time_ns, source, &blob);
        blob.first += blob.n;
        blob.n_unread = 0;
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbol_records.h. */
#include "symbol_records.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/records/symbol_payload.h"
#include "libfxtprofile/symbols/demangle.h"

bool symbol_records_is_one(const struct fxt_record *record)
{
    return symbol_payload_is_of(record, "functions") ||
           symbol_payload_is_of(record, "lines");
}

static uint32_t find_source(struct modules *modules, const struct fxt_record *record)
{
    const struct fxt_arg *arg = fxt_record_arg(record, "source");
    struct string name = {"[jit]", 5};

    if (arg != NULL && arg->type == FXT_ARG_STRING && arg->value.string.size > 0)
        name = (struct string){arg->value.string.data, (size_t)arg->value.string.size};
    return modules_find_source(modules, record->large_blob.thread.process, name);
}

static bool take_function(struct modules *modules, const struct fxt_record *record,
                          const struct symbol_payload *payload, uint64_t entry,
                          uint32_t source)
{
    uint64_t ticks = symbol_payload_word(payload, entry, SYMBOL_FUNCTION_TIME);
    struct string home = {"", 0};
    struct string name;
    uint64_t ns = 0;

    if (payload->entry_words > SYMBOL_FUNCTION_HOME &&
        !symbol_payload_string(
            payload, symbol_payload_word(payload, entry, SYMBOL_FUNCTION_HOME), &home))
        return false;
    fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns);
    return symbol_payload_string(
               payload, symbol_payload_word(payload, entry, SYMBOL_FUNCTION_NAME),
               &name) &&
           name.size > 0 &&
           modules_add_function(
               modules, source,
               symbol_payload_word(payload, entry, SYMBOL_FUNCTION_ADDRESS),
               symbol_payload_word(payload, entry, SYMBOL_FUNCTION_SIZE), ns, name, home);
}

static void take_functions(struct modules *modules, const struct fxt_record *record,
                           struct symbol_tally *tally)
{
    struct symbol_payload payload;
    uint32_t source;

    tally->n_unread += record_find_number(record, "unread");
    if (!symbol_payload_find(&payload, record, SYMBOL_FUNCTION_WORDS)) {
        tally->n_damaged++;
        return;
    }
    source = find_source(modules, record);
    for (uint64_t i = 0; i < payload.n; i++)
        tally->n_damaged += !take_function(modules, record, &payload, i, source);
}

void symbol_records_take(struct modules *modules, const struct fxt_record *record,
                         struct symbol_tally *tally)
{
    if (record_find_number(record, "version") != SYMBOL_RECORD_VERSION)
        tally->n_unknown++;
    else if (fxt_string_is(record->large_blob.name, "lines"))
        tally->n_damaged += line_records_take(modules, record);
    else
        take_functions(modules, record, tally);
}

/* ---- Lines ------------------------------------------------------------------------- */

/* A word of an entry, and the number of the string that it means. */
struct known_string {
    uint64_t word;
    uint32_t string;
};

struct line_blob {
    struct file_lines *lines;
    struct symbol_payload payload;
    /* Entries share strings; but all that differ have no more bytes than there are, so
     * that a small record cannot become many large strings. */
    struct known_string *known;
    size_t n_known;
    size_t capacity;
    struct table table;
    uint64_t n_bytes_left;
    /* The address of the last entry, if there was one that could be taken. */
    bool has_address;
    uint64_t address;
};

static bool find_string(struct line_blob *b, uint64_t word, uint32_t *number)
{
    uint64_t hash = hash_word(hash_start(), word);
    struct table_probe probe = table_probe(&b->table, hash);
    struct string string;
    uint32_t i;

    while (table_next(&b->table, &probe, &i)) {
        *number = b->known[i].string;
        if (b->known[i].word == word)
            return true;
    }
    if (!symbol_payload_string(&b->payload, word, &string) ||
        string.size > b->n_bytes_left)
        return false;
    b->n_bytes_left -= string.size;
    *number = file_lines_string(b->lines, string);
    table_add(&b->table, hash, b->n_known);
    MEMORY_ADD(b->known, b->n_known, b->capacity, (struct known_string){word, *number});
    return true;
}

/* Which file the function is of. Without a file it is that of a symbol; earlier writers
 * state a function's first line in the file that declares it, and in no other. */
static bool find_home(struct line_blob *b, uint64_t entry, struct file_line *line)
{
    bool has_file = file_lines_text(b->lines, line->source_file)[0] != '\0';

    if (b->payload.entry_words > FILE_LINES_HOME) {
        line->is_vague =
            !has_file && demangle_is_copy(file_lines_text(b->lines, line->name));
        return find_string(b, symbol_payload_word(&b->payload, entry, FILE_LINES_HOME),
                           &line->home);
    }
    line->is_vague = has_file && line->start_line == 0;
    line->home = line->is_vague ? file_lines_string(b->lines, (struct string){"", 0})
                                : line->source_file;
    return true;
}

/* Entries of one address follow each other. */
static bool take_entry(struct line_blob *b, uint64_t entry, uint32_t file)
{
    uint64_t address = symbol_payload_word(&b->payload, entry, FILE_LINES_ADDRESS);
    uint64_t line = symbol_payload_word(&b->payload, entry, FILE_LINES_LINE);
    struct file_line to = {.line = (uint32_t)line, .start_line = (uint32_t)(line >> 32)};

    if (!find_string(b, symbol_payload_word(&b->payload, entry, FILE_LINES_NAME),
                     &to.name) ||
        !find_string(b, symbol_payload_word(&b->payload, entry, FILE_LINES_SOURCE_FILE),
                     &to.source_file) ||
        !find_home(b, entry, &to) || file_lines_text(b->lines, to.name)[0] == '\0')
        return false;
    if (!b->has_address || b->address != address)
        file_lines_start(b->lines, file, address);
    b->has_address = true;
    b->address = address;
    return file_lines_add(b->lines, to);
}

static struct string find_text(const struct fxt_record *record, const char *name)
{
    const struct fxt_arg *arg = fxt_record_arg(record, name);

    if (arg == NULL || arg->type != FXT_ARG_STRING || arg->value.string.data == NULL)
        return (struct string){"", 0};
    return (struct string){arg->value.string.data, (size_t)arg->value.string.size};
}

uint64_t line_records_take(struct modules *modules, const struct fxt_record *record)
{
    struct line_blob b = {.lines = &modules->lines};
    struct string module = find_text(record, "module");
    struct string build_id = find_text(record, "build_id");
    uint64_t n_damaged = 0;
    uint32_t file;

    if (!symbol_payload_find(&b.payload, record, FILE_LINES_WORDS_MIN) ||
        module.size + build_id.size == 0)
        return 1;
    b.n_bytes_left = b.payload.n_string_bytes;
    file =
        modules_find_file(modules, record->large_blob.thread.process, module, build_id);
    for (uint64_t i = 0; i < b.payload.n; i++)
        n_damaged += !take_entry(&b, i, file);
    memory_release(b.known);
    table_free(&b.table);
    return n_damaged;
}

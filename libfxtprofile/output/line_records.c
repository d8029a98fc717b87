/* SPDX-License-Identifier: BSD-2-Clause */
/* See line_records.h. */
#include "line_records.h"

#include <fxt/format.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "common/base/sort.h"

/* A record ends after the address with which it has so much; strings that several
 * addresses have are in it once. */
enum { ENTRIES_ENOUGH = 8192, STRING_BYTES_ENOUGH = 1 << 18 };

/* A location, by its address in a file. */
struct placed {
    uint32_t file;
    uint32_t build_id;
    uint64_t address;
    uint32_t location;
};

struct line_writer {
    struct line_records *records;
    const struct profile *profile;
    /* The entries of the record that is being made, and its strings, which follow each
     * other in the table. */
    struct text entries;
    uint64_t n_entries;
    struct string_table strings;
};

/* ---- Addresses --------------------------------------------------------------------- */

SORT_ORDER(order_placed, struct placed,
           BY(file) || BY(build_id) || BY(address) || BY(location));

static bool same_file(const struct placed *a, const struct placed *b)
{
    return a->file == b->file && a->build_id == b->build_id;
}

/* The locations in files, sorted; processes that have the same file mapped at other
 * addresses have the same lines in it. */
static struct placed *place_locations(const struct profile *p, size_t *n)
{
    struct placed *all = memory_allocate((p->n_locations + 1) * sizeof(*all));
    size_t n_all = 0;

    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[i];
        const struct profile_mapping *mapping;

        if (!location->is_of_file || location->mapping == PROFILE_NO_MAPPING)
            continue;
        mapping = &p->mappings[location->mapping];
        all[n_all++] = (struct placed){
            .file = mapping->recorded_file,
            .build_id = mapping->is_id_of_file ? UINT32_MAX : mapping->build_id,
            .address = location->address - mapping->start + mapping->vaddr,
            .location = (uint32_t)i,
        };
    }
    SORT(all, n_all, order_placed);
    *n = 0;
    for (size_t i = 0; i < n_all; i++) {
        if (*n == 0 || !same_file(&all[*n - 1], &all[i]) ||
            all[*n - 1].address != all[i].address)
            all[(*n)++] = all[i];
    }
    return all;
}

/* ---- Entries ----------------------------------------------------------------------- */

static void add_word(struct text *entries, uint64_t word)
{
    text_le(entries, word, FXT_WORD_BYTES);
}

static uint64_t add_string(struct line_writer *w, struct string string)
{
    uint32_t number = string_table_add(&w->strings, string.data, string.size);
    uint64_t offset = number > 0 ? w->strings.ends[number - 1] : 0;

    return (uint64_t)string.size << 32 | offset;
}

static struct string home_of(const struct profile *p,
                             const struct profile_function *function)
{
    if (function->home == PROFILE_NO_FILE)
        return (struct string){"", 0};
    return string_table_get(&p->files, function->home);
}

static void add_location(struct line_writer *w, const struct placed *placed)
{
    const struct profile *p = w->profile;
    const struct profile_location *location = &p->locations[placed->location];

    for (uint32_t i = 0; i < location->n_lines; i++) {
        const struct profile_line *line = &p->lines[location->first_line + i];
        const struct profile_function *function = &p->functions[line->function];

        add_word(&w->entries, placed->address);
        add_word(&w->entries,
                 add_string(w, string_table_get(&p->names, function->system_name)));
        add_word(&w->entries, add_string(w, string_table_get(&p->files, function->file)));
        add_word(&w->entries, (uint64_t)function->start_line << 32 | line->line);
        add_word(&w->entries, add_string(w, home_of(p, function)));
    }
    w->n_entries += location->n_lines;
}

/* ---- Records ----------------------------------------------------------------------- */

static void end_record(struct line_writer *w, const struct placed *placed)
{
    struct line_records *r = w->records;

    text_add(&w->entries, w->strings.bytes.data, w->strings.bytes.size);
    MEMORY_ADD(
        r->all, r->n, r->capacity,
        (struct line_record){placed->file, placed->build_id, w->n_entries, w->entries});
    w->entries = (struct text){NULL, 0, 0};
    w->n_entries = 0;
    string_table_free(&w->strings);
    w->strings = (struct string_table){.n = 0};
}

void line_records_make(struct line_records *records, const struct profile *p)
{
    struct line_writer w = {.records = records, .profile = p};
    struct placed *all;
    size_t n;

    if (profile_is_of_names(p))
        return;
    all = place_locations(p, &n);
    for (size_t i = 0; i < n; i++) {
        add_location(&w, &all[i]);
        if (i + 1 == n || !same_file(&all[i], &all[i + 1]) ||
            w.n_entries >= ENTRIES_ENOUGH || w.strings.bytes.size >= STRING_BYTES_ENOUGH)
            end_record(&w, &all[i]);
    }
    memory_release(all);
}

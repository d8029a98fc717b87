/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_functions.h. */
#include "elf_functions.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "elf_code.h"
#include "elf_gaps.h"
#include "elf_jumps.h"
#include "elf_starts.h"

/* ---- Starts that are not of unwind tables ------------------------------------------ */

static uint32_t add_name(struct unwind_function_list *list, const char *name)
{
    size_t at = list->names.size;

    if (at >= UNWIND_LIST_NO_NAME)
        return UNWIND_LIST_NO_NAME;
    text_add(&list->names, name, strlen(name) + 1);
    return (uint32_t)at;
}

static void append(struct unwind_function_list *list, struct unwind_listed function)
{
    MEMORY_ADD(list->items, list->n, list->capacity, function);
}

/* A function that is in no other. */
static void append_start(struct unwind_function_list *list, const struct elf_start *start,
                         uint64_t limit)
{
    struct unwind_listed function = {start->start, limit, UNWIND_LIST_NO_NAME, false};

    if (limit <= start->start)
        return;
    if (start->name != NULL)
        function.name = add_name(list, start->name);
    append(list, function);
}

/* Names a function of the list that begins at a start. */
static void name_listed(struct unwind_function_list *list, struct unwind_listed *function,
                        const struct elf_start *start)
{
    function->is_part = false;
    if (function->name == UNWIND_LIST_NO_NAME && start->name != NULL)
        function->name = add_name(list, start->name);
}

/* Sets `list` to the functions of another one and the starts, and keeps its names. A
 * start inside another function is none. */
static void merge_starts(struct unwind_function_list *list,
                         const struct unwind_function_list *old,
                         const struct elf_starts *starts,
                         const struct elf_headers *headers, const struct elf_image *image)
{
    size_t i = 0;

    list->items = NULL;
    list->n = list->capacity = 0;
    for (size_t s = 0; s < starts->n; s++) {
        const struct elf_start *start = &starts->items[s];
        uint64_t next = s + 1 < starts->n ? start[1].start : UINT64_MAX;

        while (i < old->n && old->items[i].start <= start->start)
            append(list, old->items[i++]);
        if (i < old->n && old->items[i].start < next)
            next = old->items[i].start;
        if (list->n > 0 && list->items[list->n - 1].start == start->start) {
            name_listed(list, &list->items[list->n - 1], start);
        } else if (list->n == 0 || list->items[list->n - 1].limit <= start->start) {
            uint64_t limit = elf_end_find(start, headers, image);

            append_start(list, start, limit < next ? limit : next);
        }
    }
    while (i < old->n)
        append(list, old->items[i++]);
}

/* Adds starts to `list`. */
static void add_starts(struct unwind_function_list *list, const struct elf_starts *starts,
                       const struct elf_headers *headers, const struct elf_image *image)
{
    struct unwind_function_list old = *list;

    merge_starts(list, &old, starts, headers, image);
    memory_release(old.items);
}

/* ---- The whole --------------------------------------------------------------------- */

/* Where symbols begin and end. */
static void add_symbols(struct elf_starts *starts, const struct elf_symbols *symbols)
{
    for (size_t i = 0; i < symbols->ranges.n; i++) {
        const struct range *range = &symbols->ranges.items[i];

        if (symbols->all[range->item].is_sized)
            elf_starts_add(starts, (struct elf_start){range->start, range->limit, NULL});
    }
}

/* Sets `list` to the functions of tables and symbols, the starts, those that calls or
 * pointers lead to, and what is left. */
static void fill_gaps(struct unwind_function_list *list,
                      const struct unwind_function_list *tables,
                      struct elf_starts *starts, const struct elf_gap_finder *finder,
                      const struct elf_image *image, const struct elf_symbols *symbols)
{
    const struct elf_headers *headers = finder->headers;
    struct elf_starts named = {NULL, 0, 0};
    struct elf_starts gaps = {NULL, 0, 0};
    struct elf_starts rest = {NULL, 0, 0};

    add_symbols(&named, symbols);
    merge_starts(list, tables, &named, headers, image);
    elf_gaps_find(finder, list, &gaps);
    elf_orc_find_starts(headers, &gaps, starts);
    elf_calls_find_starts(finder, &gaps, starts);
    add_starts(list, starts, headers, image);
    elf_gaps_find(finder, list, &rest);
    add_starts(list, &rest, headers, image);
    elf_starts_free(&named);
    elf_starts_free(&gaps);
    elf_starts_free(&rest);
}

static bool has_all(const struct unwind_function_list *list,
                    const struct elf_wanted *wanted)
{
    for (size_t i = 0; i < wanted->n; i++) {
        if (unwind_function_list_find(list, wanted->addresses[i]) == list->n)
            return false;
    }
    return true;
}

static bool is_wanted_part(const struct elf_wanted *wanted,
                           const struct unwind_listed *function)
{
    return function->is_part &&
           elf_is_wanted(wanted->addresses, wanted->n, function->start, function->limit);
}

static bool wants_part(const struct unwind_function_list *list,
                       const struct elf_wanted *wanted)
{
    for (size_t i = 0; i < list->n; i++) {
        if (is_wanted_part(wanted, &list->items[i]))
            return true;
    }
    return false;
}

/* Keeps the starts in gaps, and those with names. */
static void keep_starts_in(struct elf_starts *starts, const struct elf_starts *gaps)
{
    size_t n = 0;

    for (size_t i = 0; i < starts->n; i++) {
        if (starts->items[i].name != NULL ||
            elf_starts_find(gaps, starts->items[i].start) != NULL)
            starts->items[n++] = starts->items[i];
    }
    starts->n = n;
}

/* The gaps of a list that has the functions beside those wanted are the right ones; it
 * lacks others, which starts could be in. A function that owns a part can be one that
 * only `starts` have. */
static void add_unlisted(struct unwind_function_list *list,
                         const struct elf_headers *headers, const struct elf_image *image,
                         const struct elf_wanted *wanted, bool finds_owners)
{
    const struct unwind_function_list tables = *list;
    struct elf_starts starts = {NULL, 0, 0};
    struct elf_starts gaps = {NULL, 0, 0};
    struct elf_gap_finder finder;
    bool is_of_parts = finds_owners && wants_part(list, wanted);

    elf_gap_finder_init(&finder, headers, image, wanted->addresses, wanted->n);
    elf_gaps_find(&finder, list, &gaps);
    elf_starts_read(&starts, headers, gaps.n == 0 && !is_of_parts);
    if (!is_of_parts)
        keep_starts_in(&starts, &gaps);
    merge_starts(list, &tables, &starts, headers, image);
    if (gaps.n > 0 && elf_code_is_known(headers) && !wanted->have_symbols &&
        !has_all(list, wanted)) {
        memory_release(list->items);
        fill_gaps(list, &tables, &starts, &finder, image, wanted->symbols);
    }
    memory_release(tables.items);
    elf_gap_finder_free(&finder);
    elf_starts_free(&gaps);
    elf_starts_free(&starts);
}

/* ---- The tables -------------------------------------------------------------------- */

/* What is read of a file, and with it, where no other parts are wanted, the functions
 * that own parts: pointers from the starts of these to where they begin. */
struct table_reader {
    struct file *file;
    const struct elf_headers *headers;
    const struct elf_image *image;
    const struct elf_wanted *wanted;
    struct elf_pointers *owners;
};

/* Adds the parts that are wanted. */
static void add_parts(struct table_reader *r, const struct unwind_function_list *list)
{
    struct elf_pointers *owners = r->owners;

    for (size_t i = 0; i < list->n; i++) {
        if (is_wanted_part(r->wanted, &list->items[i]))
            MEMORY_ADD(owners->items, owners->n, owners->capacity,
                       ((struct elf_pointer){list->items[i].start, 0}));
    }
}

/* Reads the functions that own parts, too. */
static void read_owners(struct table_reader *r, struct unwind_function_index *index,
                        struct unwind_function_list *list)
{
    const struct elf_wanted *wanted = r->wanted;
    size_t n = wanted->n + r->owners->n;
    uint64_t *all = (uint64_t *)memory_reserve(n * sizeof(*all));

    for (size_t i = 0; i < n; i++)
        all[i] =
            i < wanted->n ? wanted->addresses[i] : r->owners->items[i - wanted->n].target;
    sort_numbers(all, n);
    unwind_function_list_free(list);
    unwind_function_index_read(index, all, n, list);
    memory_release(all);
}

/* Without symbols there may be many thousands of functions, of which few are wanted. */
static bool read_indexed(struct table_reader *r, struct unwind_function_list *list)
{
    struct unwind_function_index index;
    bool is_enough;

    unwind_function_index_open(&index, r->file);
    unwind_function_index_read(&index, r->wanted->addresses, r->wanted->n, list);
    add_parts(r, list);
    is_enough = list->n > 0 && elf_owners_find(&index, r->headers, r->image, r->owners);
    if (is_enough && r->owners->n > 0)
        read_owners(r, &index, list);
    unwind_function_index_close(&index);
    return is_enough;
}

static void read_tables(struct table_reader *r, struct unwind_function_list *list)
{
    if (!r->wanted->have_symbols && read_indexed(r, list))
        return;
    r->owners->n = 0;
    unwind_function_list_free(list);
    unwind_function_list_read(list, r->file);
}

/* ---- The whole --------------------------------------------------------------------- */

static void set_owners(struct elf_functions *functions, const struct elf_pointers *owners)
{
    const struct unwind_function_list *list = &functions->list;

    functions->owners = (uint64_t *)memory_allocate(list->n * sizeof(*functions->owners));
    for (size_t i = 0; i < list->n; i++)
        functions->owners[i] = list->items[i].start;
    for (size_t i = 0; i < owners->n; i++) {
        size_t part = unwind_function_list_find(list, owners->items[i].address);

        /* In a damaged table what was found once need not be found again. */
        if (part < list->n &&
            unwind_function_list_find(list, owners->items[i].target) < list->n)
            functions->owners[part] = owners->items[i].target;
    }
}

void elf_functions_read(struct elf_functions *functions, struct file *file,
                        const struct elf_image *image, const struct elf_wanted *wanted)
{
    struct unwind_function_list *list = &functions->list;
    struct elf_pointers owners = {NULL, 0, 0};
    struct text ignored = {NULL, 0, 0};
    struct elf_headers headers;
    struct table_reader reader = {file, &headers, image, wanted, &owners};

    if (elf_headers_read(&headers, file, &ignored)) {
        read_tables(&reader, list);
        add_unlisted(list, &headers, image, wanted, owners.n == 0);
        set_owners(functions, &owners);
        /* For which all code is read. */
        if (owners.n == 0 && wants_part(list, wanted))
            elf_jumps_find_owners(list, &headers, image, functions->owners);
    }
    memory_release(owners.items);
    text_free(&ignored);
}

static const char *name_at(const struct unwind_function_list *list, size_t i)
{
    return list->items[i].name != UNWIND_LIST_NO_NAME
               ? list->names.data + list->items[i].name
               : NULL;
}

bool elf_functions_find(const struct elf_functions *functions, uint64_t address,
                        struct elf_function *found)
{
    const struct unwind_function_list *list = &functions->list;
    size_t i = unwind_function_list_find(list, address);

    if (i == list->n)
        return false;
    found->start = functions->owners[i];
    /* What owns a part is in the list. */
    found->name = name_at(list, unwind_function_list_find(list, found->start));
    return true;
}

void elf_functions_free(struct elf_functions *functions)
{
    unwind_function_list_free(&functions->list);
    memory_release(functions->owners);
    *functions = (struct elf_functions){.owners = NULL};
}

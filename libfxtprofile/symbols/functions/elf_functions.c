/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_functions.h. */
#include "elf_functions.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "elf_ends.h"
#include "elf_jumps.h"
#include "elf_starts.h"

/* ---- Starts that are not of unwind tables ------------------------------------------ */

/* The number of the first function that begins after an address. */
static size_t find_after(const struct unwind_function_list *list, uint64_t address)
{
    return search_up_to(list->items, list->n, sizeof(*list->items),
                        offsetof(struct unwind_listed, start), address);
}

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
    list->items = (struct unwind_listed *)memory_grow(list->items, list->n,
                                                      &list->capacity, sizeof(function));
    list->items[list->n++] = function;
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

/* Adds the starts to the functions of the tables. A start inside another function is
 * none. */
static void merge_starts(struct unwind_function_list *list,
                         const struct elf_starts *starts,
                         const struct elf_headers *headers, const struct elf_image *image)
{
    struct unwind_listed *old = list->items;
    size_t n = list->n;
    size_t i = 0;

    list->items = NULL;
    list->n = list->capacity = 0;
    for (size_t s = 0; s < starts->n; s++) {
        const struct elf_start *start = &starts->items[s];
        uint64_t next = s + 1 < starts->n ? start[1].start : UINT64_MAX;

        while (i < n && old[i].start <= start->start)
            append(list, old[i++]);
        if (i < n && old[i].start < next)
            next = old[i].start;
        if (list->n > 0 && list->items[list->n - 1].start == start->start) {
            name_listed(list, &list->items[list->n - 1], start);
        } else if (list->n == 0 || list->items[list->n - 1].limit <= start->start) {
            uint64_t limit = elf_end_find(start, headers, image);

            append_start(list, start, limit < next ? limit : next);
        }
    }
    while (i < n)
        append(list, old[i++]);
    memory_release(old);
}

/* ---- The whole --------------------------------------------------------------------- */

void elf_functions_read(struct elf_functions *functions, struct file *file,
                        const struct elf_image *image)
{
    struct unwind_function_list *list = &functions->list;
    struct text ignored = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_starts starts = {NULL, 0, 0};

    unwind_function_list_read(list, file);
    if (elf_headers_read(&headers, file, &ignored)) {
        elf_starts_read(&starts, &headers);
        merge_starts(list, &starts, &headers, image);
        elf_starts_free(&starts);
        functions->owners =
            (uint64_t *)memory_allocate(list->n * sizeof(*functions->owners));
        for (size_t i = 0; i < list->n; i++)
            functions->owners[i] = list->items[i].start;
        elf_jumps_find_owners(list, &headers, image, functions->owners);
    } else {
        list->n = 0;
    }
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
    size_t i = find_after(list, address);

    if (i == 0 || address >= list->items[i - 1].limit)
        return false;
    found->start = functions->owners[i - 1];
    /* What owns a part is in the list. */
    i = find_after(list, found->start);
    found->name = name_at(list, i - 1);
    return true;
}

void elf_functions_free(struct elf_functions *functions)
{
    unwind_function_list_free(&functions->list);
    memory_release(functions->owners);
    *functions = (struct elf_functions){.owners = NULL};
}

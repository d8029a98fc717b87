/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_functions.h. */
#include "elf_functions.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
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

/* It ends where the next one begins, at the latest. */
static void insert(struct unwind_function_list *list, size_t at,
                   const struct elf_start *start)
{
    struct unwind_listed function = {start->start, start->limit, UNWIND_LIST_NO_NAME,
                                     false};

    if (at < list->n && list->items[at].start < function.limit)
        function.limit = list->items[at].start;
    function.name = add_name(list, start->name);
    list->items = (struct unwind_listed *)memory_grow(list->items, list->n,
                                                      &list->capacity, sizeof(function));
    memmove(list->items + at + 1, list->items + at, (list->n - at) * sizeof(function));
    list->items[at] = function;
    list->n++;
}

/* A start inside another function is no function; and one outside of all is none, either,
 * unless its end is known: what follows may be other functions without tables. */
static void take_start(struct unwind_function_list *list, const struct elf_start *start)
{
    size_t after = find_after(list, start->start);
    struct unwind_listed *before = after > 0 ? &list->items[after - 1] : NULL;

    if (before == NULL || start->start >= before->limit) {
        if (start->limit > start->start)
            insert(list, after, start);
    } else if (before->start == start->start && before->name == UNWIND_LIST_NO_NAME) {
        before->name = add_name(list, start->name);
        before->is_part = false;
    }
}

/* ---- The whole --------------------------------------------------------------------- */

void elf_functions_read(struct elf_functions *functions, struct file *file,
                        const struct elf_image *image)
{
    struct unwind_function_list *list = &functions->list;
    struct text ignored = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_starts starts;

    unwind_function_list_read(list, file);
    if (elf_headers_read(&headers, file, &ignored)) {
        elf_starts_read(&starts, &headers);
        for (size_t i = 0; i < starts.n; i++)
            take_start(list, &starts.items[i]);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_file.h: the functions of a Linux kernel as ranges of addresses. */
#include "kernel_file.h"

#include <string.h>

#include "common/base/memory.h"

/* Adds what tells a function from others of its name, if there is something. */
static bool add_place(const struct kernel_symbols *t, size_t i, struct text *places)
{
    size_t start = places->size;

    kernel_symbols_place(t, i, places);
    if (places->size == start)
        return false;
    text_char(places, '\0');
    return true;
}

/* The places of local functions, one after the other. */
static void set_places(struct elf_symbols *symbols, char *places)
{
    const char *at = places;

    symbols->made_names = places;
    for (size_t i = 0; i < symbols->n; i++) {
        if (!symbols->all[i].is_local)
            continue;
        symbols->all[i].source = at;
        at += strlen(at) + 1;
    }
}

void kernel_ranges_make(struct elf_symbols *symbols, const struct kernel_symbols *t,
                        size_t first, size_t end)
{
    struct text places = {NULL, 0, 0};

    symbols->all =
        (struct elf_symbol *)memory_reserve((end - first) * sizeof(*symbols->all));
    symbols->ranges = (struct ranges){
        memory_reserve((end - first) * sizeof(*symbols->ranges.items)), 0, end - first};
    for (size_t i = first; i < end; i++) {
        if (!kernel_symbol_is_function(&t->all[i]))
            continue;
        ranges_add(&symbols->ranges, t->all[i].address, kernel_symbols_end(t, i),
                   (uint32_t)symbols->n);
        symbols->all[symbols->n++] =
            (struct elf_symbol){.name = t->names.data + t->all[i].name,
                                .start = t->all[i].address,
                                .is_local = add_place(t, i, &places),
                                .is_sized = true};
    }
    set_places(symbols, places.data);
}

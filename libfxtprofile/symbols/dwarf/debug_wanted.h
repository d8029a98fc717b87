/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses that are looked up in a file. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_WANTED_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_WANTED_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/search.h"
#include "libfxtprofile/symbols/elf_file.h"

/* The ranges that may still be read are limited in number, since many functions could
 * claim one long list of them. */
struct debug_wanted {
    const struct elf *elf;
    /* Sorted. */
    const uint64_t *addresses;
    size_t n_addresses;
    uint64_t n_ranges_left;
};

/* The first of them from `start` on; UINT64_MAX if there is none. */
static inline uint64_t debug_wanted_from(const struct debug_wanted *w, uint64_t start)
{
    size_t i =
        search_below(w->addresses, w->n_addresses, sizeof(*w->addresses), 0, start);

    return i < w->n_addresses ? w->addresses[i] : UINT64_MAX;
}

#endif

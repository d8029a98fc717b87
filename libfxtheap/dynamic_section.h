/* SPDX-License-Identifier: BSD-2-Clause */
/* What a loaded module's dynamic section says: its relocations, and its functions by
 * name. */
#ifndef LIBFXTHEAP_DYNAMIC_SECTION_H
#define LIBFXTHEAP_DYNAMIC_SECTION_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A module's words and functions, from its dynamic section. */
struct dynamic_module {
    uintptr_t base;
    const ElfW(Phdr) * phdrs;
    int n_phdrs;
    const ElfW(Sym) * symbols;
    const char *names;
    /* Of the names: NULL if there is none. */
    const uint32_t *gnu_hash;
    const uint32_t *hash;
    /* The relocations of data, and those of calls. */
    const ElfW(Rela) * relocations[2];
    size_t n[2];
};

/* For dl_iterate_phdr; false if the module has no symbols. */
bool dynamic_read(struct dynamic_module *module, const struct dl_phdr_info *info);

bool dynamic_has_address(const struct dynamic_module *module, uintptr_t address);

/* The address of a function of the module, or 0. */
uintptr_t dynamic_find(const struct dynamic_module *module, const char *name);

#endif

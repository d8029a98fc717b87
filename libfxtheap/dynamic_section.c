/* SPDX-License-Identifier: BSD-2-Clause */
/* See dynamic_section.h. */
#include "dynamic_section.h"

#include <elf.h>
#include <string.h>

/* Some loaders write the address into the section, others leave the offset there. */
static uintptr_t address_of(const struct dynamic_module *m, const ElfW(Dyn) * entry)
{
    return entry->d_un.d_ptr < m->base ? m->base + entry->d_un.d_ptr : entry->d_un.d_ptr;
}

static void take_dynamic(struct dynamic_module *m, const ElfW(Dyn) * entry)
{
    size_t size = entry->d_un.d_val / sizeof(ElfW(Rela));

    switch (entry->d_tag) {
    case DT_SYMTAB:
        m->symbols = (const ElfW(Sym) *)address_of(m, entry);
        break;
    case DT_STRTAB:
        m->names = (const char *)address_of(m, entry);
        break;
    case DT_GNU_HASH:
        m->gnu_hash = (const uint32_t *)address_of(m, entry);
        break;
    case DT_HASH:
        m->hash = (const uint32_t *)address_of(m, entry);
        break;
    case DT_RELA:
        m->relocations[0] = (const ElfW(Rela) *)address_of(m, entry);
        break;
    case DT_RELASZ:
        m->n[0] = size;
        break;
    case DT_JMPREL:
        m->relocations[1] = (const ElfW(Rela) *)address_of(m, entry);
        break;
    case DT_PLTRELSZ:
        m->n[1] = size;
        break;
    }
}

bool dynamic_read(struct dynamic_module *m, const struct dl_phdr_info *info)
{
    *m = (struct dynamic_module){
        .base = info->dlpi_addr, .phdrs = info->dlpi_phdr, .n_phdrs = info->dlpi_phnum};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(m->base + m->phdrs[i].p_vaddr);

        for (; m->phdrs[i].p_type == PT_DYNAMIC && entry->d_tag != DT_NULL; entry++)
            take_dynamic(m, entry);
    }
    return m->symbols != NULL && m->names != NULL;
}

bool dynamic_has_address(const struct dynamic_module *m, uintptr_t address)
{
    for (int i = 0; i < m->n_phdrs; i++) {
        const ElfW(Phdr) *part = &m->phdrs[i];

        if (part->p_type == PT_LOAD && address >= m->base + part->p_vaddr &&
            address - (m->base + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

/* ---- Functions --------------------------------------------------------------------- */

static bool is_symbol(const struct dynamic_module *m, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &m->symbols[i];

    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           strcmp(m->names + symbol->st_name, name) == 0;
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;

    while (*name != '\0')
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

/* Return the index of a symbol; 0 if there is none. */
static uint32_t find_by_gnu_hash(const struct dynamic_module *m, const char *name)
{
    uint32_t hash = gnu_hash_of(name);
    uint32_t n_buckets = m->gnu_hash[0];
    uint32_t first = m->gnu_hash[1];
    const uint32_t *buckets =
        m->gnu_hash + 4 + m->gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + n_buckets;
    uint32_t i = n_buckets > 0 ? buckets[hash % n_buckets] : 0;

    for (; i >= first && i != 0; i++) {
        if ((chain[i - first] | 1) == (hash | 1) && is_symbol(m, i, name))
            return i;
        if ((chain[i - first] & 1) != 0)
            break;
    }
    return 0;
}

static uint32_t find_by_hash(const struct dynamic_module *m, const char *name)
{
    for (uint32_t i = 1; i < m->hash[1]; i++) {
        if (is_symbol(m, i, name))
            return i;
    }
    return 0;
}

uintptr_t dynamic_find(const struct dynamic_module *m, const char *name)
{
    uint32_t i = 0;

    if (m->gnu_hash != NULL)
        i = find_by_gnu_hash(m, name);
    else if (m->hash != NULL)
        i = find_by_hash(m, name);
    return i != 0 ? m->base + m->symbols[i].st_value : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading an ELF file that is in memory, and asking for its symbols. */
#ifndef TESTS_LIBFXTPROFILE_READ_ELF_H
#define TESTS_LIBFXTPROFILE_READ_ELF_H

#include <criterion/criterion.h>

#include "libfxtprofile/symbols/elf_file.h"
#include "make_elf.h"

/* With the PLT stubs at all addresses, at which a file may have none. */
static inline bool read_bytes(struct elf *elf, const void *bytes, size_t size)
{
    struct file *file = file_from_memory(bytes, size);
    struct text why = {NULL, 0, 0};
    bool ok = elf_read(elf, file, &why);

    for (size_t i = 0; ok && i <= elf->stubs.sections.n; i++)
        elf_read_stubs_at(elf, file, i > 0 ? elf->stubs.sections.items[i - 1].start : 0);
    cr_assert(ok || why.size > 0, "a failure has a reason");
    text_free(&why);
    file_close(file);
    return ok;
}

static inline void read_made(struct elf *elf, const struct made_elf *made)
{
    cr_assert(read_bytes(elf, made->bytes, sizeof(made->bytes)));
}

/* Asserts what symbol has an address; NULL for none. */
static inline void assert_symbol(const struct elf *elf, uint64_t address,
                                 const char *name)
{
    const struct elf_symbol *found = elf_find(elf, address);

    cr_assert_str_eq(found != NULL ? found->name : "(none)",
                     name != NULL ? name : "(none)", "0x%llx",
                     (unsigned long long)address);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading an ELF file that is in memory. */
#ifndef TESTS_READ_ELF_H
#define TESTS_READ_ELF_H

#include <criterion/criterion.h>

#include "elf_file.h"

static inline bool read_bytes(struct elf *elf, const void *bytes, size_t size)
{
    struct file *file = file_from_memory(bytes, size);
    struct text why = {NULL, 0, 0};
    bool ok = elf_read(elf, file, &why);

    cr_assert(ok || why.size > 0, "a failure has a reason");
    text_free(&why);
    file_close(file);
    return ok;
}

#endif

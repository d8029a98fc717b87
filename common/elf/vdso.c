/* SPDX-License-Identifier: BSD-2-Clause */
/* See vdso.h. */
#include "vdso.h"

#ifdef __linux__

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

/* What follows the last of the program headers and section headers is not looked at. */
struct file *vdso_open(void)
{
    unsigned long address = getauxval(AT_SYSINFO_EHDR);
    const void *data;
    Elf64_Ehdr header;

    if (address == 0 || sizeof(address) != sizeof(header.e_entry))
        return NULL;
    memcpy(&data, &address, sizeof(data));
    memcpy(&header, data, sizeof(header));
    return file_from_memory(data, (size_t)header.e_shoff +
                                      (size_t)header.e_shnum * header.e_shentsize);
}

#else

struct file *vdso_open(void)
{
    return NULL;
}

#endif

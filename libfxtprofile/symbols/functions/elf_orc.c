/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_starts.h: where functions begin by ORC, the unwind tables of x86-64 Linux
 * kernels: one that was built without kallsyms has no names, and no other tables. The
 * format: tools/fxtrecord/debugger/guest/orc_table.h. */
#include "elf_starts.h"

#include <elf.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "elf_code.h"

/* The sizes of an address, relative to where it is, and of an entry; where that has its
 * registers; and how functions are aligned. */
enum { PC_SIZE = 4, ENTRY_SIZE = 6, REGISTERS = 4, ALIGNMENT = 16 };

/* Between functions there is padding, of which nothing is known: no register. What
 * follows is a function if only the return address is on the stack. */
static bool is_start(const unsigned char *entry)
{
    const unsigned char *before = entry - ENTRY_SIZE;

    return (before[REGISTERS] & 0xf) == 0 && (entry[REGISTERS] & 0xf) != 0 &&
           elf_code_load(entry, 2) == sizeof(uint64_t);
}

static void take_entries(const unsigned char *pcs, uint64_t address,
                         const unsigned char *entries, size_t n,
                         const struct elf_starts *gaps, struct elf_starts *starts)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t start =
            address + i * PC_SIZE + extend_sign(elf_code_load(pcs + i * PC_SIZE, 4), 32);
        const struct elf_start *gap = elf_starts_find(gaps, start);

        if (gap != NULL && start % ALIGNMENT == 0 && is_start(entries + i * ENTRY_SIZE))
            elf_starts_add(starts, (struct elf_start){start, gap->limit, NULL});
    }
}

void elf_orc_find_starts(const struct elf_headers *headers, const struct elf_starts *gaps,
                         struct elf_starts *starts)
{
    struct elf_section pcs;
    struct elf_section entries;
    unsigned char *pc_bytes;
    unsigned char *entry_bytes;

    if (headers->machine != EM_X86_64 || gaps->n == 0 ||
        !elf_section_find(headers, ".orc_unwind_ip", &pcs) ||
        !elf_section_find(headers, ".orc_unwind", &entries) ||
        pcs.size / PC_SIZE != entries.size / ENTRY_SIZE)
        return;
    pc_bytes = elf_bytes_read(headers, pcs.offset, pcs.size);
    entry_bytes = elf_bytes_read(headers, entries.offset, entries.size);
    if (pc_bytes != NULL && entry_bytes != NULL)
        take_entries(pc_bytes, pcs.address, entry_bytes, (size_t)pcs.size / PC_SIZE, gaps,
                     starts);
    memory_release(pc_bytes);
    memory_release(entry_bytes);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space for the program on each CPU: see arch.h. Nothing else is in it, since
 * the kernel's addresses are not translated: where those of the program are it looks up
 * in the tables, as the machine does.
 */
#include "arch.h"

enum { PAGE_BYTES = 4096, N_SEGMENTS = 512, N_PAGES = 256 };

/* Of the addresses that an entry of each table is for, as a power of two. */
enum { SEGMENT_BITS = 20, PAGE_BITS = 12 };

enum { INVALID_SEGMENT = 0x20, INVALID_PAGE = 0x400, READ_ONLY = 0x200 };

static struct space {
    uint64_t segments[N_SEGMENTS] __attribute__((aligned(PAGE_BYTES)));
    uint64_t pages[N_PAGES] __attribute__((aligned(PAGE_BYTES)));
    unsigned char stack[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
} spaces[N_CPUS];

void s390x_map_user(unsigned cpu);

static uint64_t *page_entry(struct space *space, uintptr_t address)
{
    return &space->pages[address >> PAGE_BITS & (N_PAGES - 1)];
}

void s390x_map_user(unsigned cpu)
{
    struct space *space = &spaces[cpu];
    uint64_t control = (uintptr_t)space->segments;

    for (unsigned i = 0; i < N_SEGMENTS; i++)
        space->segments[i] = INVALID_SEGMENT;
    for (unsigned i = 0; i < N_PAGES; i++)
        space->pages[i] = INVALID_PAGE;
    space->segments[USER_BASE >> SEGMENT_BITS] = (uintptr_t)space->pages;
    for (const char *page = user_load; page < user_load_end; page += PAGE_BYTES)
        *page_entry(space, USER_BASE + (uintptr_t)(page - user_load)) =
            (uintptr_t)page | READ_ONLY;
    *page_entry(space, USER_BASE + USER_BYTES - PAGE_BYTES) = (uintptr_t)space->stack;
    __asm__ volatile("lctlg 1, 1, %0" : : "Q"(control) : "memory");
}

bool s390x_find_page(uintptr_t address, uintptr_t *real)
{
    uint64_t entry;

    if (address - USER_BASE >= USER_BYTES)
        return false;
    entry = *page_entry(&spaces[arch_cpu()], address);
    *real = (entry & ~(uint64_t)(PAGE_BYTES - 1)) | (address & (PAGE_BYTES - 1));
    return (entry & INVALID_PAGE) == 0;
}

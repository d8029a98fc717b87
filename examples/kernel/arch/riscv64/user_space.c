/* SPDX-License-Identifier: BSD-2-Clause */
/* An address space for the program on each CPU: see arch.h. The kernel's memory stands in
 * it where it is, for the kernel alone. */
#include "arch.h"

enum { PAGE_BYTES = 4096, N_ENTRIES = 512 };

/* Of the addresses that an entry of each level is for, as a power of two. */
enum { ROOT_BITS = 30, TABLE_BITS = 21, PAGE_BITS = 12 };

enum {
    VALID = 1,
    READABLE = 2,
    WRITABLE = 4,
    EXECUTABLE = 8,
    USER = 16,
    USED = 192 /* accessed and dirty */
};

#define SATP_SV39 ((uint64_t)8 << 60)
#define MEMORY 0x80000000

typedef uint64_t page_table[N_ENTRIES] __attribute__((aligned(PAGE_BYTES)));

/* A CPU's tables, from the one that has all addresses to the one that has pages. */
static struct space {
    page_table root;
    page_table tables;
    page_table pages;
    unsigned char stack[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
} spaces[N_CPUS];

void riscv64_map_user(unsigned cpu);

static void set_entry(uint64_t *table, unsigned bits, uintptr_t address, uintptr_t to,
                      unsigned flags)
{
    table[address >> bits & (N_ENTRIES - 1)] = (uint64_t)to >> 12 << 10 | VALID | flags;
}

void riscv64_map_user(unsigned cpu)
{
    struct space *space = &spaces[cpu];

    set_entry(space->root, ROOT_BITS, 0, 0, READABLE | WRITABLE | USED);
    set_entry(space->root, ROOT_BITS, MEMORY, MEMORY,
              READABLE | WRITABLE | EXECUTABLE | USED);
    set_entry(space->root, ROOT_BITS, USER_BASE, (uintptr_t)space->tables, 0);
    set_entry(space->tables, TABLE_BITS, USER_BASE, (uintptr_t)space->pages, 0);
    for (const char *page = user_load; page < user_load_end; page += PAGE_BYTES)
        set_entry(space->pages, PAGE_BITS, USER_BASE + (uintptr_t)(page - user_load),
                  (uintptr_t)page, READABLE | EXECUTABLE | USER | USED);
    set_entry(space->pages, PAGE_BITS, USER_BASE + USER_BYTES - PAGE_BYTES,
              (uintptr_t)space->stack, READABLE | WRITABLE | USER | USED);
    __asm__ volatile("csrw satp, %0\n\tsfence.vma"
                     :
                     : "r"(SATP_SV39 | (uintptr_t)space->root >> 12)
                     : "memory");
}

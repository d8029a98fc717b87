/* SPDX-License-Identifier: BSD-2-Clause */
/* An address space for the program on each CPU: see arch.h. The kernel's memory stands in
 * it where it is, for the kernel alone, and as little cached as it was without an MMU. */
#include "arch.h"

enum { PAGE_BYTES = 4096, N_ENTRIES = 512 };

/* Of the addresses that an entry of each level is for, as a power of two. */
enum { ROOT_BITS = 30, TABLE_BITS = 21, PAGE_BITS = 12 };

/* Attributes, by their index in the register that has them. */
enum { NORMAL, DEVICE };

#define MAIR ((uint64_t)0x44 << 8 * NORMAL | (uint64_t)0 << 8 * DEVICE)

#define BLOCK ((uint64_t)1)
#define TABLE_OR_PAGE ((uint64_t)3)
#define ATTRIBUTE(index) ((uint64_t)(index) << 2)
#define USER ((uint64_t)1 << 6)
#define READ_ONLY ((uint64_t)1 << 7)
#define SHAREABLE ((uint64_t)3 << 8)
#define ACCESSED ((uint64_t)1 << 10)
#define NOT_FOR_KERNEL ((uint64_t)1 << 53) /* to be executed */
#define NOT_FOR_USER ((uint64_t)1 << 54)

/* Addresses of 39 bits from 0 on, in pages of 4 KiB, and none from the other end on. */
#define TCR ((uint64_t)25 | SHAREABLE << 4 | (uint64_t)1 << 23)

#define MEMORY 0x40000000

typedef uint64_t page_table[N_ENTRIES] __attribute__((aligned(PAGE_BYTES)));

/* A CPU's tables, from the one that has all addresses to the one that has pages. */
static struct space {
    page_table root;
    page_table tables;
    page_table pages;
    unsigned char stack[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
} spaces[N_CPUS];

void aarch64_map_user(unsigned cpu);

static void set_entry(uint64_t *table, unsigned bits, uintptr_t address, uintptr_t to,
                      uint64_t flags)
{
    table[address >> bits & (N_ENTRIES - 1)] = to | flags;
}

static void map_page(struct space *space, uintptr_t address, const void *page,
                     uint64_t flags)
{
    set_entry(space->pages, PAGE_BITS, address, (uintptr_t)page,
              TABLE_OR_PAGE | ATTRIBUTE(NORMAL) | SHAREABLE | ACCESSED | USER |
                  NOT_FOR_KERNEL | flags);
}

static void make_tables(struct space *space)
{
    set_entry(space->root, ROOT_BITS, 0, 0,
              BLOCK | ATTRIBUTE(DEVICE) | ACCESSED | NOT_FOR_KERNEL | NOT_FOR_USER);
    set_entry(space->root, ROOT_BITS, MEMORY, MEMORY,
              BLOCK | ATTRIBUTE(NORMAL) | SHAREABLE | ACCESSED | NOT_FOR_USER);
    set_entry(space->root, ROOT_BITS, USER_BASE, (uintptr_t)space->tables, TABLE_OR_PAGE);
    set_entry(space->tables, TABLE_BITS, USER_BASE, (uintptr_t)space->pages,
              TABLE_OR_PAGE);
    for (const char *page = user_load; page < user_load_end; page += PAGE_BYTES)
        map_page(space, USER_BASE + (uintptr_t)(page - user_load), page, READ_ONLY);
    map_page(space, USER_BASE + USER_BYTES - PAGE_BYTES, space->stack, NOT_FOR_USER);
}

void aarch64_map_user(unsigned cpu)
{
    uint64_t control;

    make_tables(&spaces[cpu]);
    __asm__ volatile("msr mair_el1, %0" : : "r"(MAIR));
    __asm__ volatile("msr tcr_el1, %0" : : "r"(TCR));
    __asm__ volatile("msr ttbr0_el1, %0" : : "r"(spaces[cpu].root));
    __asm__ volatile("dsb sy\n\tisb\n\ttlbi vmalle1\n\tdsb sy" : : : "memory");
    __asm__ volatile("mrs %0, sctlr_el1" : "=r"(control));
    __asm__ volatile("msr sctlr_el1, %0\n\tisb" : : "r"(control | 1) : "memory");
}

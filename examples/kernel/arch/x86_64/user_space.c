/* SPDX-License-Identifier: BSD-2-Clause */
/* An address space for the program on each CPU: see arch.h. */
#include "arch.h"

enum {
    PAGE_BYTES = 4096,
    N_ENTRIES = 512,
    PAGE_PRESENT = 1,
    PAGE_WRITABLE = 2,
    PAGE_USER = 4
};

/* Of the addresses that an entry of each level is for, as a power of two. */
enum { MAP_BITS = 39, DIRECTORY_BITS = 30, TABLE_BITS = 21, PAGE_BITS = 12 };

typedef uint64_t page_table[N_ENTRIES] __attribute__((aligned(PAGE_BYTES)));

/* A CPU's tables, from the one that has all addresses to the one that has pages. */
static struct space {
    page_table map;
    page_table directories;
    page_table tables;
    page_table pages;
    unsigned char stack[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
} spaces[N_CPUS];

/* The kernel's addresses, where it is loaded: see boot.S. */
extern const char page_map[];

void x86_map_user(unsigned cpu);

static uint64_t physical(const void *address)
{
    return (uintptr_t)address - KERNEL_BASE;
}

/* The entry for an address in a table of a level. */
static uint64_t *entry_of(uint64_t *table, unsigned bits, uintptr_t address)
{
    return &table[address >> bits & (N_ENTRIES - 1)];
}

static void map_page(struct space *space, uintptr_t address, uint64_t page)
{
    *entry_of(space->pages, PAGE_BITS, address) = page | PAGE_PRESENT | PAGE_USER;
}

void x86_map_user(unsigned cpu)
{
    const uint64_t table = PAGE_PRESENT | PAGE_WRITABLE | PAGE_USER;
    struct space *space = &spaces[cpu];
    const uint64_t *kernel = (const uint64_t *)(uintptr_t)page_map;

    for (unsigned i = 0; i < N_ENTRIES; i++)
        space->map[i] = kernel[i];
    *entry_of(space->map, MAP_BITS, USER_BASE) = physical(space->directories) | table;
    *entry_of(space->directories, DIRECTORY_BITS, USER_BASE) =
        physical(space->tables) | table;
    *entry_of(space->tables, TABLE_BITS, USER_BASE) = physical(space->pages) | table;
    for (const char *page = user_load; page < user_load_end; page += PAGE_BYTES)
        map_page(space, USER_BASE + (uintptr_t)(page - user_load), physical(page));
    map_page(space, USER_BASE + USER_BYTES - PAGE_BYTES,
             physical(space->stack) | PAGE_WRITABLE);
    __asm__ volatile("movq %0, %%cr3" : : "r"(physical(space->map)) : "memory");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_gaps.h: where functions begin that no table has, by the calls that lead there,
 * and by what the functions of the tables jump to or take the address of. */
#include "elf_gaps.h"

#include <elf.h>
#include <string.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "elf_code.h"

struct call_search {
    const struct elf_gap_finder *finder;
    uint16_t machine;
    const struct elf_starts *gaps;
    /* Addresses in gaps that calls lead to. */
    uint64_t *targets;
    size_t n;
    size_t capacity;
    /* There is at most one for each byte of a file, but if segments share bytes. */
    uint64_t max_targets;
};

/* ---- Starts ------------------------------------------------------------------------ */

/* Whether it is a call, of a function or of the system: some do not return. */
static bool is_call(uint16_t machine, const unsigned char *bytes, size_t size)
{
    uint32_t word = elf_code_load(bytes, 4);

    switch (machine) {
    case EM_X86_64:
        return (size == 5 && bytes[0] == 0xe8) ||
               (size == 2 && (word & 0xffff) == 0x050f);
    case EM_AARCH64:
        return size == 4 && (word >> 26 == 0x25 || (word & 0xffe0001f) == 0xd4000001);
    default:
        return size == 4 && ((word & 0xfff) == 0x0ef || (word & 0xfffff) == 0x080e7 ||
                             word == 0x00000073);
    }
}

/* Whether execution may not go on at an address after the instruction before it, or that
 * is padding. */
static bool is_after_end(const struct elf_gap_finder *finder, uint64_t address)
{
    enum { BEFORE = ELF_PADDING_MAX - 1 };
    const struct elf_headers *headers = finder->headers;
    size_t after = search_up_to(finder->code, finder->n, sizeof(finder->code[0]),
                                offsetof(struct elf_code, vaddr), address);
    /* Gaps are in code. */
    const struct elf_code *code = &finder->code[after - 1];
    uint64_t at_most = address - code->vaddr;
    size_t n = at_most < BEFORE ? (size_t)at_most : BEFORE;
    unsigned char bytes[BEFORE + ELF_PADDING_MAX] = {0};

    if (!file_read(headers->file, code->offset + at_most - n, bytes + BEFORE - n, n))
        return false;
    for (size_t size = 1; size <= n; size++) {
        const unsigned char *at = bytes + BEFORE - size;
        bool is_last = false;

        if (elf_code_padding(headers->machine, at) == size ||
            is_call(headers->machine, at, size) ||
            (elf_code_size(headers->machine, at, &is_last) == size && is_last))
            return true;
    }
    return false;
}

static bool is_start(const struct elf_gap_finder *finder, const struct elf_start *gap,
                     uint64_t address)
{
    return address == gap->start || is_after_end(finder, address);
}

/* ---- Calls ------------------------------------------------------------------------- */

/* How far from a gap calls are looked for: a linker puts what is of one library side by
 * side. And from how far calls are so seldom by chance, of other bytes, that they are
 * believed. */
#define NEAR (UINT64_C(1) << 22)
#define NEARER (UINT64_C(1) << 20)

static void take_target(struct call_search *s, uint64_t target)
{
    if (s->n < s->max_targets && elf_starts_find(s->gaps, target) != NULL)
        MEMORY_ADD(s->targets, s->n, s->capacity, target);
}

/* A call from nearby by a function of the tables counts twice where functions are
 * aligned: before it there can be constants, which do not look like an end. */
static void take_call(struct call_search *s, uint64_t from, uint64_t target)
{
    enum { ALIGNMENT = 16 };

    take_target(s, target);
    if (target % ALIGNMENT == 0 && target - from + NEARER < 2 * NEARER &&
        elf_starts_find(s->gaps, from) == NULL)
        take_target(s, target);
}

/* A jump from a function of the tables to a gap is a call, too, the last that it does. */
static void take_jump(struct call_search *s, uint64_t from, uint64_t target)
{
    if (elf_starts_find(s->gaps, from) == NULL)
        take_target(s, target);
}

/* What code takes the address of, which could be a label, too. */
static void take_address(struct call_search *s, uint64_t target)
{
    const struct elf_start *gap = elf_starts_find(s->gaps, target);

    if (gap != NULL && is_start(s->finder, gap, target))
        take_target(s, target);
}

/* CALL, JMP, and what LEA has after its prefix. */
enum { CALL = 0xe8, JMP = 0xe9, LEA = 0x8d };

/* At any byte: where instructions begin is not known. That other bytes lead to a gap by
 * chance, and to where a function could begin, is rare, but for calls with zeros, which
 * lead to what is next. The addresses of LEA are relative to the instruction pointer. */
static void take_x86_64(struct call_search *s, const unsigned char *bytes,
                        uint64_t address)
{
    unsigned size = bytes[0] == LEA ? 2 : 1;
    uint64_t distance = extend_sign(elf_code_load(bytes + size, 4), 32);
    uint64_t target = address + size + 4 + distance;

    if (bytes[0] == CALL && distance != 0)
        take_call(s, address, target);
    else if (bytes[0] == JMP)
        take_jump(s, address, target);
    else if (bytes[0] == LEA && (bytes[1] & 0xc7) == 0x05)
        take_address(s, target);
}

static void take_each_x86_64(struct call_search *s, const struct elf_code_piece *piece,
                             unsigned char first)
{
    const unsigned char *at = piece->bytes;
    const unsigned char *limit = at + piece->n;

    while (at < limit && (at = memchr(at, first, (size_t)(limit - at))) != NULL) {
        take_x86_64(s, at, piece->address + (uint64_t)(at - piece->bytes));
        at++;
    }
}

/* BL and B. */
static void take_aarch64(struct call_search *s, const unsigned char *bytes,
                         uint64_t address)
{
    uint32_t word = elf_code_load(bytes, 4);
    uint64_t target = address + 4 * extend_sign(word & 0x3ffffff, 26);

    if (word >> 26 == 0x25)
        take_target(s, target);
    else if (word >> 26 == 0x05)
        take_jump(s, address, target);
}

/* JAL with the return address in ra or none, and AUIPC and JALR, both of ra. */
static void take_riscv(struct call_search *s, const unsigned char *bytes,
                       uint64_t address)
{
    uint64_t word = elf_code_load(bytes, 4);
    uint64_t next = elf_code_load(bytes + 4, 4);
    uint64_t jump = (word >> 31 & 1) << 20 | (word >> 12 & 0xff) << 12 |
                    (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1;

    if ((word & 0xfff) == 0x0ef)
        take_target(s, address + extend_sign(jump, 21));
    else if ((word & 0xfff) == 0x06f)
        take_jump(s, address, address + extend_sign(jump, 21));
    else if ((word & 0xfff) == 0x097 && (next & 0xfffff) == 0x080e7)
        take_target(s, address + extend_sign(word & 0xfffff000, 32) +
                           extend_sign(next >> 20, 12));
}

static void take_piece(void *context, const struct elf_code_piece *piece)
{
    struct call_search *s = context;

    if (s->machine == EM_X86_64) {
        take_each_x86_64(s, piece, CALL);
        take_each_x86_64(s, piece, JMP);
        take_each_x86_64(s, piece, LEA);
    }
    for (size_t i = 0; s->machine == EM_AARCH64 && i < piece->n; i += 4)
        take_aarch64(s, piece->bytes + i, piece->address + i);
    for (size_t i = 0; s->machine == EM_RISCV && i < piece->n; i += 2)
        take_riscv(s, piece->bytes + i, piece->address + i);
}

/* ---- Code near gaps ---------------------------------------------------------------- */

static uint64_t near_before(uint64_t address)
{
    return address > NEAR ? address - NEAR : 0;
}

static uint64_t near_after(uint64_t address)
{
    return address < UINT64_MAX - NEAR ? address + NEAR : UINT64_MAX;
}

/* Reads the code of a section that is near gaps, each part of it once. */
static void read_near(struct call_search *s, const struct elf_code *code)
{
    const struct elf_starts *gaps = s->gaps;
    size_t i = search_up_to(gaps->items, gaps->n, sizeof(*gaps->items),
                            offsetof(struct elf_start, limit), near_before(code->vaddr));

    while (i < gaps->n && near_before(gaps->items[i].start) < code->limit) {
        struct elf_code near = *code;
        uint64_t start = near_before(gaps->items[i].start);
        uint64_t limit = near_after(gaps->items[i++].limit);

        while (i < gaps->n && near_before(gaps->items[i].start) <= limit)
            limit = near_after(gaps->items[i++].limit);
        if (start > code->vaddr)
            near.vaddr = start;
        if (limit < code->limit)
            near.limit = limit;
        near.offset += near.vaddr - code->vaddr;
        elf_code_read(s->finder->headers, &near, take_piece, s);
    }
}

/* ---- The whole --------------------------------------------------------------------- */

static void add_start(const struct call_search *s, uint64_t address,
                      struct elf_starts *starts)
{
    const struct elf_start *gap = elf_starts_find(s->gaps, address);

    if (is_start(s->finder, gap, address))
        elf_starts_add(starts, (struct elf_start){address, gap->limit, NULL});
}

static void add_targets(struct call_search *s, struct elf_starts *starts)
{
    sort_numbers(s->targets, s->n);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t target = s->targets[i];
        const struct elf_start *gap = elf_starts_find(s->gaps, target);
        bool is_last = i + 1 == s->n || s->targets[i + 1] != target;
        bool is_again = i > 0 && s->targets[i - 1] == target;

        if (is_last && (is_again || is_start(s->finder, gap, target)))
            elf_starts_add(starts, (struct elf_start){target, gap->limit, NULL});
    }
}

/* Where the function begins that has an address in a gap, as far as it is known. */
static uint64_t find_known(const struct call_search *s, const struct elf_starts *starts,
                           uint64_t address)
{
    uint64_t gap = elf_starts_find(s->gaps, address)->start;
    size_t after = search_up_to(starts->items, starts->n, sizeof(*starts->items),
                                offsetof(struct elf_start, start), address);

    return after > 0 && starts->items[after - 1].start > gap
               ? starts->items[after - 1].start
               : gap;
}

/* Where pointers lead to; but many in a row to one function are to its labels, where it
 * is an interpreter's. */
static void add_pointers(const struct call_search *s, const struct elf_starts *starts,
                         struct elf_starts *found)
{
    enum { LABELS_LEAST = 16 };
    struct elf_pointers pointers = {NULL, 0, 0};
    size_t n;

    elf_pointers_read(&pointers, s->finder->headers, s->gaps);
    for (size_t i = 0; i < pointers.n; i += n) {
        const struct elf_pointer *first = &pointers.items[i];
        uint64_t function = find_known(s, starts, first->target);

        for (n = 1; i + n < pointers.n; n++) {
            const struct elf_pointer *last = &first[n];

            if (last->address - first->address != n * sizeof(uint64_t) ||
                find_known(s, starts, last->target) != function)
                break;
        }
        for (size_t k = 0; k < n && n < LABELS_LEAST; k++)
            add_start(s, first[k].target, found);
    }
    memory_release(pointers.items);
}

void elf_calls_find_starts(const struct elf_gap_finder *finder,
                           const struct elf_starts *gaps, struct elf_starts *starts)
{
    struct call_search s = {.finder = finder,
                            .machine = finder->headers->machine,
                            .gaps = gaps,
                            .max_targets = file_size(finder->headers->file)};
    struct elf_starts found = {NULL, 0, 0};

    if (gaps->n == 0)
        return;
    for (size_t i = 0; i < finder->n; i++)
        read_near(&s, &finder->code[i]);
    add_targets(&s, starts);
    elf_starts_sort(starts);
    add_pointers(&s, starts, &found);
    for (size_t i = 0; i < found.n; i++)
        elf_starts_add(starts, found.items[i]);
    elf_starts_sort(starts);
    elf_starts_free(&found);
    memory_release(s.targets);
}

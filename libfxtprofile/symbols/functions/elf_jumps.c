/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_jumps.h. */
#include "elf_jumps.h"

#include <elf.h>
#include <string.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "elf_code.h"

struct search {
    const struct unwind_function_list *list;
    uint64_t *owners;
    /* The first part's address, and the last one's. */
    uint64_t first;
    uint64_t last;
    /* By their numbers: functions to which several others jump. */
    bool *has_several;
    /* Where the jump was found last. */
    size_t from;
};

/* ---- The list ---------------------------------------------------------------------- */

size_t elf_jumps_find_part(const struct unwind_function_list *list, uint64_t address)
{
    size_t i = unwind_function_list_find(list, address);

    if (i == list->n || list->items[i].start != address || !list->items[i].is_part)
        return list->n;
    return i;
}

static bool has_address(const struct unwind_listed *function, uint64_t address)
{
    return function->start <= address && address < function->limit;
}

/* Jumps come in the order of their addresses, so that the function is the last one or
 * one of the next, but for the segments' order. */
static bool find_source(struct search *s, uint64_t address)
{
    if (s->from < s->list->n && has_address(&s->list->items[s->from], address))
        return true;
    s->from = unwind_function_list_find(s->list, address);
    return s->from < s->list->n;
}

/* Whole functions own parts; a part that jumps to another says nothing. */
static void take_jump(void *context, uint64_t from, uint64_t to)
{
    struct search *s = (struct search *)context;
    size_t part;
    uint64_t owner;

    if (to < s->first || to > s->last)
        return;
    part = elf_jumps_find_part(s->list, to);
    if (part == s->list->n || !find_source(s, from) || s->list->items[s->from].is_part)
        return;
    owner = s->list->items[s->from].start;
    s->has_several[part] |= s->owners[part] != to && s->owners[part] != owner;
    s->owners[part] = owner;
}

/* ---- Instructions ------------------------------------------------------------------ */

struct jump_reader {
    uint16_t machine;
    void (*take)(void *context, uint64_t from, uint64_t to);
    void *context;
};

/* Of JMP and Jcc with offsets of 32 bits, the first bytes. */
enum { JMP = 0xe9, JCC = 0x0f };

static void take_x86_64(const struct jump_reader *r, const unsigned char *bytes,
                        uint64_t address)
{
    unsigned size = 0;

    if (bytes[0] == JMP)
        size = 5;
    else if (bytes[0] == JCC && (bytes[1] & 0xf0) == 0x80)
        size = 6;
    if (size > 0)
        r->take(r->context, address,
                address + size + extend_sign(elf_code_load(bytes + size - 4, 4), 32));
}

/* At any byte: where instructions begin is not known. That other bytes lead to the start
 * of a part by chance is as good as impossible. */
static void take_each_x86_64(const struct jump_reader *r, const unsigned char *bytes,
                             size_t n, uint64_t address, unsigned char first)
{
    const unsigned char *at = bytes;
    size_t left = n;

    while (left > 0 && (at = (const unsigned char *)memchr(at, first, left)) != NULL) {
        take_x86_64(r, at, address + (uint64_t)(at - bytes));
        at++;
        left = n - (size_t)(at - bytes);
    }
}

/* B, B.cond, CBZ and CBNZ, TBZ and TBNZ. */
static void take_aarch64(const struct jump_reader *r, const unsigned char *bytes,
                         uint64_t address)
{
    uint32_t word = elf_code_load(bytes, 4);
    uint64_t words;

    if ((word & 0xfc000000) == 0x14000000)
        words = extend_sign(word & 0x3ffffff, 26);
    else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
        words = extend_sign(word >> 5 & 0x7ffff, 19);
    else if ((word & 0x7e000000) == 0x36000000)
        words = extend_sign(word >> 5 & 0x3fff, 14);
    else
        return;
    r->take(r->context, address, address + 4 * words);
}

static void take_piece(void *context, const struct elf_code_piece *piece)
{
    const struct jump_reader *r = (const struct jump_reader *)context;

    if (r->machine == EM_X86_64) {
        take_each_x86_64(r, piece->bytes, piece->n, piece->address, JMP);
        take_each_x86_64(r, piece->bytes, piece->n, piece->address, JCC);
    } else if (r->machine == EM_AARCH64) {
        for (size_t i = 0; i < piece->n; i += 4)
            take_aarch64(r, piece->bytes + i, piece->address + i);
    }
}

void elf_jumps_read(const struct elf_headers *headers, const struct elf_code *code,
                    void (*take)(void *context, uint64_t from, uint64_t to),
                    void *context)
{
    struct jump_reader reader = {headers->machine, take, context};

    if (headers->machine == EM_X86_64 || headers->machine == EM_AARCH64)
        elf_code_read(headers, code, take_piece, &reader);
}

/* ---- The whole --------------------------------------------------------------------- */

/* Returns false if there are no parts. */
static bool find_parts(struct search *s)
{
    bool has_parts = false;

    for (size_t i = 0; i < s->list->n; i++) {
        const struct unwind_listed *function = &s->list->items[i];

        if (!function->is_part)
            continue;
        if (!has_parts)
            s->first = function->start;
        s->last = function->start;
        has_parts = true;
    }
    return has_parts;
}

void elf_jumps_find_owners(const struct unwind_function_list *list,
                           const struct elf_headers *headers,
                           const struct elf_image *image, uint64_t *owners)
{
    struct search s = {.list = list, .owners = owners};

    if (!find_parts(&s))
        return;
    s.has_several = (bool *)memory_allocate(list->n * sizeof(*s.has_several));
    for (size_t i = 0; i < image->n_code; i++)
        elf_jumps_read(headers, &image->code[i], take_jump, &s);
    for (size_t i = 0; i < list->n; i++) {
        if (s.has_several[i])
            owners[i] = list->items[i].start;
    }
    memory_release(s.has_several);
}

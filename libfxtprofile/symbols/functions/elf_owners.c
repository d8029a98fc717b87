/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_jumps.h: which functions the parts belong to that are elsewhere, by an index of
 * the functions. Of few parts in a large file: a linker puts both in the order of the
 * object files that they are of, so that the jumps in a little code tell whether the jump
 * that is looked for is before it or after. */
#include "elf_jumps.h"

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "elf_code.h"

/* How much code is read at a time; as much as takes as long as to search for the function
 * of a part; and which share of all code may be read beside that. */
enum { PIECE = 1 << 14, CODE_PER_PART = 1 << 19, SHARE = 4 };

struct jump {
    uint64_t from;
    uint64_t to;
};

struct owner_search {
    struct unwind_function_index *index;
    const struct elf_headers *headers;
    /* That has the part. */
    struct elf_code code;
    uint64_t part;
    /* The jumps that leave the piece which was read last, and where they lead. */
    struct elf_code piece;
    struct jump *jumps;
    size_t n_jumps;
    size_t jump_capacity;
    /* How much may still be read: for all parts, about as much as there is code. */
    uint64_t left;
};

/* ---- A piece ----------------------------------------------------------------------- */

static void take_jump(void *context, uint64_t from, uint64_t to)
{
    struct owner_search *s = (struct owner_search *)context;

    if (to - s->piece.vaddr >= s->piece.limit - s->piece.vaddr &&
        to - s->code.vaddr < s->code.limit - s->code.vaddr)
        MEMORY_ADD(s->jumps, s->n_jumps, s->jump_capacity, ((struct jump){from, to}));
}

/* Keeps the jumps that lead to the start of a part. */
static void keep_jumps_to_parts(struct owner_search *s)
{
    struct unwind_function_list list = {.n = 0};
    uint64_t *targets = (uint64_t *)memory_reserve(s->n_jumps * sizeof(*targets));
    size_t n = 0;

    for (size_t i = 0; i < s->n_jumps; i++)
        targets[i] = s->jumps[i].to;
    sort_numbers(targets, s->n_jumps);
    unwind_function_index_read(s->index, targets, s->n_jumps, &list);
    for (size_t i = 0; i < s->n_jumps; i++) {
        if (elf_jumps_find_part(&list, s->jumps[i].to) < list.n)
            s->jumps[n++] = s->jumps[i];
    }
    s->n_jumps = n;
    unwind_function_list_free(&list);
    memory_release(targets);
}

/* Reads some of the code in a range, and then what follows it, until there are jumps to
 * parts. Returns false if there are none, or if too much would be read. */
static bool find_jumps(struct owner_search *s, uint64_t start, uint64_t limit)
{
    s->n_jumps = 0;
    while (start < limit && s->n_jumps == 0) {
        uint64_t size = limit - start < PIECE ? limit - start : PIECE;

        if (s->left < size)
            return false;
        s->left -= size;
        s->piece = (struct elf_code){start, start + size,
                                     s->code.offset + (start - s->code.vaddr)};
        elf_jumps_read(s->headers, &s->piece, take_jump, s);
        keep_jumps_to_parts(s);
        start += size;
    }
    return s->n_jumps > 0;
}

/* ---- The search -------------------------------------------------------------------- */

/* The function that a jump is in, which is no part. */
static bool find_source(struct unwind_function_index *index, uint64_t from,
                        struct unwind_listed *source)
{
    struct unwind_function_list list = {.n = 0};
    size_t function;
    bool found;

    unwind_function_index_read(index, &from, 1, &list);
    function = unwind_function_list_find(&list, from);
    found = function < list.n && !list.items[function].is_part;
    if (found)
        *source = list.items[function];
    unwind_function_list_free(&list);
    return found;
}

static bool find_owner(struct owner_search *s, uint64_t *owner)
{
    uint64_t start = s->code.vaddr;
    uint64_t limit = s->code.limit;
    struct unwind_listed source;

    while (start < limit) {
        uint64_t middle = start + (limit - start) / 2 / PIECE * PIECE;
        size_t n_before = 0;

        if (!find_jumps(s, middle, limit)) {
            limit = middle;
            continue;
        }
        for (size_t i = 0; i < s->n_jumps; i++) {
            if (s->jumps[i].to == s->part &&
                find_source(s->index, s->jumps[i].from, &source)) {
                *owner = source.start;
                return true;
            }
            n_before += s->jumps[i].to < s->part;
        }
        if (n_before == s->n_jumps)
            start = s->piece.limit;
        else if (n_before == 0)
            limit = middle;
        else
            return false;
    }
    return false;
}

static bool search_for(struct owner_search *s, const struct elf_image *image,
                       struct elf_pointer *part)
{
    const struct elf_code *code = elf_image_find_code(image, part->address);

    if (code == NULL)
        return false;
    s->code = elf_code_in_file(s->headers, *code);
    s->part = part->address;
    s->left += CODE_PER_PART;
    return find_owner(s, &part->target);
}

static uint64_t measure_code(const struct elf_headers *headers,
                             const struct elf_image *image)
{
    uint64_t size = 0;

    for (size_t i = 0; i < image->n_code; i++) {
        struct elf_code code = elf_code_in_file(headers, image->code[i]);

        size += code.limit - code.vaddr;
    }
    return size;
}

static bool search_for_all(struct unwind_function_index *index,
                           const struct elf_headers *headers,
                           const struct elf_image *image, struct elf_pointers *parts)
{
    uint64_t size = measure_code(headers, image);
    struct owner_search s = {.index = index, .headers = headers, .left = size / SHARE};
    bool found = parts->n <= size / CODE_PER_PART + 1;

    for (size_t i = 0; i < parts->n && found; i++)
        found = search_for(&s, image, &parts->items[i]);
    memory_release(s.jumps);
    return found;
}

/* ---- All code ---------------------------------------------------------------------- */

struct code_reader {
    struct unwind_function_index *index;
    const struct elf_pointers *parts;
    /* By the numbers of the parts; those not found yet end at 0. */
    struct unwind_listed *owners;
    /* How many more functions may be looked up: in real files, one or two for a part.
     * None once a part has several owners. */
    size_t n_left;
};

static void take_any_jump(void *context, uint64_t from, uint64_t to)
{
    struct code_reader *r = (struct code_reader *)context;
    const struct elf_pointers *parts = r->parts;
    size_t i = search_below(parts->items, parts->n, sizeof(*parts->items),
                            offsetof(struct elf_pointer, address), to);
    struct unwind_listed source;

    if (i == parts->n || parts->items[i].address != to || r->n_left == 0 ||
        (from >= r->owners[i].start && from < r->owners[i].limit))
        return;
    r->n_left--;
    if (!find_source(r->index, from, &source))
        return;
    if (r->owners[i].limit > 0)
        r->n_left = 0;
    r->owners[i] = source;
}

/* Returns false unless each part has one owner. */
static bool read_all(struct unwind_function_index *index,
                     const struct elf_headers *headers, const struct elf_image *image,
                     struct elf_pointers *parts)
{
    enum { LOOK_UPS_PER_PART = 16 };
    struct code_reader r = {index, parts, .n_left = parts->n * LOOK_UPS_PER_PART};
    bool found = true;

    r.owners = (struct unwind_listed *)memory_allocate(parts->n * sizeof(*r.owners));
    for (size_t i = 0; i < image->n_code; i++)
        elf_jumps_read(headers, &image->code[i], take_any_jump, &r);
    for (size_t i = 0; i < parts->n; i++) {
        parts->items[i].target = r.owners[i].start;
        found = found && r.owners[i].limit > 0;
    }
    memory_release(r.owners);
    return found && r.n_left > 0;
}

/* ---- The whole --------------------------------------------------------------------- */

bool elf_owners_find(struct unwind_function_index *index,
                     const struct elf_headers *headers, const struct elf_image *image,
                     struct elf_pointers *parts)
{
    return parts->n == 0 || search_for_all(index, headers, image, parts) ||
           read_all(index, headers, image, parts);
}

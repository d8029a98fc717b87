/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_function_list.h. */
#include "unwind_function_list.h"

#include <elf.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "unwind_file.h"

/* ---- Parts ------------------------------------------------------------------------- */

static bool is_same_value(const struct cfi_value *a, const struct cfi_value *b)
{
    return a->kind == b->kind && a->value == b->value;
}

static bool is_same_state(const struct cfi_state *a, const struct cfi_state *b)
{
    bool is_same = a->cfa_kind == b->cfa_kind && a->cfa_register == b->cfa_register &&
                   a->cfa_offset == b->cfa_offset &&
                   a->cfa_expression == b->cfa_expression;

    for (int i = 0; i < CFI_COLUMNS; i++)
        is_same = is_same && is_same_value(&a->columns[i], &b->columns[i]);
    return is_same;
}

/* The first row of a function. */
struct first_row {
    const struct cfi_state *initial;
    bool is_part;
};

static bool take_first_row(void *context, uint64_t address, const struct cfi_state *state)
{
    struct first_row *first = (struct first_row *)context;

    (void)address;
    first->is_part = state != NULL && !is_same_state(state, first->initial);
    return false;
}

/* The rules at the entry of a function are those of its CIE. */
static bool is_part(struct cfi_section *section, const struct cfi_fde *fde)
{
    struct first_row first = {&fde->cie->initial, false};

    if (!fde->cie->is_signal)
        cfi_fde_run(section, fde, take_first_row, &first);
    return first.is_part;
}

/* ---- Functions --------------------------------------------------------------------- */

/* A function ends where the next one begins, whatever its size. */
static void add(struct unwind_function_list *list, struct unwind_listed function)
{
    if (list->n > 0) {
        struct unwind_listed *last = &list->items[list->n - 1];

        if (last->start == function.start)
            return;
        if (last->limit > function.start)
            last->limit = function.start;
    }
    MEMORY_ADD(list->items, list->n, list->capacity, function);
}

/* No more bytes of names than the section has: a hostile one could have one name for all
 * its functions. */
static uint32_t add_name(struct text *names, const char *name, uint64_t section_size)
{
    size_t start = names->size;

    if (name == NULL || name[0] == '\0' || start > section_size || start >= UINT32_MAX)
        return UNWIND_LIST_NO_NAME;
    text_add(names, name, strlen(name) + 1);
    return (uint32_t)start;
}

static void add_go_function(struct unwind_function_list *list, struct unwind_input *in,
                            uint64_t index)
{
    struct go_function go;

    if (!go_function_read(&in->go, index, &go))
        return;
    add(list, (struct unwind_listed){
                  .start = go.start,
                  .limit = go.limit,
                  .name = add_name(&list->names, go_function_name(&in->go, &go),
                                   in->go.bytes.size),
              });
}

static void add_function(struct unwind_function_list *list, struct unwind_input *in,
                         const struct unwind_function *function)
{
    struct cfi_fde fde;

    if (!input_read_function(in, function, &fde))
        return;
    add(list, (struct unwind_listed){
                  .start = fde.start,
                  .limit = fde.limit,
                  .name = UNWIND_LIST_NO_NAME,
                  .is_part = is_part(input_section(in, function), &fde),
              });
}

static void add_functions(struct unwind_function_list *list, struct unwind_input *in)
{
    const struct unwind_function *functions = input_functions(in);
    size_t n = input_n_functions(in);

    for (size_t i = 0; i < n; i++) {
        if (unwind_function_is_go(&functions[i]))
            add_go_function(list, in, functions[i].position & ~FUNCTION_IN_GO);
        else
            add_function(list, in, &functions[i]);
    }
}

void unwind_function_list_read(struct unwind_function_list *list, struct file *file)
{
    struct unwind_parts parts = {.eh_frame = NULL};
    struct text ignored = {NULL, 0, 0};
    struct unwind_input in;

    if (unwind_parts_read(&parts, file, &ignored) == UNWIND_OK) {
        input_init(&in, &parts.source, &unwind_base_allocator);
        if (input_find_functions(&in) == UNWIND_OK)
            add_functions(list, &in);
        unwind_buffer_free(&in.functions);
    }
    unwind_parts_free(&parts);
    text_free(&ignored);
}

/* ---- By the index ------------------------------------------------------------------ */

/* Where more than MANY bytes are looked at at a time, in a damaged file, all are read. */
enum { PIECE = 4096, MANY = 16 * PIECE };

/* What cannot be read, because the file has shrunk, is zeros. */
static void read_piece(struct unwind_pieces *p, size_t i)
{
    uint64_t at = (uint64_t)i * PIECE;
    size_t size = p->size - at < PIECE ? (size_t)(p->size - at) : PIECE;

    if (!p->have[i] && !file_read(p->file, p->offset + at, p->bytes + at, size))
        memset(p->bytes + at, 0, size);
    p->have[i] = true;
}

static void load_pieces(struct unwind_loader *loader, uint64_t at, uint64_t limit)
{
    struct unwind_pieces *p = (struct unwind_pieces *)(void *)loader;

    if (p->have_all || at >= p->size)
        return;
    p->have_all = limit - at > MANY;
    if (p->have_all)
        at = 0;
    if (p->have_all || limit > p->size)
        limit = p->size;
    for (uint64_t i = at / PIECE; i * PIECE < limit; i++)
        read_piece(p, (size_t)i);
}

/* Returns a section's bytes, none of which has been read; or none. */
static struct unwind_bytes open_pieces(struct unwind_pieces *p,
                                       const struct elf_headers *headers,
                                       const char *name)
{
    struct elf_section section;

    if (!elf_section_find(headers, name, &section) || section.type == SHT_NOBITS ||
        !elf_has_bytes(headers, section.offset, section.size))
        return (struct unwind_bytes){NULL, 0, 0};
    p->file = headers->file;
    p->offset = section.offset;
    p->size = section.size;
    p->bytes = memory_reserve((size_t)section.size);
    p->have = memory_allocate((size_t)(section.size / PIECE) + 1);
    return (struct unwind_bytes){p->bytes, section.size, section.address};
}

static void close_pieces(struct unwind_pieces *p)
{
    memory_release(p->bytes);
    memory_release(p->have);
}

/* Where there are no sections, the parts have both. */
void unwind_function_index_open(struct unwind_function_index *index, struct file *file)
{
    struct unwind_parts *parts = &index->parts;
    struct text ignored = {NULL, 0, 0};

    *index = (struct unwind_function_index){.parts = {.leaves_eh_frame = true},
                                            .eh_frame = {.loader = {load_pieces}},
                                            .header = {.loader = {load_pieces}}};
    if (unwind_parts_read(parts, file, &ignored) == UNWIND_OK &&
        parts->source.header.size == 0) {
        parts->source.eh_frame =
            open_pieces(&index->eh_frame, &parts->headers, ".eh_frame");
        parts->source.header =
            open_pieces(&index->header, &parts->headers, ".eh_frame_hdr");
    }
    input_init(&index->in, &parts->source, &unwind_base_allocator);
    index->in.eh_frame.loader = &index->eh_frame.loader;
    index->in.header_loader = &index->header.loader;
    text_free(&ignored);
}

void unwind_function_index_read(struct unwind_function_index *index,
                                const uint64_t *addresses, size_t n,
                                struct unwind_function_list *list)
{
    index->in.functions.size = 0;
    if (input_find_functions_at(&index->in, addresses, n) == UNWIND_OK)
        add_functions(list, &index->in);
}

void unwind_function_index_close(struct unwind_function_index *index)
{
    unwind_buffer_free(&index->in.functions);
    close_pieces(&index->eh_frame);
    close_pieces(&index->header);
    unwind_parts_free(&index->parts);
}

size_t unwind_function_list_find(const struct unwind_function_list *list,
                                 uint64_t address)
{
    size_t after = search_up_to(list->items, list->n, sizeof(*list->items),
                                offsetof(struct unwind_listed, start), address);

    return after > 0 && address < list->items[after - 1].limit ? after - 1 : list->n;
}

void unwind_function_list_free(struct unwind_function_list *list)
{
    memory_release(list->items);
    text_free(&list->names);
    *list = (struct unwind_function_list){.n = 0};
}

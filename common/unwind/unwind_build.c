/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_table.h. */
#include "unwind_table.h"

#include "unwind_functions.h"
#include "unwind_rule.h"

bool unwind_machine_is_known(uint32_t machine)
{
    return machine == UNWIND_X86_64 || machine == UNWIND_AARCH64 ||
           machine == UNWIND_RISCV64;
}

const char *unwind_code_message(enum unwind_code code)
{
    switch (code) {
    case UNWIND_OK:
        return "no error";
    case UNWIND_E_MEMORY:
        return "out of memory";
    case UNWIND_E_MACHINE:
        return "unwinding is not supported for this machine";
    case UNWIND_E_FILE:
        return "not an ELF file, or a damaged one";
    case UNWIND_E_COMPRESSION:
        return "the compressed section .debug_frame is damaged, or of an unknown method";
    case UNWIND_E_TOO_LARGE:
        return "too much code for an unwind table";
    case UNWIND_E_HEADER:
        return "the section .eh_frame_hdr is damaged, or of an unknown form";
    }
    return "unknown error";
}

/* ---- Building ---------------------------------------------------------------------- */

static bool add_rule_row(void *context, uint64_t address, const struct cfi_state *state)
{
    struct unwind_builder *b = (struct unwind_builder *)context;

    if (address >= b->limit)
        return false;
    builder_add_rule(b, address, state ? builder_encode(b, state) : UNWIND_RULE_NONE);
    return true;
}

static bool add_saved_row(void *context, uint64_t address, const struct cfi_state *state)
{
    struct unwind_builder *b = (struct unwind_builder *)context;

    if (address >= b->limit)
        return false;
    builder_add_saved(b, address,
                      state ? builder_encode_saved(state) : UNWIND_SAVED_UNKNOWN);
    return true;
}

static bool add_go_row(void *context, uint64_t address, uint32_t rule)
{
    struct unwind_builder *b = (struct unwind_builder *)context;

    if (address >= b->limit)
        return false;
    builder_add_rule(b, address, rule);
    return true;
}

static uint64_t limit_of_table(const struct unwind_builder *b)
{
    return b->base > UINT64_MAX - UINT32_MAX ? UINT64_MAX : b->base + UINT32_MAX;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool add_go_function(struct unwind_builder *b, struct unwind_input *in,
                            const struct unwind_function *function, uint64_t next)
{
    uint64_t limit = limit_of_table(b);
    struct go_function go;

    if (function->start >= limit ||
        !go_function_read(&in->go, function->position & ~FUNCTION_IN_GO, &go))
        return false;
    if (go.start == in->source->entry)
        go.kind = GO_OUTERMOST;
    go.start = function->start;
    b->limit = least_of(least_of(next, go.limit), limit);
    return go_function_run(&in->go, &go, add_go_row, b);
}

/* Adds the rows of a function, which end where the next one begins. Returns false if it
 * is damaged: then it has rows up to the damage. */
static bool add_function(struct unwind_builder *b, struct unwind_input *in,
                         const struct unwind_function *function, uint64_t next,
                         cfi_row_fn *row)
{
    struct cfi_section *section = input_section(in, function);
    uint64_t limit = limit_of_table(b);
    struct cfi_fde fde;

    if (function->start >= limit || !input_read_function(in, function, &fde))
        return false;
    b->section = &section->bytes;
    b->cie = fde.cie;
    b->limit = least_of(least_of(next, fde.limit), limit);
    return cfi_fde_run(section, &fde, row, b);
}

/* After the last address of a function there is a gap, unless another one follows. */
static void add_rules(struct unwind_builder *b, struct unwind_input *in)
{
    const struct unwind_function *functions = input_functions(in);
    size_t n = input_n_functions(in);

    for (size_t i = 0; i < n && !b->rows.failed; i++) {
        uint64_t next = i + 1 < n ? functions[i + 1].start : UINT64_MAX;

        bool is_go = unwind_function_is_go(&functions[i]);

        b->limit = functions[i].start;
        if (!(is_go ? add_go_function(b, in, &functions[i], next)
                    : add_function(b, in, &functions[i], next, add_rule_row)))
            in->n_refused++;
        if (b->limit > functions[i].start)
            builder_add_rule(b, b->limit, UNWIND_RULE_NONE);
    }
}

static void add_saved(struct unwind_builder *b, struct unwind_input *in)
{
    const struct unwind_function *functions = input_functions(in);
    size_t n = input_n_functions(in);

    for (size_t i = 0; i < n && !b->saved.failed; i++) {
        uint64_t next = i + 1 < n ? functions[i + 1].start : UINT64_MAX;

        if (unwind_function_is_go(&functions[i]))
            continue;
        b->limit = functions[i].start;
        add_function(b, in, &functions[i], next, add_saved_row);
        if (b->limit > functions[i].start)
            builder_add_saved(b, b->limit, UNWIND_SAVED_UNKNOWN);
    }
}

/* ---- The table --------------------------------------------------------------------- */

static const void *place(unsigned char **to, const struct unwind_buffer *from)
{
    const void *placed = *to;

    unwind_copy_bytes(*to, from->bytes, from->size);
    *to += from->size;
    return placed;
}

/* Puts all arrays into one block of memory. What needs no alignment is the last. */
static enum unwind_code finish(struct unwind_table *table, const struct unwind_builder *b)
{
    const struct unwind_allocator *allocator = b->rows.allocator;
    size_t size = b->rows.size + b->saved.size + b->odd.size + b->expressions.size;
    unsigned char *to;

    if (b->rows.failed || b->saved.failed || b->odd.failed || b->expressions.failed)
        return UNWIND_E_MEMORY;
    if (size == 0)
        return UNWIND_OK;
    to = (unsigned char *)allocator->allocate(allocator->context, size);
    if (!to)
        return UNWIND_E_MEMORY;
    table->memory = to;
    table->memory_size = size;
    table->rows = (const struct unwind_row *)place(&to, &b->rows);
    table->saved = (const struct unwind_row *)place(&to, &b->saved);
    table->odd = (const struct unwind_odd *)place(&to, &b->odd);
    table->expressions = (const unsigned char *)place(&to, &b->expressions);
    table->n_rows = (uint32_t)(b->rows.size / sizeof(*table->rows));
    table->n_saved = (uint32_t)(b->saved.size / sizeof(*table->saved));
    table->n_odd = (uint32_t)(b->odd.size / sizeof(*table->odd));
    table->n_expression_bytes = (uint32_t)b->expressions.size;
    return UNWIND_OK;
}

static enum unwind_code build(struct unwind_table *table, struct unwind_input *in,
                              struct unwind_builder *b)
{
    enum unwind_code code = input_find_functions(in);

    if (code != UNWIND_OK)
        return code;
    if (input_n_functions(in) > 0)
        b->base = input_functions(in)[0].start;
    add_rules(b, in);
    if (b->needs_saved)
        add_saved(b, in);
    if (input_n_functions(in) >= UINT32_MAX ||
        b->rows.size / sizeof(struct unwind_row) >= UINT32_MAX)
        return UNWIND_E_TOO_LARGE;
    table->base = b->base;
    table->n_functions = (uint32_t)input_n_functions(in);
    table->n_refused = in->n_refused;
    return finish(table, b);
}

static enum unwind_code build_from(struct unwind_table *table, struct unwind_input *in,
                                   const struct unwind_source *source,
                                   const struct unwind_allocator *allocator)
{
    struct unwind_builder b = {.machine = source->machine,
                               .rows = {.allocator = allocator},
                               .odd = {.allocator = allocator},
                               .expressions = {.allocator = allocator},
                               .saved = {.allocator = allocator}};
    enum unwind_code code;

    input_init(in, source, allocator);
    code = build(table, in, &b);
    unwind_buffer_free(&in->functions);
    unwind_buffer_free(&b.rows);
    unwind_buffer_free(&b.odd);
    unwind_buffer_free(&b.expressions);
    unwind_buffer_free(&b.saved);
    return code;
}

/* What is read is kept in the allocator's memory, as stacks may be small. */
enum unwind_code unwind_table_build(struct unwind_table *table,
                                    const struct unwind_source *source,
                                    const struct unwind_allocator *allocator)
{
    struct unwind_input *in;
    enum unwind_code code;

    *table = (struct unwind_table){0};
    if (!unwind_machine_is_known(source->machine))
        return UNWIND_E_MACHINE;
    in = (struct unwind_input *)allocator->allocate(allocator->context, sizeof(*in));
    if (!in)
        return UNWIND_E_MEMORY;
    table->allocator = *allocator;
    table->machine = (enum unwind_machine)source->machine;
    table->entry = source->entry;
    table->init[0] = source->init[0];
    table->init[1] = source->init[1];
    code = build_from(table, in, source, allocator);
    allocator->release(allocator->context, in, sizeof(*in));
    if (code != UNWIND_OK)
        *table = (struct unwind_table){0};
    else if (unwind_table_find(table, table->entry) != UNWIND_RULE_NONE)
        table->entry = 0;
    return code;
}

void unwind_table_free(struct unwind_table *table)
{
    if (table->memory)
        table->allocator.release(table->allocator.context, table->memory,
                                 table->memory_size);
    *table = (struct unwind_table){0};
}

/* ---- By .eh_frame_hdr ----------------------------------------------------------------
 */

/* Where .eh_frame begins, by its header. */
static uint64_t find_eh_frame(const struct unwind_bytes *header)
{
    struct unwind_cursor c = cursor_at(header, 0, header->size);
    uint8_t version = cursor_byte(&c);
    uint8_t encoding = cursor_byte(&c);
    uint64_t address;

    cursor_skip(&c, 2);
    address = cursor_encoded(&c, encoding, header->address, header->address);
    return c.failed || version != 1 ? UINT64_MAX : address;
}

static struct unwind_bytes from_address(const struct unwind_bytes *all, uint64_t address)
{
    uint64_t offset = address - all->address;

    if (address < all->address || offset >= all->size)
        return (struct unwind_bytes){NULL, 0, 0};
    return (struct unwind_bytes){all->bytes + offset, all->size - offset, address};
}

bool unwind_source_by_header(struct unwind_source *source, const struct unwind_bytes *all,
                             uint64_t header)
{
    source->header = from_address(all, header);
    source->eh_frame = from_address(all, find_eh_frame(&source->header));
    return source->eh_frame.size > 0;
}

/* What encoded pointers are relative to is the address in the file, too. */
enum unwind_code unwind_table_build_loaded(struct unwind_table *table, const void *header,
                                           const void *start, const void *limit,
                                           uint64_t bias,
                                           const struct unwind_allocator *allocator)
{
    struct unwind_source source = {.machine = UNWIND_THIS_MACHINE};
    uintptr_t low = (uintptr_t)start;
    struct unwind_bytes all = {(const unsigned char *)start, (uintptr_t)limit - low,
                               low - bias};

    *table = (struct unwind_table){0};
    if (!unwind_source_by_header(&source, &all, (uintptr_t)header - bias))
        return UNWIND_E_HEADER;
    return unwind_table_build(table, &source, allocator);
}

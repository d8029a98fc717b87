/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_functions.h. */
#include "unwind_functions.h"

/* How often each byte may be read: FDEs that are real are read twice, and their CIEs
 * whenever others were read in between. */
enum { READS_MAX = 16, SMALL = 65536 };

static void section_init(struct cfi_section *section, const struct unwind_bytes *bytes,
                         uint32_t machine)
{
    section->bytes = *bytes;
    section->loader = NULL;
    section->machine = machine;
    section->is_debug_frame = false;
    section->budget = UINT64_MAX;
    if (bytes->size < (UINT64_MAX - SMALL) / READS_MAX)
        section->budget = bytes->size * READS_MAX + SMALL;
}

void input_init(struct unwind_input *in, const struct unwind_source *source,
                const struct unwind_allocator *allocator)
{
    in->source = source;
    in->header_loader = NULL;
    section_init(&in->eh_frame, &source->eh_frame, source->machine);
    section_init(&in->debug_frame, &source->debug_frame, source->machine);
    in->debug_frame.bytes.address = 0;
    in->debug_frame.is_debug_frame = true;
    go_table_init(&in->go, &source->go, source->machine);
    cfi_cies_init(&in->eh_cies);
    cfi_cies_init(&in->debug_cies);
    in->functions = (struct unwind_buffer){.allocator = allocator};
    in->n_refused = 0;
}

/* ---- Reading ----------------------------------------------------------------------- */

struct cfi_section *input_section(struct unwind_input *in,
                                  const struct unwind_function *function)
{
    if ((function->position & FUNCTION_IN_DEBUG_FRAME) != 0)
        return &in->debug_frame;
    return &in->eh_frame;
}

bool input_read_function(struct unwind_input *in, const struct unwind_function *function,
                         struct cfi_fde *fde)
{
    struct cfi_section *section = input_section(in, function);
    uint64_t position = function->position & ~FUNCTION_IN_DEBUG_FRAME;
    struct cfi_entry entry;

    return cfi_entry_read(section, position, &entry) && entry.kind == CFI_FDE &&
           cfi_fde_read(section, section->is_debug_frame ? &in->debug_cies : &in->eh_cies,
                        &entry, fde);
}

/* A linker that leaves out a function may leave its FDE, with an address of 0 or 1. */
static bool is_code(const struct unwind_source *source, uint64_t start, uint64_t limit)
{
    struct unwind_range code = source->code;

    return limit > start && start >= code.start &&
           (code.limit == 0 || start < code.limit);
}

static void append(struct unwind_input *in, uint64_t start, uint64_t position)
{
    struct unwind_function *added =
        (struct unwind_function *)unwind_buffer_add(&in->functions, sizeof(*added));

    if (added)
        *added = (struct unwind_function){.start = start, .position = position};
}

static void add_function(struct unwind_input *in, uint64_t position)
{
    struct unwind_function function = {.position = position};
    struct cfi_fde fde;

    if (!input_read_function(in, &function, &fde))
        in->n_refused++;
    else if (is_code(in->source, fde.start, fde.limit))
        append(in, fde.start, position);
}

/* A handler returns to the first instruction of its last function, without a call before
 * it: its rule also has to be at the address before. */
static void add_go_functions(struct unwind_input *in)
{
    struct go_function function;

    for (uint64_t i = 0; i < in->go.n_functions && !in->functions.failed; i++) {
        if (!go_function_read(&in->go, i, &function)) {
            in->n_refused++;
            continue;
        }
        if (!is_code(in->source, function.start, function.limit))
            continue;
        if (function.kind == GO_SIGRETURN && function.start > in->source->code.start)
            append(in, function.start - 1, i | FUNCTION_IN_GO);
        append(in, function.start, i | FUNCTION_IN_GO);
    }
}

/* Terminators within a section come from object files that were linked in the wrong
 * order. Where the end of the section is not known, the first one is its end. */
static void scan(struct unwind_input *in, const struct cfi_section *section,
                 bool ends_at_terminator)
{
    uint64_t position = 0;
    struct cfi_entry entry;

    while (position < section->bytes.size && !in->functions.failed) {
        bool is_good = cfi_entry_read(section, position, &entry);

        if (entry.end == 0) {
            in->n_refused++;
            return;
        }
        if (!is_good)
            in->n_refused++;
        else if (entry.kind == CFI_TERMINATOR && ends_at_terminator)
            return;
        else if (entry.kind == CFI_FDE)
            add_function(in, position |
                                 (section->is_debug_frame ? FUNCTION_IN_DEBUG_FRAME : 0));
        position = entry.end;
    }
}

/* ---- The index of .eh_frame_hdr ---------------------------------------------------- */

enum { HEADER_VERSION = 1, INDEX_ENCODING = 0x3b, INDEX_ENTRY = 8 };

/* Before the index: four bytes, and two numbers. */
enum { FIELDS_MAX = 32 };

/* A table of the starts of functions and their FDEs, both relative to the header. */
struct index {
    /* In the header. */
    uint64_t at;
    uint64_t n;
    bool is_missing;
};

/* The next bytes of the header, at most so many. */
static struct unwind_cursor header_at(const struct unwind_input *in, uint64_t at,
                                      uint64_t size)
{
    const struct unwind_bytes *header = &in->source->header;
    uint64_t left = header->size - at;
    uint64_t limit = at + (size < left ? size : left);

    unwind_load(in->header_loader, at, limit);
    return cursor_at(header, at, limit);
}

static enum unwind_code find_index(const struct unwind_input *in, struct index *index)
{
    const struct unwind_bytes *header = &in->source->header;
    struct unwind_cursor c = header_at(in, 0, FIELDS_MAX);
    uint8_t version = cursor_byte(&c);
    uint8_t frame_encoding = cursor_byte(&c);
    uint8_t count_encoding = cursor_byte(&c);
    uint8_t index_encoding = cursor_byte(&c);

    *index = (struct index){.is_missing = true};
    if (c.failed || version != HEADER_VERSION)
        return UNWIND_E_HEADER;
    cursor_encoded_size(&c, frame_encoding);
    if (count_encoding == ENCODING_OMIT || index_encoding != INDEX_ENCODING)
        return UNWIND_OK;
    index->is_missing = false;
    index->n = cursor_encoded(&c, count_encoding, header->address, header->address);
    index->at = c.at;
    return c.failed || index->n > (header->size - c.at) / INDEX_ENTRY ? UNWIND_E_HEADER
                                                                      : UNWIND_OK;
}

/* The start of function `i` of the index, or where its FDE is. */
static uint64_t index_address(const struct unwind_input *in, const struct index *index,
                              uint64_t i, bool of_fde)
{
    struct unwind_cursor c =
        header_at(in, index->at + i * INDEX_ENTRY + (of_fde ? 4 : 0), 4);

    return in->source->header.address + (uint64_t)cursor_signed(&c, 4);
}

static void take_indexed(struct unwind_input *in, const struct index *index, uint64_t i)
{
    uint64_t fde = index_address(in, index, i, true) - in->eh_frame.bytes.address;

    if (fde < in->eh_frame.bytes.size)
        add_function(in, fde);
    else
        in->n_refused++;
}

static enum unwind_code take_header(struct unwind_input *in)
{
    struct index index;
    enum unwind_code code = find_index(in, &index);

    if (code != UNWIND_OK)
        return code;
    if (index.is_missing)
        scan(in, &in->eh_frame, true);
    for (uint64_t i = 0; i < index.n && !in->functions.failed; i++)
        take_indexed(in, &index, i);
    return UNWIND_OK;
}

/* How many functions of the index begin at an address or before it. */
static uint64_t count_up_to(const struct unwind_input *in, const struct index *index,
                            uint64_t address)
{
    uint64_t low = 0;
    uint64_t high = index->n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (index_address(in, index, middle, false) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- Order ------------------------------------------------------------------------- */

static bool is_before(const struct unwind_function *a, const struct unwind_function *b)
{
    return a->start < b->start || (a->start == b->start && a->position <= b->position);
}

/* Merges [low, middle) and [middle, high) of one array into another. */
static void merge(const struct unwind_function *from, struct unwind_function *to,
                  size_t low, size_t middle, size_t high)
{
    size_t a = low;
    size_t b = middle;

    for (size_t i = low; i < high; i++) {
        bool left = b == high || (a < middle && is_before(&from[a], &from[b]));

        to[i] = left ? from[a++] : from[b++];
    }
}

static bool is_in_order(const struct unwind_function *functions, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (!is_before(&functions[i - 1], &functions[i]))
            return false;
    }
    return true;
}

static bool sort(struct unwind_input *in)
{
    const struct unwind_allocator *allocator = in->functions.allocator;
    struct unwind_function *from = (struct unwind_function *)(void *)in->functions.bytes;
    size_t n = in->functions.size / sizeof(*from);
    struct unwind_function *to;

    if (is_in_order(from, n))
        return true;
    to = (struct unwind_function *)allocator->allocate(allocator->context,
                                                       in->functions.capacity);
    if (!to)
        return false;
    for (size_t width = 1; width < n; width *= 2) {
        struct unwind_function *merged = to;

        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = n - low < width ? n : low + width;

            merge(from, to, low, middle, n - middle < width ? n : middle + width);
        }
        to = from;
        from = merged;
    }
    in->functions.bytes = (unsigned char *)from;
    allocator->release(allocator->context, to, in->functions.capacity);
    return true;
}

/* Of several FDEs for one function the first counts: .eh_frame's before .gopclntab's, and
 * this before .debug_frame's. */
static void remove_duplicates(struct unwind_input *in)
{
    struct unwind_function *functions =
        (struct unwind_function *)(void *)in->functions.bytes;
    size_t n = input_n_functions(in);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || functions[kept - 1].start != functions[i].start)
            functions[kept++] = functions[i];
    }
    in->functions.size = kept * sizeof(*functions);
}

static enum unwind_code put_in_order(struct unwind_input *in)
{
    if (in->functions.failed || !sort(in))
        return UNWIND_E_MEMORY;
    remove_duplicates(in);
    return UNWIND_OK;
}

enum unwind_code input_find_functions_at(struct unwind_input *in,
                                         const uint64_t *addresses, size_t n)
{
    struct index index;
    enum unwind_code code = find_index(in, &index);

    if (code != UNWIND_OK || in->go.n_functions > 0 || in->debug_frame.bytes.size > 0)
        return code;
    for (size_t i = 0; i < n && !in->functions.failed; i++) {
        uint64_t after = count_up_to(in, &index, addresses[i]);

        if (after > 0)
            take_indexed(in, &index, after - 1);
        if (after < index.n)
            take_indexed(in, &index, after);
    }
    return put_in_order(in);
}

enum unwind_code input_find_functions(struct unwind_input *in)
{
    enum unwind_code code = UNWIND_OK;

    if (in->source->header.size > 0)
        code = take_header(in);
    else
        scan(in, &in->eh_frame, false);
    add_go_functions(in);
    scan(in, &in->debug_frame, false);
    return code != UNWIND_OK ? code : put_in_order(in);
}

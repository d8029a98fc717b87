/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as Fuchsia's symbolizer markup: text with addresses, and modules with their
 * build ids and addresses, in which a filter replaces addresses by names. There is a
 * context for each process, or each epoch of its mappings, and a backtrace for each
 * stack in it, after a line with its count and its thread:
 *
 *     {{{reset}}}
 *     {{{module:0:libc.so:elf:83238ab56ba10497}}}
 *     {{{mmap:0x00007acba69d5000:0x5a000:load:0:rx:0x0000000000001000}}}
 *     3 samples of thread main[2077] in process shell[1045] on cpu 0
 *     {{{bt:0:0x00007acba69d5123:pc}}}
 *     {{{bt:1:0x00007acba69d7f00:ra}}}
 *
 * Addresses are those of the recording: the filter adjusts return addresses.
 */
#include <string.h>

#include "common/base/sort.h"
#include "outputs.h"
#include "common/base/quote.h"

struct writer {
    const struct profile *profile;
    struct output *output;
    /* By location: the last context, by their number, that has it. */
    uint32_t *seen;
    uint32_t n_contexts;
    /* The locations of the context that are in mappings, by address. */
    const struct profile_location **locations;
    size_t n_locations;
    uint32_t n_modules;
    struct text line;
    struct text name;
};

/* ---- Names ------------------------------------------------------------------------- */

/* A name as text that no filter takes for markup, and as a field, which takes no colons.
 */
static void add_name(struct writer *w, struct string name)
{
    w->name.size = 0;
    quote_text(&w->name, name.data, name.size);
    for (size_t i = 0; i < w->name.size; i++) {
        if (memchr(":{}", w->name.data[i], 3) != NULL)
            w->name.data[i] = '_';
    }
    text_add(&w->line, w->name.data, w->name.size);
}

static void add_owner(struct writer *w, struct koid_names_id id, const char *kind)
{
    struct text owner = {NULL, 0, 0};

    text_char(&w->line, ' ');
    if (koid_names_name(&w->profile->koid_names, id).size > 0)
        text_printf(&w->line, "%s ", kind);
    koid_names_describe(&w->profile->koid_names, id, &owner);
    add_name(w, (struct string){owner.data, owner.size});
    text_free(&owner);
}

/* An address has an even number of digits. */
static void add_address(struct writer *w, uint64_t address)
{
    text_str(&w->line, "0x");
    text_hex(&w->line, address, 16);
}

static void end_line(struct writer *w)
{
    text_char(&w->line, '\n');
    output_text(w->output, &w->line);
}

/* ---- Contexts ---------------------------------------------------------------------- */

/* A filter identifies a module by its build id only. */
static bool is_build_id(struct string id)
{
    for (size_t i = 0; i < id.size; i++) {
        if (memchr("0123456789abcdef", id.data[i], 16) == NULL)
            return false;
    }
    return id.size > 0 && id.size % 2 == 0;
}

/* A mapping, or a part of one, as a separate module: a module may be mapped in several
 * parts, and it is not known which belong together. */
static void write_mapping(struct writer *w, const struct profile_mapping *mapping)
{
    const struct profile *p = w->profile;
    struct string file =
        string_last_component(string_table_get(&p->files, mapping->file));
    struct string build_id = string_table_get(&p->build_ids, mapping->build_id);

    if (!is_build_id(build_id)) {
        text_str(&w->line, "no build id is known of ");
        add_name(w, file);
        text_str(&w->line, " at ");
        add_address(w, mapping->start);
        end_line(w);
        return;
    }
    text_printf(&w->line, "{{{module:%u:", w->n_modules);
    add_name(w, file);
    text_str(&w->line, ":elf:");
    text_add(&w->line, build_id.data, build_id.size);
    text_str(&w->line, "}}}");
    end_line(w);
    text_str(&w->line, "{{{mmap:");
    add_address(w, mapping->start);
    text_str(&w->line, ":0x");
    text_hex(&w->line, mapping->limit - mapping->start, 1);
    text_printf(&w->line, ":load:%u:rx:", w->n_modules++);
    add_address(w, mapping->vaddr);
    text_str(&w->line, "}}}");
    end_line(w);
}

static void add_locations(struct writer *w, const struct profile_stack *stack)
{
    const struct profile *p = w->profile;

    for (uint32_t i = 0; i < stack->n; i++) {
        uint32_t number = stack->frames[i];

        if (w->seen[number] == w->n_contexts)
            continue;
        w->seen[number] = w->n_contexts;
        if (p->locations[number].mapping != PROFILE_NO_MAPPING)
            w->locations[w->n_locations++] = &p->locations[number];
    }
}

static int order_locations(const void *left, const void *right)
{
    const struct profile_location *a = *(const struct profile_location *const *)left;
    const struct profile_location *b = *(const struct profile_location *const *)right;

    return order_pairs(a->address, b->address, a->mapping, b->mapping);
}

/* The address at which the mapping of one location ends and that of the next begins. Of
 * two mappings that overlap, the later one, which replaced a part of the other, is
 * complete. */
static uint64_t find_border(const struct profile *p, const struct profile_location *here,
                            const struct profile_location *next)
{
    if (p->mappings[next->mapping].start > here->address)
        return p->mappings[next->mapping].start;
    if (p->mappings[here->mapping].limit < next->address)
        return p->mappings[here->mapping].limit;
    return next->address;
}

/* The part of a mapping from address `from` up to `to`. */
static void write_piece(struct writer *w, uint32_t mapping, uint64_t from, uint64_t to)
{
    struct profile_mapping piece = w->profile->mappings[mapping];

    if (piece.start < from) {
        piece.vaddr += from - piece.start;
        piece.start = from;
    }
    if (piece.limit > to)
        piece.limit = to;
    if (piece.start < piece.limit)
        write_mapping(w, &piece);
}

/* Filters refuse overlapping mappings, as when one replaced a part of another: so each is
 * written only as far as no location of another mapping follows. */
static void write_mappings(struct writer *w)
{
    const struct profile_location **all = w->locations;
    uint64_t from = 0;

    SORT(all, w->n_locations, order_locations);
    for (size_t i = 0; i < w->n_locations; i++) {
        bool last = i + 1 == w->n_locations;
        uint64_t to;

        if (!last && all[i + 1]->mapping == all[i]->mapping)
            continue;
        to = last ? UINT64_MAX : find_border(w->profile, all[i], all[i + 1]);
        write_piece(w, all[i]->mapping, from, to);
        from = to;
    }
}

static bool same_context(const struct profile *p, size_t i, size_t j)
{
    return p->labels[p->samples[i].labels].process ==
               p->labels[p->samples[j].labels].process &&
           p->stacks[p->samples[i].stack].epoch == p->stacks[p->samples[j].stack].epoch;
}

/* The elements of a context precede the backtraces that they are for. */
static void write_context(struct writer *w, size_t first)
{
    const struct profile *p = w->profile;

    w->n_contexts++;
    w->n_modules = 0;
    w->n_locations = 0;
    text_str(&w->line, "{{{reset}}}");
    end_line(w);
    for (size_t i = first; i < p->n_samples && same_context(p, i, first); i++)
        add_locations(w, &p->stacks[p->samples[i].stack]);
    write_mappings(w);
}

/* ---- Backtraces -------------------------------------------------------------------- */

/* If options have left out the leaf, the first frame is a caller. */
static void write_sample(struct writer *w, size_t i)
{
    const struct profile *p = w->profile;
    const struct profile_labels *labels = &p->labels[p->samples[i].labels];
    const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
    uint64_t n = (uint64_t)p->values[i * p->n_types];

    text_count(&w->line, n, "sample");
    text_str(&w->line, " of");
    add_owner(w, profile_thread(labels), "thread");
    text_str(&w->line, " in");
    add_owner(w, profile_process(labels), "process");
    if (labels->cpu != PROFILE_NO_CPU)
        text_printf(&w->line, " on cpu %u", labels->cpu);
    end_line(w);
    for (uint32_t j = 0; j < stack->n && !p->locations[stack->frames[j]].is_end; j++) {
        uint64_t pc = profile_pc(p, stack, j);
        bool is_leaf = j == 0 && p->locations[stack->frames[0]].address == pc;

        text_printf(&w->line, "{{{bt:%u:", j);
        add_address(w, pc);
        text_str(&w->line, is_leaf ? ":pc}}}" : ":ra}}}");
        end_line(w);
    }
}

static void write_markup(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct writer w = {.profile = p, .output = output};

    (void)settings;
    w.seen = memory_allocate(p->n_locations * sizeof(*w.seen));
    memset(w.seen, 0, p->n_locations * sizeof(*w.seen));
    w.locations =
        memory_allocate(p->n_locations * sizeof(const struct profile_location *));
    for (size_t i = 0; i < p->n_samples && !output_failed(output); i++) {
        if (i == 0 || !same_context(p, i, i - 1))
            write_context(&w, i);
        write_sample(&w, i);
    }
}

const struct output_format output_markup = {
    .description = "text for Fuchsia's symbolizer",
    .keeps_pcs = true,
    .heap_refusal = "this format is for samples, and cannot represent heaps",
    .capture_refusal = "captured stacks have no addresses, which markup needs",
    .write = write_markup,
};

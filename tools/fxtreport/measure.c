/* SPDX-License-Identifier: BSD-2-Clause */
/* See measure.h. */
#include "measure.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "order.h"

/* What rows are told apart by. */
struct row_key {
    uint64_t first;
    uint64_t second;
    uint64_t third;
};

struct row_finder {
    struct measure *measure;
    const struct fxt_profile *profile;
    bool keeps_addresses;
    /* Modules are the same if their names are, without directories. */
    bool is_comparable;
    /* By the rows' numbers. */
    struct row_key *keys;
    size_t key_capacity;
    struct table table;
    struct string_table strings;
    /* By the profile's functions and mappings, the numbers of their names and files. */
    uint32_t *names;
    uint32_t *files;
    uint32_t *modules;
};

/* A number that no string has. */
#define NO_STRING ((uint64_t)UINT32_MAX)

/* ---- Rows -------------------------------------------------------------------------- */

static uint32_t add_row(struct row_finder *f, uint64_t hash, struct row_key key,
                        const struct measure_row *row)
{
    struct measure *m = f->measure;

    table_add(&f->table, hash, m->n);
    f->keys = memory_grow(f->keys, m->n, &f->key_capacity, sizeof(*f->keys));
    f->keys[m->n] = key;
    MEMORY_ADD(m->rows, m->n, m->capacity, *row);
    return (uint32_t)(m->n - 1);
}

/* The row with a key, which is `row` if there was none. */
static uint32_t find_row(struct row_finder *f, struct row_key key,
                         const struct measure_row *row)
{
    uint64_t hash =
        hash_word(hash_word(hash_word(hash_start(), key.first), key.second), key.third);
    struct table_probe probe = table_probe(&f->table, hash);
    uint32_t number;

    while (table_next(&f->table, &probe, &number)) {
        const struct row_key *other = &f->keys[number];

        if (other->first == key.first && other->second == key.second &&
            other->third == key.third)
            return number;
    }
    return add_row(f, hash, key, row);
}

static uint32_t number_string(struct row_finder *f, struct fxt_string string)
{
    return string_table_add(&f->strings, string.size > 0 ? string.data : "", string.size);
}

static void number_strings(struct row_finder *f)
{
    size_t n_functions = fxt_profile_n_functions(f->profile);
    size_t n_mappings = fxt_profile_n_mappings(f->profile);

    f->names = memory_allocate(n_functions * sizeof(*f->names));
    f->files = memory_allocate(n_functions * sizeof(*f->files));
    f->modules = memory_allocate(n_mappings * sizeof(*f->modules));
    for (size_t i = 0; i < n_functions; i++) {
        struct fxt_profile_function function;

        fxt_profile_get_function(f->profile, i, &function);
        f->names[i] = number_string(f, function.name);
        f->files[i] = number_string(f, function.file);
    }
    for (size_t i = 0; i < n_mappings; i++) {
        struct fxt_profile_mapping mapping;

        fxt_profile_get_mapping(f->profile, i, &mapping);
        f->modules[i] = number_string(f, mapping.file);
    }
}

static void free_finder(struct row_finder *f)
{
    memory_release(f->keys);
    table_free(&f->table);
    string_table_free(&f->strings);
    memory_release(f->names);
    memory_release(f->files);
    memory_release(f->modules);
}

/* ---- Code -------------------------------------------------------------------------- */

static uint32_t number_module(struct row_finder *f, const struct measure_row *row)
{
    struct string name = measure_module(row);

    return string_table_add(&f->strings, name.data, name.size);
}

static struct row_key function_key(struct row_finder *f,
                                   const struct fxt_profile_location *location,
                                   uint32_t function, const struct measure_row *row)
{
    struct row_key key = {row->is_unnamed ? NO_STRING : f->names[function],
                          2 * NO_STRING + row->is_kernel, 0};

    if (f->is_comparable)
        key.second = number_module(f, row);
    else if (location->mapping != FXT_PROFILE_NONE)
        key.second = f->modules[location->mapping];
    return key;
}

/* The key for one line of a location; no two kinds of key have equal ones. */
static struct row_key line_key(struct row_finder *f,
                               const struct fxt_profile_location *location,
                               const struct fxt_profile_line *line,
                               const struct measure_row *row)
{
    struct row_key key = function_key(f, location, line->function, row);

    switch (f->measure->by) {
    case BY_MODULE:
        return (struct row_key){0, key.second, 0};
    case BY_SOURCE:
        return (struct row_key){0, f->files[line->function], 0};
    case BY_LINE:
        if (row->file.size > 0 && line->line > 0)
            return (struct row_key){f->files[line->function], line->line, 1};
        break;
    case BY_FUNCTION:
    case BY_PROCESS:
    case BY_THREAD:
    case BY_CPU:
        break;
    }
    return key;
}

static uint32_t find_line(struct row_finder *f,
                          const struct fxt_profile_location *location, uint32_t i)
{
    struct fxt_profile_line line;
    struct fxt_profile_function function;
    struct fxt_profile_mapping mapping;
    struct measure_row row = {.is_kernel = location->address >> 63 != 0,
                              .is_inlined = true};
    bool is_inlined = i + 1 < location->n_lines;
    bool is_unnamed =
        !location->is_symbolized && !location->has_function && !f->keeps_addresses;
    uint32_t number;

    fxt_profile_get_line(f->profile, location->first_line + i, &line);
    fxt_profile_get_function(f->profile, line.function, &function);
    fxt_profile_get_mapping(f->profile, location->mapping, &mapping);
    row.module = mapping.file;
    row.name = is_unnamed ? (struct fxt_string){0} : function.name;
    row.is_unnamed = is_unnamed;
    row.file = function.file;
    row.line = f->measure->by == BY_LINE ? line.line : function.start_line;
    number = find_row(f, line_key(f, location, &line, &row), &row);
    f->measure->rows[number].is_inlined &= is_inlined;
    return number;
}

static void find_lines(struct measure *m, const struct weights *w, bool keeps_addresses,
                       bool is_comparable)
{
    struct row_finder f = {.measure = m,
                           .profile = w->profile,
                           .keeps_addresses = keeps_addresses,
                           .is_comparable = is_comparable};
    size_t n_locations = fxt_profile_n_locations(w->profile);

    number_strings(&f);
    m->line_rows =
        memory_allocate(fxt_profile_n_lines(w->profile) * sizeof(*m->line_rows));
    m->locations = memory_allocate(n_locations * sizeof(*m->locations));
    for (size_t i = 0; i < n_locations; i++) {
        struct fxt_profile_location location;

        fxt_profile_get_location(w->profile, i, &location);
        m->locations[i] = (struct measure_span){location.first_line, location.n_lines};
        for (uint32_t j = 0; j < location.n_lines; j++)
            m->line_rows[location.first_line + j] = find_line(&f, &location, j);
    }
    free_finder(&f);
}

/* What is added to for every frame, apart from the rest of a row. */
struct row_total {
    struct weight weight;
    /* The last stack that it was found in, plus one. */
    size_t stack;
};

static void add_stack(const struct measure *m, struct row_total *totals, size_t number,
                      const struct fxt_profile_stack *stack, struct weight weight)
{
    for (size_t i = 0; i < stack->n_locations; i++) {
        struct measure_span span = m->locations[stack->locations[i]];

        for (uint32_t j = 0; j < span.n; j++) {
            struct row_total *total = &totals[m->line_rows[span.first + j]];

            if (total->stack == number + 1)
                continue;
            total->stack = number + 1;
            weight_add(&total->weight, weight);
        }
    }
}

static void add_stacks(struct measure *m, const struct weights *w)
{
    size_t n_stacks = fxt_profile_n_stacks(w->profile);
    struct row_total *totals = memory_allocate(m->n * sizeof(*totals));

    for (size_t i = 0; i < n_stacks; i++) {
        struct fxt_profile_stack stack;

        if (w->stacks[i].value == 0 && w->stacks[i].n == 0)
            continue;
        fxt_profile_get_stack(w->profile, i, &stack);
        weight_add(&m->rows[m->line_rows[m->locations[stack.locations[0]].first]].self,
                   w->stacks[i]);
        add_stack(m, totals, i, &stack, w->stacks[i]);
    }
    for (size_t i = 0; i < m->n; i++)
        m->rows[i].total = totals[i].weight;
    memory_release(totals);
}

size_t measure_depth(const struct measure *m, const struct fxt_profile_stack *stack)
{
    size_t n = 0;

    for (size_t i = 0; i < stack->n_locations; i++)
        n += m->locations[stack->locations[i]].n;
    return n;
}

size_t measure_stack(const struct measure *m, const struct fxt_profile_stack *stack,
                     uint32_t *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < stack->n_locations; i++) {
        struct measure_span span = m->locations[stack->locations[i]];

        for (uint32_t j = 0; j < span.n; j++)
            rows[n++] = m->line_rows[span.first + j];
    }
    return n;
}

/* ---- Processes, threads and CPUs --------------------------------------------------- */

static struct measure_row labels_row(const struct weight_labels *labels,
                                     enum measure_by by)
{
    struct measure_row row = {.number = labels->cpu};

    if (by == BY_CPU)
        return row;
    row.process = labels->process;
    row.process_name = labels->process_name;
    row.boot = labels->boot;
    row.number = by == BY_THREAD ? labels->thread : labels->process;
    row.name = by == BY_THREAD ? labels->thread_name : labels->process_name;
    return row;
}

static void add_labels(struct measure *m, const struct weights *w)
{
    struct row_finder f = {.measure = m, .profile = w->profile};

    for (size_t i = 0; i < w->n_labels; i++) {
        struct measure_row row = labels_row(&w->labels[i], m->by);
        struct row_key key = {row.number,
                              (uint64_t)row.boot << 32 | number_string(&f, row.name),
                              m->by == BY_THREAD ? row.process : 0};
        uint32_t number = find_row(&f, key, &row);

        weight_add(&m->rows[number].self, w->labels[i].weight);
        m->rows[number].total = m->rows[number].self;
    }
    free_finder(&f);
}

/* ---- All --------------------------------------------------------------------------- */

static bool is_of_code(enum measure_by by)
{
    return by != BY_PROCESS && by != BY_THREAD && by != BY_CPU;
}

static void make(struct measure *m, const struct weights *w, enum measure_by by,
                 bool keeps_addresses, bool is_comparable)
{
    *m = (struct measure){.by = by, .all = w->total};
    if (!is_of_code(by)) {
        add_labels(m, w);
        return;
    }
    find_lines(m, w, keeps_addresses, is_comparable);
    add_stacks(m, w);
}

void measure_make(struct measure *m, const struct weights *w, enum measure_by by,
                  bool keeps_addresses)
{
    make(m, w, by, keeps_addresses, false);
}

void measure_make_comparable(struct measure *m, const struct weights *w,
                             enum measure_by by, bool keeps_addresses)
{
    make(m, w, by, keeps_addresses, true);
}

/* So that equal profiles have equal reports. */
int measure_order(const struct measure_row *a, const struct measure_row *b)
{
    int order = order_strings(a->name, b->name);

    if (order == 0)
        order = order_strings(a->module, b->module);
    if (order == 0)
        order = order_strings(a->file, b->file);
    if (order == 0)
        order = order_numbers(a->line, b->line);
    if (order == 0)
        order = order_numbers(a->number, b->number);
    return order != 0 ? order : order_numbers(a->process, b->process);
}

SORT_ORDER(order_by_self, struct measure_row,
           BY_DESCENDING(self.value) || BY_DESCENDING(total.value) ||
               BY_ORDER(measure_order(a, b)));

SORT_ORDER(order_by_total, struct measure_row,
           BY_DESCENDING(total.value) || BY_DESCENDING(self.value) ||
               BY_ORDER(measure_order(a, b)));

void measure_sort(struct measure *m, bool by_total)
{
    SORT(m->rows, m->n, by_total ? order_by_total : order_by_self);
    while (m->n > 0 && !measure_is_seen(&m->rows[m->n - 1]))
        m->n--;
}

struct string measure_module(const struct measure_row *row)
{
    if (row->module.size > 0)
        return string_last_component((struct string){row->module.data, row->module.size});
    return row->is_kernel ? (struct string){"[kernel]", 8} : (struct string){"-", 1};
}

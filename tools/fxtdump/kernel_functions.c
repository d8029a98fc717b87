/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_functions.h. */
#include "kernel_functions.h"

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/records/symbol_payload.h"

/* Far more than a kernel has; the rest have no names. */
enum { FUNCTIONS_MAX = 1 << 20, NAME_BYTES_MAX = 1 << 26 };

/* ---- Runs -------------------------------------------------------------------------- */

SORT_ORDER(order_functions, struct kernel_function, BY(start) || BY(sequence));

/* Sorts what was added after the last run, and joins it with those that are not much
 * longer: so each function is sorted a few times, however few come at once. */
static void end_run(struct kernel_functions *k, size_t start)
{
    if (start == k->n)
        return;
    while (k->n_runs > 0 && start - k->run_starts[k->n_runs - 1] <= 2 * (k->n - start))
        start = k->run_starts[--k->n_runs];
    SORT(k->all + start, k->n - start, order_functions);
    k->run_starts[k->n_runs++] = start;
}

/* The last function of a run that begins at an address or before, if it has that. */
static const struct kernel_function *find_in_run(const struct kernel_functions *k,
                                                 size_t start, size_t end,
                                                 uint64_t address)
{
    const struct kernel_function *first = k->all + start;
    size_t i = search_up_to(first, end - start, sizeof(*first), 0, address);

    if (i == 0 || address - first[i - 1].start >= first[i - 1].size)
        return NULL;
    return &first[i - 1];
}

const struct kernel_function *kernel_functions_find(const struct kernel_functions *k,
                                                    uint64_t address)
{
    const struct kernel_function *found = NULL;
    size_t end = k->n;

    for (size_t i = k->n_runs; i > 0 && found == NULL; i--) {
        found = find_in_run(k, k->run_starts[i - 1], end, address);
        end = k->run_starts[i - 1];
    }
    return found;
}

struct string kernel_functions_name(const struct kernel_functions *k,
                                    const struct kernel_function *function)
{
    return string_table_get(&k->names, function->name);
}

/* ---- Records ----------------------------------------------------------------------- */

static void add_function(struct kernel_functions *k, const struct symbol_payload *payload,
                         uint64_t entry)
{
    uint64_t word = symbol_payload_word(payload, entry, SYMBOL_FUNCTION_NAME);
    struct string name;

    if (k->n >= FUNCTIONS_MAX || !symbol_payload_string(payload, word, &name) ||
        name.size == 0 || name.size > NAME_BYTES_MAX - k->names.bytes.size)
        return;
    MEMORY_ADD(k->all, k->n, k->capacity,
               (struct kernel_function){
                   .start = symbol_payload_word(payload, entry, SYMBOL_FUNCTION_ADDRESS),
                   .size = symbol_payload_word(payload, entry, SYMBOL_FUNCTION_SIZE),
                   .sequence = (uint32_t)k->n,
                   .name = string_table_add(&k->names, name.data, name.size),
               });
}

static void clear_functions(struct kernel_functions *k)
{
    memory_release(k->all);
    string_table_free(&k->names);
    *k = (struct kernel_functions){.n = 0};
}

void kernel_functions_take(struct kernel_functions *k, const struct fxt_record *record)
{
    struct symbol_payload payload;
    size_t start = k->n;

    if (record->type == FXT_RECORD_METADATA && record->kind == FXT_METADATA_TRACE_INFO)
        clear_functions(k);
    if (!symbol_payload_is_of(record, "functions") ||
        record->large_blob.thread.process != 0 ||
        record_find_number(record, "version") != SYMBOL_RECORD_VERSION ||
        !symbol_payload_find(&payload, record, SYMBOL_FUNCTION_WORDS))
        return;
    for (uint64_t i = 0; i < payload.n; i++)
        add_function(k, &payload, i);
    end_run(k, start);
}

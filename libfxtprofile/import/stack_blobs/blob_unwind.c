/* SPDX-License-Identifier: BSD-2-Clause */
/* See blob_unwind.h. */
#include "blob_unwind.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "blob_parse.h"
#include "blob_space.h"

enum {
    /* Of each part; more than BLOB_COPY_BYTES have. */
    DEPTH_MAX = 2048,
    CACHE_ENTRIES = 4096
};

struct blob_unwinder {
    const struct blob_unwinding *from;
    struct blob_space space;
    struct unwind_cache_entry cache[CACHE_ENTRIES];
    /* The index of a module whose file has to be looked for; SIZE_MAX for none. */
    size_t needed;

    unsigned char *bytes;
    struct blob blob;
    /* The stack that is being made. */
    uint64_t pcs[2 * DEPTH_MAX];
    uint32_t n_pcs;
    uint32_t end;
};

/* ---- Code -------------------------------------------------------------------------- */

/* Called for each PC without a rule: so is each one in a module that has no table yet. */
static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    struct blob_unwinder *u = (struct blob_unwinder *)context;

    if (blob_space_state(&u->space, module) == BLOB_MODULE_NEW) {
        if (u->needed == SIZE_MAX)
            u->needed = (size_t)(module - u->space.space.modules);
        return false;
    }
    return blob_space_read_code(&u->space, module, address, bytes, n);
}

/* ---- One part ---------------------------------------------------------------------- */

/* enum unwind_end has the same order, from 0 on. */
_Static_assert((int)UNWIND_END_STACK_SWITCH + 1 == (int)FXT_STACK_END_STACK_SWITCH &&
                   (int)UNWIND_END_OUTERMOST + 1 == (int)FXT_STACK_END_OUTERMOST,
               "ends are numbered alike");

static uint32_t end_of(const struct blob_unwinder *u, const struct unwind_result *result)
{
    const struct unwind_space *space = &u->space.space;

    if (result->end == UNWIND_END_NO_RULE && result->module < space->n_modules &&
        blob_space_state(&u->space, &space->modules[result->module]) ==
            BLOB_MODULE_MISSING)
        return PROFILE_END_NO_FILE;
    return (uint32_t)result->end + 1;
}

/* Walks again whenever a file had to be looked for, which each module needs once. */
static uint32_t walk_stack(struct blob_unwinder *u,
                           const struct unwind_registers *registers, uint64_t *pcs,
                           struct unwind_result *result)
{
    struct unwind_cache cache = {u->cache, CACHE_ENTRIES - 1};
    struct unwind_start start = {
        .space = &u->space.space,
        .registers = registers,
        .chunks = u->blob.chunks,
        .n_chunks = u->blob.n_chunks,
        .cache = &cache,
        .read_code = read_code,
        .context = u,
    };
    uint32_t n;

    for (;;) {
        u->needed = SIZE_MAX;
        n = unwind_walk(&start, pcs, DEPTH_MAX, result);
        if (u->needed == SIZE_MAX)
            return n;
        blob_space_resolve(&u->space, u->needed);
    }
}

/* The first PC is where the thread was, whatever is there. */
static void add_part(struct blob_unwinder *u, const struct blob_part *part)
{
    struct unwind_result result;
    uint64_t *pcs = u->pcs + u->n_pcs;
    uint32_t n = 0;

    u->end = FXT_STACK_END_NO_TABLE;
    if (!part->is_32_bit) {
        n = walk_stack(u, &part->registers, pcs, &result);
        u->end = end_of(u, &result);
    }
    if (n == 0)
        pcs[n++] = part->registers.pc;
    /* Readers look callers up at their PC minus one: this one is exact. */
    if (u->n_pcs > 0)
        pcs[0]++;
    u->n_pcs += n;
}

static void make_stack(struct blob_unwinder *u)
{
    struct blob_tally *tally = u->from->tally;
    const struct blob *blob = &u->blob;

    u->n_pcs = 0;
    add_part(u, &blob->parts[0]);
    if (blob->n_parts < 2)
        return;
    tally->n_gaps += u->end != FXT_STACK_END_OUTERMOST;
    tally->n_32_bit += blob->parts[1].is_32_bit;
    add_part(u, &blob->parts[1]);
}

/* ---- Samples ----------------------------------------------------------------------- */

static void add_sample(struct blob_unwinder *u, const struct stored_blob *stored)
{
    struct profile_builder *b = u->from->builder;
    struct profile_labels labels = {
        .process = stored->process, .thread = stored->thread, .cpu = stored->cpu};
    struct fxt_words pcs = {u->pcs, u->n_pcs, false};

    if (b->profile.has_times)
        labels.time_ns = stored->time_ns;
    profile_builder_add(b, &labels, &pcs, u->from->values);
    profile_builder_set_end(b, u->end);
    if (stored->is_logged)
        profile_builder_log_time(b, stored->time_ns);
}

/* Returns false, and counts why, if there is no sample. */
static bool unwind_blob(struct blob_unwinder *u, const struct stored_blob *stored,
                        uint64_t process)
{
    struct blob_tally *tally = u->from->tally;

    blob_store_read(u->from->store, stored, u->bytes);
    switch (blob_parse(&u->blob, u->bytes, stored->size)) {
    case BLOB_NO_REGISTERS:
        tally->n_no_registers++;
        return false;
    case BLOB_UNKNOWN_MACHINE:
        tally->n_unknown_machine++;
        return false;
    case BLOB_GOOD:
        break;
    }
    if (!blob_space_enter(&u->space, process, stored->epoch, u->blob.machine)) {
        tally->n_mappings++;
        return false;
    }
    tally->n_short += u->blob.is_short || stored->is_cut;
    make_stack(u);
    add_sample(u, stored);
    return true;
}

/* ---- All --------------------------------------------------------------------------- */

static uint64_t process_of(const struct blob_unwinding *w, const struct stored_blob *blob)
{
    return blob->process != 0
               ? blob->process
               : koid_names_process(&w->builder->profile.koid_names, blob->thread);
}

/* The epochs of processes that have not reused addresses have to do with other things. */
static uint32_t epoch_of(const struct modules *modules, uint64_t process,
                         uint64_t time_ns)
{
    if (!mapping_times_has(&modules->mapped.times, process))
        return 0;
    return epochs_find(&modules->epochs, process, time_ns);
}

/* What stacks are sorted by, so that each space is made once, and their number. */
struct blob_row {
    uint64_t process;
    uint32_t epoch;
    uint32_t number;
};

SORT_ORDER(order_rows, struct blob_row, BY(process) || BY(epoch) || BY(number));

static struct blob_row *make_rows(const struct blob_unwinding *w)
{
    struct blob_store *store = w->store;
    struct blob_row *rows = memory_allocate(store->n * sizeof(*rows));

    for (size_t i = 0; i < store->n; i++) {
        struct stored_blob *blob = &store->blobs[i];
        uint64_t process = process_of(w, blob);

        blob->epoch = epoch_of(w->modules, process, blob->time_ns);
        rows[i] = (struct blob_row){process, blob->epoch, (uint32_t)i};
    }
    SORT(rows, store->n, order_rows);
    return rows;
}

static uint64_t unwind_all(struct blob_unwinder *u, const struct blob_row *rows, size_t n)
{
    const struct blob_store *store = u->from->store;
    uint64_t n_given = UINT64_MAX;
    uint64_t n_added = 0;

    for (size_t i = 0; i < n; i++) {
        const struct stored_blob *blob = &store->blobs[rows[i].number];

        if (blob->is_logged && blob->n_given != n_given) {
            n_given = blob->n_given;
            profile_builder_log_mark(u->from->builder, n_given);
        }
        n_added += unwind_blob(u, blob, rows[i].process);
    }
    return n_added;
}

uint64_t blob_unwind(const struct blob_unwinding *w)
{
    struct blob_unwinder *u;
    struct blob_row *rows;
    uint64_t n_added;

    if (w->store->n == 0)
        return 0;
    u = memory_allocate(sizeof(*u));
    u->from = w;
    u->space = (struct blob_space){.modules = w->modules, .symbolizer = w->symbolizer};
    u->bytes = (unsigned char *)memory_reserve(BLOB_BYTES_MAX);
    rows = make_rows(w);
    n_added = unwind_all(u, rows, w->store->n);
    memory_release(rows);
    memory_release(u->bytes);
    blob_space_free(&u->space);
    memory_release(u);
    return n_added;
}

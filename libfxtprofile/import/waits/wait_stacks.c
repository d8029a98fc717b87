/* SPDX-License-Identifier: BSD-2-Clause */
/* See wait_stacks.h. */
#include "wait_stacks.h"

#include <string.h>

#include <fxt/sample.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/records/record_args.h"
#include "common/scheduling/sched_event.h"
#include "libfxtprofile/profile/profile_builder.h"

bool wait_stacks_is_one(const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           blob->format == FXT_LARGE_BLOB_METADATA &&
           fxt_string_is(blob->category, "sched") &&
           (fxt_string_is(blob->name, "switch_out") || sched_event_is_waiting(record));
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* No machine has code at what stands for names in stacks. */
static uint64_t checked_pc(uint64_t pc)
{
    return profile_builder_is_name(pc) ? 0 : pc;
}

/* Adds the PCs of the record after all others. */
static struct wait_stack copy_stack(struct wait_stacks *s,
                                    const struct fxt_record *record)
{
    const struct fxt_bytes *payload = &record->large_blob.payload;
    struct fxt_words words = {.data = payload->data,
                              .count = payload->size / FXT_WORD_BYTES,
                              .swapped = record->swapped};
    uint64_t end = record_find_number(record, "end");
    struct wait_stack stack = {.first = s->n_pcs};

    stack.n = (uint32_t)(words.count < UINT32_MAX ? words.count : UINT32_MAX);
    stack.end = end <= FXT_STACK_END_NO_STACK ? (uint32_t)end : PROFILE_END_OTHER;
    s->pcs =
        memory_make_room(s->pcs, s->n_pcs, stack.n, &s->pc_capacity, sizeof(*s->pcs));
    for (uint32_t i = 0; i < stack.n; i++)
        s->pcs[s->n_pcs + i] = checked_pc(fxt_words_get(words, i));
    return stack;
}

static bool same_stack(const struct wait_stacks *s, const struct wait_stack *a,
                       const struct wait_stack *b)
{
    return a->n == b->n && a->end == b->end &&
           (a->n == 0 ||
            memcmp(s->pcs + a->first, s->pcs + b->first, a->n * sizeof(*s->pcs)) == 0);
}

/* The number of the stack. Its PCs are kept if it is new. */
static uint32_t find_stack(struct wait_stacks *s, const struct wait_stack *stack)
{
    uint64_t hash = hash_word(hash_start(), stack->end);
    struct table_probe probe;
    uint32_t number;

    for (uint32_t i = 0; i < stack->n; i++)
        hash = hash_word(hash, s->pcs[stack->first + i]);
    probe = table_probe(&s->stack_table, hash);
    while (table_next(&s->stack_table, &probe, &number)) {
        if (same_stack(s, &s->stacks[number], stack))
            return number;
    }
    table_add(&s->stack_table, hash, s->n_stacks);
    s->n_pcs += stack->n;
    MEMORY_ADD(s->stacks, s->n_stacks, s->stack_capacity, *stack);
    return (uint32_t)(s->n_stacks - 1);
}

/* ---- Moments ----------------------------------------------------------------------- */

void wait_stacks_take(struct wait_stacks *s, const struct fxt_record *record,
                      uint32_t trace)
{
    const struct fxt_large_blob *blob = &record->large_blob;
    struct wait_moment moment = {.thread = blob->thread.thread, .trace = trace};
    struct wait_stack stack;

    if (!blob->thread.known ||
        !fxt_ticks_to_ns(blob->timestamp, record->provider->ticks_per_second,
                         &moment.time_ns) ||
        TABLE_FIND(&s->moment_table, s->moments, &moment, thread, time_ns, trace) !=
            TABLE_NONE)
        return;
    stack = copy_stack(s, record);
    moment.stack = find_stack(s, &stack);
    TABLE_PUT(&s->moment_table, s->moments, s->n_moments, s->moment_capacity, &moment,
              thread, time_ns, trace);
}

const struct wait_stack *wait_stacks_find(const struct wait_stacks *s, uint32_t trace,
                                          uint64_t thread, uint64_t time_ns)
{
    struct wait_moment key = {thread, time_ns, trace, 0};
    uint32_t number =
        TABLE_FIND(&s->moment_table, s->moments, &key, thread, time_ns, trace);

    return number != TABLE_NONE ? &s->stacks[s->moments[number].stack] : NULL;
}

void wait_stacks_free(struct wait_stacks *s)
{
    memory_release(s->pcs);
    memory_release(s->stacks);
    table_free(&s->stack_table);
    memory_release(s->moments);
    table_free(&s->moment_table);
}

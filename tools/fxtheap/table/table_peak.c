/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_peak.h, and layout.h for what is read here and in which order. */
#include "table_peak.h"

#include <stddef.h>

#include "libfxtheap/shared/look.h"
#include "table_file.h"

/* So often a running program is asked again. */
enum { ROUNDS_MAX = 16 };

/* Where in the file the blocks without a stack are counted. */
static const uint64_t no_stack_at = offsetof(struct heap_header_v4, peak.no_stack);

struct peak_header {
    uint64_t pool_at;
    uint64_t n_pool_words;
    /* As in the table: another peak has another. */
    struct heap_peak_v4 peak;
    uint64_t largest;
};

static bool fail_header(struct text *why)
{
    return text_fail(why, "the table ends inside its header");
}

static bool read_peak_header(struct file *file, struct peak_header *h, struct text *why)
{
    struct heap_header_v1 v1;

    if (!file_read(file, 0, &v1, sizeof(v1)))
        return fail_header(why);
    if (v1.version != HEAP_VERSION_PEAK || v1.header_size < sizeof(struct heap_header_v4))
        return text_fail(why, "its peak was not kept: see fxtheap run --peak");
    if (!file_read(file, offsetof(struct heap_header_v4, peak), &h->peak,
                   sizeof(h->peak)))
        return fail_header(why);
    h->pool_at = v1.pool_at;
    h->n_pool_words = v1.n_pool_words;
    h->largest = heap_peak_amount(h->peak.last);
    return true;
}

/* The heap has grown since the last peak, and has not shrunk yet. */
static bool is_at_peak(const struct peak_header *h)
{
    return heap_is_at_peak(h->peak.bytes, h->largest);
}

/* ---- What stacks have -------------------------------------------------------------- */

/* Where in the file a stack's words are. Returns false if that is not in the pool. */
static bool find_live(const struct peak_header *h, const struct table_stack *stack,
                      uint64_t *at)
{
    uint64_t word = (uint64_t)stack->number + HEAP_STACK_HEAD_WORDS + stack->n_pcs;

    *at = h->pool_at + word * sizeof(uint64_t);
    return word + HEAP_LIVE_WORDS <= h->n_pool_words;
}

/* What a stack had at the peak. Returns false if it cannot be read. */
static bool read_amount(struct file *file, uint64_t at, const struct peak_header *h,
                        struct table_amount *amount)
{
    struct heap_live_v4 looks[2];

    for (int i = 0; i < 2; i++) {
        if (!file_read(file, at, &looks[i], sizeof(looks[i])))
            return false;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    *amount = (struct table_amount){looks[0].objects, looks[0].bytes};
    if (is_at_peak(h))
        return true;
    amount->objects = look_at_peak(amount->objects, looks[1].peak_objects, h->peak.last);
    amount->bytes = look_at_peak(amount->bytes, looks[1].peak_bytes, h->peak.last);
    return true;
}

/* Leaves out what is impossible. The bytes of a block may be there before the block is
 * counted, or after. */
static void check_amount(struct table_copy *copy, struct table_amount *amount)
{
    bool is_possible =
        amount->objects < HEAP_ADDRESS_END && amount->bytes < HEAP_ADDRESS_END;

    copy->n_damaged += !is_possible;
    if (!is_possible || amount->objects == 0)
        *amount = (struct table_amount){0, 0};
}

static bool read_amounts(struct file *file, const struct peak_header *h,
                         struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_stacks; i++) {
        struct table_stack *stack = &copy->stacks[i];
        uint64_t at;

        if (!find_live(h, stack, &at)) {
            copy->n_damaged++;
            continue;
        }
        if (!read_amount(file, at, h, &stack->at_peak))
            return false;
        check_amount(copy, &stack->at_peak);
    }
    if (!read_amount(file, no_stack_at, h, &copy->without_stack))
        return false;
    check_amount(copy, &copy->without_stack);
    return true;
}

/* Stores whether it was the same peak all the time. */
static bool try_peak(struct file *file, struct table_copy *copy, bool *is_same,
                     struct text *why)
{
    struct peak_header before;
    struct peak_header between;
    struct peak_header after;

    if (!read_peak_header(file, &before, why) || !table_read_stacks(file, copy, why))
        return false;
    if (!read_amounts(file, &before, copy))
        return text_fail(why, "the table became shorter while it was read");
    if (!read_peak_header(file, &between, why) || !read_peak_header(file, &after, why))
        return false;
    *is_same = before.peak.last == after.peak.last;
    copy->is_of_peak = true;
    if (!is_at_peak(&before))
        copy->peak_ns = between.peak.time_ns[heap_peak_number(before.peak.last) % 2];
    return true;
}

bool table_read_peak(struct file *file, struct table_copy *copy, struct text *why)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        bool is_same;

        if (!try_peak(file, copy, &is_same, why))
            return false;
        if (is_same)
            return true;
        table_copy_free(copy);
    }
    return text_fail(why, "it has new peaks faster than they can be read: try --freeze");
}

/* ---- What is live ------------------------------------------------------------------ */

bool table_read_total(struct file *file, uint64_t *bytes)
{
    struct text why = {NULL, 0, 0};
    struct peak_header header;
    bool good = read_peak_header(file, &header, &why);

    *bytes = good ? header.peak.bytes : 0;
    text_free(&why);
    return good;
}

/* Threads that are counting a block have counted it, but not its bytes, or the reverse.
 */
static bool read_live(struct file *file, uint64_t at, struct table_copy *copy,
                      struct table_amount *amount)
{
    struct table_amount live;

    if (!file_read(file, at, &live, sizeof(live)))
        return false;
    *amount = live;
    if (live.objects < HEAP_ADDRESS_END && live.bytes < HEAP_ADDRESS_END)
        return true;
    copy->n_damaged++;
    *amount = (struct table_amount){0, 0};
    return true;
}

static bool read_all_live(struct file *file, const struct peak_header *h,
                          struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_stacks; i++) {
        struct table_stack *stack = &copy->stacks[i];
        uint64_t at;

        if (!find_live(h, stack, &at))
            copy->n_damaged++;
        else if (!read_live(file, at, copy, &stack->live))
            return false;
    }
    return read_live(file, no_stack_at, copy, &copy->live_without_stack);
}

bool table_read_live(struct file *file, struct table_copy *copy, struct text *why)
{
    struct peak_header header;

    if (!read_peak_header(file, &header, why) || !table_read_stacks(file, copy, why))
        return false;
    copy->is_of_amounts = true;
    return read_all_live(file, &header, copy) ||
           text_fail(why, "the table became shorter while it was read");
}

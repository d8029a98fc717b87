/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_peak.h, and layout.h for what is read here and in which order. */
#include "table_peak.h"

#include "libfxtheap/shared/layout.h"
#include "table_file.h"

/* So often a running program is asked again. */
enum { ROUNDS_MAX = 16 };

/* Where in the file the blocks without a stack are counted; and in which word of the pool
 * those of a stack. */
enum {
    NO_STACK_AT =
        offsetof(struct heap_header_v3, peak) + offsetof(struct heap_peak_v3, no_stack)
};

static uint64_t live_word(const struct table_stack *stack)
{
    return (uint64_t)stack->number + HEAP_STACK_HEAD_WORDS + stack->n_pcs;
}

static bool fail_peak(struct text *why, const char *reason)
{
    text_str(why, reason);
    return false;
}

static bool read_peak_header(struct file *file, struct heap_header_v3 *h,
                             struct text *why)
{
    if (!file_read(file, 0, &h->v1, sizeof(h->v1)))
        return fail_peak(why, "the table ends inside its header");
    if (h->v1.version != HEAP_VERSION_PEAK || h->v1.header_size < sizeof(*h))
        return fail_peak(why, "its peak was not kept: see fxtheap run --peak");
    if (!file_read(file, 0, h, sizeof(*h)))
        return fail_peak(why, "the table ends inside its header");
    return true;
}

/* The heap has grown since the last peak, and has not shrunk yet. */
static bool is_at_peak(const struct heap_peak_v3 *peak)
{
    return peak->bytes > peak->largest;
}

/* What a stack had at the peak. Returns false if it cannot be read. */
static bool read_amount(struct file *file, uint64_t at, const struct heap_peak_v3 *peak,
                        struct table_amount *amount)
{
    struct heap_live_v3 looks[3];

    for (int i = 0; i < 3; i++) {
        if (!file_read(file, at, &looks[i], sizeof(looks[i])))
            return false;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    if (!is_at_peak(peak) && looks[1].peak == peak->largest)
        *amount = (struct table_amount){looks[2].peak_objects, looks[2].peak_bytes};
    else
        *amount = (struct table_amount){looks[0].objects, looks[0].bytes};
    return true;
}

/* Leaves out what is impossible. */
static void check_amount(struct table_copy *copy, struct table_amount *amount)
{
    if (amount->objects < HEAP_ADDRESS_END && amount->bytes < HEAP_ADDRESS_END &&
        (amount->objects > 0 || amount->bytes == 0))
        return;
    copy->n_damaged++;
    *amount = (struct table_amount){0, 0};
}

static bool read_amounts(struct file *file, const struct heap_header_v3 *h,
                         struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_stacks; i++) {
        struct table_stack *stack = &copy->stacks[i];
        uint64_t word = live_word(stack);

        if (word + HEAP_LIVE_WORDS > h->v1.n_pool_words) {
            copy->n_damaged++;
            continue;
        }
        if (!read_amount(file, h->v1.pool_at + word * sizeof(uint64_t), &h->peak,
                         &stack->at_peak))
            return false;
        check_amount(copy, &stack->at_peak);
    }
    if (!read_amount(file, NO_STACK_AT, &h->peak, &copy->without_stack))
        return false;
    check_amount(copy, &copy->without_stack);
    return true;
}

/* Stores whether it was the same peak all the time. */
static bool try_peak(struct file *file, struct table_copy *copy, bool *is_same,
                     struct text *why)
{
    struct heap_header_v3 before;
    struct heap_header_v3 after;

    if (!read_peak_header(file, &before, why) || !table_read_stacks(file, copy, why))
        return false;
    if (!read_amounts(file, &before, copy))
        return fail_peak(why, "the table became shorter while it was read");
    if (!read_peak_header(file, &after, why))
        return false;
    *is_same = before.peak.largest == after.peak.largest;
    copy->is_of_peak = true;
    if (!is_at_peak(&before.peak))
        copy->peak_ns = after.peak.time_ns;
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
    return fail_peak(why, "it has new peaks faster than they can be read: try --freeze");
}

/* ---- What is live ------------------------------------------------------------------ */

bool table_read_total(struct file *file, uint64_t *bytes)
{
    struct text why = {NULL, 0, 0};
    struct heap_header_v3 header;
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
    struct heap_live_v3 live;

    if (!file_read(file, at, &live, sizeof(live)))
        return false;
    *amount = (struct table_amount){live.objects, live.bytes};
    if (live.objects < HEAP_ADDRESS_END && live.bytes < HEAP_ADDRESS_END)
        return true;
    copy->n_damaged++;
    *amount = (struct table_amount){0, 0};
    return true;
}

static bool read_all_live(struct file *file, const struct heap_header_v3 *h,
                          struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_stacks; i++) {
        struct table_stack *stack = &copy->stacks[i];
        uint64_t word = live_word(stack);

        if (word + HEAP_LIVE_WORDS > h->v1.n_pool_words)
            copy->n_damaged++;
        else if (!read_live(file, h->v1.pool_at + word * sizeof(uint64_t), copy,
                            &stack->live))
            return false;
    }
    return read_live(file, NO_STACK_AT, copy, &copy->live_without_stack);
}

bool table_read_live(struct file *file, struct table_copy *copy, struct text *why)
{
    struct heap_header_v3 header;

    if (!read_peak_header(file, &header, why) || !table_read_stacks(file, copy, why))
        return false;
    copy->is_of_amounts = true;
    return read_all_live(file, &header, copy) ||
           fail_peak(why, "the table became shorter while it was read");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See snapshot.h. */
#include "snapshot.h"

#include <inttypes.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/sample_weight.h"
#include "fxtheap.h"
#include "tools/fxtheap/table/table_peak.h"
#include "tools/common/report.h"

static struct snapshot_totals add_up_stacks(const struct table_copy *copy)
{
    struct table_amount amount =
        copy->is_of_peak ? copy->without_stack : copy->live_without_stack;
    struct snapshot_totals totals = {(double)amount.objects, (double)amount.bytes};

    for (size_t i = 0; i < copy->n_stacks; i++) {
        amount = copy->is_of_peak ? copy->stacks[i].at_peak : copy->stacks[i].live;
        totals.objects += (double)amount.objects;
        totals.bytes += (double)amount.bytes;
    }
    return totals;
}

struct snapshot_totals snapshot_add_up(const struct table_copy *copy)
{
    struct snapshot_totals totals = {0, 0};

    if (copy->is_of_peak || copy->is_of_amounts)
        return add_up_stacks(copy);
    for (size_t i = 0; i < copy->n_blocks; i++) {
        double size = (double)copy->blocks[i].size;
        double weight = heap_weight(size, copy->head.sample_bytes);

        totals.objects += weight;
        totals.bytes += weight * size;
    }
    return totals;
}

/* The moment of the peak, by both clocks. */
static void go_back(struct clock_readings *time, uint64_t peak_ns)
{
    uint64_t ago_ns = time->monotonic_ns - peak_ns;

    if (peak_ns == 0 || ago_ns > time->monotonic_ns || ago_ns > time->wall_ns)
        return;
    time->monotonic_ns -= ago_ns;
    time->wall_ns -= ago_ns;
}

static uint64_t round_half_up(double n)
{
    return n < 9.2e18 ? (uint64_t)(n + 0.5) : INT64_MAX;
}

/* A sum of estimates is rounded once. */
static struct table_amount round_estimate(struct snapshot_totals estimate)
{
    return (struct table_amount){round_half_up(estimate.objects),
                                 round_half_up(estimate.bytes)};
}

/* What is allocated in blocks of unknown sizes is taken to be so in average ones. */
static void estimate_allocated(struct table_stack *stack, uint64_t sample_bytes)
{
    double objects = (double)stack->alloc_objects;
    double bytes = (double)stack->alloc_bytes;
    double weight = objects > 0 ? heap_weight(bytes / objects, sample_bytes) : 1;
    struct table_amount amount =
        round_estimate((struct snapshot_totals){objects * weight, bytes * weight});

    stack->alloc_objects = amount.objects;
    stack->alloc_bytes = amount.bytes;
}

/* Replaces the blocks by what each stack has. */
static void add_up_blocks(struct table_copy *copy)
{
    uint64_t sample_bytes = copy->head.sample_bytes;
    struct snapshot_totals *sums = memory_allocate((copy->n_stacks + 1) * sizeof(*sums));

    for (size_t i = 0; i < copy->n_blocks; i++) {
        const struct table_block *block = &copy->blocks[i];
        double weight = heap_weight((double)block->size, sample_bytes);
        struct snapshot_totals *sum =
            &sums[block->stack != TABLE_NO_STACK ? block->stack : copy->n_stacks];

        sum->objects += weight;
        sum->bytes += weight * (double)block->size;
    }
    for (size_t i = 0; i < copy->n_stacks; i++) {
        copy->stacks[i].live = round_estimate(sums[i]);
        if (sample_bytes > 0)
            estimate_allocated(&copy->stacks[i], sample_bytes);
    }
    copy->live_without_stack = round_estimate(sums[copy->n_stacks]);
    memory_release(sums);
    memory_release(copy->blocks);
    copy->blocks = NULL;
    copy->n_blocks = 0;
    copy->block_capacity = 0;
    copy->is_of_amounts = true;
}

static bool read_amounts(struct file *file, struct table_copy *copy, struct text *why)
{
    uint64_t bytes;

    if (table_read_total(file, &bytes))
        return table_read_live(file, copy, why);
    if (!table_read(file, copy, why))
        return false;
    add_up_blocks(copy);
    return true;
}

static bool read_kind(struct file *file, enum snapshot_kind kind, struct table_copy *copy,
                      struct text *why)
{
    switch (kind) {
    case SNAPSHOT_BLOCKS:
        return table_read(file, copy, why);
    case SNAPSHOT_PEAK:
        return table_read_peak(file, copy, why);
    case SNAPSHOT_AMOUNTS:
        return read_amounts(file, copy, why);
    }
    return false;
}

bool snapshot_read(const struct found_table *table, enum snapshot_kind kind,
                   struct snapshot *snapshot)
{
    struct text why = {NULL, 0, 0};
    bool good = read_kind(table->file, kind, &snapshot->copy, &why);

    if (!good)
        return complain_text(FXTHEAP_PROGRAM, table->path, &why);
    snapshot->was_running = table->is_running;
    snapshot->time.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    snapshot->time.wall_ns = clock_ns(CLOCK_REALTIME);
    snapshot->recorded_until_ns =
        table->is_running ? snapshot->time.monotonic_ns : snapshot->copy.head.end_ns;
    go_back(&snapshot->time, snapshot->copy.peak_ns);
    return true;
}

/* For an estimate that is printed as a whole number. */
static const char *plural_of(double n)
{
    return text_plural(n > 0.5 && n < 1.5);
}

void snapshot_add_text(struct text *text, struct snapshot_totals totals, bool is_sampled)
{
    text_printf(text, "%s%.0f object%s, %.0f byte%s", is_sampled ? "about " : "",
                totals.objects, plural_of(totals.objects), totals.bytes,
                plural_of(totals.bytes));
}

/* As in "3 blocks lost for lack of room". */
static void report_count(const struct snapshot *s, uint64_t n, const char *noun,
                         const char *fate)
{
    if (n > 0)
        complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %" PRIu64 " %s%s %s",
                 s->copy.head.process, n, noun, text_plural(n), fate);
}

void snapshot_report_damage(const struct snapshot *s)
{
    report_count(s, s->copy.n_damaged, "table row", "left out: impossible values");
}

/* As in "process 7: attached to: what was allocated before is not in it (about 900
 * bytes), and 3 of these blocks were freed since". */
static void report_attached(const struct table_head *head)
{
    struct text text = {NULL, 0, 0};

    text_printf(
        &text, "process %" PRIu64 ": attached to: what was allocated before is not in it",
        head->process);
    if (head->bytes_before != UINT64_MAX)
        text_printf(&text, " (about %" PRIu64 " byte%s)", head->bytes_before,
                    text_plural(head->bytes_before));
    if (head->sample_bytes == 0)
        text_printf(&text, ", and %" PRIu64 " of these blocks were freed since",
                    head->unknown_frees);
    complain_text(FXTHEAP_PROGRAM, NULL, &text);
}

static uint64_t count_cut(const struct table_copy *copy)
{
    uint64_t n = 0;

    for (size_t i = 0; i < copy->n_stacks; i++)
        n += copy->stacks[i].end != 0;
    return n;
}

void snapshot_report_losses(const struct snapshot *s)
{
    const struct table_head *head = &s->copy.head;

    if (head->is_attached)
        report_attached(head);
    report_count(s, head->lost_blocks, "block",
                 "lost, as the table had no room: see --blocks");
    report_count(s, head->lost_stacks, "block", "recorded without a stack");
    report_count(s, count_cut(&s->copy), "stack",
                 "without the outermost frames: see --depth");
    report_count(s, head->lost_threads, "thread name", "lost for lack of room");
    report_count(s, head->lost_maps, "mapping", "lost for lack of room");
}

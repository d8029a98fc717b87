/* SPDX-License-Identifier: BSD-2-Clause */
/* See snapshot.h. */
#include "snapshot.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/sample_weight.h"
#include "fxtheap.h"
#include "table_peak.h"
#include "tools/common/report.h"

static struct snapshot_totals add_up_peak(const struct table_copy *copy)
{
    struct snapshot_totals totals = {(double)copy->without_stack.objects,
                                     (double)copy->without_stack.bytes};

    for (size_t i = 0; i < copy->n_stacks; i++) {
        totals.objects += (double)copy->stacks[i].at_peak.objects;
        totals.bytes += (double)copy->stacks[i].at_peak.bytes;
    }
    return totals;
}

struct snapshot_totals snapshot_add_up(const struct table_copy *copy)
{
    struct snapshot_totals totals = {0, 0};

    if (copy->is_of_peak)
        return add_up_peak(copy);
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

bool snapshot_read(const struct found_table *table, bool of_peak,
                   struct snapshot *snapshot)
{
    struct text why = {NULL, 0, 0};
    bool good = of_peak ? table_read_peak(table->file, &snapshot->copy, &why)
                        : table_read(table->file, &snapshot->copy, &why);

    if (!good) {
        complain(FXTHEAP_PROGRAM, table->path, "%.*s", (int)why.size, why.data);
        text_free(&why);
        return false;
    }
    snapshot->was_running = table->is_running;
    snapshot->time.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    snapshot->time.wall_ns = clock_ns(CLOCK_REALTIME);
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

    text_str(&text, "attached to: what was allocated before is not in it");
    if (head->bytes_before != UINT64_MAX)
        text_printf(&text, " (about %" PRIu64 " byte%s)", head->bytes_before,
                    text_plural(head->bytes_before));
    if (head->sample_bytes == 0)
        text_printf(&text, ", and %" PRIu64 " of these blocks were freed since",
                    head->unknown_frees);
    complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %.*s", head->process,
             (int)text.size, text.data);
    text_free(&text);
}

void snapshot_report_losses(const struct snapshot *s)
{
    const struct table_head *head = &s->copy.head;

    if (head->is_attached)
        report_attached(head);
    report_count(s, head->lost_blocks, "block",
                 "lost, as the table had no room: see --blocks");
    report_count(s, head->lost_stacks, "block", "recorded without a stack");
    report_count(s, head->lost_threads, "thread name", "lost for lack of room");
    report_count(s, head->lost_maps, "mapping", "lost for lack of room");
}

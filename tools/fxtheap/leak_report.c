/* SPDX-License-Identifier: BSD-2-Clause */
/* See leak_report.h. */
#include "leak_report.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/quote.h"
#include "frames.h"
#include "fxtheap.h"
#include "leaks.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

enum { PROCESSES_SHOWN = 10 };

/* A sum over stacks. */
struct sum {
    uint64_t bytes;
    uint64_t objects;
    size_t n_stacks;
};

static struct sum add_up(const struct leaks *l, bool are_suppressed)
{
    struct sum sum = {0, 0, 0};

    for (size_t i = 0; i < l->n; i++) {
        if (l->all[i].is_suppressed != are_suppressed)
            continue;
        sum.bytes += l->all[i].bytes;
        sum.objects += l->all[i].objects;
        sum.n_stacks++;
    }
    return sum;
}

/* ---- Processes --------------------------------------------------------------------- */

static void add_process(struct text *text, const struct leak_process *p)
{
    const char *slash = strrchr(p->program, '/');
    const char *name = slash != NULL ? slash + 1 : p->program;

    quote_text(text, name, strlen(name));
    text_printf(text, "[%" PRIu64 "] %s", p->process,
                p->of_peak       ? "when its heap was largest"
                : p->was_running ? "while it ran"
                                 : "when it had ended");
    if (p->point > 0)
        text_printf(text, ", point %" PRIu64, p->point);
    text_char(text, '\n');
}

static void add_processes(struct text *text, const struct leaks *l)
{
    for (size_t i = 0; i < l->archive.n_processes && i < PROCESSES_SHOWN; i++)
        add_process(text, &l->archive.processes[i]);
    if (l->archive.n_processes > PROCESSES_SHOWN)
        text_printf(text, "and %zu more processes\n",
                    l->archive.n_processes - PROCESSES_SHOWN);
    text_char(text, '\n');
}

static bool is_sampled(const struct leaks *l)
{
    for (size_t i = 0; i < l->archive.n_processes; i++) {
        if (l->archive.processes[i].is_sampled)
            return true;
    }
    return false;
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void add_amount(struct text *text, uint64_t bytes, uint64_t objects)
{
    text_printf(text, "%" PRIu64 " byte%s in %" PRIu64 " block%s", bytes,
                text_plural(bytes), objects, text_plural(objects));
}

static void add_frame(struct text *text, const struct fxt_profile *profile,
                      const struct fxt_profile_line *line)
{
    struct fxt_profile_function function;

    fxt_profile_get_function(profile, line->function, &function);
    text_str(text, "    ");
    quote_text(text, function.name.data, function.name.size);
    if (function.file.size > 0) {
        text_str(text, "  ");
        quote_text(text, function.file.data, function.file.size);
        if (line->line > 0)
            text_printf(text, ":%" PRIu32, line->line);
    }
    text_char(text, '\n');
}

static void add_frames(struct text *text, const struct leaks *l, const struct leak *leak)
{
    struct frames frames = frames_of(l->archive.profile, leak->stack);
    struct fxt_profile_line line;

    while (frames_next(&frames, &line))
        add_frame(text, l->archive.profile, &line);
    text_char(text, '\n');
}

static void add_leak(struct text *text, const struct leaks *l, const struct leak *leak)
{
    add_amount(text, leak->bytes, leak->objects);
    if (leak->alloc_objects > leak->objects)
        text_printf(text, " of %" PRIu64 " allocated", leak->alloc_objects);
    if (leak->has_ages)
        text_printf(text, ", %.3f s to %.3f s old", (double)leak->youngest_ns / 1e9,
                    (double)leak->oldest_ns / 1e9);
    text_char(text, '\n');
    add_frames(text, l, leak);
}

static void add_leaks(struct text *text, const struct leaks *l, uint64_t max)
{
    struct sum rest = add_up(l, false);

    for (size_t i = 0; i < l->n; i++) {
        const struct leak *leak = &l->all[i];

        if (leak->is_suppressed)
            continue;
        add_leak(text, l, leak);
        rest.bytes -= leak->bytes;
        rest.objects -= leak->objects;
        rest.n_stacks--;
        if (max > 0 && --max == 0)
            break;
    }
    if (rest.n_stacks == 0)
        return;
    add_amount(text, rest.bytes, rest.objects);
    text_printf(text, " from %zu more stack%s (--limit 0 shows all)\n\n", rest.n_stacks,
                text_plural(rest.n_stacks));
}

/* ---- What was allocated ------------------------------------------------------------ */

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void add_history(struct text *text, const struct leaks *l)
{
    const struct leak_history *h = &l->history;
    double seconds = (double)h->time_ns / 1e9;

    if (h->objects == 0)
        return;
    text_str(text, is_sampled(l) ? "about " : "");
    add_amount(text, h->bytes, h->objects);
    text_str(text, " allocated");
    if (h->time_ns > 0)
        text_printf(text, " in %.3f s: %.0f bytes in %.0f blocks a second", seconds,
                    (double)h->bytes / seconds, (double)h->objects / seconds);
    text_char(text, '\n');
    if (h->has_counts)
        text_printf(text,
                    "%" PRIu64 " of these blocks temporary (%.1f %%)\n"
                    "%" PRIu64 " realloc%s in place, %" PRIu64 " to another place\n",
                    h->temporary, percent_of(h->temporary, h->objects),
                    h->reallocs_in_place, text_plural(h->reallocs_in_place),
                    h->reallocs_moved);
}

static void add_temporary(struct text *text, const struct leaks *l, uint64_t max)
{
    size_t n = max > 0 && max < l->n_temporary ? max : l->n_temporary;
    uint64_t n_rest = 0;

    if (!l->history.has_counts)
        text_str(text, "Temporary blocks are not counted in the archive: they are where "
                       "all blocks are recorded\n\n");
    for (size_t i = 0; i < n; i++) {
        const struct leak *leak = &l->temporary[i];

        text_printf(text, "%" PRIu64 " of %" PRIu64 " block%s temporary (%.1f %%)\n",
                    leak->temporary, leak->alloc_objects,
                    text_plural(leak->alloc_objects),
                    percent_of(leak->temporary, leak->alloc_objects));
        add_frames(text, l, leak);
    }
    for (size_t i = n; i < l->n_temporary; i++)
        n_rest += l->temporary[i].temporary;
    if (n < l->n_temporary)
        text_printf(text,
                    "%" PRIu64 " block%s from %zu more stack%s (--limit 0 shows all)\n\n",
                    n_rest, text_plural(n_rest), l->n_temporary - n,
                    text_plural(l->n_temporary - n));
}

/* ---- Sizes and ages ---------------------------------------------------------------- */

/* A line for each range from the first to the last one with blocks. */
static void add_ranges(struct text *text, const struct leak_range *ranges, size_t n,
                       void (*add_bounds)(struct text *text, size_t range))
{
    size_t first = 0;

    while (n > 0 && ranges[n - 1].objects == 0)
        n--;
    while (first < n && ranges[first].objects == 0)
        first++;
    for (size_t i = first; i < n; i++) {
        add_bounds(text, i);
        add_amount(text, ranges[i].bytes, ranges[i].objects);
        text_char(text, '\n');
    }
    text_char(text, '\n');
}

static void add_size_bounds(struct text *text, size_t range)
{
    uint64_t first = range > 0 ? UINT64_C(1) << (range - 1) : 0;

    text_printf(text, "    %" PRIu64 " to %" PRIu64 " bytes: ", first,
                range > 0 ? first + (first - 1) : 0);
}

static void add_age_bounds(struct text *text, size_t range)
{
    static const char *const bounds[LEAK_AGES] = {
        "below 1 ms",      "1 ms to 10 ms",     "10 ms to 100 ms",
        "100 ms to 1 s",   "1 s to 10 s",       "10 s to 100 s",
        "100 s to 1000 s", "1000 s to 10000 s", "10000 s or more"};

    text_printf(text, "    %s: ", bounds[range]);
}

static void add_sizes_and_ages(struct text *text, const struct leaks *l)
{
    uint64_t objects = 0;

    for (size_t i = 0; i < LEAK_SIZES; i++)
        objects |= l->by_size[i].objects;
    if (objects == 0) {
        text_str(text, "Sizes and ages of single blocks are not in the archive: see "
                       "--with-tags of run and snapshot\n\n");
        return;
    }
    text_str(text, "By size:\n");
    add_ranges(text, l->by_size, LEAK_SIZES, add_size_bounds);
    text_str(text, "By age:\n");
    add_ranges(text, l->by_age, LEAK_AGES, add_age_bounds);
}

/* ---- The whole --------------------------------------------------------------------- */

static bool has_peak(const struct leaks *l)
{
    for (size_t i = 0; i < l->archive.n_processes; i++) {
        if (l->archive.processes[i].of_peak)
            return true;
    }
    return false;
}

static void add_sum(struct text *text, const struct leaks *l, uint64_t allowed)
{
    struct sum sum = add_up(l, false);

    if (is_sampled(l))
        text_str(text, "An estimate from samples: ");
    add_amount(text, sum.bytes, sum.objects);
    text_printf(text, " %s, from %zu stack%s", has_peak(l) ? "live" : "left",
                sum.n_stacks, text_plural(sum.n_stacks));
    if (sum.bytes > allowed && allowed > 0)
        text_printf(text, ": more than the %" PRIu64 " byte%s allowed", allowed,
                    text_plural(allowed));
    text_char(text, '\n');
}

static void add_end(struct text *text, const struct leaks *l)
{
    struct sum sum = add_up(l, true);

    if (sum.n_stacks > 0) {
        text_str(text, "Suppressed: ");
        add_amount(text, sum.bytes, sum.objects);
        text_printf(text, " from %zu stack%s\n", sum.n_stacks, text_plural(sum.n_stacks));
    }
    for (size_t i = 0; i < fxt_profile_n_losses(l->archive.profile); i++)
        text_printf(text, "Missing: %s\n", fxt_profile_loss(l->archive.profile, i));
}

/* Returns the exit status. */
static int report_leaks(const struct leak_report_options *o, const struct leaks *l)
{
    struct text text = {NULL, 0, 0};

    add_processes(&text, l);
    add_sum(&text, l, o->allowed_bytes);
    add_history(&text, l);
    text_char(&text, '\n');
    if (o->with_ranges)
        add_sizes_and_ages(&text, l);
    if (o->of_temporary)
        add_temporary(&text, l, o->n_stacks);
    else
        add_leaks(&text, l, o->n_stacks);
    add_end(&text, l);
    if (!program_print(FXTHEAP_PROGRAM, &text))
        return FXTHEAP_FAILED;
    if (add_up(l, false).bytes > o->allowed_bytes)
        return FXTHEAP_LEAKS;
    return l->archive.is_damaged ? FXTHEAP_FAILED : FXTHEAP_GOOD;
}

int leak_report(const struct leak_report_options *o)
{
    struct suppressions suppressions = {NULL, 0, 0};
    struct leaks leaks = {
        .archive = {.wanted_point = o->point, .no_debuginfod = o->no_debuginfod}};
    struct text why = {NULL, 0, 0};
    int status = FXTHEAP_USAGE;

    if (o->suppressions != NULL &&
        !suppressions_read(&suppressions, o->suppressions, &why)) {
        complain_text(FXTHEAP_PROGRAM, o->suppressions, &why);
        return FXTHEAP_USAGE;
    }
    if (leaks_read(&leaks, o->archive, &suppressions))
        status = report_leaks(o, &leaks);
    fxt_profile_destroy(leaks.archive.profile);
    return status;
}

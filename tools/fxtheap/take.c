/* SPDX-License-Identifier: BSD-2-Clause */
/* See take.h. */
#include "take.h"

#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"
#include "find.h"
#include "freeze.h"
#include "fxtheap.h"
#include "common/base/quote.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

/* ---- List -------------------------------------------------------------------------- */

/* What the counts of a table are worth. */
static const char *kind_of_counts(const struct table_head *head)
{
    if (head->lost_blocks > 0)
        return "partial";
    return head->sample_bytes > 0 ? "sampled" : "exact";
}

static void add_row(struct text *text, const struct found_table *table,
                    const struct table_copy *copy)
{
    struct snapshot_totals totals = snapshot_add_up(copy);
    struct text name = {NULL, 0, 0};

    quote_word(&name, found_name(table), strlen(found_name(table)));
    text_printf(
        text,
        "%9" PRIu64 "  %-7s  %12.0f  %15.0f  %-7s  %10" PRIu64 "  %10" PRIu64 "  %.*s\n",
        table->head.process, table->is_running ? "running" : "ended", totals.objects,
        totals.bytes, kind_of_counts(&copy->head), copy->head.lost_blocks,
        copy->head.lost_stacks, (int)name.size, name.data);
}

int take_list(const struct take_options *o)
{
    struct found found = {NULL, 0, 0, 0, 0};
    struct text text = {NULL, 0, 0};
    int status = FXTHEAP_GOOD;

    if (!find_tables(&found, o->directory,
                     o->cleans ? FIND_REMOVE_ENDED : FIND_REMOVE_OLD))
        return FXTHEAP_FAILED;
    text_printf(&text, "%9s  %-7s  %12s  %15s  %-7s  %10s  %10s  %s\n", "PID", "STATE",
                "OBJECTS", "BYTES", "COUNTS", "LOST", "STACKLESS", "NAME");
    for (size_t i = 0; i < found.n; i++) {
        struct table_copy copy = {.n_blocks = 0};
        struct text why = {NULL, 0, 0};

        if (table_read(found.all[i].file, &copy, &why)) {
            add_row(&text, &found.all[i], &copy);
        } else {
            complain_text(FXTHEAP_PROGRAM, found.all[i].path, &why);
            status = FXTHEAP_FAILED;
        }
        table_copy_free(&copy);
    }
    if (found.n_damaged > 0)
        status = FXTHEAP_FAILED;
    return program_print(FXTHEAP_PROGRAM, &text) ? status : FXTHEAP_FAILED;
}

/* ---- Choosing ---------------------------------------------------------------------- */

static bool is_selected(const struct take_options *o, const struct found_table *table,
                        bool is_running)
{
    return table->is_running == is_running &&
           (o->process == 0 || table->head.process == o->process) &&
           (o->name == NULL || found_is_named(table, o->name));
}

/* Moves those that are wanted to the front, and returns how many there are. Processes
 * that have ended are of interest where none that runs is meant. */
static size_t choose_processes(const struct take_options *o, struct found *found)
{
    size_t n = 0;

    for (int is_running = 1; is_running >= 0 && n == 0; is_running--) {
        for (size_t i = 0; i < found->n; i++) {
            struct found_table table = found->all[i];

            if (!is_selected(o, &table, is_running != 0))
                continue;
            found->all[i] = found->all[n];
            found->all[n++] = table;
        }
    }
    return n;
}

static void add_names(struct text *text, const struct found *found, size_t n)
{
    enum { NAMES_MAX = 20 };

    for (size_t i = 0; i < n && i < NAMES_MAX; i++) {
        const char *name = found_name(&found->all[i]);

        text_printf(text, "%s%" PRIu64 " (", i > 0 ? ", " : "",
                    found->all[i].head.process);
        quote_text(text, name, strlen(name));
        text_str(text, found->all[i].is_running ? ")" : ", ended)");
    }
    if (n > NAMES_MAX)
        text_printf(text, " and %zu more", n - NAMES_MAX);
}

static void complain_of_none(const struct found *found)
{
    struct text text = {NULL, 0, 0};

    if (found->n_others > 0)
        complain(FXTHEAP_PROGRAM, NULL,
                 "tables of other users, which cannot be read: %zu", found->n_others);
    if (found->n == 0 && found->n_others + found->n_damaged > 0) {
        complain(FXTHEAP_PROGRAM, NULL, "no table can be read");
        return;
    }
    if (found->n == 0) {
        complain(FXTHEAP_PROGRAM, NULL,
                 "there is no instrumented process: see fxtheap run");
        return;
    }
    add_names(&text, found, found->n);
    complain(FXTHEAP_PROGRAM, NULL, "no process matches; there are %.*s", (int)text.size,
             text.data);
}

static void complain_of_several(const struct found *found, size_t n)
{
    struct text text = {NULL, 0, 0};

    add_names(&text, found, n);
    complain(FXTHEAP_PROGRAM, NULL,
             "%zu processes match: %.*s; choose one with --by-pid, or take them all with "
             "--multi-process",
             n, (int)text.size, text.data);
}

/* ---- Snapshot ---------------------------------------------------------------------- */

static bool write_contents(const struct take_options *o, const struct found_table *table,
                           const struct snapshot *snapshot)
{
    struct text why = {NULL, 0, 0};
    /* Another process may have its number by now. */
    uint64_t thread = table->is_running ? table->thread : 0;
    uint64_t n_missing;

    if (!contents_write(&snapshot->copy, thread, o->contents, &n_missing, &why))
        return complain_text(FXTHEAP_PROGRAM, o->contents, &why);
    if (n_missing > 0)
        complain(FXTHEAP_PROGRAM, o->contents,
                 "%" PRIu64 " block%s could not be read whole", n_missing,
                 text_plural(n_missing));
    return true;
}

static bool take_one(const struct take_options *o, const struct found_table *table,
                     struct snapshot *snapshot)
{
    struct frozen frozen = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    bool good;

    snapshot->was_frozen = o->freezes && table->is_running;
    if (snapshot->was_frozen && !freeze(&frozen, (pid_t)table->thread, &why))
        return complain_text(FXTHEAP_PROGRAM, NULL, &why);
    good = snapshot_read(table, o->of_peak ? SNAPSHOT_PEAK : SNAPSHOT_BLOCKS, snapshot) &&
           (o->contents == NULL || write_contents(o, table, snapshot));
    freeze_end(&frozen);
    return good;
}

/* Damage is reported even if --quiet. */
static void report_snapshot(const struct take_options *o, const struct snapshot *s)
{
    const struct table_head *head = &s->copy.head;
    struct text text = {NULL, 0, 0};

    snapshot_report_damage(s);
    if (o->quiet)
        return;
    snapshot_add_text(&text, snapshot_add_up(&s->copy), head->sample_bytes > 0);
    complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %.*s%s", head->process,
             (int)text.size, text.data, s->copy.is_of_peak ? " at the peak" : "");
    snapshot_report_losses(s);
}

static int take_all(const struct take_options *o, const struct found *found, size_t n)
{
    struct snapshot *snapshots = memory_allocate(n * sizeof(*snapshots));
    struct text why = {NULL, 0, 0};
    bool is_damaged = false;
    bool good = true;

    for (size_t i = 0; i < n && good; i++)
        good = take_one(o, &found->all[i], &snapshots[i]);
    if (good && !archive_write(snapshots, n, o->with_tags, o->output, &why)) {
        complain_text(FXTHEAP_PROGRAM, o->output, &why);
        good = false;
    }
    for (size_t i = 0; i < n; i++) {
        if (good)
            report_snapshot(o, &snapshots[i]);
        is_damaged |= snapshots[i].copy.n_damaged > 0;
    }
    return good && !is_damaged ? FXTHEAP_GOOD : FXTHEAP_FAILED;
}

int take_snapshot(const struct take_options *o)
{
    struct found found = {NULL, 0, 0, 0, 0};
    int status = FXTHEAP_FAILED;
    size_t n;

    if (!find_tables(&found, o->directory, FIND_REMOVE_OLD))
        return FXTHEAP_FAILED;
    n = choose_processes(o, &found);
    if (n == 0)
        complain_of_none(&found);
    else if (n > 1 && !o->takes_several)
        complain_of_several(&found, n);
    else
        status = take_all(o, &found, n);
    return status;
}

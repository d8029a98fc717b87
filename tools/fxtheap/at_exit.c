/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See options.h: a command, and what it and its children leave when they end.
 *
 * Processes leave their tables in a directory of their own (run_directory.h), and are
 * complete when they are gone: destructors of libraries still free blocks after that of
 * libfxtheap. Tables are read and removed while the command runs, since thousands of
 * children would fill the memory with them; a process that still runs at the end is read
 * as by a snapshot.
 *
 * Of a series, points are written while the command runs; a process that has ended is in
 * the next one.
 */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/series.h"
#include "common/base/clock.h"
#include "fxtheap.h"
#include "owner.h"
#include "run_directory.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"

/* As shells have them. */
enum { STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128 };

#define COLLECT_NS UINT64_C(1000000000)

struct collection {
    const struct arguments *options;
    struct run_directory directory;
    struct snapshot *all;
    size_t n;
    size_t capacity;
    /* NULL if only what is left at the end is wanted. */
    struct series *series;
    struct pace pace;
    bool is_damaged;
};

/* ---- Tables ------------------------------------------------------------------------ */

/* Takes a snapshot, of which that of a process that is still to end is not its last. */
static void keep_snapshot(struct collection *c, struct snapshot *snapshot, bool is_last)
{
    bool was_damaged = c->is_damaged;

    c->is_damaged |= snapshot->copy.n_damaged > 0;
    /* It was killed, or has called exec, and was found soon after. */
    if (snapshot->recorded_until_ns == 0)
        snapshot->recorded_until_ns = clock_ns(CLOCK_MONOTONIC);
    if (c->series != NULL) {
        if (is_last || !was_damaged)
            snapshot_report_damage(snapshot);
        if (is_last && !c->options->take.quiet)
            snapshot_report_losses(snapshot);
        series_add(c->series, snapshot);
        c->n++;
        return;
    }
    MEMORY_ADD(c->all, c->n, c->capacity, *snapshot);
}

static void take_table(struct collection *c, const struct found_table *table,
                       bool is_last)
{
    struct snapshot snapshot = {.was_running = false};
    enum snapshot_kind kind = c->series != NULL          ? SNAPSHOT_AMOUNTS
                              : c->options->take.of_peak ? SNAPSHOT_PEAK
                                                         : SNAPSHOT_BLOCKS;

    if (snapshot_read(table, kind, &snapshot)) {
        keep_snapshot(c, &snapshot, is_last);
        return;
    }
    table_copy_free(&snapshot.copy);
    c->is_damaged = true;
}

/* Memory of a process that has ended stays for moments while others read what it has in
 * /proc. */
static bool is_unmapped_soon(const struct found_table *table)
{
    enum { TRIES = 20, TRY_NS = 10000000 };
    const struct timespec wait = {0, TRY_NS};

    for (int i = 0; owner_has_mapped(table); i++) {
        if (i == TRIES)
            return false;
        nanosleep(&wait, NULL);
    }
    return true;
}

static bool has_left(const struct found_table *table, bool waits)
{
    if (table->is_there || table->is_running)
        return false;
    return waits && table->place != FOUND_ELSEWHERE ? is_unmapped_soon(table)
                                                    : !owner_has_mapped(table);
}

/* Which tables are read: those of processes that have ended, which are then removed; for
 * a point also those of processes that run; at the end all. */
enum collecting { COLLECT_ENDED, COLLECT_POINT, COLLECT_ALL };

static void collect(struct collection *c, enum collecting what)
{
    struct found found = {NULL, 0, 0, 0, 0};

    if (!find_tables(&found, c->directory.path, FIND_REMOVE_NONE)) {
        c->is_damaged = true;
        return;
    }
    for (size_t i = 0; i < found.n; i++) {
        struct found_table *table = &found.all[i];
        bool has_ended = has_left(table, what == COLLECT_ALL);
        bool is_last = has_ended || what == COLLECT_ALL;

        if (!is_last && (what == COLLECT_ENDED || !table->is_running))
            continue;
        take_table(c, table, is_last);
        if (has_ended)
            find_remove(table);
    }
    c->is_damaged |= what == COLLECT_ALL && found.n_damaged + found.n_others > 0;
    found_free(&found);
    if (c->series != NULL && what != COLLECT_ENDED)
        series_end_point(c->series);
}

/* ---- The command ------------------------------------------------------------------- */

/* Of these the command gets what was sent to fxtheap alone; those of a terminal go to
 * both. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

static void block_signals(sigset_t *set, sigset_t *before)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
        sigaddset(set, forwarded[i]);
    sigprocmask(SIG_BLOCK, set, before);
}

static pid_t start(const struct collection *c, const sigset_t *before, char **command)
{
    struct run_options run = c->options->run;
    pid_t process = fork();

    if (process != 0)
        return process;
    run.directory = c->directory.path;
    run.keep = c->directory.keep;
    sigprocmask(SIG_SETMASK, before, NULL);
    _exit(run_command(&run, command));
}

/* Returns whether the command has ended. */
static bool has_ended(pid_t process, int *status)
{
    pid_t ended;

    do
        ended = waitpid(process, status, WNOHANG);
    while (ended < 0 && errno == EINTR);
    return ended != 0;
}

/* Waits for a signal until there may be something to do, and forwards it. */
static void wait_for_signal(const struct collection *c, pid_t process,
                            const sigset_t *signals)
{
    uint64_t ns = c->series != NULL ? pace_wait_ns(&c->pace, COLLECT_NS) : COLLECT_NS;
    const struct timespec wait = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    siginfo_t info;
    int number = sigtimedwait(signals, &info, &wait);

    if (number > 0 && number != SIGCHLD && info.si_code <= 0)
        kill(process, number);
}

static int wait_for_command(struct collection *c, pid_t process, const sigset_t *signals)
{
    uint64_t collected = clock_ns(CLOCK_MONOTONIC);
    int status = 0;

    while (!has_ended(process, &status)) {
        bool is_point;

        wait_for_signal(c, process, signals);
        is_point = c->series != NULL && pace_is_due(&c->pace);
        if (!is_point && clock_ns(CLOCK_MONOTONIC) - collected < COLLECT_NS)
            continue;
        collect(c, is_point ? COLLECT_POINT : COLLECT_ENDED);
        collected = clock_ns(CLOCK_MONOTONIC);
    }
    return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- The archive ------------------------------------------------------------------- */

/* As in "3 objects, 500 bytes left by 2 processes, of which 1 still runs". */
static void add_total(struct text *text, const struct collection *c,
                      const struct series_counts *counts)
{
    snapshot_add_text(text, counts->left, counts->is_sampled);
    text_printf(text, " %s %" PRIu64 " process%s",
                c->options->take.of_peak ? "at the peak of" : "left by",
                counts->n_processes, counts->n_processes == 1 ? "" : "es");
    if (counts->n_running > 0)
        text_printf(text, ", of which %" PRIu64 " still run%s", counts->n_running,
                    counts->n_running == 1 ? "s" : "");
}

static void report_total(const struct collection *c)
{
    struct series_counts counts = {.n_processes = c->n};
    struct text text = {NULL, 0, 0};

    for (size_t i = 0; i < c->n; i++) {
        struct snapshot_totals part = snapshot_add_up(&c->all[i].copy);

        counts.left.objects += part.objects;
        counts.left.bytes += part.bytes;
        counts.is_sampled |= c->all[i].copy.head.sample_bytes > 0;
        counts.n_running += c->all[i].was_running;
        snapshot_report_losses(&c->all[i]);
    }
    add_total(&text, c, &counts);
    complain_text(FXTHEAP_PROGRAM, c->options->at_exit, &text);
}

/* The rest of a series has been written. */
static bool end_series(struct collection *c)
{
    const struct arguments *o = c->options;
    struct series_counts counts;
    struct text text = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    bool good = series_end(c->series, &counts, &why);

    c->series = NULL;
    if (!good)
        complain_text(FXTHEAP_PROGRAM, o->at_exit, &why);
    if (good && !o->take.quiet && counts.n_points > 0) {
        text_printf(&text, "%" PRIu64 " point%s; ", counts.n_points,
                    text_plural(counts.n_points));
        add_total(&text, c, &counts);
        complain_text(FXTHEAP_PROGRAM, o->at_exit, &text);
    }
    return good && !c->is_damaged;
}

/* Returns whether there is an archive with all that should be in it. */
static bool write_archive(struct collection *c)
{
    const struct arguments *o = c->options;
    struct text why = {NULL, 0, 0};

    if (c->n == 0)
        return complain(FXTHEAP_PROGRAM, o->at_exit,
                        "not written, since no process has left a table");
    if (c->series != NULL)
        return end_series(c);
    for (size_t i = 0; i < c->n; i++)
        snapshot_report_damage(&c->all[i]);
    if (!archive_write(c->all, c->n, o->take.with_tags, o->at_exit, &why))
        return complain_text(FXTHEAP_PROGRAM, o->at_exit, &why);
    if (!o->take.quiet)
        report_total(c);
    return !c->is_damaged;
}

/* ---- The whole --------------------------------------------------------------------- */

/* Returns the exit status. */
static int run_and_collect(struct collection *c, char **command)
{
    sigset_t signals;
    sigset_t before;
    pid_t process;
    int status;

    block_signals(&signals, &before);
    pace_start(&c->pace);
    process = start(c, &before, command);
    if (process < 0) {
        complain(FXTHEAP_PROGRAM, command[0], "%s", strerror(errno));
        return FXTHEAP_FAILED;
    }
    status = wait_for_command(c, process, &signals);
    run_directory_release(&c->directory);
    collect(c, COLLECT_ALL);
    /* A command that could not be run has been reported. */
    if (c->n == 0 && (status == STATUS_NOT_RUN || status == STATUS_NOT_FOUND))
        return status;
    return !write_archive(c) && status == 0 ? FXTHEAP_FAILED : status;
}

/* The file of a series is opened before the command runs, and others are tried. */
static bool open_output(struct collection *c)
{
    const struct arguments *o = c->options;
    struct text why = {NULL, 0, 0};

    if (o->every.ns == 0 && o->every.bytes == 0)
        return output_name_try(FXTHEAP_PROGRAM, o->at_exit, true);
    c->series = series_begin(o->at_exit, &why);
    if (c->series == NULL)
        complain_text(FXTHEAP_PROGRAM, o->at_exit, &why);
    return c->series != NULL;
}

static void end_collection(struct collection *c)
{
    struct series_counts counts;
    struct text why = {NULL, 0, 0};

    if (c->series != NULL)
        series_end(c->series, &counts, &why);
}

int at_exit_run(const struct arguments *options, char **command)
{
    struct collection c = {.options = options, .pace = {.step = options->every}};
    struct text why = {NULL, 0, 0};
    int status = FXTHEAP_FAILED;

    if (!open_output(&c))
        return FXTHEAP_FAILED;
    if (run_directory_make(&c.directory, options->run.directory, &why)) {
        c.pace.directory = c.directory.path;
        status = run_and_collect(&c, command);
        run_directory_end(&c.directory);
    } else {
        complain_text(FXTHEAP_PROGRAM, options->run.directory, &why);
    }
    end_collection(&c);
    return status;
}

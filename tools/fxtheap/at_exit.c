/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See at_exit.h.
 *
 * Processes leave their tables in a directory of their own (run_directory.h), and are
 * complete when they are gone: destructors of libraries still free blocks after that of
 * libfxtheap. Tables are read and removed while the command runs, since thousands of
 * children would fill the memory with them; a process that still runs at the end is read
 * as by a snapshot.
 */
#include "at_exit.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "base/clock.h"
#include "base/io/output.h"
#include "fxtheap.h"
#include "run_directory.h"
#include "tools/common/report.h"

/* As shells have them. */
enum { STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128 };

#define COLLECT_NS UINT64_C(1000000000)

struct collection {
    const struct at_exit_options *options;
    struct run_directory directory;
    struct snapshot *all;
    size_t n;
    size_t capacity;
    bool is_damaged;
};

static void complain_why(const char *about, struct text *why)
{
    complain(FXTHEAP_PROGRAM, about, "%.*s", (int)why->size, why->data);
    text_free(why);
}

/* ---- Tables ------------------------------------------------------------------------ */

static void take_table(struct collection *c, const struct found_table *table)
{
    struct snapshot snapshot = {.was_running = false};

    if (!snapshot_read(table, c->options->of_peak, &snapshot)) {
        table_copy_free(&snapshot.copy);
        c->is_damaged = true;
        return;
    }
    /* It was killed, or has called exec, and was found soon after. */
    if (snapshot.recorded_until_ns == 0)
        snapshot.recorded_until_ns = clock_ns(CLOCK_MONOTONIC);
    c->all = memory_grow(c->all, c->n, &c->capacity, sizeof(snapshot));
    c->all[c->n++] = snapshot;
    c->is_damaged |= snapshot.copy.n_damaged > 0;
}

/* Reads and removes the tables of processes that have ended; at the end, reads those of
 * the others, too. */
static void collect(struct collection *c, bool is_end)
{
    struct found found = {NULL, 0, 0, 0, 0};

    if (!find_tables(&found, c->directory.path.data, FIND_REMOVE_NONE)) {
        c->is_damaged = true;
        return;
    }
    for (size_t i = 0; i < found.n; i++) {
        struct found_table *table = &found.all[i];
        bool has_ended = !table->is_there && !table->is_running && !find_is_mapped(table);

        if (!has_ended && !is_end)
            continue;
        take_table(c, table);
        if (has_ended)
            find_remove(table);
    }
    c->is_damaged |= is_end && found.n_damaged + found.n_others > 0;
    found_free(&found);
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
    run.directory = c->directory.path.data;
    run.keep = c->directory.keep.data;
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

static int wait_for_command(struct collection *c, pid_t process, const sigset_t *signals)
{
    const struct timespec wait = {(time_t)(COLLECT_NS / 1000000000), 0};
    uint64_t collected = clock_ns(CLOCK_MONOTONIC);
    int status = 0;

    while (!has_ended(process, &status)) {
        siginfo_t info;
        int number = sigtimedwait(signals, &info, &wait);

        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(process, number);
        if (clock_ns(CLOCK_MONOTONIC) - collected < COLLECT_NS)
            continue;
        collect(c, false);
        collected = clock_ns(CLOCK_MONOTONIC);
    }
    return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- The archive ------------------------------------------------------------------- */

/* A name that cannot be written is reported before the command runs. */
static bool try_output(const char *name)
{
    struct text why = {NULL, 0, 0};
    struct output *output;
    struct stat status;

    if (stat(name, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return true;
    output = output_open(name, true, &why);
    if (output == NULL) {
        complain_why(name, &why);
        return false;
    }
    output_close(output, false, &why);
    text_free(&why);
    return true;
}

static void report_total(const struct collection *c)
{
    struct snapshot_totals totals = {0, 0};
    struct text text = {NULL, 0, 0};
    bool is_sampled = false;
    size_t n_running = 0;

    for (size_t i = 0; i < c->n; i++) {
        struct snapshot_totals part = snapshot_add_up(&c->all[i].copy);

        totals.objects += part.objects;
        totals.bytes += part.bytes;
        is_sampled |= c->all[i].copy.head.sample_bytes > 0;
        n_running += c->all[i].was_running;
        snapshot_report_losses(&c->all[i]);
    }
    snapshot_add_text(&text, totals, is_sampled);
    text_printf(&text, " %s %zu process%s",
                c->options->of_peak ? "at the peak of" : "left by", c->n,
                c->n == 1 ? "" : "es");
    if (n_running > 0)
        text_printf(&text, ", of which %zu still run%s", n_running,
                    n_running == 1 ? "s" : "");
    complain(FXTHEAP_PROGRAM, c->options->output, "%.*s", (int)text.size, text.data);
    text_free(&text);
}

/* Returns whether there is an archive with all that should be in it. */
static bool write_archive(struct collection *c)
{
    const struct at_exit_options *o = c->options;
    struct text why = {NULL, 0, 0};

    for (size_t i = 0; i < c->n; i++)
        snapshot_report_damage(&c->all[i]);
    if (c->n == 0) {
        complain(FXTHEAP_PROGRAM, o->output,
                 "not written, since no process has left a table");
        return false;
    }
    if (!archive_write(c->all, c->n, o->with_tags, o->output, &why)) {
        complain_why(o->output, &why);
        return false;
    }
    if (!o->quiet)
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
    process = start(c, &before, command);
    if (process < 0) {
        complain(FXTHEAP_PROGRAM, command[0], "%s", strerror(errno));
        return FXTHEAP_FAILED;
    }
    status = wait_for_command(c, process, &signals);
    run_directory_release(&c->directory);
    collect(c, true);
    /* A command that could not be run has been reported. */
    if (c->n == 0 && (status == STATUS_NOT_RUN || status == STATUS_NOT_FOUND))
        return status;
    return !write_archive(c) && status == 0 ? FXTHEAP_FAILED : status;
}

int at_exit_run(const struct at_exit_options *options, char **command)
{
    struct collection c = {.options = options};
    struct text why = {NULL, 0, 0};
    int status;

    if (!try_output(options->output))
        return FXTHEAP_FAILED;
    if (!run_directory_make(&c.directory, options->run.directory, &why)) {
        complain_why(options->run.directory, &why);
        return FXTHEAP_FAILED;
    }
    status = run_and_collect(&c, command);
    run_directory_end(&c.directory);
    for (size_t i = 0; i < c.n; i++)
        table_copy_free(&c.all[i].copy);
    memory_release(c.all);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See record.h. */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <fxt/format.h>

#include "base/clock.h"
#include "archive.h"
#include "command.h"
#include "files.h"
#include "tools/fxtrecord/inject/inject.h"
#include "tools/common/report.h"
#include "session_events.h"
#include "targets.h"
#include "status.h"

/* Of so much time some samples should come. */
enum { ENOUGH_PERIODS = 50 };

struct run {
    const struct record_options *options;
    uint64_t period_ns;
    struct fxt_sampler *sampler;
    struct command command;
    struct inject inject;
    /* The command is sampled from inside. */
    bool is_injected;
    /* Something could be sampled, as far as is known. */
    bool is_seen;
    struct recording recording;
    struct text command_line;
    bool shows_counts;
};

static void tell(const struct run *run, const char *message)
{
    if (!run->options->quiet)
        complain(FXTRECORD_PROGRAM, NULL, "%s", message);
}

static bool fail_text(struct text *why)
{
    text_char(why, '\0');
    fail(NULL, why->data);
    text_free(why);
    return false;
}

/* ---- Before ------------------------------------------------------------------------ */

static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* What ends a recording is waited for, not caught: so it is noticed at once, and nothing
 * is interrupted. Under nohup a terminal that goes away is no reason to end. Whoever
 * started this may ignore its children, which then leave no status behind. */
static void block_signals(sigset_t *set)
{
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    if (!is_ignored(SIGHUP))
        sigaddset(set, SIGHUP);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigprocmask(SIG_BLOCK, set, NULL);
}

/* Each thread needs a file on each CPU. */
static void allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Signals sample at the kernel's ticks if nobody wants it otherwise: anything faster
 * interrupts what waits. */
static uint64_t choose_period(const struct run *run, bool by_signals)
{
    struct timespec tick = {.tv_nsec = 10000000};

    if (run->options->period_ns != 0)
        return run->options->period_ns;
    if (!by_signals)
        return FXTRECORD_PERIOD_NS;
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return (uint64_t)tick.tv_nsec;
}

/* ---- The session ------------------------------------------------------------------- */

static bool create_session(struct run *run)
{
    struct fxt_sampler_config config = {.size = sizeof(config)};
    enum fxt_sampler_code code;

    run->period_ns = choose_period(run, false);
    config.period_ns = run->period_ns;
    config.buffer_size = run->options->buffer_size;
    config.flags = run->options->flags;
    config.method = run->options->method;
    config.directory = run->options->regions;
    config.call_graph = run->options->call_graph;
    config.stack_size = run->options->stack_size;
    config.on_event = session_events_take;
    config.context = &run->recording.table;
    code = fxt_sampler_create(0, &config, &run->sampler);
    if (code != FXT_SAMPLER_OK && fxt_sampler_reason(NULL)[0] != '\0')
        return fail(NULL, fxt_sampler_reason(NULL));
    if (code != FXT_SAMPLER_OK)
        return fail_code(run->options->regions, code);
    if (fxt_sampler_reason(run->sampler)[0] != '\0')
        tell(run, fxt_sampler_reason(run->sampler));
    return true;
}

/* Signals cannot sample this process's neighbours; but what it starts, from inside. */
static bool switch_to_injection(struct run *run)
{
    struct text why = {NULL, 0, 0};

    if (fxt_sampler_method(run->sampler) == FXT_SAMPLER_PERF)
        return true;
    fxt_sampler_destroy(run->sampler);
    run->sampler = NULL;
    if (run->options->command == NULL)
        return fail(NULL, "signals can sample only a COMMAND: running processes and the "
                          "whole system need perf events");
    run->is_injected = true;
    run->period_ns = choose_period(run, true);
    if (!inject_prepare(&run->inject, run->period_ns, run->options->buffer_size,
                        run->options->flags, &why))
        return fail_text(&why);
    tell(run, "the command is sampled by signals, from inside");
    return true;
}

static bool start(struct run *run)
{
    enum fxt_sampler_code code;

    run->recording.start_monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    run->recording.start_wall_ns = clock_ns(CLOCK_REALTIME);
    if (run->is_injected)
        return true;
    if (run->options->target == FXT_SAMPLER_SYSTEM &&
        !targets_attach_system(run->sampler, &run->recording.table))
        return false;
    code = fxt_sampler_start(run->sampler);
    if (code != FXT_SAMPLER_OK)
        return fail_code(NULL, code);
    /* The session runs first, so that events report what changes while /proc is read. */
    return targets_attach(run->sampler, run->options, run->command.process,
                          &run->recording.table);
}

static bool prepare_command(struct run *run)
{
    const struct record_options *o = run->options;
    bool is_for_archive = o->regions == NULL && strcmp(o->output, "-") == 0;

    if (o->command == NULL ||
        command_prepare(&run->command, o->command,
                        run->is_injected ? run->inject.environment : NULL,
                        is_for_archive))
        return true;
    return fail(o->command[0], strerror(errno));
}

static bool run_command(struct run *run)
{
    const struct record_options *o = run->options;

    if (o->command == NULL || command_run(&run->command))
        return true;
    return fail(o->command[0], strerror(errno));
}

/* ---- While it runs ----------------------------------------------------------------- */

static void show_counts(const struct run *run)
{
    struct fxt_sampler_counts counts;

    if (!run->shows_counts)
        return;
    if (run->is_injected)
        tell_progress_inside(run->inject.seen.n);
    else if (fxt_sampler_count(run->sampler, &counts) == FXT_SAMPLER_OK)
        tell_progress(&counts);
}

/* Whether there is something left to record. */
static bool has_targets(struct run *run)
{
    const struct record_options *o = run->options;

    command_look(&run->command, false);
    if (o->command != NULL)
        return !run->command.has_ended;
    if (o->target == FXT_SAMPLER_SYSTEM)
        return true;
    return targets_exist(o);
}

static void wait_for_end(struct run *run, const sigset_t *signals)
{
    const uint64_t slice_ns = run->is_injected ? 50000000 : 200000000;
    uint64_t duration_ns = run->options->duration_ns;
    uint64_t begun = clock_ns(CLOCK_MONOTONIC);

    while (has_targets(run)) {
        uint64_t passed = clock_ns(CLOCK_MONOTONIC) - begun;
        uint64_t wait_ns = slice_ns;
        struct timespec wait = {0};
        int number;

        if (duration_ns != 0 && passed >= duration_ns)
            break;
        if (duration_ns != 0 && duration_ns - passed < wait_ns)
            wait_ns = duration_ns - passed;
        wait.tv_nsec = (long)wait_ns;
        number = sigtimedwait(signals, NULL, &wait);
        if (number == SIGINT || number == SIGTERM || number == SIGHUP)
            break;
        if (run->is_injected)
            inject_look(&run->inject, &run->recording.table);
        show_counts(run);
    }
    if (run->shows_counts)
        tell_no_progress();
}

/* ---- Behind ------------------------------------------------------------------------ */

static void take_regions(struct run *run)
{
    struct recording *r = &run->recording;
    struct fxt_sampler_region region;

    fxt_sampler_count(run->sampler, &r->counts);
    r->counts.dropped = 0;
    r->counts.lost = 0;
    for (uint32_t i = 0; fxt_sampler_read(run->sampler, i, &region) == FXT_SAMPLER_OK;
         i++) {
        filled_regions_add(&r->pieces, (struct filled_region){
                                           .cpu = region.cpu,
                                           .data = region.data,
                                           /* With the zero after the last record. */
                                           .size = region.used + FXT_WORD_BYTES,
                                           .n_told = region.counts.samples,
                                           .dropped = region.counts.dropped,
                                           .dropped_bytes = region.counts.dropped_bytes,
                                           .lost = region.counts.lost,
                                           .first_drop = region.first_drop,
                                           .last_drop = region.last_drop,
                                       });
    }
}

static void gather(struct run *run)
{
    struct recording *r = &run->recording;

    if (run->is_injected) {
        run->is_seen = inject_gather(&run->inject, r) > 0;
        if (!run->is_seen)
            tell(run, "nothing was sampled: signals cannot sample a command that is "
                      "statically linked, or runs as another user");
    } else {
        run->is_seen = true;
        fxt_sampler_stop(run->sampler);
        take_regions(run);
    }
    archive_survey(r);
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* A command that took time, but of which nothing came, is one that could not be seen. */
static void tell_unseen(const struct run *run)
{
    const uint32_t modes = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY;
    const struct recording *r = &run->recording;
    struct rusage used;

    if (r->n_samples + r->counts.dropped + r->counts.lost > 0 ||
        r->n_failed + r->n_gave_up > 0 || (run->options->flags & modes) != 0 ||
        !run->is_seen || !run->command.has_ended ||
        getrusage(RUSAGE_CHILDREN, &used) != 0 ||
        (ns_of(used.ru_utime) + ns_of(used.ru_stime)) / run->period_ns < ENOUGH_PERIODS)
        return;
    tell(run,
         run->is_injected
             ? "nothing was sampled, though CPU time passed: threads that block "
               "SIGPROF are not sampled"
             : "nothing was sampled, though CPU time passed: by perf events, only root "
               "can sample a program that is unreadable, or runs as another user");
}

static void release(struct run *run)
{
    struct filled_regions *pieces = &run->recording.pieces;

    for (size_t i = 0; i < pieces->n; i++) {
        if (pieces->all[i].is_mapped)
            munmap((void *)(uintptr_t)pieces->all[i].data, (size_t)pieces->all[i].size);
    }
    memory_release(pieces->all);
    process_table_free(&run->recording.table);
    kernel_modules_free(&run->recording.kernel);
    stack_ends_free(&run->recording.ends);
    if (run->sampler != NULL)
        fxt_sampler_destroy(run->sampler);
    inject_remove(&run->inject);
    text_free(&run->command_line);
}

/* Returns whether there is a recording, whose files are written. */
static bool run_all(struct run *run, const sigset_t *signals)
{
    if (!files_prepare(run->options) || !create_session(run) ||
        !switch_to_injection(run) || !prepare_command(run) || !start(run) ||
        !run_command(run))
        return false;
    run->recording.method = run->is_injected ? "signal" : "perf";
    run->recording.period_cycles = fxt_sampler_cycles(run->sampler);
    run->recording.asked_period_ns = run->period_ns;
    wait_for_end(run, signals);
    gather(run);
    if (!files_write(run->options, &run->recording, run->is_injected))
        return false;
    tell_result(&run->recording, run->options);
    tell_unseen(run);
    return true;
}

int record(const struct record_options *options)
{
    struct run run = {.options = options};
    sigset_t signals;
    bool good;
    int status;

    run.shows_counts = !options->quiet && isatty(STDERR_FILENO);
    block_signals(&signals);
    allow_many_files();
    files_quote_command(options, &run.command_line);
    run.recording.command_line = run.command_line.data;
    good = run_all(&run, &signals);
    if (!good)
        command_give_up(&run.command);
    command_look(&run.command, true);
    status = run.command.has_run ? command_status(&run.command) : 0;
    release(&run);
    return !good && status == 0 ? FXTRECORD_FAILED : status;
}

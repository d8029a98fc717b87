/* SPDX-License-Identifier: BSD-2-Clause */
/* See record.h. */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <fxt/format.h>

#include "base/clock.h"
#include "command.h"
#include "failure.h"
#include "files.h"
#include "tools/fxtrecord/inject/inject.h"
#include "tools/common/report.h"
#include "targets.h"
#include "status.h"

/* CPU time of so many periods should give some samples. */
enum { ENOUGH_PERIODS = 50 };

struct run {
    const struct record_options *options;
    uint64_t period_ns;
    struct fxt_sampler *sampler;
    struct command command;
    struct inject inject;
    /* The command's processes sample themselves: `inject` and `recording`. */
    bool is_injected;
    /* Something could be sampled, as far as is known. */
    bool is_seen;
    struct recording recording;
    struct record_result result;
    struct text command_line;
    bool shows_counts;
};

static void report_note(const struct run *run, const char *message)
{
    if (!run->options->quiet)
        complain(FXTRECORD_PROGRAM, NULL, "%s", message);
}

/* ---- Setting up
 * ------------------------------------------------------------------------ */

static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Signals that end a recording are waited for, not caught: so they are noticed at once,
 * and interrupt nothing. SIGHUP that is ignored, as under nohup, stays ignored. SIGCHLD
 * that is ignored would leave no status of the command. */
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

/* The default for signals is the kernel's tick: with a shorter period, threads that wait
 * are interrupted. */
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
    config.flags = run->options->flags | FXT_SAMPLER_ARCHIVE;
    config.method = run->options->method;
    config.call_graph = run->options->call_graph;
    config.stack_size = run->options->stack_size;
    config.directory = run->options->regions;
    code = fxt_sampler_create(0, &config, &run->sampler);
    if (code != FXT_SAMPLER_OK && fxt_sampler_reason(NULL)[0] != '\0')
        return failure_report(NULL, fxt_sampler_reason(NULL));
    if (code != FXT_SAMPLER_OK)
        return failure_report_code(run->options->regions, code);
    if (fxt_sampler_reason(run->sampler)[0] != '\0')
        report_note(run, fxt_sampler_reason(run->sampler));
    return true;
}

/* Signals cannot sample other processes; but a command can be made to sample itself. */
static bool switch_to_injection(struct run *run)
{
    struct text why = {NULL, 0, 0};

    if (fxt_sampler_method(run->sampler) == FXT_SAMPLER_PERF)
        return true;
    fxt_sampler_destroy(run->sampler);
    run->sampler = NULL;
    if (run->options->command == NULL)
        return failure_report(
            NULL, "signals can sample only a COMMAND: running processes and the "
                  "whole system need perf events");
    run->is_injected = true;
    run->period_ns = choose_period(run, true);
    if (!inject_prepare(&run->inject, run->period_ns, run->options->buffer_size,
                        run->options->flags, &why))
        return failure_report_text(NULL, &why);
    report_note(run, "the command is sampled by signals, from inside");
    return true;
}

static bool start_session(struct run *run)
{
    enum fxt_sampler_code code;

    run->recording.start =
        (struct clock_readings){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME)};
    if (run->is_injected)
        return true;
    if (run->options->target == FXT_SAMPLER_SYSTEM &&
        !targets_attach_system(run->sampler))
        return false;
    code = fxt_sampler_start(run->sampler);
    if (code != FXT_SAMPLER_OK)
        return failure_report_code(NULL, code);
    /* The session runs first, so that events report what changes while /proc is read. */
    return targets_attach(run->sampler, run->options, run->command.process);
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
    return failure_report(o->command[0], strerror(errno));
}

static bool run_command(struct run *run)
{
    const struct record_options *o = run->options;

    if (o->command == NULL || command_run(&run->command))
        return true;
    return failure_report(o->command[0], strerror(errno));
}

/* ---- While it runs ----------------------------------------------------------------- */

static void show_counts(const struct run *run)
{
    struct fxt_sampler_counts counts;

    if (!run->shows_counts)
        return;
    if (run->is_injected)
        status_show_programs(run->inject.seen.n);
    else if (fxt_sampler_count(run->sampler, &counts) == FXT_SAMPLER_OK)
        status_show_counts(&counts);
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
        status_hide_progress();
}

/* ---- Afterwards -------------------------------------------------------------------- */

static bool write_session(struct run *run)
{
    struct fxt_sampler_summary summary = {.size = sizeof(summary)};
    struct record_result *result = &run->result;

    run->is_seen = true;
    fxt_sampler_stop(run->sampler);
    fxt_sampler_count(run->sampler, &result->counts);
    if (!files_write_session(run->options, run->sampler, run->command_line.data,
                             &summary))
        return false;
    result->n_samples = summary.samples;
    result->n_damaged = summary.damaged;
    result->period_ns = summary.period_ns;
    result->lacks_files = summary.lacks_files;
    memcpy(result->stacks, summary.stacks, sizeof(result->stacks));
    return true;
}

static void describe_stacks(struct record_result *result, const struct recording *r)
{
    struct text line = {NULL, 0, 0};

    stack_ends_describe(&line, &r->ends, &r->table);
    text_char(&line, '\0');
    snprintf(result->stacks, sizeof(result->stacks), "%s", line.data);
    text_free(&line);
}

static void take_injected(struct run *run)
{
    const struct recording *r = &run->recording;
    struct record_result *result = &run->result;

    result->n_samples = r->n_samples;
    result->n_damaged = r->n_damaged;
    result->period_ns = r->period_ns;
    result->lacks_files = r->table.files.is_short_of_files;
    describe_stacks(result, r);
    result->counts.dropped = r->n_dropped;
    result->counts.lost = r->n_lost;
    result->counts.throttled = r->n_throttled;
    result->counts.merged = run->inject.n_merged;
    result->n_unreported = r->n_unreported;
    result->n_gave_up = run->inject.n_gave_up;
    result->n_failed = run->inject.n_failed;
}

static bool write_injected(struct run *run)
{
    struct recording *r = &run->recording;

    r->recorder = FXTRECORD_PROGRAM;
    r->command_line = run->command_line.data;
    r->method = run->result.method;
    r->asked_period_ns = run->period_ns;
    run->is_seen = inject_gather(&run->inject, r) > 0;
    if (!run->is_seen)
        report_note(run, "nothing was sampled: signals cannot sample a command that is "
                         "statically linked, or runs as another user");
    recording_survey(r);
    take_injected(run);
    return files_write_recording(run->options, r);
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* A command that used CPU time, but has no samples, could not be observed. */
static void report_unseen(const struct run *run)
{
    const uint32_t modes = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY;
    const struct record_result *r = &run->result;
    struct rusage used;

    if (r->n_samples + r->counts.dropped + r->counts.lost > 0 ||
        r->n_failed + r->n_gave_up > 0 || (run->options->flags & modes) != 0 ||
        !run->is_seen || !run->command.has_ended ||
        getrusage(RUSAGE_CHILDREN, &used) != 0 ||
        (ns_of(used.ru_utime) + ns_of(used.ru_stime)) / run->period_ns < ENOUGH_PERIODS)
        return;
    report_note(
        run,
        run->is_injected
            ? "nothing was sampled, though CPU time passed: threads that block "
              "SIGPROF are not sampled"
            : "nothing was sampled, though CPU time passed: by perf events, only root "
              "can sample a program that is unreadable, or runs as another user");
}

static void release_run(struct run *run)
{
    recording_free(&run->recording);
    if (run->sampler != NULL)
        fxt_sampler_destroy(run->sampler);
    inject_remove(&run->inject);
    text_free(&run->command_line);
}

/* Returns whether there is a recording, whose files are written. */
static bool run_all(struct run *run, const sigset_t *signals)
{
    if (!files_prepare(run->options) || !create_session(run) ||
        !switch_to_injection(run) || !prepare_command(run) || !start_session(run) ||
        !run_command(run))
        return false;
    run->result.method = run->is_injected ? "signal" : "perf";
    run->result.period_cycles = fxt_sampler_cycles(run->sampler);
    run->result.asked_period_ns = run->period_ns;
    wait_for_end(run, signals);
    if (!(run->is_injected ? write_injected(run) : write_session(run)))
        return false;
    if (!run->options->quiet)
        status_report(&run->result, run->options);
    report_unseen(run);
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
    good = run_all(&run, &signals);
    if (!good)
        command_give_up(&run.command);
    command_look(&run.command, true);
    status = run.command.has_run ? command_status(&run.command) : 0;
    release_run(&run);
    return !good && status == 0 ? FXTRECORD_FAILED : status;
}

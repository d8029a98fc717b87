/* SPDX-License-Identifier: BSD-2-Clause */
/* See record_options.h: a recording of this machine. */
#include "record_options.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <fxt/format.h>

#include "common/base/clock.h"
#include "failure.h"
#include "files.h"
#include "record_run.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

/* ---- Setting up -------------------------------------------------------------------- */

static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Signals that end a recording are waited for, not caught: so they are noticed at once,
 * and interrupt nothing. SIGHUP that is ignored, as under nohup, stays ignored. SIGCHLD
 * that is ignored would leave no status of the command. SIGUSR2 requests the samples that
 * are kept. */
static void block_signals(sigset_t *set, bool with_request)
{
    command_ignore_signals();
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    if (!is_ignored(SIGHUP))
        sigaddset(set, SIGHUP);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    if (with_request)
        sigaddset(set, SIGUSR2);
    sigprocmask(SIG_BLOCK, set, NULL);
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
    config.sources = run->options->sources;
    config.n_sources = run->options->n_sources;
    config.source_count = run->options->source_count;
    code = fxt_sampler_create(0, &config, &run->sampler);
    run->is_refused =
        code == FXT_SAMPLER_E_EVENT ||
        (code == FXT_SAMPLER_E_SUPPORT && (config.flags & FXT_SAMPLER_CYCLES) != 0);
    if (code != FXT_SAMPLER_OK && fxt_sampler_reason(NULL)[0] != '\0')
        return failure_report(run->is_refused && run->options->n_sources == 0 ? "cycles"
                                                                              : NULL,
                              fxt_sampler_reason(NULL));
    if (code != FXT_SAMPLER_OK)
        return failure_report_code(run->options->regions, code);
    run->cost = fxt_sampler_cost(run->sampler);
    if (fxt_sampler_reason(run->sampler)[0] != '\0')
        record_note(run, fxt_sampler_reason(run->sampler));
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
    if (run->options->last_ns > 0)
        return failure_report(NULL, "--last needs perf events");
    if (run->options->command == NULL || run->options->n_targets > 0 ||
        run->options->is_system)
        return failure_report(
            NULL, "signals can sample only a COMMAND: running processes and the "
                  "whole system need perf events");
    run->is_injected = true;
    run->period_ns = choose_period(run, true);
    if (!inject_prepare(&run->inject, run->period_ns, run->options->buffer_size,
                        run->options->flags, &why))
        return complain_text(FXTRECORD_PROGRAM, NULL, &why);
    record_note(run, "the command is sampled by signals, from inside");
    return true;
}

static bool start_session(struct run *run)
{
    enum fxt_sampler_code code;

    run->recording.start =
        (struct clock_readings){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME)};
    if (run->is_injected)
        return true;
    if (run->options->is_system && !targets_attach_system(run->sampler))
        return false;
    code = fxt_sampler_start(run->sampler);
    if (code != FXT_SAMPLER_OK)
        return failure_report_code(NULL, code);
    /* The session runs first, so that events report what changes while /proc is read. */
    return targets_attach(run->sampler, run->options, run->command.process);
}

static struct live_source find_source(struct run *run)
{
    const struct record_options *o = run->options;

    run->session = (struct live_session){run->sampler, &run->archive, &run->summary};
    run->archive = (struct fxt_sampler_archive){
        .size = sizeof(run->archive),
        .recorder = FXTRECORD_PROGRAM,
        .command_line = run->command_line.data,
        .no_samples = o->regions != NULL,
    };
    run->recording.recorder = FXTRECORD_PROGRAM;
    run->recording.command_line = run->command_line.data;
    run->recording.method = "signal";
    run->recording.asked_period_ns = run->period_ns;
    run->injected = (struct live_recording){
        .recording = &run->recording,
        .regions = {.directory = o->regions},
        .find_block = record_find_injected,
        .context = run,
    };
    return run->is_injected ? live_recording_source(&run->injected)
                            : live_session_source(&run->session);
}

static bool prepare_command(struct run *run)
{
    const struct record_options *o = run->options;
    bool is_for_archive = o->regions == NULL && strcmp(o->output, "-") == 0;
    const char *const *environments[] = {run->inject.environment, run->traces.environment,
                                         NULL};

    if (o->command == NULL ||
        command_prepare(&run->command, o->command, environments, is_for_archive))
        return true;
    return failure_report(o->command[0], strerror(errno));
}

/* Thousandths of the time of what is sampled that are worth a warning. */
enum { MUCH = 100 };

static void report_cost(const struct run *run)
{
    char message[160];

    if (run->cost <= MUCH)
        return;
    snprintf(message, sizeof(message),
             "sampling this often takes about %u %% of the time of what is sampled: a "
             "lower rate (-F) takes less",
             (unsigned)(run->cost + 5) / 10);
    record_note(run, message);
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
    return targets_exist(o);
}

/* Keeps, or writes, what was sampled since the last time. Returns false if nothing more
 * should be recorded. */
static bool take_samples(struct run *run)
{
    enum fxt_sampler_code code;

    if (run->is_injected)
        inject_look(&run->inject, &run->recording.table);
    if (run->options->last_ns == 0)
        return live_step(&run->live);
    code = fxt_sampler_keep(run->sampler, run->options->last_ns);
    return code == FXT_SAMPLER_OK || failure_report_code(NULL, code);
}

static void wait_for_end(struct run *run, const sigset_t *signals)
{
    const uint64_t slice_ns = run->is_injected ? 50000000 : 100000000;
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
        if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
            !take_samples(run))
            break;
        if (number == SIGUSR2)
            live_write_last(&run->live, true);
        embed_queue_step(&run->live.embedding);
        show_counts(run);
    }
    if (run->shows_counts)
        status_hide_progress();
}

/* ---- Merging ----------------------------------------------------------------------- */

/* A signal that comes so soon after merging began is no further request: timeout(1) sends
 * one to the program, and then one to the program's group. */
#define SAME_REQUEST_NS UINT64_C(1000000000)

static uint64_t merging_since_ns;

/* The archive of samples stays, and so do the files that were to be merged with it. */
static void end_merging(int number)
{
    if (clock_ns(CLOCK_MONOTONIC) - merging_since_ns < SAME_REQUEST_NS)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

static void merge_traces(struct run *run, const sigset_t *signals)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    const struct sigaction action = {.sa_handler = end_merging, .sa_flags = SA_RESTART};
    sigset_t unblocked;

    merging_since_ns = clock_ns(CLOCK_MONOTONIC);
    sigemptyset(&unblocked);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (sigismember(signals, ends[i]) != 1)
            continue;
        sigaction(ends[i], &action, NULL);
        sigaddset(&unblocked, ends[i]);
    }
    sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
    if (!program_traces_merge(&run->traces, run->options))
        run->is_whole = false;
    sigprocmask(SIG_BLOCK, &unblocked, NULL);
    record_report_traces(run);
}

/* ---- The whole --------------------------------------------------------------------- */

static void release_run(struct run *run)
{
    live_drop(&run->live);
    if (run->sampler != NULL)
        fxt_sampler_destroy(run->sampler);
    inject_remove(&run->inject);
    program_traces_remove(&run->traces);
}

/* Returns whether there was a recording. */
static bool run_all(struct run *run, const sigset_t *signals)
{
    if (!files_prepare(run->options) || !create_session(run) ||
        !switch_to_injection(run) ||
        !program_traces_prepare(&run->traces, run->options) || !prepare_command(run) ||
        !live_prepare(&run->live, run->options, run->archive_name.data) ||
        !start_session(run) || !live_begin(&run->live, find_source(run)) ||
        !run_command(run) || !live_publish(&run->live))
        return false;
    run->result.method = run->is_injected ? "signal" : "perf";
    run->result.period_cycles = fxt_sampler_cycles(run->sampler);
    run->result.asked_period_ns = run->period_ns;
    run->result.source_count = run->options->source_count;
    run->result.has_clock = options_sample_clock(run->options);
    run->result.traces_scheduling =
        (run->options->flags & (FXT_SAMPLER_SCHEDULING | FXT_SAMPLER_OFF_CPU)) != 0;
    report_cost(run);
    /* The session's thread, which has a high priority where that is permitted, must not
     * wait for this one. The command runs already, and does not inherit it. */
    setpriority(PRIO_PROCESS, 0, -20);
    wait_for_end(run, signals);
    if (run->is_injected)
        record_end_injected(run);
    else
        record_end_session(run);
    record_report(run);
    merge_traces(run, signals);
    if (!embed_queue_finish(&run->live.embedding, signals))
        run->is_whole = false;
    return true;
}

int record(const struct record_options *options)
{
    struct run run = {.options = options, .summary = {.size = sizeof(run.summary)}};
    sigset_t signals;
    bool good;
    int status;

    run.shows_counts = !options->quiet && isatty(STDERR_FILENO);
    block_signals(&signals, options->last_ns > 0);
    /* Each thread needs a file on each CPU. */
    program_allow_many_files();
    files_quote_command(options, &run.command_line);
    run.archive_name = files_name_archive(options);
    good = run_all(&run, &signals);
    if (!good)
        command_give_up(&run.command);
    command_look(&run.command, true);
    status = run.command.has_run ? command_status(&run.command) : 0;
    if (run.is_refused)
        status = FXTRECORD_USAGE;
    release_run(&run);
    return !(good && run.is_whole) && status == 0 ? FXTRECORD_FAILED : status;
}

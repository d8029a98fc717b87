/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_record.h: recording by our own client, which stops the target for as short a
 * time as possible: it walks frame pointers, which are in few regions of memory. */
#include "gdb_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "tools/fxtrecord/files.h"
#include "tools/fxtrecord/live.h"
#include "gdb_kernel.h"
#include "gdb_link.h"
#include "gdb_regions.h"
#include "tools/common/report.h"
#include "tools/fxtrecord/failure.h"

/* The process that the CPUs of a machine are threads of: above the numbers that qemu has
 * for CPUs. Linux has no larger ones for threads, either. */
enum { MACHINE_PROCESS = 1 << 22, LIST_INTERVAL = 16 };

/* Where users' programs are, at most, if the kernel has the upper half of all addresses.
 */
#define USER_BYTES ((uint64_t)1 << 52)
#define FIRMWARE_BYTES ((uint64_t)1 << 21)

/* A request to stop while the target is stopped is handled after it was resumed. */
#define GRACE_NS ((uint64_t)1000000000)

struct run {
    const struct record_options *options;
    struct gdb_socket socket;
    struct gdb_client client;
    struct gdb_kernel kernel;
    struct gdb_progress progress;
    struct recording recording;
    struct live_recording samples;
    struct live live;
    struct text archive_name;
    struct text command_line;
    struct gdb_regions regions;
    /* How many samples are missing since threads had no registers, or were too many. */
    uint64_t n_unread;
    uint64_t n_left_out;
    /* The number of the process that all threads are of. */
    uint64_t process;
    /* The recording has what the kernel's memory says, and what is the user's. */
    bool has_kernel;
    bool has_user;
    bool has_firmware;
};

/* ---- Samples ----------------------------------------------------------------------- */

/* A thread's number is that of its samples, unless no process id could be so large. */
static uint64_t thread_number(const struct gdb_thread *thread)
{
    return thread->number <= INT32_MAX ? thread->number : thread->number % INT32_MAX;
}

static void emit_sample(struct run *run, const struct gdb_thread *thread,
                        uint64_t time_ns, const uint64_t *pcs, uint64_t n_pcs)
{
    struct fxt_emit *emit =
        gdb_regions_find(&run->regions, thread->is_cpu ? thread->cpu : 0);
    uint64_t number = thread_number(thread);

    if (emit == NULL)
        run->n_unread++;
    else if ((run->options->flags & FXT_SAMPLER_BACKTRACES) != 0)
        fxt_emit_backtrace(emit, time_ns, run->process, number, pcs, n_pcs);
    else
        fxt_emit_sample(emit, time_ns, run->process, number, pcs, n_pcs);
}

static void mark_user(struct run *run)
{
    if (!run->has_user)
        kernel_modules_add(&run->recording.kernel, "[user]", 0, USER_BYTES);
    run->has_user = true;
}

/* Its size is not known; it is seldom larger, and rarely moves. */
static void mark_firmware(struct run *run, uint64_t pc)
{
    if (!run->has_firmware)
        kernel_modules_add(&run->recording.kernel, "[firmware]", pc - pc % FIRMWARE_BYTES,
                           FIRMWARE_BYTES);
    run->has_firmware = true;
}

static void sample_view(struct run *run, struct gdb_view *view, uint64_t time_ns)
{
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    view->is_wanting = false;
    n_pcs = gdb_kernel_walk(&run->kernel, &run->client, view, pcs, FXT_SAMPLER_PCS_MAX);
    if (view->is_wanting)
        return;
    emit_sample(run, view->thread, time_ns, pcs, n_pcs);
    if (view->registers.mode == GDB_MODE_MACHINE)
        mark_firmware(run, pcs[0]);
    if (run->client.is_system && !guest_is_user(pcs[0]) &&
        !gdb_kernel_is_wanted(&run->kernel, &run->client))
        mark_user(run);
}

/* A walk that lacks memory is repeated when it is there: it takes microseconds, and so
 * few round trips are needed for all threads. */
static enum rsp_code sample_threads(struct run *run, const struct gdb_thread *first,
                                    size_t n)
{
    struct gdb_client *c = &run->client;
    enum rsp_code code = gdb_look(c, first, n);
    uint64_t time_ns = gdb_clock();
    bool is_done = false;

    for (size_t i = 0; i < n && code == RSP_OK; i++) {
        c->views[i].is_wanting = c->views[i].is_known;
        run->n_unread += !c->views[i].is_known;
    }
    while (code == RSP_OK && !is_done) {
        is_done = true;
        for (size_t i = 0; i < n; i++) {
            if (!c->views[i].is_wanting)
                continue;
            sample_view(run, &c->views[i], time_ns);
            is_done = is_done && !c->views[i].is_wanting;
        }
        if (!is_done)
            code = gdb_fetch(c, n);
    }
    return code;
}

/* Names are those that the threads had when they were last listed. For CPUs, stubs append
 * the state, which is not a part of the name. */
static void name_threads(struct run *run, uint64_t time_ns)
{
    const struct gdb_client *c = &run->client;
    struct process_table *table = &run->recording.table;
    pid_t process = (pid_t)run->process;

    for (size_t i = 0; i < c->n_threads; i++) {
        const struct gdb_thread *thread = &c->threads[i];
        pid_t number = (pid_t)thread_number(thread);
        char cpu[32];

        snprintf(cpu, sizeof(cpu), "CPU#%u", (unsigned)thread->cpu);
        if (thread->name[0] != '\0')
            process_table_name_thread(table, process, number,
                                      thread->is_cpu ? cpu : thread->name, time_ns);
        else
            process_table_thread(table, number)->process = process;
    }
    if (process_table_process(table, process)->n_names == 0)
        process_table_name_process(table, process, run->options->gdb, 0);
}

/* ---- The kernel -------------------------------------------------------------------- */

/* The recording has the names of what it samples. */
static void take_kernel(struct run *run, const struct kernel_symbols *symbols)
{
    const struct guest_kernel *guest = &run->kernel.guest;
    struct kernel_modules *modules = &run->recording.kernel;

    kernel_names_set(&run->recording.kernel_names, *symbols);
    run->has_kernel = true;
    mark_user(run);
    kernel_modules_add(modules, "[kernel.kallsyms]", guest->text_start,
                       guest->text_end - guest->text_start);
    for (size_t i = 0; i < guest->modules.n; i++) {
        const struct guest_module *module = &guest->modules.all[i];
        char name[GUEST_MODULE_NAME + 2];

        snprintf(name, sizeof(name), "[%s]", module->name);
        if (module->table.n > 0)
            kernel_modules_add(modules, name, module->table.pcs[0],
                               guest_module_length(module));
    }
    if (!run->options->quiet)
        gdb_kernel_describe(&run->kernel, run->options->gdb);
}

/* A CPU that runs a user's program may not see the kernel's memory. */
static enum rsp_code find_kernel(struct run *run)
{
    struct gdb_client *c = &run->client;
    struct kernel_symbols symbols = {0};
    enum rsp_code code = RSP_OK;

    for (size_t i = 0; i < c->n_threads && code == RSP_OK; i++) {
        const struct gdb_view *view = &c->views[0];

        if (!gdb_kernel_is_wanted(&run->kernel, c))
            break;
        code = gdb_look(c, &c->threads[i], 1);
        if (code == RSP_OK && view->is_known &&
            guest_kernel_may_be_at(c->layout.machine, view->registers.pc))
            code = gdb_kernel_read(&run->kernel, c, view->registers.pc, &symbols);
    }
    if (run->kernel.guest.is_known && !run->has_kernel)
        take_kernel(run, &symbols);
    else
        kernel_symbols_free(&symbols);
    return code;
}

/* ---- Captures ---------------------------------------------------------------------- */

/* A program's threads come and go, a machine's CPUs rarely do; and some stubs do not
 * report which of the two a thread is. */
static bool must_list(const struct run *run)
{
    return !run->client.is_system || run->progress.n_captures % LIST_INTERVAL == 0;
}

static enum rsp_code list_threads(struct run *run)
{
    enum rsp_code code = gdb_list_threads(&run->client);

    name_threads(run, gdb_clock());
    run->n_left_out += run->client.n_left_out;
    return code;
}

static enum rsp_code capture_threads(struct run *run)
{
    struct gdb_client *c = &run->client;
    size_t max = gdb_views_max(c);
    enum rsp_code code = RSP_OK;

    for (size_t i = 0; code == RSP_OK && i < c->n_threads; i += max)
        code = sample_threads(run, &c->threads[i],
                              c->n_threads - i < max ? c->n_threads - i : max);
    return code;
}

/* What is read once, while the target is stopped, is no part of the time that a capture
 * takes. */
static enum rsp_code prepare_capture(struct run *run, uint64_t *begun)
{
    uint64_t before = gdb_clock();
    enum rsp_code code = find_kernel(run);

    if (code == RSP_OK && run->progress.n_captures % LIST_INTERVAL == 0)
        code = gdb_kernel_update(&run->kernel, &run->client);
    *begun += gdb_clock() - before;
    return code == RSP_OK && must_list(run) ? list_threads(run) : code;
}

static enum rsp_code stop_target(struct run *run, uint64_t *begun)
{
    struct gdb_client *c = &run->client;
    enum rsp_code code;

    if (c->rsp.is_pipelined && !must_list(run) &&
        !gdb_kernel_is_wanted(&run->kernel, c)) {
        gdb_stop_with_next(c);
        return RSP_OK;
    }
    code = gdb_stop(c);
    return code == RSP_OK ? prepare_capture(run, begun) : code;
}

static enum rsp_code capture_stacks(struct run *run)
{
    uint64_t begun = gdb_clock();
    enum rsp_code code = stop_target(run, &begun);

    if (code == RSP_OK)
        code = capture_threads(run);
    if (code == RSP_OK)
        code = gdb_resume(&run->client);
    if (code == RSP_OK)
        gdb_progress_add(&run->progress, gdb_clock() - begun);
    return code;
}

static enum rsp_code capture_all(struct run *run)
{
    const struct record_options *o = run->options;
    uint64_t begun = gdb_clock();
    enum rsp_code code = gdb_resume(&run->client);

    while (code == RSP_OK && run->progress.n_captures < o->n_captures &&
           live_step(&run->live)) {
        uint64_t now = gdb_clock();

        if (o->duration_ns != 0 && now - begun >= o->duration_ns)
            break;
        run->socket.grace_ns = 0;
        code = gdb_wait(&run->client, now + o->interval_ns);
        run->socket.grace_ns = GRACE_NS;
        if (code == RSP_OK)
            code = capture_stacks(run);
    }
    gdb_progress_hide(&run->progress);
    return code;
}

/* ---- Beginning and end ------------------------------------------------------------- */

static bool report_failure(const struct run *run, const char *why, enum rsp_code code)
{
    return failure_report(run->options->gdb, why != NULL ? why : rsp_code_message(code));
}

static bool open_images(struct run *run)
{
    const struct record_options *o = run->options;
    struct text why = {NULL, 0, 0};
    size_t which;

    if (o->n_elf_files == 0 ||
        gdb_images_open(&run->kernel.images, o->elf_files, o->n_elf_files,
                        run->client.layout.machine, &which, &why))
        return true;
    text_char(&why, '\0');
    failure_report(o->elf_files[which], why.data);
    text_free(&why);
    return false;
}

static bool attach_client(struct run *run)
{
    struct text why = {NULL, 0, 0};
    const char *reason;
    enum rsp_code code;

    if (!gdb_connect(&run->socket, run->options->gdb, &why)) {
        text_char(&why, '\0');
        failure_report(run->options->gdb, why.data);
        text_free(&why);
        return false;
    }
    run->client.rsp.link = gdb_link(&run->socket);
    run->client.assumed = (enum rsp_machine)run->options->machine;
    code = gdb_start(&run->client, &reason);
    if (code != RSP_OK)
        return report_failure(run, reason, code);
    run->n_left_out = run->client.n_left_out;
    if (run->client.is_guess && !run->options->quiet)
        complain(FXTRECORD_PROGRAM, run->options->gdb,
                 "the stub does not describe its registers: assuming those of %s "
                 "(see --architecture)",
                 rsp_machine_name(run->client.layout.machine));
    /* Of threads of a process, the first one's number is the process's. */
    run->process = MACHINE_PROCESS;
    if (!run->client.is_system && run->client.n_threads > 0)
        run->process = thread_number(&run->client.threads[0]);
    name_threads(run, 0);
    if (open_images(run))
        return true;
    gdb_detach(&run->client);
    return false;
}

/* What was taken before is in the archive. */
static void find_block(void *context, struct filled_regions *block)
{
    struct run *run = context;

    gdb_regions_take(&run->regions, run->recording.start.monotonic_ns, block);
}

static void report_counts(const struct run *run)
{
    struct text line = {NULL, 0, 0};

    if (run->options->quiet)
        return;
    text_printf(&line, "%llu sample%s in ", (unsigned long long)run->live.total.n_samples,
                text_plural(run->live.total.n_samples));
    if (run->options->regions != NULL)
        text_str(&line, run->options->regions);
    else
        live_describe(&run->live, &line);
    gdb_progress_describe(&run->progress, &line);
    text_char(&line, '\0');
    complain(FXTRECORD_PROGRAM, NULL, "%s", line.data);
    text_free(&line);
    if (run->regions.n_dropped > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "a region was full: --buffer-size makes them larger; %llu dropped",
                 (unsigned long long)run->regions.n_dropped);
    if (run->n_unread > 0)
        complain(FXTRECORD_PROGRAM, NULL, "%llu thread%s could not be read",
                 (unsigned long long)run->n_unread, text_plural(run->n_unread));
    if (run->n_left_out > 0)
        complain(FXTRECORD_PROGRAM, NULL, "%llu thread%s left out: more than %d",
                 (unsigned long long)run->n_left_out, text_plural(run->n_left_out),
                 (int)GDB_THREADS_MAX);
    gdb_kernel_report(&run->kernel, run->options->gdb);
}

/* What was sampled is kept in any case. It is complete if the target ended, but not if it
 * was lost. */
static int finish_run(struct run *run, enum rsp_code code)
{
    bool is_lost = code != RSP_OK && code != RSP_ENDED && code != RSP_INTERRUPTED;

    if (is_lost)
        complain(FXTRECORD_PROGRAM, run->options->gdb,
                 "the target was lost after %llu capture%s of %llu: %s",
                 (unsigned long long)run->progress.n_captures,
                 text_plural(run->progress.n_captures),
                 (unsigned long long)run->options->n_captures, rsp_code_message(code));
    if (!live_end(&run->live, run->recording.n_samples))
        return FXTRECORD_FAILED;
    if (code == RSP_ENDED && !run->options->quiet)
        complain(FXTRECORD_PROGRAM, run->options->gdb,
                 "the target ended before %llu capture%s",
                 (unsigned long long)run->options->n_captures,
                 text_plural(run->options->n_captures));
    report_counts(run);
    return is_lost ? FXTRECORD_FAILED : 0;
}

static int run_all(struct run *run)
{
    struct timespec now;
    enum rsp_code code;

    if (!files_prepare(run->options) || !attach_client(run))
        return FXTRECORD_FAILED;
    clock_gettime(CLOCK_REALTIME, &now);
    run->recording.start = (struct clock_readings){
        gdb_clock(), (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec};
    if (!live_prepare(&run->live, run->options, run->archive_name.data) ||
        !live_begin(&run->live, live_recording_source(&run->samples)) ||
        !live_publish(&run->live)) {
        gdb_detach(&run->client);
        return FXTRECORD_FAILED;
    }
    code = capture_all(run);
    /* The target is resumed before anything else. */
    run->socket.stop = -1;
    if (code == RSP_OK || code == RSP_INTERRUPTED)
        gdb_detach(&run->client);
    return finish_run(run, code);
}

static void release_run(struct run *run)
{
    gdb_regions_free(&run->regions);
    live_free(&run->live);
    live_recording_free(&run->samples);
    text_free(&run->archive_name);
    recording_free(&run->recording);
    gdb_kernel_free(&run->kernel);
    gdb_client_free(&run->client);
    gdb_close(&run->socket);
    text_free(&run->command_line);
}

int gdb_record(const struct record_options *options)
{
    int stop = gdb_stop_descriptor();
    struct run *run = memory_allocate(sizeof(*run));
    int status;

    run->options = options;
    run->regions.buffer_size = options->buffer_size;
    run->socket = (struct gdb_socket){.fd = -1, .stop = stop, .grace_ns = GRACE_NS};
    run->progress.n_wanted = options->n_captures;
    run->progress.is_shown = !options->quiet && isatty(STDERR_FILENO);
    files_quote_command(options, &run->command_line);
    run->recording.command_line = run->command_line.data;
    run->recording.recorder = FXTRECORD_PROGRAM;
    run->recording.method = "gdb";
    run->recording.asked_period_ns = options->interval_ns;
    run->recording.is_remote = true;
    run->archive_name = files_name_archive(options);
    run->samples = (struct live_recording){.recording = &run->recording,
                                           .regions = {.directory = options->regions},
                                           .find_block = find_block,
                                           .context = run};
    status = run_all(run);
    release_run(run);
    memory_release(run);
    if (stop >= 0)
        close(stop);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_record.h: recording by our own client, which stops the target for as short a
 * time as possible: it walks frame pointers, which are in few regions of memory. */
#include "gdb_record.h"

#include <time.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "tools/fxtrecord/files.h"
#include "gdb_capture.h"
#include "tools/common/report.h"
#include "tools/fxtrecord/failure.h"

/* The process that the CPUs of a machine are threads of: above the numbers that qemu has
 * for CPUs. Linux has no larger ones for threads, either. */
enum { MACHINE_PROCESS = 1 << 22 };

/* ---- Beginning and end ------------------------------------------------------------- */

static bool report_failure(const struct gdb_run *run, const char *why, enum rsp_code code)
{
    return failure_report(run->options->gdb, why != NULL ? why : rsp_code_message(code));
}

static bool open_images(struct gdb_run *run)
{
    const struct record_options *o = run->options;
    struct text why = {NULL, 0, 0};
    size_t which;

    if (o->elf_files.n == 0 ||
        gdb_images_open(&run->kernel.images, o->elf_files.values, o->elf_files.n,
                        run->client.layout.machine, &which, &why))
        return true;
    return complain_text(FXTRECORD_PROGRAM, o->elf_files.values[which], &why);
}

static bool attach_client(struct gdb_run *run)
{
    struct text why = {NULL, 0, 0};
    const char *reason;
    enum rsp_code code;

    if (!gdb_connect(&run->socket, run->options->gdb, &why))
        return complain_text(FXTRECORD_PROGRAM, run->options->gdb, &why);
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
        run->process = gdb_thread_number(&run->client.threads[0]);
    gdb_name_threads(run, 0);
    if (open_images(run))
        return true;
    gdb_detach(&run->client);
    return false;
}

/* What was taken before is in the archive. */
static void find_block(void *context, struct filled_regions *block)
{
    struct gdb_run *run = context;

    gdb_regions_take(&run->regions, run->recording.start.monotonic_ns, block);
}

static void report_counts(const struct gdb_run *run)
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
    complain_text(FXTRECORD_PROGRAM, NULL, &line);
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
static int finish_run(struct gdb_run *run, enum rsp_code code)
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

static int run_all(struct gdb_run *run)
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
    code = gdb_capture_all(run);
    /* The target is resumed before anything else. */
    run->socket.stop = -1;
    if (code == RSP_OK || code == RSP_INTERRUPTED)
        gdb_detach(&run->client);
    return finish_run(run, code);
}

int gdb_record(const struct record_options *options)
{
    struct gdb_run *run = memory_allocate(sizeof(*run));
    int status;

    run->options = options;
    run->regions.buffer_size = options->buffer_size;
    run->socket = (struct gdb_socket){
        .fd = -1, .stop = gdb_stop_descriptor(), .grace_ns = GDB_GRACE_NS};
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
    live_drop(&run->live);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See gdb_record.h: recording by a gdb process, which unwinds and names whatever it has
 * symbols for. What it prints is the recording, which fxt2folded and fxt2pprof read, so
 * that nothing that gdb prints about a frame is lost.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/fxtrecord/files.h"
#include "gdb_process.h"
#include "gdb_progress.h"
#include "gdb_record.h"
#include "common/base/io/output.h"
#include "tools/common/report.h"
#include "tools/fxtrecord/failure.h"

/* Printed after each capture. */
static const char round_end[] = "-<!OSDK_PROF_BT_ROUND!>-\n";

struct drive {
    const struct record_options *options;
    struct gdb_process gdb;
    struct gdb_progress progress;
    struct text log;
};

static enum gdb_answer load_symbols(struct drive *d)
{
    struct text command = {NULL, 0, 0};
    enum gdb_answer answer;

    if (d->options->elf_files.n == 0)
        return GDB_DONE;
    text_str(&command, "-file-exec-and-symbols ");
    gdb_quote(&command, d->options->elf_files.values[0]);
    text_char(&command, '\0');
    answer = gdb_process_command(&d->gdb, command.data);
    return answer;
}

static enum gdb_answer attach_gdb(struct drive *d)
{
    static const char *const settings[] = {"-gdb-set mi-async on", "-gdb-set confirm off",
                                           "-gdb-set width 0",
                                           "-gdb-set backtrace limit 1024"};
    enum gdb_answer answer = GDB_DONE;

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (answer == GDB_DONE)
            answer = gdb_process_command(&d->gdb, settings[i]);
    }
    if (answer == GDB_DONE)
        answer = load_symbols(d);
    if (answer == GDB_DONE)
        answer = gdb_process_command(
            &d->gdb, text_format("-target-select remote %s", d->options->gdb));
    return answer;
}

/* A target that stopped for a signal is resumed with it. */
static enum gdb_answer run_for(struct drive *d, uint64_t ns)
{
    uint64_t until_ns = gdb_clock() + ns;
    enum gdb_answer answer = GDB_DONE;

    do {
        if (answer == GDB_DONE && !d->gdb.is_running)
            answer = gdb_process_command(&d->gdb, "-exec-continue");
        if (answer == GDB_DONE)
            answer = gdb_process_wait(&d->gdb, until_ns);
    } while (answer == GDB_DONE && !d->gdb.has_ended && gdb_clock() < until_ns);
    return answer;
}

static enum gdb_answer stop_target(struct drive *d)
{
    enum gdb_answer answer = GDB_DONE;

    if (d->gdb.is_running)
        answer = gdb_process_command(&d->gdb, "-exec-interrupt");
    /* It may have stopped just now. */
    if (answer == GDB_REFUSED && !d->gdb.is_running)
        answer = GDB_DONE;
    return answer == GDB_DONE ? gdb_process_await_stop(&d->gdb) : answer;
}

static enum gdb_answer capture_log(struct drive *d)
{
    uint64_t begun = gdb_clock();
    size_t size = d->log.size;
    enum gdb_answer answer = stop_target(d);

    if (answer != GDB_DONE || d->gdb.has_ended)
        return answer;
    d->gdb.log = &d->log;
    answer =
        gdb_process_command(&d->gdb, "-interpreter-exec console \"thread apply all "
                                     "backtrace -frame-arguments presence -frame-info "
                                     "short-location\"");
    d->gdb.log = NULL;
    text_str(&d->log, round_end);
    if (answer == GDB_DONE)
        answer = gdb_process_command(&d->gdb, "-exec-continue");
    if (answer == GDB_DONE)
        gdb_progress_add(&d->progress, gdb_clock() - begun);
    else
        d->log.size = size;
    return answer;
}

static enum gdb_answer capture_all(struct drive *d)
{
    const struct record_options *o = d->options;
    uint64_t begun = gdb_clock();
    enum gdb_answer answer = GDB_DONE;

    while (answer == GDB_DONE && !d->gdb.has_ended &&
           d->progress.n_captures < o->n_captures) {
        if (o->duration_ns != 0 && gdb_clock() - begun >= o->duration_ns)
            break;
        answer = run_for(d, o->interval_ns);
        if (answer == GDB_DONE && !d->gdb.has_ended)
            answer = capture_log(d);
    }
    gdb_progress_hide(&d->progress);
    return answer;
}

/* ---- Beginning and end ------------------------------------------------------------- */

static void report_failure(const struct drive *d, enum gdb_answer answer)
{
    const char *message = "it has ended, or does not answer";

    if (answer == GDB_REFUSED)
        message = d->gdb.message.size > 0 ? d->gdb.message.data : "it refused";
    else if (answer == GDB_INTERRUPTED)
        message = "it was interrupted";
    if (d->gdb.is_lost)
        complain(FXTRECORD_PROGRAM, d->options->gdb,
                 "the target was lost after %llu capture%s of %llu",
                 (unsigned long long)d->progress.n_captures,
                 text_plural(d->progress.n_captures),
                 (unsigned long long)d->options->n_captures);
    else
        complain(FXTRECORD_PROGRAM, d->options->gdb, "%s: %s", d->options->with_gdb,
                 message);
}

static bool write_log(const struct drive *d)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_open(d->options->output, false, &why);
    bool good = output != NULL;

    if (good) {
        output_write(output, d->log.data, d->log.size);
        good = output_close(output, true, &why);
    }
    return good || complain_text(FXTRECORD_PROGRAM, d->options->output, &why);
}

static int finish_drive(struct drive *d, enum gdb_answer answer)
{
    bool is_lost = answer == GDB_LOST || answer == GDB_REFUSED || d->gdb.is_lost;
    struct text line = {NULL, 0, 0};

    if (is_lost)
        report_failure(d, answer);
    if (!write_log(d))
        return FXTRECORD_FAILED;
    text_printf(&line, "gdb's log is in %s",
                strcmp(d->options->output, "-") == 0 ? "standard output"
                                                     : d->options->output);
    gdb_progress_describe(&d->progress, &line);
    if (!d->options->quiet)
        complain_text(FXTRECORD_PROGRAM, NULL, &line);
    return is_lost ? FXTRECORD_FAILED : 0;
}

static int run_all(struct drive *d)
{
    enum gdb_answer answer;

    if (!files_prepare(d->options))
        return FXTRECORD_FAILED;
    if (!gdb_process_start(&d->gdb, d->options->with_gdb)) {
        failure_report(d->options->with_gdb, strerror(errno));
        return FXTRECORD_FAILED;
    }
    answer = attach_gdb(d);
    if (answer != GDB_DONE) {
        report_failure(d, answer);
        return FXTRECORD_FAILED;
    }
    answer = capture_all(d);
    d->gdb.stop = -1;
    if ((answer == GDB_DONE || answer == GDB_INTERRUPTED) && !d->gdb.has_ended) {
        if (stop_target(d) == GDB_DONE)
            gdb_process_command(&d->gdb, "-target-detach");
        /* gdb reports that as a lost connection, too. */
        d->gdb.is_lost = false;
    }
    return finish_drive(d, answer);
}

int gdb_record_with_gdb(const struct record_options *options)
{
    struct drive d = {.options = options};
    int status;

    d.gdb.stop = gdb_stop_descriptor();
    d.progress.n_wanted = options->n_captures;
    d.progress.is_shown = !options->quiet && isatty(STDERR_FILENO);
    status = run_all(&d);
    gdb_process_end(&d.gdb);
    return status;
}

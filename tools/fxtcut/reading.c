/* SPDX-License-Identifier: BSD-2-Clause */
/* See reading.h. */
#include "reading.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/io/input.h"
#include "common/base/io/progress.h"
#include "common/base/io/pump.h"
#include "common/base/io/recognise.h"
#include "tools/common/report.h"

struct input_pass {
    struct input_passes *reading;
    const struct taker *taker;
    struct fxt_reader *reader;
    struct report report;
};

static const char *shown_name(const struct cut_settings *settings)
{
    return strcmp(settings->input, "-") == 0 ? "standard input" : settings->input;
}

static bool refuse(struct input_passes *r, const char *why)
{
    complain(FXTCUT_PROGRAM, shown_name(r->settings), "%s", why);
    r->status = CUT_UNUSABLE;
    return false;
}

static bool refuse_text(struct input_passes *r, struct text *why)
{
    complain_text(FXTCUT_PROGRAM, shown_name(r->settings), why);
    r->status = CUT_UNUSABLE;
    return false;
}

static void set_bad(struct input_passes *r)
{
    if (r->status < CUT_BAD)
        r->status = CUT_BAD;
}

/* ---- What can be read only once ---------------------------------------------------- */

static bool copy_all(struct input *input, FILE *copy)
{
    while (input_want(input, 1)) {
        size_t size = input_size(input);

        if (fwrite(input_data(input), 1, size, copy) != size)
            return false;
        input_consume(input, size);
    }
    return fflush(copy) == 0;
}

/* An error of the input is found here, and not when the copy is read. */
static bool copy_input(struct input_passes *r)
{
    struct text why = {NULL, 0, 0};
    struct input *input = input_open(r->settings->input, &why);
    bool good;

    if (input == NULL)
        return refuse_text(r, &why);
    r->copy = tmpfile();
    good = r->copy != NULL && copy_all(input, r->copy);
    if (!good) {
        text_printf(&why, "is to be read twice, and cannot be copied: %s",
                    strerror(errno));
        refuse_text(r, &why);
    } else if (input_error(input) != NULL) {
        complain(FXTCUT_PROGRAM, shown_name(r->settings), "%s", input_error(input));
        set_bad(r);
    }
    input_close(input);
    return good;
}

static bool is_regular(const char *name)
{
    struct stat status;

    return strcmp(name, "-") != 0 && stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

bool reading_start(struct input_passes *r, const struct cut_settings *settings,
                   bool is_repeated)
{
    *r = (struct input_passes){.settings = settings};
    if (is_repeated && !is_regular(settings->input)) {
        if (!copy_input(r))
            return false;
        text_printf(&r->name, "/dev/fd/%d", fileno(r->copy));
    } else {
        text_str(&r->name, settings->input);
    }
    text_char(&r->name, '\0');
    return true;
}

void reading_end(struct input_passes *r)
{
    if (r->copy != NULL)
        fclose(r->copy);
    text_free(&r->name);
}

/* ---- Reading ----------------------------------------------------------------------- */

static int take_record(void *context, const struct fxt_record *record)
{
    struct input_pass *run = (struct input_pass *)context;

    return run->taker->record(run->taker->context, run->reader, record);
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct input_pass *run = (struct input_pass *)context;

    report_error(&run->report, run->report.input, error);
    return 0;
}

static bool start_run(struct input_pass *run)
{
    const struct cut_settings *settings = run->reading->settings;
    struct fxt_reader_options options = settings->reader;

    options.size = sizeof(options);
    options.on_record = take_record;
    options.on_error = take_error;
    options.context = run;
    run->report =
        (struct report){.program = FXTCUT_PROGRAM, .input = shown_name(settings)};
    run->report.max_lines =
        report_max_lines(settings->quiet || !run->taker->reports, settings->verbose);
    return fxt_reader_create(&options, &run->reader) == FXT_OK;
}

static void read_input(struct input_pass *run, struct input *input)
{
    const struct taker *taker = run->taker;
    struct pump_client client = {taker->release, taker->context};

    pump(input, run->reader, PUMP_ALL, taker->release != NULL ? &client : NULL);
    if (taker->finish != NULL)
        taker->finish(taker->context, run->reader);
    progress_hide();
    report_rest(&run->report);
    if (input_error(input) != NULL && taker->reports)
        complain(FXTCUT_PROGRAM, run->report.input, "%s", input_error(input));
    if (input_error(input) != NULL || report_is_bad(&run->report))
        set_bad(run->reading);
}

/* Returns NULL, which was reported, for an input that cannot be used. If the options
 * state its kind, its content is not checked. */
static struct input *open_input(struct input_passes *r)
{
    struct text why = {NULL, 0, 0};
    struct input *input;

    if (r->copy != NULL)
        rewind(r->copy);
    input = r->settings->reader.stream == FXT_STREAM_AUTO
                ? recognise_open(r->name.data, &why)
                : input_open(r->name.data, &why);
    if (input == NULL)
        refuse_text(r, &why);
    return input;
}

bool reading_run(struct input_passes *r, const struct taker *taker)
{
    struct input_pass run = {.reading = r, .taker = taker};
    struct input *input = open_input(r);
    bool good;

    if (input == NULL)
        return false;
    if (!r->settings->quiet)
        progress_start(FXTCUT_PROGRAM, input_stated_size(input));
    progress_watch(input);
    good = start_run(&run);
    if (good)
        read_input(&run, input);
    else
        refuse(r, fxt_code_message(FXT_E_NO_MEMORY));
    progress_end();
    fxt_reader_destroy(run.reader);
    input_close(input);
    return good;
}

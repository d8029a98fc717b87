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
}

/* ---- Reading ----------------------------------------------------------------------- */

static int take_error(void *context, const struct fxt_error *error)
{
    struct taker *taker = (struct taker *)context;

    report_error(&taker->report, taker->report.input, error);
    return 0;
}

static bool start_taker(struct taker *taker, const struct cut_settings *settings)
{
    struct fxt_reader_options options = settings->reader;

    options.size = sizeof(options);
    options.on_record = taker->record;
    options.on_error = take_error;
    options.context = taker;
    taker->report =
        (struct report){.program = FXTCUT_PROGRAM, .input = shown_name(settings)};
    taker->report.max_lines =
        report_max_lines(settings->quiet || !taker->reports, settings->verbose);
    return fxt_reader_create(&options, &taker->reader) == FXT_OK;
}

static void read_input(struct input_passes *r, struct taker *taker, struct input *input)
{
    struct pump_client client = {taker->release, taker};

    pump(input, taker->reader, PUMP_ALL, taker->release != NULL ? &client : NULL);
    if (taker->finish != NULL)
        taker->finish(taker);
    progress_hide();
    report_rest(&taker->report);
    if (input_error(input) != NULL && taker->reports)
        complain(FXTCUT_PROGRAM, taker->report.input, "%s", input_error(input));
    if (input_error(input) != NULL || report_is_bad(&taker->report))
        set_bad(r);
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

bool reading_run(struct input_passes *r, struct taker *taker)
{
    struct input *input = open_input(r);
    bool good;

    if (input == NULL)
        return false;
    if (!r->settings->quiet)
        progress_start(FXTCUT_PROGRAM, input_stated_size(input));
    progress_watch(input);
    good = start_taker(taker, r->settings);
    if (good)
        read_input(r, taker, input);
    else
        refuse(r, fxt_code_message(FXT_E_NO_MEMORY));
    progress_end();
    fxt_reader_destroy(taker->reader);
    taker->reader = NULL;
    input_close(input);
    return good;
}

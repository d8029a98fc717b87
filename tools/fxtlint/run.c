/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "common/base/io/progress.h"
#include "common/base/io/pump.h"
#include "common/base/io/recognise.h"
#include "common/base/quote.h"
#include "fix.h"
#include "lint.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

struct run {
    const struct lint_options *options;
    struct findings findings;
    struct lint lint;
    struct fix fix;
    /* What is printed in the end. */
    struct text report;
};

static enum lint_status refuse_text(const char *file, struct text *why)
{
    complain_text(FXTLINT_PROGRAM, file, why);
    return LINT_UNUSABLE;
}

/* ---- Reading ----------------------------------------------------------------------- */

static int take_record(void *context, const struct fxt_record *record)
{
    struct run *run = (struct run *)context;

    bool is_as_written = lint_record(&run->lint, record);

    if (!run->options->fixes)
        return 0;
    fix_record(&run->fix, record, is_as_written);
    return output_failed(run->fix.output);
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct run *run = (struct run *)context;

    lint_error(&run->lint, error);
    return 0;
}

static void release_records(void *context)
{
    fix_release(&((struct run *)context)->fix);
}

static void read_all(struct run *run, struct input *input)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_record,
                                         .on_error = take_error,
                                         .context = run,
                                         .stream = run->options->stream,
                                         .resync = run->options->resync};
    const struct pump_client client = {release_records, run};
    struct fxt_reader *reader;

    if (fxt_reader_create(&options, &reader) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
    pump(input, reader, PUMP_ALL, run->options->fixes ? &client : NULL);
    fxt_reader_destroy(reader);
    lint_end(&run->lint);
}

/* ---- Results ----------------------------------------------------------------------- */

/* Whether something counts that was not repaired. */
static bool has_findings(const struct run *run)
{
    const struct lint_options *o = run->options;

    for (int i = 0; i < N_RULES; i++) {
        if (run->findings.rules[i].n > 0 && !o->choice.ignored[i] &&
            finding_counts(&run->findings, &o->choice, (enum rule)i) &&
            !(o->fixes && lint_rules[i].is_fixed))
            return true;
    }
    return false;
}

static void report(struct run *run, const char *name)
{
    struct text quoted = {NULL, 0, 0};

    quote_text(&quoted, name, strlen(name));
    text_char(&quoted, '\0');
    if (run->options->json)
        findings_json(&run->report, name, &run->findings, &run->options->choice);
    else if (!run->options->quiet)
        findings_text(&run->report, quoted.data, &run->findings, &run->options->choice);
    text_free(&quoted);
}

static enum lint_status check_input(struct run *run, const char *name,
                                    struct input *input)
{
    enum lint_status status;

    lint_start(&run->lint, &run->findings);
    read_all(run, input);
    lint_free(&run->lint);
    status = has_findings(run) ? LINT_FINDINGS : LINT_CLEAN;
    progress_hide();
    /* What is before it was read. */
    if (input_error(input) != NULL) {
        complain(FXTLINT_PROGRAM, name, "%s", input_error(input));
        status = LINT_FINDINGS;
    }
    report(run, name);
    return status;
}

/* ---- Repairing --------------------------------------------------------------------- */

static enum lint_status report_refused(const struct fix *fix, const char *name)
{
    complain(FXTLINT_PROGRAM, name,
             "%" PRIu64 " record%s could not be written: "
             "0x%" PRIx64 ": %s",
             fix->n_refused, text_plural(fix->n_refused), fix->first_offset,
             fxt_code_message(fix->first_code));
    return LINT_FINDINGS;
}

static enum lint_status fix_input(struct run *run, const char *name, struct input *input)
{
    const char *output = run->options->output;
    struct text why = {NULL, 0, 0};
    struct output *to = output_open(output, true, &why);
    enum lint_status status;

    if (to == NULL) {
        refuse_text(output != NULL ? output : "standard output", &why);
        return LINT_FINDINGS;
    }
    output_name_compress(output, to);
    fix_start(&run->fix, to);
    status = check_input(run, name, input);
    fix_end(&run->fix);
    if (run->fix.n_refused > 0)
        status = report_refused(&run->fix, name);
    fix_free(&run->fix);
    if (output_close(to, true, &why))
        return status;
    refuse_text(output != NULL ? output : "standard output", &why);
    return LINT_FINDINGS;
}

/* ---- Files ------------------------------------------------------------------------- */

static enum lint_status run_input(struct run *run, const char *name)
{
    struct text why = {NULL, 0, 0};
    struct input *input = recognise_open(name, &why);
    enum lint_status status;

    if (input == NULL)
        return refuse_text(name, &why);
    progress_start(FXTLINT_PROGRAM, input_stated_size(input));
    progress_watch(input);
    status =
        run->options->fixes ? fix_input(run, name, input) : check_input(run, name, input);
    progress_end();
    input_close(input);
    return status;
}

/* What is repaired may be on standard output. */
static bool print_report(struct run *run)
{
    if (!run->options->fixes || run->options->output != NULL)
        return program_print(FXTLINT_PROGRAM, &run->report);
    fwrite(run->report.data, 1, run->report.size, stderr);
    return true;
}

enum lint_status lint_run(const struct lint_options *o)
{
    struct run run = {.options = o, .findings = {.max_places = o->max_places}};
    enum lint_status status = LINT_CLEAN;

    for (size_t i = 0; i < o->n_inputs; i++) {
        enum lint_status of_input;

        findings_clear(&run.findings);
        of_input = run_input(&run, o->inputs[i]);
        status = of_input > status ? of_input : status;
    }
    if (!print_report(&run) && status < LINT_FINDINGS)
        status = LINT_FINDINGS;
    return status;
}

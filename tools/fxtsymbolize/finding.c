/* SPDX-License-Identifier: BSD-2-Clause */
/* See finding.h. */
#include "finding.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/io/progress.h"
#include "tools/common/report.h"

/* So many files without symbols are named, unless all are. */
enum { MISSING_FILES_SHOWN = 10 };

static const enum fxt_profile_source sources[FINDING_PROFILES] = {FXT_PROFILE_SAMPLES,
                                                                  FXT_PROFILE_OFF_CPU};

/* ---- Reports ----------------------------------------------------------------------- */

/* One that does not answer costs its time once. */
static void give_up_servers(struct finding *f, const char *message)
{
    if (!f->options->quiet)
        complain(FXTSYMBOLIZE_PROGRAM, NULL, "%s", message);
    for (size_t i = f->current + 1; i < FINDING_PROFILES; i++)
        fxt_profile_builder_skip_debuginfod(f->builders[i]);
}

/* The records of symbols of the first profile are an input of the second; what is wrong
 * with the archive was reported by its reader. */
static void take_report(void *context, const struct fxt_profile_report *report)
{
    struct finding *f = (struct finding *)context;
    bool quiet = f->options->quiet;

    if (report->kind == FXT_PROFILE_REPORT_SYMBOLS)
        complain(FXTSYMBOLIZE_PROGRAM, report->name, "%s", report->message);
    else if (report->kind == FXT_PROFILE_REPORT_DEBUGINFOD)
        give_up_servers(f, report->message);
    else if (report->kind == FXT_PROFILE_REPORT_MISSING_FILE && !quiet &&
             (f->n_missing++ < MISSING_FILES_SHOWN || f->options->verbose))
        complain(FXTSYMBOLIZE_PROGRAM, NULL, "%s", report->message);
    else if (report->kind == FXT_PROFILE_REPORT_REMEDY)
        string_table_add(&f->remedies, report->message, strlen(report->message));
    else if (report->kind == FXT_PROFILE_REPORT_DEBUG_FILE && !quiet)
        complain(FXTSYMBOLIZE_PROGRAM, report->name, "%s", report->message);
    else if (report->kind == FXT_PROFILE_REPORT_UNUSED_FILE && !quiet && f->current == 0)
        complain(FXTSYMBOLIZE_PROGRAM, report->name, "%s", report->message);
}

static void print_missing(const struct finding *f)
{
    struct text lines = {NULL, 0, 0};

    if (f->options->quiet)
        return;
    if (f->n_missing > MISSING_FILES_SHOWN && !f->options->verbose)
        complain(FXTSYMBOLIZE_PROGRAM, NULL, "and %zu more such files",
                 f->n_missing - MISSING_FILES_SHOWN);
    for (uint32_t i = 0; i < f->remedies.n; i++) {
        struct string command = string_table_get(&f->remedies, i);

        text_str(&lines, "    ");
        text_add(&lines, command.data, command.size);
        text_char(&lines, '\n');
    }
    report_remedies(FXTSYMBOLIZE_PROGRAM, &lines);
}

static bool report_failure(const char *message)
{
    return complain(FXTSYMBOLIZE_PROGRAM, NULL, "%s", message);
}

/* ---- Profiles ---------------------------------------------------------------------- */

/* One that is mistyped looks like one without the files that are looked for. */
static void check_directory(const char *dir)
{
    struct stat status;

    if (stat(dir, &status) != 0)
        complain(FXTSYMBOLIZE_PROGRAM, dir, "%s", strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        complain(FXTSYMBOLIZE_PROGRAM, dir, "%s", strerror(ENOTDIR));
}

/* The first call that fails decides. */
static bool add_files(const struct finding *f, struct fxt_profile_builder *builder)
{
    const struct symbolize_options *o = f->options;
    enum fxt_code code = FXT_OK;

    for (size_t i = 0; i < o->debug_dirs.n; i++)
        fxt_profile_builder_add_debug_dir(builder, o->debug_dirs.values[i]);
    code = fxt_profile_builder_add_debug_dir(builder, "/usr/lib/debug");
    for (size_t i = 0; i < o->elfs.n; i++)
        code = fxt_profile_builder_add_module_file(builder, o->elfs.values[i]);
    if (code == FXT_OK)
        code = fxt_profile_builder_begin(builder, NULL);
    if (code != FXT_OK && code != FXT_E_FILE)
        report_failure(fxt_profile_builder_message(builder));
    return code == FXT_OK;
}

bool finding_start(struct finding *f, const struct symbolize_options *options)
{
    struct fxt_profile_options build = {.size = sizeof(build),
                                        .on_report = take_report,
                                        .on_download = progress_download,
                                        .context = f,
                                        .ignore_renames = true,
                                        .find_modules = true,
                                        .use_debuginfod = !options->no_debuginfod,
                                        .only_by_build_id = true,
                                        .all_heap_stacks = true,
                                        .no_missing_files = options->quiet};

    *f = (struct finding){.options = options};
    for (size_t i = 0; i < options->debug_dirs.n; i++)
        check_directory(options->debug_dirs.values[i]);
    for (size_t i = 0; i < FINDING_PROFILES; i++) {
        enum fxt_code code;

        build.source = sources[i];
        code = fxt_profile_builder_create(&build, &f->builders[i]);
        if (code != FXT_OK)
            return report_failure(fxt_code_message(code));
        if (!add_files(f, f->builders[i]))
            return false;
    }
    return true;
}

/* A failure is reported at the end. */
void finding_take(struct finding *f, const struct fxt_record *record)
{
    for (size_t i = 0; i < FINDING_PROFILES; i++)
        fxt_profile_builder_add_record(f->builders[i], record);
}

/* ---- What was found ---------------------------------------------------------------- */

/* What an earlier profile has found is known to this one. */
static void add_known(struct fxt_profile_builder *builder, enum fxt_byte_order byte_order,
                      const struct fxt_buffer *records)
{
    const struct fxt_profile_input input = {.size = sizeof(input),
                                            .content = FXT_PROFILE_CONTENT_FXT,
                                            .stream = FXT_STREAM_ARCHIVE,
                                            .byte_order = byte_order};

    if (records->size > 0)
        fxt_profile_builder_add_memory(builder, &input, records->data, records->size);
}

bool finding_finish(struct finding *f, enum fxt_byte_order byte_order, uint64_t timestamp,
                    struct fxt_buffer *records)
{
    for (size_t i = 0; i < FINDING_PROFILES; i++) {
        struct fxt_profile_builder *builder = f->builders[i];
        struct fxt_profile *profile;
        enum fxt_code code;

        f->current = i;
        fxt_profile_builder_end(builder, NULL);
        add_known(builder, byte_order, records);
        if (fxt_profile_builder_finish(builder, &profile) != FXT_OK)
            return report_failure(fxt_profile_builder_message(builder));
        code = fxt_profile_write_symbols(profile, byte_order, timestamp, fxt_buffer_write,
                                         records);
        fxt_profile_destroy(profile);
        if (code != FXT_OK)
            return report_failure(fxt_code_message(code));
    }
    print_missing(f);
    return true;
}

void finding_free(struct finding *f)
{
    for (size_t i = 0; i < FINDING_PROFILES; i++)
        fxt_profile_builder_destroy(f->builders[i]);
}

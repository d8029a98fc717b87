/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/output.h"
#include "base/quote.h"
#include "archive.h"
#include "failure.h"
#include "region_files.h"

/* Whether a file could be written; one that exists stays as it is. Pipes and devices are
 * not tried: their readers would notice. */
static bool try_output(const char *name, bool is_binary)
{
    struct text why = {NULL, 0, 0};
    struct stat status;
    struct output *output;

    if (strcmp(name, "-") != 0 && stat(name, &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode))
        return true;
    output = output_open(name, is_binary, &why);
    if (output != NULL) {
        output_close(output, false, &why);
        text_free(&why);
    } else {
        failure_report_text(name, &why);
    }
    return output != NULL;
}

bool files_prepare(const struct record_options *options)
{
    const char *name = options->regions;
    struct stat status;

    if (name == NULL)
        return try_output(options->output, options->with_gdb == NULL);
    if (mkdir(name, 0777) != 0 && errno != EEXIST)
        return failure_report(name, strerror(errno));
    if (stat(name, &status) == 0 && !S_ISDIR(status.st_mode))
        return failure_report(name, strerror(ENOTDIR));
    return access(name, W_OK | X_OK) == 0 || failure_report(name, strerror(errno));
}

void files_quote_command(const struct record_options *options, struct text *to)
{
    for (int i = 0; i < options->argc; i++) {
        const char *word = options->argv[i];

        if (i > 0)
            text_char(to, ' ');
        quote_word(to, word, strlen(word));
    }
    text_char(to, '\0');
}

/* The name of the archive, which has all but the samples where regions are files. */
static struct text name_archive(const struct record_options *o)
{
    struct text name = {NULL, 0, 0};

    if (o->regions == NULL)
        text_str(&name, o->output);
    else
        text_printf(&name, "%s/names.fxt", o->regions);
    text_char(&name, '\0');
    return name;
}

/* The session has written its regions itself. */
static void remove_other_regions(const struct record_options *o,
                                 struct fxt_sampler *sampler)
{
    struct filled_regions regions = {NULL, 0, 0};
    struct fxt_sampler_region region;

    for (uint32_t i = 0; fxt_sampler_read(sampler, i, &region) == FXT_SAMPLER_OK; i++)
        filled_regions_add(&regions, (struct filled_region){.cpu = region.cpu});
    region_files_remove_others(&regions, o->regions);
    memory_release(regions.all);
}

bool files_write_session(const struct record_options *o, struct fxt_sampler *sampler,
                         const char *command_line, struct fxt_sampler_summary *summary)
{
    const struct fxt_sampler_archive archive = {
        .size = sizeof(archive),
        .recorder = FXTRECORD_PROGRAM,
        .command_line = command_line,
        .no_samples = o->regions != NULL,
        .summary = summary,
    };
    struct text name = name_archive(o);
    struct text why = {NULL, 0, 0};
    bool written;

    if (o->regions != NULL)
        remove_other_regions(o, sampler);
    written = archive_write_session(sampler, &archive, name.data, &why);
    if (!written)
        failure_report_text(name.data, &why);
    text_free(&why);
    text_free(&name);
    return written;
}

bool files_write_recording(const struct record_options *o,
                           const struct recording *recording)
{
    struct text name = name_archive(o);
    struct text why = {NULL, 0, 0};
    bool written = true;

    if (o->regions != NULL) {
        region_files_remove_others(&recording->regions, o->regions);
        written = region_files_write(&recording->regions, o->regions, &why);
    }
    written = written &&
              archive_write_recording(recording, o->regions == NULL, name.data, &why);
    if (!written)
        failure_report_text(name.data, &why);
    text_free(&why);
    text_free(&name);
    return written;
}

const char *files_name(const struct record_options *o)
{
    if (o->regions != NULL)
        return o->regions;
    return strcmp(o->output, "-") == 0 ? "standard output" : o->output;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/io/output.h"
#include "common/base/quote.h"
#include "failure.h"

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

struct text files_name_archive(const struct record_options *o)
{
    struct text name = {NULL, 0, 0};

    if (o->regions == NULL)
        text_str(&name, o->output);
    else
        text_printf(&name, "%s/names.fxt", o->regions);
    text_char(&name, '\0');
    return name;
}

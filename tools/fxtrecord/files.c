/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/output.h"
#include "base/quote.h"
#include "targets.h"

/* Whether a file could be written; what there is now stays. Pipes and devices are left
 * alone: who reads them would notice. */
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
    } else {
        text_char(&why, '\0');
        fail(name, why.data);
    }
    text_free(&why);
    return output != NULL;
}

bool files_prepare(const struct record_options *options)
{
    const char *name = options->regions;
    struct stat status;

    if (name == NULL)
        return try_output(options->output, options->with_gdb == NULL);
    if (mkdir(name, 0777) != 0 && errno != EEXIST)
        return fail(name, strerror(errno));
    if (stat(name, &status) == 0 && !S_ISDIR(status.st_mode))
        return fail(name, strerror(ENOTDIR));
    return access(name, W_OK | X_OK) == 0 || fail(name, strerror(errno));
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

bool files_write(const struct record_options *o, const struct recording *recording,
                 bool writes_regions)
{
    struct text name = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    bool written;

    if (o->regions == NULL) {
        text_str(&name, o->output);
    } else {
        text_printf(&name, "%s/names.fxt", o->regions);
        filled_regions_remove_others(&recording->pieces, o->regions);
    }
    text_char(&name, '\0');
    written = (!writes_regions || o->regions == NULL ||
               filled_regions_write(&recording->pieces, o->regions, &why)) &&
              archive_write(recording, name.data, o->regions == NULL, &why);
    if (!written) {
        text_char(&why, '\0');
        fail(name.data, why.data);
    }
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

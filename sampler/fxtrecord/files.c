/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quote.h"
#include "targets.h"

/* Whether a file can be made beside what is or will be of that name: archives are written
 * under another name first. */
static bool can_make(const char *name)
{
    char *path = realpath(name, NULL);
    char *slash;
    bool can;

    if (path == NULL)
        path = must_copy(name);
    slash = strrchr(path, '/');
    if (slash != NULL)
        slash[slash == path] = '\0';
    can = access(slash != NULL ? path : ".", W_OK | X_OK) == 0;
    free(path);
    return can;
}

/* A recording that will have no place to go to should not be made at all. */
static bool prepare_archive(const char *name)
{
    struct stat status;

    if (strcmp(name, "-") == 0)
        return true;
    if (stat(name, &status) != 0 || S_ISREG(status.st_mode))
        return can_make(name) || fail(name, strerror(errno));
    return !S_ISDIR(status.st_mode) || fail(name, strerror(EISDIR));
}

bool files_prepare(const struct record_options *options)
{
    const char *name = options->regions;
    struct stat status;

    if (name == NULL)
        return prepare_archive(options->output);
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
        pieces_remove_others(&recording->pieces, o->regions);
    }
    text_char(&name, '\0');
    written = (!writes_regions || o->regions == NULL ||
               pieces_write(&recording->pieces, o->regions, &why)) &&
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

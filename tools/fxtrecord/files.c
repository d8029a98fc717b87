/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/quote.h"
#include "failure.h"
#include "tools/common/output_name.h"

bool files_prepare(const struct record_options *options)
{
    const char *name = options->regions;
    struct stat status;

    if (name == NULL)
        return output_name_try(FXTRECORD_PROGRAM, options->output,
                               options->with_gdb == NULL);
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

void files_for_each(const char *directory, files_entry_fn *take, void *context)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, NULL, versionsort);

    for (int i = 0; i < n; i++) {
        char *path = text_format("%s/%s", directory, entries[i]->d_name);

        if (entries[i]->d_name[0] != '.')
            take(context, path, entries[i]->d_name);
        memory_release(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void remove_file(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    unlink(path);
}

void files_remove(const char *path)
{
    files_for_each(path, remove_file, NULL);
    if (rmdir(path) != 0)
        unlink(path);
}

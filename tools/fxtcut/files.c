/* SPDX-License-Identifier: BSD-2-Clause */
/* See files.h. */
#include "files.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/output_name.h"
#include "tools/common/report.h"

void files_start(struct files *f, const struct cut_settings *settings, bool is_numbered)
{
    *f = (struct files){.settings = settings, .is_numbered = is_numbered};
}

/* ---- Names ------------------------------------------------------------------------- */

/* The number goes before ".fxt", which is added if it is not there. */
static void add_number(struct text *name, const char *output, uint64_t number)
{
    size_t stem = output_name_archive_stem(output);
    const char *end = output + stem;

    if (stem >= strlen(".fxt") &&
        strncmp(end - strlen(".fxt"), ".fxt", strlen(".fxt")) == 0)
        stem -= strlen(".fxt");
    text_add(name, output, stem);
    text_printf(name, ".%04" PRIu64 ".fxt%s", number, end);
}

static void set_name(struct files *f, uint64_t number)
{
    const char *output = f->settings->output;

    f->name.size = 0;
    if (output != NULL && f->is_numbered)
        add_number(&f->name, output, number);
    else if (output != NULL)
        text_str(&f->name, output);
    text_char(&f->name, '\0');
}

/* NULL for standard output. */
static const char *file_name(const struct files *f)
{
    return f->name.size > 1 ? f->name.data : NULL;
}

static void complain_of(struct files *f, struct text *why)
{
    const char *name = file_name(f);

    complain_text(FXTCUT_PROGRAM, name != NULL ? name : "standard output", why);
    f->failed = true;
}

/* ---- Files ------------------------------------------------------------------------- */

static void close_file(struct files *f, bool keep)
{
    struct text why = {NULL, 0, 0};

    if (f->output != NULL && !output_close(f->output, keep, &why))
        complain_of(f, &why);
    f->output = NULL;
}

struct output *files_next(void *context)
{
    struct files *f = (struct files *)context;
    struct text why = {NULL, 0, 0};
    const char *name;

    close_file(f, true);
    if (f->failed)
        return NULL;
    set_name(f, ++f->n);
    name = file_name(f);
    if (name != NULL && output_replaces(name, f->settings->input))
        text_str(&why, "is also the input, and would be overwritten");
    else
        f->output = output_open(name, true, &why);
    if (f->output == NULL)
        complain_of(f, &why);
    else
        output_name_compress(name, f->output);
    return f->output;
}

/* Parts of an earlier run may be taken for parts of this one. */
static void warn_of_next(struct files *f)
{
    set_name(f, f->n + 1);
    if (access(f->name.data, F_OK) == 0 && !f->settings->quiet)
        complain(FXTCUT_PROGRAM, f->name.data,
                 "is there already, and is none of the %" PRIu64 " part%s written now",
                 f->n, text_plural(f->n));
}

bool files_end(struct files *f, bool keep)
{
    close_file(f, keep);
    if (f->is_numbered && !f->failed && keep)
        warn_of_next(f);
    return !f->failed;
}

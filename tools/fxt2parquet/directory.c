/* SPDX-License-Identifier: BSD-2-Clause */
/* See directory.h. */
#include "directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "partition.h"
#include "tools/convert/options.h"
#include "tools/tables/schema.h"

static const char suffix[] = ".parquet";

static bool fail(struct directory *d, const char *why)
{
    return text_fail(&d->why, "%s", why);
}

/* ---- Paths ------------------------------------------------------------------------- */

static bool make_parents(struct directory *d)
{
    char *path = d->path.data;

    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        bool is_there;

        *slash = '\0';
        is_there = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EISDIR;
        *slash = '/';
        if (!is_there)
            return fail(d, strerror(errno));
    }
    return true;
}

static void set_path(struct directory *d, const struct table_info *table)
{
    d->path.size = 0;
    text_str(&d->path, d->options->output);
    text_char(&d->path, '/');
    if (d->n_partitions > 0) {
        text_str(&d->path, table->name);
        text_char(&d->path, '/');
        for (size_t i = 0; i < d->n_partitions; i++)
            partition_add(&d->path, d->partitions[i], d->time_ns);
        text_str(&d->path, partition_recording);
        text_char(&d->path, '=');
        text_hex_bytes(&d->path, d->recording, sizeof(d->recording));
        text_char(&d->path, '/');
    }
    text_str(&d->path, table->name);
    text_str(&d->path, suffix);
    text_char(&d->path, '\0');
}

static bool replaces_input(const struct directory *d)
{
    for (size_t i = 0; i < d->options->n_files; i++) {
        if (output_replaces(d->path.data, d->options->files[i].path))
            return true;
    }
    return false;
}

bool directory_check(struct directory *d)
{
    for (int i = 0; i < SCHEMA_TABLES; i++) {
        set_path(d, &schema_tables[i]);
        if (replaces_input(d))
            return fail(d, "is also an input, and would be overwritten");
    }
    return true;
}

static bool open_file(struct directory *d, const struct table_info *table)
{
    set_path(d, table);
    if (!make_parents(d))
        return false;
    d->output = output_open(d->path.data, true, &d->why);
    return d->output != NULL;
}

static bool close_file(struct directory *d)
{
    struct output *output = d->output;

    if (d->file != NULL)
        parquet_end(d->file);
    d->file = NULL;
    d->output = NULL;
    return output_close(output, true, &d->why);
}

/* ---- The first table --------------------------------------------------------------- */

static bool is_meta(const struct table_info *table)
{
    return table == &schema_tables[SCHEMA_META];
}

/* An earlier one is not of the files that follow. */
static bool remove_earlier_meta(struct directory *d)
{
    set_path(d, &schema_tables[SCHEMA_META]);
    if (unlink(d->path.data) == 0 || errno == ENOENT || errno == ENOTDIR)
        return true;
    return fail(d, strerror(errno));
}

/* ---- The sink ---------------------------------------------------------------------- */

static bool begin_table(void *context, const struct table_info *table)
{
    struct directory *d = (struct directory *)context;

    if (is_meta(table)) {
        if (!remove_earlier_meta(d))
            return false;
        d->output = output_to_memory(&d->meta);
    } else if (!open_file(d, table)) {
        return false;
    }
    d->file = parquet_create(table, d->output, d->codec);
    return true;
}

static bool add_row(void *context, const struct table_info *table,
                    const struct cell *cells)
{
    struct directory *d = (struct directory *)context;

    (void)table;
    parquet_add_row(d->file, cells);
    return !output_failed(d->output);
}

static bool end_table(void *context, const struct table_info *table)
{
    (void)table;
    return close_file((struct directory *)context);
}

struct table_sink directory_sink(struct directory *d)
{
    return (struct table_sink){begin_table, add_row, end_table, d};
}

/* ---- The end ----------------------------------------------------------------------- */

bool directory_finish(struct directory *d)
{
    if (!open_file(d, &schema_tables[SCHEMA_META]))
        return false;
    output_text(d->output, &d->meta);
    return close_file(d);
}

void directory_close(struct directory *d)
{
    if (d->output != NULL)
        close_file(d);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2sqlite: samples and events to tables of a SQLite database. */
#include <string.h>

#include "tools/common/output_name.h"
#include "tools/common/report.h"
#include "tools/convert/conversion.h"
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"
#include "tools/sqlite/database.h"
#include "tools/tables/produce.h"

static const char usage[] =
    "Usage: fxt2sqlite -o OUTPUT [OPTION]... [FILE]...\n"
    "Turns the samples and events in FXT regions and archives into tables of a SQLite\n"
    "database, for questions in SQL. No FILE, or -, is standard input. Compressed files\n"
    "(gzip, zstd) are read as they are. The first region is of CPU 0, and so on; or\n"
    "cpu3.bin of CPU 3.\n";

static const struct option_group groups[] = {
    {"Reading", options_reading},
    {OPTION_GROUP_GOES_ON, options_parallel},
    {"Choosing", options_choosing},
    {"Naming", options_naming},
    {"Writing", options_start_time},
    {NULL, options_general},
    {NULL, NULL},
};

static const char not_regular[] = "a database can only be written to a regular file";

static bool is_of_something_else(const char *output)
{
    struct name_promise promise;

    return output_name_promise(output, &promise) &&
           (promise.tool == NULL || strcmp(promise.tool, "fxt2sqlite") != 0 ||
            output_name_ends_with(output, ".gz"));
}

/* What is wrong with the options; or NULL. */
static const char *find_conflict(const struct options *o)
{
    if (o->output == NULL)
        return "a database is a file: use -o FILE";
    if (is_of_something_else(o->output))
        return "the name of a database ends in .db or .sqlite";
    if (output_is_special(o->output))
        return not_regular;
    return NULL;
}

static bool check_own(struct options *o)
{
    const char *conflict = find_conflict(o);

    if (conflict != NULL)
        return complain(o->program, o->output, "%s", conflict);
    tables_choose_options(&o->build);
    o->hides_cuts = true;
    o->writes_own = true;
    return true;
}

static bool fill(struct database *database, const struct conversion *c, const char *path)
{
    struct table_sink sink = database_sink(database);
    bool good = database_open(database, path) && tables_produce(c->profile, &sink) &&
                database_finish(database, true);

    return database_close(database) && good;
}

static int write_database(const struct conversion *c, struct output *output)
{
    const char *path = output_temporary(output);
    struct database database;
    bool good;

    if (path == NULL) {
        complain(c->converter->name, c->options.output, "%s", not_regular);
        return EXIT_UNUSABLE;
    }
    good = fill(&database, c, path);
    if (!good)
        complain_text(c->converter->name, c->options.output, &database.why);
    return good ? EXIT_GOOD : EXIT_UNWRITTEN;
}

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2sqlite",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .check_own = check_own,
        .write_own = write_database,
    };

    return convert_main(&converter, argc, argv);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtquery: answers questions in SQL about traces. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "print.h"
#include "query.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "tools/convert/conversion.h"
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"
#include "tools/sqlite/database.h"
#include "tools/sqlite/ddl.h"
#include "tools/tables/produce.h"
#include "tools/tables/schema.h"

static const char usage[] =
    "Usage: fxtquery [OPTION]... [FILE]... QUERY\n"
    "Runs a query in SQL, or one that has a name, such as @slowest-spans, on the "
    "samples\n"
    "and events in FXT regions and archives, as tables of a database in memory. No "
    "FILE,\n"
    "or -, is standard input. Compressed files are read as they are.\n";

struct query_settings {
    enum print_form form;
    /* How many of --csv, --json and --folded were given. */
    unsigned n_forms;
    const char *file;
    bool wants_queries;
    bool wants_schema;
    bool wants_tables;
    /* The only one of the schema that is printed, or NULL. */
    const char *table;
    struct query query;
};

#define OPTION_STRUCT struct query_settings

static const struct option_entry asking_options[] = {
    {"file", 'f', "FILE", OPTION_NAME(file), "run the query that is in FILE"},
    {"queries", 0, NULL, OPTION_FLAG(wants_queries), "list the queries that have names"},
    {"schema", 0, NULL, OPTION_FLAG(wants_schema), "print the tables and their columns"},
    OPTIONS_END,
};

static const struct option_entry showing_options[] = {
    {"csv", 0, NULL, OPTION_CHOICE(form, PRINT_CSV, n_forms), "comma-separated values"},
    {"json", 0, NULL, OPTION_CHOICE(form, PRINT_JSON, n_forms),
     "JSON, an object for each row"},
    {"folded", 0, NULL, OPTION_CHOICE(form, PRINT_FOLDED, n_forms),
     "folded stacks, of queries for a stack and a number, such as @flame"},
    OPTIONS_END,
};

static const struct option_group groups[] = {
    {"Asking", asking_options},
    {"Showing", showing_options},
    {OPTION_GROUP_GOES_ON, options_start_time},
    {"Reading", options_reading},
    {OPTION_GROUP_GOES_ON, options_parallel},
    {"Choosing", options_choosing},
    {"Naming", options_naming},
    {NULL, options_general},
    {NULL, NULL},
};

static struct query_settings *settings_of(const struct options *options)
{
    return (struct query_settings *)options->own;
}

/* ---- The query --------------------------------------------------------------------- */

/* A database without rows shows whether the query can be run, before traces are read. */
static bool try_query(const struct query *query, const char *program,
                      enum print_form form)
{
    struct database empty;
    struct table_sink sink = database_sink(&empty);
    sqlite3_stmt *statement = NULL;
    const char *misfit = NULL;
    bool good = database_open(&empty, NULL);

    for (int i = 0; i < SCHEMA_TABLES && good; i++)
        good = sink.begin_table(sink.context, &schema_tables[i]) &&
               sink.end_table(sink.context, &schema_tables[i]);
    if (good && database_finish(&empty, false))
        statement = query_prepare(query, program, empty.db);
    if (statement != NULL && form == PRINT_FOLDED)
        misfit = print_folded_misfit(statement);
    if (misfit != NULL)
        complain(program, query->name, "%s", misfit);
    good = statement != NULL && misfit == NULL;
    sqlite3_finalize(statement);
    database_close(&empty);
    return good;
}

/* The table in ".schema TABLE", which may be one argument or two; or NULL. */
static const char *find_named_table(const struct options *o)
{
    static const char command[] = ".schema ";
    const char *last = o->files[o->n_files - 1].path;

    if (o->n_files > 1 && strcmp(o->files[o->n_files - 2].path, ".schema") == 0)
        return last;
    return strncmp(last, command, strlen(command)) == 0 ? last + strlen(command) : NULL;
}

/* What the shell of SQLite calls so, in place of a query. */
static bool take_command(struct query_settings *s, const struct options *o)
{
    const char *last = o->files[o->n_files - 1].path;

    s->table = find_named_table(o);
    s->wants_tables = strcmp(last, ".tables") == 0;
    s->wants_schema |= s->table != NULL || strcmp(last, ".schema") == 0;
    return s->wants_tables || s->wants_schema;
}

static bool check_table(const struct options *o)
{
    const char *name = settings_of(o)->table;
    int i = 0;

    while (name != NULL && i < SCHEMA_TABLES && strcmp(schema_tables[i].name, name) != 0)
        i++;
    if (i < SCHEMA_TABLES)
        return true;
    return complain(o->program, name, "there is no such table: see .tables");
}

/* The query is the last argument, unless it is in a file. */
static bool take_query(struct options *o)
{
    struct query_settings *s = settings_of(o);
    const char *last = o->files[o->n_files - 1].path;

    if (s->file != NULL)
        return query_read(&s->query, o->program, s->file);
    if (strcmp(last, "-") == 0 || access(last, F_OK) == 0)
        return complain(o->program, NULL, "there is no query after the files");
    if (!query_take(&s->query, o->program, last))
        return false;
    o->n_files--;
    if (o->n_files == 0)
        o->files[o->n_files++] = (struct fxt_profile_file){"-", false, 0};
    return true;
}

/* What the names of files promise. */
static const struct {
    const char *suffix;
    const char *option;
    enum print_form form;
} promised[] = {
    {".csv", "--csv", PRINT_CSV},
    {".json", "--json", PRINT_JSON},
    {".folded", "--folded", PRINT_FOLDED},
};

static bool check_name(const struct options *o)
{
    enum print_form form = settings_of(o)->form;

    if (o->output == NULL)
        return true;
    for (size_t i = 0; i < sizeof(promised) / sizeof(promised[0]); i++) {
        if (!output_name_ends_with(o->output, promised[i].suffix))
            continue;
        if (form == promised[i].form)
            return true;
        return complain(o->program, o->output, "files of this name are written with %s",
                        promised[i].option);
    }
    return output_name_check_text(o->program, o->output, form == PRINT_JSON);
}

static bool check_own(struct options *o)
{
    struct query_settings *s = settings_of(o);

    if (s->wants_queries || s->wants_schema)
        return true;
    if (s->file == NULL && take_command(s, o))
        return check_table(o);
    if (s->n_forms > 1)
        return complain(o->program, NULL,
                        "only one of --csv, --json and --folded can be used");
    if (!check_name(o))
        return false;
    tables_choose_options(&o->build);
    o->hides_cuts = true;
    return take_query(o) && try_query(&s->query, o->program, s->form);
}

/* ---- The answer -------------------------------------------------------------------- */

static int print_rows(sqlite3_stmt *statement, enum print_form form,
                      struct output *output, bool is_terminal, uint64_t *n_left_out)
{
    switch (form) {
    case PRINT_TABLE:
        return print_table(statement, output, is_terminal);
    case PRINT_CSV:
        return print_csv(statement, output, is_terminal);
    case PRINT_JSON:
        return print_json(statement, output);
    case PRINT_FOLDED:
        return print_folded(statement, output, n_left_out);
    }
    return SQLITE_DONE;
}

static int answer(struct database *database, const struct conversion *c,
                  struct output *output)
{
    const struct query_settings *s = settings_of(&c->options);
    const char *program = c->converter->name;
    sqlite3_stmt *statement = query_prepare(&s->query, program, database->db);
    bool is_terminal = c->options.output == NULL && isatty(STDOUT_FILENO);
    uint64_t n_left_out = 0;
    bool good;
    int code;

    if (statement == NULL)
        return EXIT_UNUSABLE;
    code = print_rows(statement, s->form, output, is_terminal, &n_left_out);
    good = code == SQLITE_DONE || output_failed(output);
    if (!good)
        query_complain(&s->query, program, database->db);
    if (n_left_out > 0)
        complain(program, s->query.name,
                 "%" PRIu64 " row%s left out: without a stack, or with a number that is "
                 "none or is negative",
                 n_left_out, text_plural(n_left_out));
    sqlite3_finalize(statement);
    if (!good)
        return EXIT_UNUSABLE;
    return n_left_out > 0 ? EXIT_BAD : EXIT_GOOD;
}

static int answer_query(const struct conversion *c, struct output *output)
{
    struct database database;
    struct table_sink sink = database_sink(&database);
    int status = EXIT_UNUSABLE;

    if (database_open(&database, NULL) && tables_produce(c->profile, &sink) &&
        database_finish(&database, false))
        status = answer(&database, c, output);
    else
        complain_text(c->converter->name, NULL, &database.why);
    database_close(&database);
    return status;
}

/* ---- What needs no trace ----------------------------------------------------------- */

/* Of all tables and views, or only of the table. */
static void add_schema(struct text *text, const char *only)
{
    for (int i = 0; i < SCHEMA_TABLES; i++) {
        if (only != NULL && strcmp(schema_tables[i].name, only) != 0)
            continue;
        ddl_create_table(text, &schema_tables[i]);
        text_str(text, ";\n");
        if (ddl_list(&schema_tables[i]) == NULL)
            continue;
        ddl_create_items(text, &schema_tables[i]);
        text_str(text, ";\n");
    }
    if (only == NULL)
        database_add_views(text);
}

static bool print_lists(const struct options *o, int *status)
{
    const struct query_settings *s = settings_of(o);
    struct text text = {NULL, 0, 0};

    if (!s->wants_queries && !s->wants_schema && !s->wants_tables)
        return false;
    if (s->wants_tables) {
        for (int i = 0; i < SCHEMA_TABLES; i++)
            text_printf(&text, "%-8s  %s\n", schema_tables[i].name,
                        schema_tables[i].meaning);
    }
    if (s->wants_schema)
        add_schema(&text, s->table);
    if (s->wants_queries)
        queries_list(&text);
    *status = program_print(o->program, &text) ? EXIT_GOOD : EXIT_BAD;
    return true;
}

int main(int argc, char **argv)
{
    static struct query_settings settings;
    static const struct converter converter = {
        .name = "fxtquery",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .own = &settings,
        .check_own = check_own,
        .print_own = print_lists,
        .write_own = answer_query,
    };

    return convert_main(&converter, argc, argv);
}

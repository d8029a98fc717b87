/* SPDX-License-Identifier: BSD-2-Clause */
/* See programs.h. */
#include "programs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/program.h"

const struct program_entry programs[] = {
    {"record", "fxtrecord", "sample a command, processes or the whole system", "Record"},
    {"heap", "fxtheap", "record what programs have allocated and not freed", NULL},
    {"trace", "fxttrace", "start, stop and fetch traces of running programs", NULL},
    {"report", "fxtreport", "see where the time went, in terminals or browsers", "Look"},
    {"query", "fxtquery", "ask questions in SQL", NULL},
    {"dump", "fxtdump", "see the records, as text, JSON, counts or bits", NULL},
    {"lint", "fxtlint", "see what is wrong with a trace, and repair it", NULL},
    {"cut", "fxtcut", "keep a part of a trace, or split it", "Change"},
    {"merge", "fxtmerge", "put several traces in one", NULL},
    {"symbolize", "fxtsymbolize", "add names, files and lines", NULL},
    {"perfetto", "fxt2perfetto", "write a trace for Perfetto", "Convert"},
    {"firefox", "fxt2firefox", "write a profile for Firefox Profiler", NULL},
    {"chrome", "fxt2chrome", "write JSON for chrome://tracing", NULL},
    {"folded", "fxt2folded", "write folded stacks or a flame graph", NULL},
    {"pprof", "fxt2pprof", "write a profile for go tool pprof", NULL},
    {"parquet", "fxt2parquet", "write tables in Parquet, for any engine", NULL},
    {"sqlite", "fxt2sqlite", "write a database for questions in SQL", NULL},
    {"clickhouse", "fxt2clickhouse", "send tables to a ClickHouse server", NULL},
    {"ship", "fxtship", "send the archives of a recorder, and remove them", NULL},
    {NULL, NULL, NULL, NULL},
};

const struct program_entry *program_entry_find(const char *word)
{
    for (const struct program_entry *e = programs; e->word != NULL; e++) {
        if (strcmp(word, e->word) == 0 || strcmp(word, e->program) == 0)
            return e;
    }
    return NULL;
}

/* ---- What was meant ---------------------------------------------------------------- */

enum { WORD_MAX = 31 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many characters have to be added, removed, replaced, or swapped with the next one,
 * to make one word of the other. Both have at most WORD_MAX of them. */
static size_t count_edits(const char *from, const char *to)
{
    size_t rows[3][WORD_MAX + 1];
    size_t n = strlen(to);

    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; from[i - 1] != '\0'; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *twice = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            bool equal = from[i - 1] == to[j - 1];

            row[j] = least(above[j - 1] + !equal, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                row[j] = least(row[j], twice[j - 2] + 1);
        }
    }
    return rows[strlen(from) % 3][n];
}

const char *program_entry_nearest(const char *word)
{
    const char *nearest = NULL;
    /* Two words of which most characters differ have nothing in common. */
    size_t fewest = least(strlen(word) / 2 + 1, 4);

    if (strlen(word) > WORD_MAX)
        return NULL;
    for (const struct program_entry *e = programs; e->word != NULL; e++) {
        size_t n = least(count_edits(word, e->word), count_edits(word, e->program));

        if (n < fewest) {
            fewest = n;
            nearest = e->word;
        }
    }
    return count_edits(word, "help") < fewest ? "help" : nearest;
}

/* ---- Where it is ------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool try_directory(struct text *path, const char *directory, size_t size,
                          const char *program)
{
    path->size = 0;
    text_add(path, directory, size);
    text_printf(path, "%s%s", size == 0 ? "./" : "/", program);
    text_char(path, '\0');
    return is_program(path->data);
}

static bool search_path(struct text *path, const char *program)
{
    const char *at = getenv("PATH");

    while (at != NULL) {
        const char *end = strchr(at, ':');

        if (try_directory(path, at, end != NULL ? (size_t)(end - at) : strlen(at),
                          program))
            return true;
        at = end != NULL ? end + 1 : NULL;
    }
    return false;
}

static bool find_beside(struct text *path, const char *file)
{
    return program_find_file(path, file, NULL) && is_program(path->data);
}

bool program_entry_locate(struct text *path, const char *program)
{
    return find_beside(path, program) ||
           find_beside(path, text_format("../%s/%s", program, program)) ||
           search_path(path, program);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See output_name.h. */
#include "output_name.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/base/io/zstd.h"
#include "libfxtprofile/output/format_list.h"
#include "report.h"

/* What the converters write. */
static const struct converted {
    const char *format;
    const char *tool;
    const char *suffixes;
    const char *content;
} converted[] = {
#define ROW(number, name, converter, suffixes, content)                                  \
    {#name, converter, suffixes, content},
    OUTPUT_FORMATS(ROW)
#undef ROW
        {"parquet", "fxt2parquet", ".parquet", "tables in Parquet"},
    {"sqlite", "fxt2sqlite", ".db .sqlite .sqlite3", "a database"},
};

enum { N_CONVERTED = sizeof(converted) / sizeof(converted[0]) };

/* What no converter writes. */
static const char *const foreign[] = {
    ".bmp", ".bz2",  ".csv",   ".dot", ".eps",  ".fxt",  ".gif", ".jpeg", ".jpg",  ".lz4",
    ".md",  ".pdf",  ".png",   ".ps",  ".svgz", ".tar",  ".tgz", ".tif",  ".tiff", ".tsv",
    ".txt", ".webp", ".xhtml", ".xml", ".xz",   ".yaml", ".yml", ".zip",  ".zst",
};

static const char zstd_suffix[] = ".zst";

/* Whether the first `size` bytes of a name end so. */
static bool part_ends_with(const char *name, size_t size, const char *end)
{
    return size >= strlen(end) &&
           strncasecmp(name + size - strlen(end), end, strlen(end)) == 0;
}

bool output_name_ends_with(const char *name, const char *end)
{
    return part_ends_with(name, strlen(name), end);
}

size_t output_name_stem(const char *name)
{
    size_t size = strlen(name);

    return part_ends_with(name, size, ".gz") ? size - strlen(".gz") : size;
}

size_t output_name_archive_stem(const char *name)
{
    size_t size = strlen(name);

    return part_ends_with(name, size, zstd_suffix) ? size - strlen(zstd_suffix)
                                                   : output_name_stem(name);
}

/* The size of the next of a list of suffixes, which have spaces between them; 0 at its
 * end. `*at` is where it begins. */
static size_t next_suffix(const char **at, size_t last)
{
    *at += last;
    *at += strspn(*at, " ");
    return strcspn(*at, " ");
}

/* The size of the longest of a format's suffixes that the first `size` bytes of a name
 * end with; 0 if there is none. */
static size_t match_suffix(const struct converted *format, const char *name, size_t size)
{
    const char *at = format->suffixes;
    size_t longest = 0;

    for (size_t n = next_suffix(&at, 0); n > 0; n = next_suffix(&at, n)) {
        if (n > longest && n <= size && strncasecmp(name + size - n, at, n) == 0)
            longest = n;
    }
    return longest;
}

/* Finds the format whose suffix is at the end of the first `size` bytes of a name; of
 * several the one with the longest suffix. */
static bool find_converted(const char *name, size_t size, struct name_promise *promise)
{
    size_t longest = 0;

    for (size_t i = 0; i < N_CONVERTED; i++) {
        size_t n = match_suffix(&converted[i], name, size);

        if (n <= longest)
            continue;
        longest = n;
        *promise = (struct name_promise){.format = converted[i].format,
                                         .tool = converted[i].tool,
                                         .content = converted[i].content,
                                         .size = size,
                                         .stem = size - n};
    }
    return longest > 0;
}

bool output_name_promise(const char *name, struct name_promise *promise)
{
    size_t stem = output_name_stem(name);

    if (find_converted(name, strlen(name), promise) ||
        find_converted(name, stem, promise))
        return true;
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        if (part_ends_with(name, stem, foreign[i])) {
            *promise = (struct name_promise){
                .foreign = foreign[i], .size = stem, .stem = stem - strlen(foreign[i])};
            return true;
        }
    }
    return false;
}

bool output_name_offers(const char *tool, const char *format)
{
    for (size_t i = 0; i < N_CONVERTED; i++) {
        if (strcmp(converted[i].format, format) == 0)
            return strcmp(converted[i].tool, tool) == 0;
    }
    return false;
}

/* Adds all suffixes of a tool's files, if `text` is not NULL, as in ".folded, .svg and
 * .json". Returns how many there are, which is `n_all`. */
static size_t add_suffixes(struct text *text, const char *tool, size_t n_all)
{
    size_t n = 0;

    for (size_t i = 0; i < N_CONVERTED; i++) {
        const char *at = converted[i].suffixes;

        if (strcmp(converted[i].tool, tool) != 0)
            continue;
        for (size_t size = next_suffix(&at, 0); size > 0; size = next_suffix(&at, size)) {
            if (text != NULL && n > 0)
                text_str(text, n + 1 < n_all ? ", " : " and ");
            if (text != NULL)
                text_add(text, at, size);
            n++;
        }
    }
    return n;
}

void output_name_list(struct text *text)
{
    for (size_t i = 0; i < N_CONVERTED; i++) {
        size_t first = 0;

        while (strcmp(converted[first].tool, converted[i].tool) != 0)
            first++;
        if (first != i)
            continue;
        text_printf(text, "%s%s%s ", i > 0 ? ", " : "", converted[i].tool,
                    i > 0 ? "" : " writes");
        add_suffixes(text, converted[i].tool, add_suffixes(NULL, converted[i].tool, 0));
    }
}

static bool refuse_compressed(const char *program, const char *name, size_t stem,
                              const char *compressor)
{
    return complain(program, name,
                    "the output is not compressed: write %.*s, and then run "
                    "'%s %.*s'",
                    (int)stem, name, compressor, (int)stem, name);
}

/* Whether a name is not that of a compressed file. */
static bool check_plain(const char *program, const char *name)
{
    size_t stem = output_name_stem(name);

    return stem == strlen(name) || refuse_compressed(program, name, stem, "gzip");
}

bool output_name_check_archive(const char *program, const char *name)
{
    struct name_promise promise;
    int stem;

    if (output_name_ends_with(name, zstd_suffix))
        return refuse_compressed(program, name, output_name_archive_stem(name), "zstd");
    if (!output_name_promise(name, &promise) ||
        part_ends_with(name, promise.size, ".fxt"))
        return check_plain(program, name);
    stem = (int)promise.stem;
    if (promise.tool == NULL)
        complain(program, name, "%s writes FXT archives: use -o %.*s.fxt", program, stem,
                 name);
    else
        complain(program, name,
                 "%s writes FXT archives: use -o %.*s.fxt, and then run '%s -o %.*s "
                 "%.*s.fxt' to write %s",
                 program, stem, name, promise.tool, (int)promise.size, name, stem, name,
                 promise.content);
    return false;
}

bool output_name_check_any_archive(const char *program, const char *name)
{
    size_t size = output_name_archive_stem(name);
    bool good = output_name_check_archive(program, text_format("%.*s", (int)size, name));

    if (!good || zstd_exists() || !output_name_ends_with(name, zstd_suffix))
        return good;
    return complain(program, name,
                    "this build lacks libzstd, and cannot compress by zstd");
}

bool output_name_check_zstd(const char *program, const char *name)
{
    if (output_name_ends_with(name, zstd_suffix))
        return output_name_check_any_archive(program, name);
    if (!output_name_check_archive(program, name))
        return false;
    if (!output_name_ends_with(name, ".fxt"))
        return true;
    return complain(program, name, "the output is compressed: use -o %s%s", name,
                    zstd_suffix);
}

void output_name_compress(const char *name, struct output *output)
{
    if (name != NULL && output_name_ends_with(name, ".gz"))
        output_compress(output);
    if (name != NULL && output_name_ends_with(name, zstd_suffix))
        output_compress_zstd(output);
}

bool output_name_check_text(const char *program, const char *name, bool is_json)
{
    struct name_promise promise;

    if (!output_name_promise(name, &promise) ||
        part_ends_with(name, promise.size, ".txt") ||
        (is_json && part_ends_with(name, promise.size, ".json")))
        return check_plain(program, name);
    if (promise.tool == NULL)
        complain(program, name, "the output is text, and no %s file", promise.foreign);
    else
        complain(program, name, "the output is text: use '%s -o %.*s' to write %s",
                 promise.tool, (int)promise.size, name, promise.content);
    return false;
}

bool output_name_try(const char *program, const char *name, bool is_binary)
{
    struct text why = {NULL, 0, 0};
    struct stat status;
    struct output *output;

    if (strcmp(name, "-") != 0 && stat(name, &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode))
        return true;
    output = output_open(name, is_binary, &why);
    if (output == NULL)
        return complain_text(program, name, &why);
    output_close(output, false, &why);
    return true;
}

void dropped_name(struct text *to, const char *name, uint64_t size, uint64_t time_ns)
{
    text_printf(to, "%s.%" PRIu64 ".%" PRIu64 DROPPED_SUFFIX, name, size, time_ns);
    text_char(to, '\0');
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See output_name.h. */
#include "output_name.h"

#include <string.h>
#include <strings.h>

#include "report.h"

/* What one of the converters writes: a suffix for each of their formats. What ends in
 * .speedscope.json ends in .json. */
static const struct name_promise converted[] = {
    {".folded", "fxt2folded", "folded stacks", 0},
    {".svg", "fxt2folded", "a flame graph", 0},
    {".json", "fxt2folded", "JSON", 0},
    {".markup", "fxt2folded", "markup", 0},
    {".pb.gz", "fxt2pprof", "a profile", 0},
    {".pb", "fxt2pprof", "a profile", 0},
    {".pprof", "fxt2pprof", "a profile", 0},
};

const char output_name_converted[] =
    "fxt2folded writes .folded, .svg, .speedscope.json, .json and .markup, fxt2pprof "
    ".pb, .pb.gz and .pprof";

/* What no converter writes. */
static const char *const foreign[] = {
    ".bmp",  ".bz2",  ".csv",  ".db",  ".dot",  ".eps", ".fxt", ".gif",  ".htm",
    ".html", ".jpeg", ".jpg",  ".lz4", ".md",   ".pdf", ".png", ".ps",   ".sqlite",
    ".svgz", ".tar",  ".tgz",  ".tif", ".tiff", ".tsv", ".txt", ".webp", ".xhtml",
    ".xml",  ".xz",   ".yaml", ".yml", ".zip",  ".zst",
};

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

bool output_name_promise(const char *name, struct name_promise *promise)
{
    size_t size = strlen(name);
    size_t stem = output_name_stem(name);

    for (size_t i = 0; i < sizeof(converted) / sizeof(converted[0]); i++) {
        bool is_whole = part_ends_with(name, size, converted[i].suffix);

        if (is_whole || part_ends_with(name, stem, converted[i].suffix)) {
            *promise = converted[i];
            promise->size = is_whole ? size : stem;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        if (part_ends_with(name, stem, foreign[i])) {
            *promise = (struct name_promise){.suffix = foreign[i], .size = stem};
            return true;
        }
    }
    return false;
}

/* Whether a name is not that of a compressed file. */
static bool check_plain(const char *program, const char *name)
{
    size_t stem = output_name_stem(name);

    if (stem == strlen(name))
        return true;
    complain(program, name,
             "the output is not compressed: write %.*s, and then run "
             "'gzip %.*s'",
             (int)stem, name, (int)stem, name);
    return false;
}

bool output_name_check_archive(const char *program, const char *name)
{
    struct name_promise promise;
    int stem;

    if (!output_name_promise(name, &promise) || strcmp(promise.suffix, ".fxt") == 0)
        return check_plain(program, name);
    stem = (int)(promise.size - strlen(promise.suffix));
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

bool output_name_check_text(const char *program, const char *name, bool is_json)
{
    struct name_promise promise;

    if (!output_name_promise(name, &promise) || strcmp(promise.suffix, ".txt") == 0 ||
        (is_json && strcmp(promise.suffix, ".json") == 0))
        return check_plain(program, name);
    if (promise.tool == NULL)
        complain(program, name, "the output is text, and no %s file", promise.suffix);
    else
        complain(program, name, "the output is text: use '%s -o %.*s' to write %s",
                 promise.tool, (int)promise.size, name, promise.content);
    return false;
}

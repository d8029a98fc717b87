/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_format.h. */
#include "options_format.h"

#include <string.h>
#include <strings.h>

#include "tools/common/report.h"

/* How files are called that one of the converters does not write, and what to run for
 * them. */
static const struct {
    const char *suffix;
    const char *tool;
    const char *content;
} names[] = {
    {".folded", "fxt2folded", "folded stacks"},
    {".svg", "fxt2folded", "a flame graph"},
    {".json", "fxt2folded", "JSON"},
    {".markup", "fxt2folded", "markup"},
    {".pb.gz", "fxt2pprof", "a profile"},
    {".pb", "fxt2pprof", "a profile"},
    {".pprof", "fxt2pprof", "a profile"},
};

/* How files are called that neither converter writes. */
static const char *const foreign[] = {
    ".bmp",  ".bz2",  ".csv",  ".db",  ".dot",  ".eps", ".fxt", ".gif",  ".htm",
    ".html", ".jpeg", ".jpg",  ".lz4", ".md",   ".pdf", ".png", ".ps",   ".sqlite",
    ".svgz", ".tar",  ".tgz",  ".tif", ".tiff", ".tsv", ".txt", ".webp", ".xhtml",
    ".xml",  ".xz",   ".yaml", ".yml", ".zip",  ".zst",
};

/* By the names that say so. */
#define WRITTEN                                                                          \
    "fxt2folded writes .folded, .svg, .speedscope.json, .json and .markup, fxt2pprof "   \
    ".pb, .pb.gz and .pprof"

bool options_take_format(struct options *o, const enum fxt_profile_format *formats,
                         const char *name)
{
    enum fxt_profile_format format = fxt_profile_format_find(name);

    while (*formats != FXT_PROFILE_FORMAT_ANY && *formats != format)
        formats++;
    o->write.format = *formats;
    return *formats != FXT_PROFILE_FORMAT_ANY;
}

/* Whether the first `size` bytes of a name end so, in capitals or not. */
static bool part_ends_with(const char *name, size_t size, const char *end)
{
    return size >= strlen(end) &&
           strncasecmp(name + size - strlen(end), end, strlen(end)) == 0;
}

static bool ends_with(const char *name, const char *end)
{
    return part_ends_with(name, strlen(name), end);
}

static enum fxt_profile_format format_of(const char *name,
                                         const enum fxt_profile_format *formats)
{
    for (size_t i = 0; formats[i] != FXT_PROFILE_FORMAT_ANY; i++) {
        if (ends_with(name, fxt_profile_format_suffix(formats[i])))
            return formats[i];
    }
    return formats[0];
}

static const char *find_foreign(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        if (part_ends_with(name, size, foreign[i]))
            return foreign[i];
    }
    return NULL;
}

/* Whether no other converter writes what has such a name. One that would be compressed
 * counts as well: `stem` is its size without .gz. */
static bool check_tool(const struct options *o, size_t stem)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t size = ends_with(o->output, names[i].suffix) ? strlen(o->output) : stem;

        if (!part_ends_with(o->output, size, names[i].suffix) ||
            strcmp(names[i].tool, o->program) == 0)
            continue;
        complain(o->program, NULL, "use '%s -o %.*s' to write %s", names[i].tool,
                 (int)size, o->output, names[i].content);
        return false;
    }
    return true;
}

/* Whether the name goes with what the converter would write. */
static bool check_name(const struct options *o)
{
    const char *program = o->program;
    const char *output = o->output;
    size_t size = strlen(output);
    size_t stem = ends_with(output, ".gz") ? size - strlen(".gz") : size;
    const char *suffix = find_foreign(output, stem);

    if (!check_tool(o, stem))
        return false;
    if (ends_with(output, ".html")) {
        complain(program, output,
                 "HTML is not supported: 'fxt2folded -o NAME.svg' writes a flame graph "
                 "for browsers");
        return false;
    }
    if (suffix != NULL) {
        complain(program, output, "no output is a %s file: " WRITTEN, suffix);
        return false;
    }
    if (!fxt_profile_format_is_compressed(o->write.format) && stem < size) {
        complain(program, output,
                 "this format is not compressed: write %.*s, and then run 'gzip %.*s'",
                 (int)stem, output, (int)stem, output);
        return false;
    }
    return true;
}

bool options_choose_format(struct options *o, const struct converter *c)
{
    if (o->write.format != FXT_PROFILE_FORMAT_ANY)
        return true;
    o->write.format = c->formats[0];
    if (o->output == NULL)
        return true;
    o->write.format = format_of(o->output, c->formats);
    return check_name(o);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_format.h. */
#include "options_format.h"

#include <string.h>

#include "tools/common/output_name.h"
#include "tools/common/report.h"

bool options_take_format(struct options *o, const enum fxt_profile_format *formats,
                         const char *name)
{
    enum fxt_profile_format format = fxt_profile_format_find(name);

    while (*formats != FXT_PROFILE_FORMAT_ANY && *formats != format)
        formats++;
    o->write.format = *formats;
    return *formats != FXT_PROFILE_FORMAT_ANY;
}

static enum fxt_profile_format format_of(const char *name,
                                         const enum fxt_profile_format *formats)
{
    for (size_t i = 0; formats[i] != FXT_PROFILE_FORMAT_ANY; i++) {
        if (output_name_ends_with(name, fxt_profile_format_suffix(formats[i])))
            return formats[i];
    }
    return formats[0];
}

/* Whether the name promises nothing, or something that this converter writes. */
static bool check_promise(const struct options *o)
{
    struct name_promise promise;

    if (!output_name_promise(o->output, &promise))
        return true;
    if (promise.tool != NULL && strcmp(promise.tool, o->program) == 0)
        return true;
    if (promise.tool != NULL)
        complain(o->program, NULL, "use '%s -o %.*s' to write %s", promise.tool,
                 (int)promise.size, o->output, promise.content);
    else if (output_name_ends_with(o->output, ".html"))
        complain(o->program, o->output,
                 "HTML is not supported: 'fxt2folded -o NAME.svg' writes a flame graph "
                 "for browsers");
    else
        complain(o->program, o->output, "no output is a %s file: %s", promise.suffix,
                 output_name_converted);
    return false;
}

/* Whether the name goes with what the converter would write. */
static bool check_name(const struct options *o)
{
    const char *output = o->output;
    int stem = (int)output_name_stem(output);

    if (!check_promise(o))
        return false;
    if (!fxt_profile_format_is_compressed(o->write.format) && output[stem] != '\0') {
        complain(o->program, output,
                 "this format is not compressed: write %.*s, and then run 'gzip %.*s'",
                 stem, output, stem, output);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: which format is written. */
#include "option_groups.h"

#include <string.h>
#include <strings.h>

#include "tools/common/output_name.h"
#include "tools/common/report.h"

enum fxt_profile_format options_next_format(const struct converter *c,
                                            enum fxt_profile_format format,
                                            struct fxt_profile_format_info *info)
{
    *info = (struct fxt_profile_format_info){.size = sizeof(*info)};
    for (unsigned next = (unsigned)format + 1;
         fxt_profile_format_describe((enum fxt_profile_format)next, info); next++) {
        if (output_name_offers(c->name, info->name))
            return (enum fxt_profile_format)next;
    }
    return FXT_PROFILE_FORMAT_ANY;
}

void options_help_formats(struct text *text, const struct converter *c, size_t column)
{
    struct fxt_profile_format_info info;
    enum fxt_profile_format first = options_next_format(c, FXT_PROFILE_FORMAT_ANY, &info);
    enum fxt_profile_format format = first;

    if (options_next_format(c, first, &info) == FXT_PROFILE_FORMAT_ANY)
        return;
    text_str(text, "\nFormats:\n");
    fxt_profile_format_describe(first, &info);
    while (format != FXT_PROFILE_FORMAT_ANY) {
        option_table_help_row(text, info.name,
                              text_format("%s (%s)", info.description, info.suffixes),
                              column);
        format = options_next_format(c, format, &info);
    }
}

bool options_take_format(struct option_given *given)
{
    struct options *o = given->options;
    const char *name = given->value;

    o->write.format = fxt_profile_format_find(name);
    return o->write.format != FXT_PROFILE_FORMAT_ANY &&
           output_name_offers(o->program, name);
}

static void set_format(struct options *o, enum fxt_profile_format format)
{
    o->write.format = format;
    o->format.size = sizeof(o->format);
    fxt_profile_format_describe(format, &o->format);
}

/* Whether a name promises what another converter writes, by a suffix that files of this
 * one may have, too. */
static bool has_other_suffix(const struct converter *c, const char *name,
                             const struct name_promise *promise)
{
    const char *other = c->other_suffix;

    return other != NULL && promise->tool != NULL &&
           promise->size - promise->stem == strlen(other) &&
           strncasecmp(name + promise->stem, other, strlen(other)) == 0;
}

/* Whether the name promises nothing, or something that this converter writes, in which
 * case that is the format. */
static bool take_promise(struct options *o, const struct converter *c)
{
    struct name_promise promise;
    struct text list = {NULL, 0, 0};

    if (!output_name_promise(o->output, &promise) ||
        has_other_suffix(c, o->output, &promise))
        return true;
    if (promise.tool != NULL && strcmp(promise.tool, o->program) == 0) {
        set_format(o, fxt_profile_format_find(promise.format));
        return true;
    }
    if (promise.tool != NULL)
        return complain(o->program, NULL, "use '%s -o %.*s' to write %s", promise.tool,
                        (int)promise.size, o->output, promise.content);
    output_name_list(&list);
    complain(o->program, o->output, "no output is a %s file: %.*s", promise.foreign,
             (int)list.size, list.data);
    return false;
}

/* Chooses by the output's name. */
static bool choose_by_name(struct options *o, const struct converter *c)
{
    const char *output = o->output;
    int stem = (int)output_name_stem(output);

    if (!take_promise(o, c))
        return false;
    if (o->format.is_compressed || output[stem] == '\0')
        return true;
    return complain(o->program, output,
                    "this format is not compressed: write %.*s, and then run 'gzip %.*s'",
                    stem, output, stem, output);
}

/* Whether the output's name is that of one of the converter's formats, which the library
 * writes. */
static bool has_own_suffix(const struct options *o)
{
    struct name_promise promise;

    return o->output != NULL && output_name_promise(o->output, &promise) &&
           promise.tool != NULL && strcmp(promise.tool, o->program) == 0 &&
           fxt_profile_format_find(promise.format) != FXT_PROFILE_FORMAT_ANY;
}

bool options_choose_format(struct options *o, const struct converter *c)
{
    bool is_given;

    if (c->write_own != NULL && !c->writes_own_if_told && !has_own_suffix(o))
        o->write.format = c->default_format;
    is_given = o->write.format != FXT_PROFILE_FORMAT_ANY;
    set_format(o, is_given ? o->write.format : c->default_format);
    if (c->gzip_by_name)
        o->write.no_gzip = o->output == NULL || !output_name_ends_with(o->output, ".gz");
    return is_given || o->output == NULL || choose_by_name(o, c);
}

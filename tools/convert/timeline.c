/* SPDX-License-Identifier: BSD-2-Clause */
/* See convert.h: converters to timelines. */
#include "convert.h"

#include "option_groups.h"

#define OPTION_STRUCT struct options

static const struct option_entry value_options[] = {
    {"value", 0, "EVENT", OPTION_CALL(options_take_value),
     "the event whose samples to show, where several were sampled (default: the first)"},
    OPTIONS_END,
};

/* Of one that can also write a copy of an archive, and of others. */
static const struct option_entry copying_options[] = {
    {"into-fxt", 0, NULL, OPTION_FLAG(writes_own),
     "write a copy of the archive, from which Perfetto reads the samples, too"},
    OPTIONS_END,
};
static const struct option_entry no_options[] = {OPTIONS_END};

int timeline_main(const struct converter *format, int argc, char **argv)
{
    const struct option_entry *copying =
        format->write_own != NULL ? copying_options : no_options;
    const struct option_group groups[] = {
        {"Reading", options_reading},
        {"Choosing", options_sources},
        {OPTION_GROUP_GOES_ON, options_choosing},
        {"Naming", options_naming},
        {"Writing", options_start_time},
        {OPTION_GROUP_GOES_ON, value_options},
        {OPTION_GROUP_GOES_ON, copying},
        {NULL, options_general},
        {NULL, NULL},
    };
    struct converter converter = *format;

    converter.groups = groups;
    return convert_main(&converter, argc, argv);
}

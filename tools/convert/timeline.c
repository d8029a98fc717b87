/* SPDX-License-Identifier: BSD-2-Clause */
/* See timeline.h. */
#include "timeline.h"

#include "options_choose.h"
#include "options_name.h"
#include "options_parse.h"
#include "options_read.h"
#include "options_value.h"
#include "start_time.h"

enum { LETTER_START_TIME = OPTIONS_FIRST_OWN, LETTER_VALUE, LETTER_INTO_FXT };

#define VALUE_OPTION                                                                     \
    {                                                                                    \
        "value", LETTER_VALUE, "EVENT",                                                  \
            "the event whose samples to show, where several were sampled (default: the " \
            "first)"                                                                     \
    }

static const struct option_entry writing_options[] = {
    START_TIME_OPTION(LETTER_START_TIME),
    VALUE_OPTION,
    {NULL, 0, NULL, NULL},
};

/* Of one that can also write a copy of an archive. */
static const struct option_entry copying_options[] = {
    START_TIME_OPTION(LETTER_START_TIME),
    VALUE_OPTION,
    {"into-fxt", LETTER_INTO_FXT, NULL,
     "write a copy of the archive, from which Perfetto reads the samples, too"},
    {NULL, 0, NULL, NULL},
};

static bool take_own(struct options *options, int letter, const char *value)
{
    if (letter == LETTER_VALUE)
        return options_take_value(&options->write, value);
    if (letter == LETTER_INTO_FXT)
        options->writes_own = true;
    return letter == LETTER_INTO_FXT || start_time_take(options, value);
}

int timeline_main(const struct converter *format, int argc, char **argv)
{
    const struct option_entry *writing =
        format->write_own != NULL ? copying_options : writing_options;
    const struct option_group groups[] = {
        {"Reading", options_reading},
        {"Choosing", options_sources},
        {OPTION_GROUP_GOES_ON, options_choosing},
        {"Naming", options_naming},
        {"Writing", writing},
        {NULL, options_general},
        {NULL, NULL},
    };
    struct converter converter = *format;

    converter.groups = groups;
    converter.take_own = take_own;
    return convert_main(&converter, argc, argv);
}

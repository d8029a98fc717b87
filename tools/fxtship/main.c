/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtship: archives of fxtrecord --rotate to a ClickHouse server, each removed once the
 * server has it. */
#include <string.h>

#include "round.h"
#include "tools/common/report.h"
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"

#define OPTION_STRUCT struct ship_options

static const struct option_entry shipping_entries[] = {
    {"most", 0, "SIZE", OPTION_NUMBER(most, parse_size, 0, UINT64_MAX),
     "what stays in the directory has at most SIZE bytes (K, M, G): the oldest archives "
     "are dropped, which is reported"},
    OPTIONS_END,
};

static const struct option_group groups[] = {
    {"Shipping", shipping_entries},         {"Server", send_options_server},
    {OPTION_GROUP_GOES_ON, options_server}, {"Writing", send_options_writing},
    {"Reading", options_parallel},          {"Naming", options_naming},
    {NULL, send_options_general},           {NULL, NULL},
};

static const char usage[] =
    "Usage: fxtship --url URL [OPTION]... DIRECTORY\n"
    "Sends the complete archives of 'fxtrecord --rotate' in a directory to a ClickHouse\n"
    "server, as fxt2clickhouse does, and removes those that the server has taken.\n";

static bool check_own(struct options *o)
{
    if (o->n_files == 1 && strcmp(o->files[0].path, "-") != 0)
        return send_options_check(o);
    return complain(o->program, NULL, "name one directory");
}

int main(int argc, char **argv)
{
    struct ship_options own = {.most = UINT64_MAX};
    const struct converter converter = {
        .name = "fxtship",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .own = &own,
        .check_own = check_own,
        .write_own = send_profile,
        .run_own = round_run,
    };

    return convert_main(&converter, argc, argv);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtdump: prints every record of a trace. */
#include <stddef.h>

#include "options.h"
#include "tools/common/program.h"

static int run_fxtdump(void *context, int argc, char **argv)
{
    static char standard_input[] = "-";
    static char *const no_files[] = {standard_input};
    struct dump_options options;
    enum dump_status status;
    int first;

    (void)context;
    first = options_parse(&options, argc, argv);
    if (first == argc)
        status = dump_files(&options, no_files, 1);
    else
        status = dump_files(&options, argv + first, (size_t)(argc - first));
    return (int)status;
}

int main(int argc, char **argv)
{
    return program_main("fxtdump", run_fxtdump, NULL, argc, argv);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtrecord: samples programs and writes a trace. */
#include "record_options.h"
#include "tools/common/program.h"
#include "tools/fxtrecord/debugger/gdb_record.h"

static int run_fxtrecord(void *context, int argc, char **argv)
{
    struct record_options options;

    (void)context;
    options_read(&options, argc, argv);
    if (options.gdb == NULL)
        return record(&options);
    return options.with_gdb == NULL ? gdb_record(&options)
                                    : gdb_record_with_gdb(&options);
}

int main(int argc, char **argv)
{
    return program_main(FXTRECORD_PROGRAM, run_fxtrecord, NULL, argc, argv);
}

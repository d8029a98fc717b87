/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtrecord: samples programs and writes a trace. */
#include "common/base/memory.h"
#include "events/event_options.h"
#include "options.h"
#include "record.h"
#include "tools/common/program.h"
#include "tools/fxtrecord/debugger/gdb_record.h"

static int run_fxtrecord(void *context, int argc, char **argv)
{
    struct record_options options;
    int status;

    (void)context;
    options_read(&options, argc, argv);
    if (options.gdb == NULL)
        status = record(&options);
    else if (options.with_gdb == NULL)
        status = gdb_record(&options);
    else
        status = gdb_record_with_gdb(&options);
    memory_release(options.targets);
    memory_release(options.elf_files.values);
    event_options_free(&options);
    return status;
}

int main(int argc, char **argv)
{
    return program_main(FXTRECORD_PROGRAM, run_fxtrecord, NULL, argc, argv);
}

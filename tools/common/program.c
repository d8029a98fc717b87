/* SPDX-License-Identifier: BSD-2-Clause */
/* See program.h. */
#include "program.h"

#include "common/base/memory.h"
#include "report.h"

struct program {
    program_fn *run;
    void *context;
    int argc;
    char **argv;
    int status;
};

static void run_program(void *context)
{
    struct program *program = (struct program *)context;

    program->status = program->run(program->context, program->argc, program->argv);
}

int program_main(const char *name, program_fn *function, void *context, int argc,
                 char **argv)
{
    struct program program = {function, context, argc, argv, 1};
    const char *why;

    report_hold_streams();
    why = memory_run(NULL, run_program, &program);
    if (why == NULL)
        return program.status;
    complain(name, NULL, "%s", why);
    return 1;
}

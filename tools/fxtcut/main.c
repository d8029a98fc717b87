/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtcut: writes a part of a trace. */
#include "settings.h"
#include "tools/common/program.h"

static int run_fxtcut(void *context, int argc, char **argv)
{
    struct cut_settings settings = {.input = NULL};
    int status;

    (void)context;
    status = options_parse(&settings, argc, argv);
    if (status < 0)
        status = (int)cut(&settings);
    choice_free(&settings.choice);
    return status;
}

int main(int argc, char **argv)
{
    return program_main(FXTCUT_PROGRAM, run_fxtcut, NULL, argc, argv);
}

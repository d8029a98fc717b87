/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "run.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "programs.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

int run_program(const char *program, char **arguments)
{
    struct text path = {NULL, 0, 0};

    if (!program_entry_locate(&path, program)) {
        complain(FXT_PROGRAM, NULL, "%s is not installed", program);
        return RUN_MISSING;
    }
    execv(path.data, arguments);
    complain(FXT_PROGRAM, path.data, "%s", strerror(errno));
    return RUN_REFUSED;
}

/* The page that was installed with this program, whether or not man looks there; else
 * the one that man finds. */
static char *choose_page(const char *program)
{
    struct text page = {NULL, 0, 0};
    const char *beside = text_format("../share/man/man1/%s.1", program);

    return program_find_file(&page, beside, NULL) ? page.data
                                                  : memory_copy_string(program);
}

int run_manual(const char *program)
{
    char man[] = "man";
    char help[] = "--help";
    char *asks_man[] = {man, choose_page(program), NULL};
    char *asks_program[] = {memory_copy_string(program), help, NULL};

    execvp(man, asks_man);
    return run_program(program, asks_program);
}

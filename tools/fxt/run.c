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
        text_free(&path);
        complain(FXT_PROGRAM, NULL, "%s is not installed", program);
        return RUN_MISSING;
    }
    execv(path.data, arguments);
    complain(FXT_PROGRAM, path.data, "%s", strerror(errno));
    text_free(&path);
    return RUN_REFUSED;
}

/* The page that was installed with this program, whether or not man looks there; else
 * the one that man finds. */
static void choose_page(struct text *page, const char *program)
{
    struct text beside = {NULL, 0, 0};

    text_printf(&beside, "../share/man/man1/%s.1", program);
    text_char(&beside, '\0');
    if (!program_find_file(page, beside.data, NULL)) {
        page->size = 0;
        text_str(page, program);
        text_char(page, '\0');
    }
    text_free(&beside);
}

int run_manual(const char *program)
{
    struct text page = {NULL, 0, 0};
    char man[] = "man";
    char help[] = "--help";
    char *asks_man[] = {man, NULL, NULL};
    char *asks_program[] = {NULL, help, NULL};
    int status;

    choose_page(&page, program);
    asks_man[1] = page.data;
    execvp(man, asks_man);
    page.size = 0;
    text_str(&page, program);
    text_char(&page, '\0');
    asks_program[0] = page.data;
    status = run_program(program, asks_program);
    text_free(&page);
    return status;
}

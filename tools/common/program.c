/* SPDX-License-Identifier: BSD-2-Clause */
/* See program.h. */
#include "program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fxt/version.h>

#include "common/base/io/output.h"
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
    struct memory_pool pool;
    const char *why;

    /* getopt_long begins its messages with it: all messages begin with the same name. */
    if (argc > 0)
        argv[0] = (char *)(uintptr_t)name;
    report_hold_streams();
    memory_pool_start(&pool, 0);
    why = memory_run(&pool, run_program, &program);
    if (why != NULL)
        complain(name, NULL, "%s", why);
    memory_pool_end(&pool);
    return why == NULL ? program.status : 1;
}

bool program_print(const char *name, struct text *text)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_open(NULL, false, &why);

    output_text(output, text);
    text_free(text);
    if (output_close(output, true, &why))
        return true;
    return complain_text(name, "standard output", &why);
}

int program_help(const char *name, const char *usage, const struct option_group *groups,
                 size_t column, const char *ending)
{
    struct text text = {NULL, 0, 0};

    text_str(&text, usage);
    option_table_help(&text, groups, column);
    if (ending != NULL)
        text_str(&text, ending);
    return program_print(name, &text) ? 0 : 1;
}

int program_version(const char *name)
{
    struct text text = {NULL, 0, 0};

    text_printf(&text, "%s %s\n", name, FXT_VERSION_STRING);
    return program_print(name, &text) ? 0 : 1;
}

int program_refuse_usage(const char *name)
{
    fprintf(stderr, "Try '%s --help'.\n", name);
    return 2;
}

int program_refuse(const char *name, const char *message)
{
    complain(name, NULL, "%s; try %s --help", message, name);
    return 2;
}

void program_allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool set_path(struct text *path, const char *directory, const char *file)
{
    path->size = 0;
    text_printf(path, "%s%s", directory, file);
    text_char(path, '\0');
    return access(path->data, R_OK) == 0;
}

bool program_find_file(struct text *path, const char *beside, const char *installed)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (size > 0) {
        self[size] = '\0';
        *(strrchr(self, '/') + 1) = '\0';
        if (set_path(path, self, beside))
            return true;
    }
    return installed != NULL && set_path(path, "", installed);
}

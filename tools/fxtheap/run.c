/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fxtheap.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

/* As shells have them. */
enum { STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127 };

/* The library is in the directory where all was built, and among the
 * libraries where it was installed. */
bool run_find_library(struct text *path)
{
    return program_find_file(path, "../../" FXTHEAP_LIBRARY,
                             FXTHEAP_LIBRARY_DIRECTORY "/" FXTHEAP_LIBRARY);
}

static void set_variable(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void set_number(const char *name, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof(digits), "%" PRIu64, number);
    set_variable(name, number != 0 ? digits : NULL);
}

/* Puts a string, which its NUL ends, before what a list has already. */
static void add_to_list(const char *name, struct text *first)
{
    const char *others = getenv(name);

    if (others != NULL && others[0] != '\0') {
        first->data[first->size - 1] = ':';
        text_add(first, others, strlen(others) + 1);
    }
    set_variable(name, first->data);
}

/* Spaces separate the files of LD_PRELOAD, but not the directories where their names are
 * looked for. */
static void set_preload(struct text *library)
{
    char *slash = strrchr(library->data, '/');
    struct text name = {NULL, 0, 0};

    if (strchr(library->data, ' ') == NULL) {
        add_to_list("LD_PRELOAD", library);
        return;
    }
    text_add(&name, slash + 1, strlen(slash));
    add_to_list("LD_PRELOAD", &name);
    *slash = '\0';
    library->size = (size_t)(slash + 1 - library->data);
    add_to_list("LD_LIBRARY_PATH", library);
}

static void set_environment(const struct run_options *o, struct text *library)
{
    set_preload(library);
    set_variable("FXTHEAP_DIRECTORY", o->directory);
    set_number("FXTHEAP_DEPTH", o->depth);
    set_number("FXTHEAP_SAMPLE", o->sample_bytes);
    set_number("FXTHEAP_BLOCKS", o->n_blocks);
    set_variable("FXTHEAP_KEEP", o->keep);
    set_variable("FXTHEAP_CHILDREN", o->no_children ? "0" : NULL);
    set_variable("FXTHEAP_PEAK", o->keeps_peak ? "1" : NULL);
    set_variable("FXTHEAP_MMAP", o->has_mappings ? "1" : NULL);
}

/* Says why a command will not be recorded, or not all of it. Returns whether the library
 * may come before it, for its children. */
static bool report_kind(const char *command)
{
    switch (command_check(command)) {
    case COMMAND_RECORDED:
        return true;
    case COMMAND_STATIC:
        complain(FXTHEAP_PROGRAM, command,
                 "linked statically: it runs without being recorded");
        return true;
    case COMMAND_PRIVILEGED:
        complain(FXTHEAP_PROGRAM, command,
                 "gains privileges when it starts: it runs without being recorded");
        return true;
    case COMMAND_SANITIZED:
        complain(FXTHEAP_PROGRAM, command,
                 "has a sanitizer, whose allocator must come first: it and its children "
                 "run without being recorded");
        return false;
    case COMMAND_OWN_FUNCTIONS:
        complain(FXTHEAP_PROGRAM, command,
                 "calls functions that only its allocator has, such as mi_malloc: what "
                 "these allocate and free is not followed");
        return true;
    }
    return true;
}

int run_command(const struct run_options *o, char **command)
{
    struct text library = {NULL, 0, 0};
    int error;

    if (!run_find_library(&library)) {
        complain(FXTHEAP_PROGRAM, NULL, "there is no %s", FXTHEAP_LIBRARY);
        return FXTHEAP_FAILED;
    }
    if (report_kind(command[0]))
        set_environment(o, &library);
    execvp(command[0], command);
    error = errno;
    complain(FXTHEAP_PROGRAM, command[0], "%s", strerror(error));
    return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

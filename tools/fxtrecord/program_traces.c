/* SPDX-License-Identifier: BSD-2-Clause */
/* See program_traces.h. */
#include "program_traces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "failure.h"
#include "files.h"
#include "tools/common/report.h"
#include "tools/fxtmerge/merge.h"

/* In fxt/trace.h, the process's id, and a number that makes a new file: a process that
 * calls exec has several. */
#define ID_IN_NAME "%p"
#define NUMBER_IN_NAME "%n"

/* ---- Making ------------------------------------------------------------------------ */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0';
}

/* Whether there will be one archive, in a file that may be replaced. */
static bool has_one_file(const struct record_options *o)
{
    struct stat status;

    return o->regions == NULL && o->rotate_bytes == 0 && o->max_bytes == 0 &&
           o->last_ns == 0 && strcmp(o->output, "-") != 0 &&
           (stat(o->output, &status) != 0 || S_ISREG(status.st_mode));
}

/* The command may change its directory. */
static bool name_directory(struct text *name, const char *output)
{
    char *here = output[0] == '/' ? NULL : getcwd(NULL, 0);

    if (here != NULL)
        text_printf(name, "%s/", here);
    text_printf(name, "%s.programs-XXXXXX", output);
    text_char(name, '\0');
    free(here);
    return name->data[0] == '/' && strstr(name->data, ID_IN_NAME) == NULL &&
           strstr(name->data, NUMBER_IN_NAME) == NULL;
}

static void set_environment(struct program_traces *traces)
{
    size_t n = 0;

    traces->environment[n++] = "FXT_TRACE_FILE";
    traces->environment[n++] = traces->files.data;
    /* That of samples: nothing has to be converted, and the lines are exact. */
    if (!is_set("FXT_TRACE_CLOCK")) {
        traces->environment[n++] = "FXT_TRACE_CLOCK";
        traces->environment[n++] = "monotonic";
    }
    traces->environment[n] = NULL;
}

bool program_traces_prepare(struct program_traces *traces,
                            const struct record_options *options)
{
    if (options->command == NULL || options->no_program_traces ||
        is_set("FXT_TRACE_FILE") || !has_one_file(options))
        return true;
    if (!name_directory(&traces->directory, options->output)) {
        text_free(&traces->directory);
        return failure_report(options->output,
                              "programs cannot trace beside a file of such a name: see "
                              "--no-program-traces");
    }
    if (mkdtemp(traces->directory.data) == NULL) {
        failure_report(traces->directory.data, strerror(errno));
        text_free(&traces->directory);
        return false;
    }
    text_str(&traces->files, traces->directory.data);
    text_str(&traces->files, "/" ID_IN_NAME "." NUMBER_IN_NAME ".fxt");
    text_char(&traces->files, '\0');
    set_environment(traces);
    return true;
}

/* ---- Merging ----------------------------------------------------------------------- */

/* Whether a file has a header, which is whole once it begins so: there may be events. */
static bool has_events(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    uint64_t first = 0;
    ssize_t n = fd >= 0 ? read(fd, &first, sizeof(first)) : 0;

    if (fd >= 0)
        close(fd);
    return n == (ssize_t)sizeof(first) && first == FXT_MAGIC_RECORD;
}

struct inputs {
    struct merge_input *all;
    size_t n;
    size_t capacity;
};

static void add_input(struct inputs *inputs, const char *path)
{
    struct merge_input input = {.name = memory_copy_string(path)};

    MEMORY_ADD(inputs->all, inputs->n, inputs->capacity, input);
}

static void add_file(void *context, const char *path, const char *name)
{
    (void)name;
    if (has_events(path))
        add_input(context, path);
}

static bool merge_inputs(const struct inputs *inputs, const struct record_options *o,
                         const char *directory)
{
    const struct merge_options merging = {.program = FXTRECORD_PROGRAM,
                                          .inputs = inputs->all,
                                          .n_inputs = inputs->n,
                                          .output = o->output,
                                          .window_bytes = MERGE_DEFAULT_WINDOW_BYTES,
                                          .allows_disorder = true,
                                          .quiet = o->quiet};

    if (merge_archives(&merging) == MERGE_GOOD)
        return true;
    return complain(FXTRECORD_PROGRAM, o->output,
                    "what the programs traced is not, or not all, in it, but in %s: see "
                    "fxtmerge(1)",
                    directory);
}

bool program_traces_merge(struct program_traces *traces,
                          const struct record_options *options)
{
    struct inputs inputs = {NULL, 0, 0};
    bool good = true;

    if (traces->directory.size == 0)
        return true;
    add_input(&inputs, options->output);
    files_for_each(traces->directory.data, add_file, &inputs);
    if (inputs.n > 1)
        good = merge_inputs(&inputs, options, traces->directory.data);
    traces->n_merged = good ? inputs.n - 1 : 0;
    if (!good)
        traces->directory.size = 0;
    return good;
}

/* ---- The end ----------------------------------------------------------------------- */

void program_traces_remove(struct program_traces *traces)
{
    if (traces->directory.size > 0)
        files_remove(traces->directory.data);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_interpreters.h. */
#include "print_interpreters.h"

#include <string.h>

#include "tools/fxtreport/print.h"
#include "tools/fxtreport/units.h"

/* One stack of so many matters. */
enum { SHARE_MIN = 10 };

static void print_item(const struct view *v, struct text *line, struct text *text)
{
    screen_wrap(text, &v->screen, "  ", line->data, line->size);
    text_free(line);
}

static bool matters(const struct view *v, uint64_t n)
{
    return n > 0 && n >= v->now.weights.total.n / SHARE_MIN;
}

static bool starts_with(struct string string, const char *start)
{
    size_t n = strlen(start);

    return string.size >= n && memcmp(string.data, start, n) == 0;
}

/* ---- Python ------------------------------------------------------------------------ */

/* The first version that writes a perf map, 3.12. */
enum { PYTHON_MAJOR = 3, PYTHON_MINOR = 12 };

/* In which functions of Python are called, and which version it is: zeros where the name
 * of the module does not say that. */
struct python {
    uint64_t n_stacks;
    uint64_t major;
    uint64_t minor;
};

static struct string take_number(struct string from, uint64_t *number)
{
    enum { DIGITS_MAX = 4 };
    size_t n = 0;

    *number = 0;
    while (n < from.size && n < DIGITS_MAX && from.data[n] >= '0' && from.data[n] <= '9')
        *number = 10 * *number + (uint64_t)(from.data[n++] - '0');
    return (struct string){from.data + n, from.size - n};
}

/* python3.11, or libpython3.12.so.1.0; python and python3 have no version. */
static bool is_python(struct string module, struct python *python)
{
    static const char *const starts[] = {"python", "libpython"};
    size_t i = 0;

    while (i < 2 && !starts_with(module, starts[i]))
        i++;
    if (i == 2)
        return false;
    module.data += strlen(starts[i]);
    module.size -= strlen(starts[i]);
    module = take_number(module, &python->major);
    python->minor = 0;
    if (starts_with(module, "."))
        module = take_number((struct string){module.data + 1, module.size - 1},
                             &python->minor);
    else
        python->major = 0;
    /* Of a build for debugging, or without the global lock. */
    while (starts_with(module, "d") || starts_with(module, "m") ||
           starts_with(module, "t"))
        module = (struct string){module.data + 1, module.size - 1};
    return module.size == 0 || starts_with(module, ".so");
}

/* Its functions have such names in a perf map. */
static bool is_python_function(const struct measure_row *row)
{
    return starts_with((struct string){row->name.data, row->name.size}, "py::");
}

/* The outermost of its functions, such as main, is in the most stacks. */
static struct python find_python(const struct measure *m)
{
    struct python most = {.n_stacks = 0};

    for (size_t i = 0; i < m->n; i++) {
        const struct measure_row *row = &m->rows[i];
        struct python found = {.n_stacks = row->total.n};

        if (is_python_function(row))
            return (struct python){.n_stacks = 0};
        if (row->total.n > most.n_stacks && is_python(measure_module(row), &found))
            most = found;
    }
    return most;
}

static void print_python(const struct view *v, const struct measure *m, struct text *text)
{
    static const char how[] = "-X perf, or with PYTHONPERFSUPPORT=1 in the environment";
    struct python python = find_python(m);
    struct text line = {NULL, 0, 0};
    bool is_old;

    if (!matters(v, python.n_stacks))
        return;
    is_old = python.major > 0 &&
             (python.major < PYTHON_MAJOR ||
              (python.major == PYTHON_MAJOR && python.minor < PYTHON_MINOR));
    units_share(&line, (double)python.n_stacks, (double)v->now.weights.total.n);
    text_str(&line, " of stacks are of Python");
    if (python.major > 0)
        text_printf(&line, " %u.%u", (unsigned)python.major, (unsigned)python.minor);
    text_str(&line, " without the functions of its program: ");
    if (is_old)
        text_printf(&line,
                    "it cannot name them; version 3.12 and later can, started as "
                    "python3.12 %s",
                    how);
    else if (python.major > 0)
        text_printf(&line, "start it as python%u.%u %s", (unsigned)python.major,
                    (unsigned)python.minor, how);
    else
        text_printf(&line, "start it as python3 %s, from version 3.12 on", how);
    print_item(v, &line, text);
}

/* ---- JIT compilers ----------------------------------------------------------------- */

static const struct {
    /* What the name of the program or of its library is. */
    const char *name;
    const char *library;
    const char *language;
    const char *remedy;
} compilers[] = {
    {"node", "libnode.so", "JavaScript",
     "start node with --perf-basic-prof --interpreted-frames-native-stack"},
    {"nodejs", NULL, "JavaScript",
     "start nodejs with --perf-basic-prof --interpreted-frames-native-stack"},
    {NULL, "libjvm.so", "Java",
     "start java 17 or later with -XX:+UnlockDiagnosticVMOptions "
     "-XX:+DumpPerfMapAtExit, an earlier one with -agentpath:/PATH/libperf-jvmti.so, "
     "which comes with perf; and with -XX:+PreserveFramePointer for whole stacks"},
    {NULL, "libcoreclr.so", ".NET", "start it with DOTNET_PerfMapEnabled=1"},
};

enum { N_COMPILERS = sizeof(compilers) / sizeof(compilers[0]) };

static bool is_of(struct string module, size_t compiler)
{
    const char *name = compilers[compiler].name;
    const char *library = compilers[compiler].library;

    return (name != NULL && module.size == strlen(name) && starts_with(module, name)) ||
           (library != NULL && starts_with(module, library));
}

static bool has_compiler(const struct measure *m, size_t compiler)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->rows[i].total.n > 0 && is_of(measure_module(&m->rows[i]), compiler))
            return true;
    }
    return false;
}

/* How many stacks have code that is in no file and has no name. */
static uint64_t count_code_of_no_file(const struct measure *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct measure_row *row = &m->rows[i];

        if (row->is_unnamed && !row->is_kernel && row->module.size == 0)
            return row->total.n;
    }
    return 0;
}

static void print_compilers(const struct view *v, const struct measure *m,
                            struct text *text)
{
    uint64_t n = count_code_of_no_file(m);

    for (size_t i = 0; i < N_COMPILERS && matters(v, n); i++) {
        struct text line = {NULL, 0, 0};

        if (!has_compiler(m, i))
            continue;
        units_share(&line, (double)n, (double)v->now.weights.total.n);
        text_printf(&line, " of stacks have compiled code without names, as of %s: %s",
                    compilers[i].language, compilers[i].remedy);
        print_item(v, &line, text);
    }
}

/* ---- All --------------------------------------------------------------------------- */

void print_interpreters(const struct view *v, const struct measure *m, struct text *text)
{
    if (!v->now.weights.is_of_samples)
        return;
    print_python(v, m, text);
    print_compilers(v, m, text);
}

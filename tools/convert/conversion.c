/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: the profile. */
#include "conversion.h"

#include <string.h>
#include <sys/stat.h>

#include "common/base/io/progress.h"
#include "common/base/memory.h"

/* ---- Filters and symbols ----------------------------------------------------------- */

/* The calls of the builder's need no checks: the first that fails decides. */

static void add_comments(struct conversion *c)
{
    fxt_profile_builder_add_comment(
        c->builder, text_format("%s %s", c->converter->name, FXT_VERSION_STRING));
    fxt_profile_builder_add_comment(c->builder, c->command.data);
}

typedef enum fxt_code add_value_fn(struct fxt_profile_builder *builder,
                                   const char *value);

static void add_values(struct conversion *c, const struct value_list *list,
                       add_value_fn *add)
{
    for (size_t i = 0; i < list->n; i++)
        add(c->builder, list->values[i]);
}

static void add_cpus(struct conversion *c)
{
    const struct cpu_set *set = &c->options.cpus;
    uint32_t *cpus = memory_allocate((CPU_MAX + 1) * sizeof(*cpus));
    size_t n = 0;

    for (uint32_t cpu = 0; cpu <= CPU_MAX; cpu++) {
        if (cpu_set_has(set, cpu))
            cpus[n++] = cpu;
    }
    fxt_profile_builder_want_cpus(c->builder, cpus, n);
}

static void add_filters(struct conversion *c)
{
    const struct options *o = &c->options;

    if (o->has_cpus)
        add_cpus(c);
    if (o->has_window)
        fxt_profile_builder_want_time(c->builder, o->first_ns, o->last_ns);
    for (size_t i = 0; i < o->processes.n; i++)
        fxt_profile_builder_want_process(c->builder, o->processes.numbers[i]);
    for (size_t i = 0; i < o->threads.n; i++)
        fxt_profile_builder_want_thread(c->builder, o->threads.numbers[i]);
    add_values(c, &o->process_names, fxt_profile_builder_want_process_name);
    if (o->hides_idle)
        add_values(c, &o->idle, fxt_profile_builder_skip_idle);
    add_values(c, &o->above, fxt_profile_builder_skip_above);
    add_values(c, &o->below, fxt_profile_builder_skip_below);
    if (o->folds_recursion)
        fxt_profile_builder_fold_recursion(c->builder);
    fxt_profile_builder_want_heap_point(c->builder, o->point);
}

/* Returns the code of the first call that failed. */
static enum fxt_code add_symbols(struct conversion *c)
{
    const struct options *o = &c->options;
    enum fxt_code code = FXT_OK;

    if (!o->unsymbolized) {
        add_values(c, &o->debug_dirs, fxt_profile_builder_add_debug_dir);
        for (size_t i = 0; i < o->elfs.n; i++)
            code = fxt_profile_builder_add_module_file(c->builder, o->elfs.values[i]);
        if (o->kallsyms != NULL)
            code = fxt_profile_builder_add_kallsyms(c->builder, o->kallsyms);
    }
    return code;
}

static void complain_of_failure(const struct conversion *c, const char *message)
{
    complain(c->converter->name, NULL, "%s", message);
}

int conversion_start(struct conversion *c)
{
    enum fxt_code code;

    reports_start(&c->reports, &c->options, &c->options.build);
    c->options.build.no_missing_files =
        !c->options.shows_missing_files && !conversion_prints_missing_files(c);
    code = fxt_profile_builder_create(&c->options.build, &c->builder);
    if (code != FXT_OK) {
        complain_of_failure(c, fxt_code_message(code));
        return EXIT_BAD;
    }
    add_comments(c);
    add_filters(c);
    code = add_symbols(c);
    /* It was reported. */
    if (code == FXT_E_FILE)
        return EXIT_UNUSABLE;
    if (code != FXT_OK)
        complain_of_failure(c, fxt_profile_builder_message(c->builder));
    return code == FXT_OK ? EXIT_GOOD : EXIT_BAD;
}

/* ---- The profile ------------------------------------------------------------------- */

/* The size of all inputs; 0 if one of them is no regular file. */
static uint64_t total_size(const struct options *o)
{
    uint64_t total = 0;

    for (size_t i = 0; i < o->n_files; i++) {
        struct stat status;

        if (strcmp(o->files[i].path, "-") == 0 || stat(o->files[i].path, &status) != 0 ||
            !S_ISREG(status.st_mode))
            return 0;
        total += (uint64_t)status.st_size;
    }
    return total;
}

/* What is subtracted comes last: it is the older one. */
static void read_files(struct conversion *c)
{
    const struct options *o = &c->options;
    const struct fxt_profile_file base = {o->base, false, 0};

    if (!o->quiet)
        progress_start(o->program, total_size(o));
    fxt_profile_builder_add_files(c->builder, &o->input, o->files, o->n_files);
    progress_end();
    if (o->base != NULL) {
        fxt_profile_builder_subtract(c->builder);
        fxt_profile_builder_want_heap_point(c->builder, o->earlier_point);
        fxt_profile_builder_add_files(c->builder, &o->input, &base, 1);
    }
}

static bool read_inputs(struct conversion *c)
{
    bool good = true;

    if (c->options.is_of_database)
        good = c->converter->query(&c->options, c->builder);
    else
        read_files(c);
    reports_end_inputs(&c->reports);
    return good;
}

int conversion_read(struct conversion *c)
{
    enum fxt_code code;

    if (!read_inputs(c))
        return EXIT_UNUSABLE;
    if (!c->options.quiet)
        progress_start(c->options.program, 0);
    code = fxt_profile_builder_finish(c->builder, &c->profile);
    progress_end();
    if (code != FXT_OK) {
        complain_of_failure(c, fxt_profile_builder_message(c->builder));
        return EXIT_BAD;
    }
    c->statistics = (struct fxt_profile_statistics){.size = sizeof(c->statistics)};
    fxt_profile_get_statistics(c->profile, &c->statistics);
    return EXIT_GOOD;
}

size_t conversion_value(const struct conversion *c)
{
    return c->converter->choose_value != NULL
               ? c->converter->choose_value(c->profile, &c->options.write)
               : fxt_profile_output_value(c->profile, &c->options.write);
}

bool conversion_write(const struct conversion *c, struct output *output)
{
    enum fxt_code code =
        fxt_profile_write(c->profile, &c->options.write, output_take, output);

    if (code == FXT_OK || code == FXT_E_SINK)
        return true;
    complain_of_failure(c, fxt_code_message(code));
    return false;
}

void conversion_free(struct conversion *c)
{
    fxt_profile_builder_destroy(c->builder);
    fxt_profile_destroy(c->profile);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The public library: what it reports and refuses, and what happens when memory runs out.
 */
#include "make_archive.h"

#include <errno.h>
#include <pthread.h>

/* ---- Errors ------------------------------------------------------------------------ */

struct heard {
    struct fxt_profile_builder *builder;
    size_t n;
    uint64_t offset;
    enum fxt_code code;
    char name[64];
};

static void hear(void *context, const struct fxt_profile_report *report)
{
    struct heard *heard = (struct heard *)context;

    heard->n++;
    if (report->error != NULL) {
        heard->offset = report->error->offset;
        heard->code = report->error->code;
    }
    snprintf(heard->name, sizeof(heard->name), "%s", report->name);
    cr_assert_gt(strlen(report->message), 0);
    cr_assert_eq(fxt_profile_builder_subtract(heard->builder), FXT_E_BUSY);
    fxt_profile_builder_destroy(heard->builder);
}

Test(builder, damage_is_reported_with_its_offset_and_is_no_failure)
{
    struct heard heard = {.n = 0};
    struct fxt_profile_options options = {
        .size = sizeof(options), .on_report = hear, .context = &heard};
    struct fxt_profile_input input = {.size = sizeof(input), .name = "cut.fxt"};
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_chunk chunk = {archive.data, archive.size - 8, 0};
    struct fxt_profile *profile;

    for (int in_chunks = 0; in_chunks < 2; in_chunks++) {
        heard.n = 0;
        heard.builder = make_builder(&options);
        if (in_chunks) {
            fxt_profile_builder_begin(heard.builder, &input);
            cr_assert_eq(fxt_profile_builder_read_chunk(heard.builder, &chunk),
                         FXT_NEED_MORE);
            fxt_profile_builder_end(heard.builder, &chunk);
        } else {
            fxt_profile_builder_add_memory(heard.builder, &input, archive.data,
                                           archive.size - 8);
        }
        cr_assert_eq(heard.n, 1);
        cr_assert_eq(heard.code, FXT_E_TRUNCATED);
        cr_assert_eq(heard.offset, last);
        cr_assert_str_eq(heard.name, "cut.fxt");
        profile = finish(heard.builder);
        fxt_profile_get_statistics(profile, &statistics);
        cr_assert_eq(statistics.n_errors, 1);
        cr_assert_eq(statistics.n_samples, N_SAMPLES - 1);
        fxt_profile_destroy(profile);
    }
    free(archive.data);
}

Test(builder, the_first_failure_is_kept_with_its_sentence)
{
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile *profile;
    const uint32_t cpu = UINT32_MAX;

    cr_assert_str_eq(fxt_profile_builder_message(builder), "success");
    cr_assert_eq(fxt_profile_builder_add_file(builder, NULL, "/no/such/file"),
                 FXT_E_FILE);
    cr_assert_str_eq(fxt_profile_builder_message(builder),
                     "/no/such/file: No such file or directory");
    cr_assert_eq(fxt_profile_builder_want_cpus(builder, &cpu, 1), FXT_E_FILE);
    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_E_FILE);
    cr_assert_null(profile);
    cr_assert_str_eq(fxt_profile_builder_message(builder),
                     "/no/such/file: No such file or directory");
    fxt_profile_builder_destroy(builder);
}

Test(builder, impossible_arguments_are_refused)
{
    struct fxt_profile_options options = {.size = 1};
    struct fxt_profile_builder *builder;
    struct fxt_profile *profile;
    struct fxt_profile_input input = {.size = sizeof(input), .region_size = 12};

    cr_assert_eq(fxt_profile_builder_create(&options, &builder), FXT_E_INVALID);
    cr_assert_null(builder);
    builder = make_builder(NULL);
    cr_assert_eq(fxt_profile_builder_add_memory(builder, &input, "", 0), FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
    builder = make_builder(NULL);
    cr_assert_eq(fxt_profile_builder_skip_idle(builder, "("), FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
    builder = make_builder(NULL);
    cr_assert_eq(fxt_profile_builder_end(builder, NULL), FXT_E_OUT_OF_ORDER);
    fxt_profile_builder_destroy(builder);
    builder = make_builder(NULL);
    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_OK);
    cr_assert_eq(fxt_profile_n_samples(profile), 0);
    fxt_profile_destroy(profile);
    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_E_OUT_OF_ORDER);
    cr_assert_null(profile);
    fxt_profile_builder_destroy(builder);
}

static int refuse(void *context, const void *data, size_t size)
{
    (void)data;
    (void)size;
    ++*(int *)context;
    return 1;
}

Test(builder, a_callback_that_fails_is_not_called_again)
{
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile *profile;
    int n_calls = 0;

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    profile = finish(builder);
    cr_assert_eq(fxt_profile_write(profile, NULL, refuse, &n_calls), FXT_E_SINK);
    cr_assert_eq(n_calls, 1);
    cr_assert_eq(fxt_profile_write_file(profile, NULL, "/no/such/file"), FXT_E_FILE);
    cr_assert_eq(errno, ENOENT);
    fxt_profile_destroy(profile);
    free(archive.data);
}

/* ---- Memory ------------------------------------------------------------------------ */

/* Everything at once: samples in memory, ELF files, expressions, a compressed input and
 * captures that are left out. Returns the code. */
static enum fxt_code build_within(struct fxt_buffer archive, uint64_t max_bytes,
                                  struct fxt_profile **profile)
{
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .find_modules = true,
                                          .skip_unusable = true,
                                          .max_bytes = max_bytes};
    struct fxt_profile_builder *builder;
    enum fxt_code code = fxt_profile_builder_create(&options, &builder);

    *profile = NULL;
    if (code != FXT_OK)
        return code;
    fxt_profile_builder_add_module_file(builder, MODULE_FILE);
    fxt_profile_builder_add_debug_dir(builder, "/usr/lib/debug");
    fxt_profile_builder_skip_idle(builder, "^no_such_function$");
    fxt_profile_builder_add_file(builder, NULL, TEST_DATA "/region.bin.gz");
    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    fxt_profile_builder_add_memory(builder, NULL, "{\"stack_traces\": [{}]}         ",
                                   31);
    code = fxt_profile_builder_finish(builder, profile);
    if (code != FXT_OK) {
        cr_assert_eq(code, FXT_E_NO_MEMORY, "%s", fxt_profile_builder_message(builder));
        cr_assert_str_eq(fxt_profile_builder_message(builder), "out of memory");
        cr_assert_eq(fxt_profile_builder_subtract(builder), FXT_E_NO_MEMORY);
        cr_assert_null(*profile);
    }
    fxt_profile_builder_destroy(builder);
    return code;
}

/* Each bound up to what is enough ends in one place or another, and leaves nothing. */
Test(builder, memory_that_runs_out_anywhere_is_a_failure_and_leaves_nothing)
{
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile *profile;
    struct fxt_buffer expected;
    uint64_t max_bytes = 1;
    size_t n_failures = 0;

    cr_assert_eq(build_within(archive, 0, &profile), FXT_OK);
    expected = write_as(profile, FXT_PROFILE_PPROF);
    fxt_profile_destroy(profile);
    while (build_within(archive, max_bytes, &profile) != FXT_OK) {
        n_failures++;
        max_bytes += max_bytes / 32 + 64;
    }
    cr_assert_gt(n_failures, 50);
    require_same(write_as(profile, FXT_PROFILE_PPROF), expected);
    fxt_profile_destroy(profile);
    free(expected.data);
    free(archive.data);
}

Test(builder, memory_that_runs_out_while_captures_are_parsed_leaves_nothing)
{
    static const char text[] =
        "{\"stack_traces\": [{\"0\": [\"f\", \"g\"]}, {\"0\": [\"h\"], \"1\": [\"i\"]}]}";
    enum fxt_code code = FXT_E_NO_MEMORY;

    for (uint64_t max_bytes = 1; code == FXT_E_NO_MEMORY; max_bytes += 512) {
        struct fxt_profile_options options = {.size = sizeof(options),
                                              .max_bytes = max_bytes};
        struct fxt_profile_builder *builder;
        struct fxt_profile *profile = NULL;

        code = fxt_profile_builder_create(&options, &builder);
        if (code == FXT_OK) {
            fxt_profile_builder_add_memory(builder, NULL, text, strlen(text));
            code = fxt_profile_builder_finish(builder, &profile);
        }
        fxt_profile_builder_destroy(builder);
        fxt_profile_destroy(profile);
    }
    cr_assert_eq(code, FXT_OK);
}

Test(builder, writing_is_bounded_in_every_format)
{
    static const char *const names[] = {"pprof",      "folded", "svg",
                                        "speedscope", "markup", "json"};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile *profile;

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    profile = finish(builder);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct fxt_profile_output output = {.size = sizeof(output), .max_bytes = 1};
        struct fxt_buffer expected;
        struct fxt_buffer got = {.data = NULL};
        enum fxt_code code = FXT_E_NO_MEMORY;

        output.format = fxt_profile_format_find(names[i]);
        cr_assert_str_eq(fxt_profile_format_name(output.format), names[i]);
        expected = write_as(profile, output.format);
        for (size_t n = 0; code == FXT_E_NO_MEMORY; n++) {
            got.size = 0;
            code = fxt_profile_write(profile, &output, fxt_buffer_write, &got);
            cr_assert(code == FXT_OK || code == FXT_E_NO_MEMORY);
            cr_assert(code != FXT_OK || n > 3);
            output.max_bytes += output.max_bytes / 8 + 64;
        }
        require_same(got, expected);
        free(expected.data);
    }
    fxt_profile_destroy(profile);
    free(archive.data);
}

/* ---- Threads ----------------------------------------------------------------------- */

struct builds {
    struct fxt_buffer archive;
    struct fxt_buffer expected;
    bool differs;
};

static void *build_often(void *context)
{
    struct builds *builds = (struct builds *)context;

    for (int i = 0; i < 10; i++) {
        struct fxt_buffer got = pprof_of_memory(builds->archive);

        builds->differs |= got.size != builds->expected.size ||
                           memcmp(got.data, builds->expected.data, got.size) != 0;
        free(got.data);
    }
    return NULL;
}

Test(builder, builders_in_several_threads_do_not_know_each_other)
{
    uint64_t last;
    struct builds builds = {.archive = make_archive(&last)};
    pthread_t threads[3];

    builds.expected = pprof_of_memory(builds.archive);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, build_often, &builds), 0);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    cr_assert_not(builds.differs);
    free(builds.expected.data);
    free(builds.archive.data);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The public library: what it reports and refuses, and what happens when memory runs out.
 */
#include "make_archive.h"

#include <errno.h>
#include <pthread.h>

/* ---- Errors ------------------------------------------------------------------------ */

struct received {
    struct fxt_profile_builder *builder;
    size_t n;
    uint64_t offset;
    enum fxt_code code;
    char name[64];
};

static void receive(void *context, const struct fxt_profile_report *report)
{
    struct received *received = (struct received *)context;

    received->n++;
    if (report->error != NULL) {
        received->offset = report->error->offset;
        received->code = report->error->code;
    }
    snprintf(received->name, sizeof(received->name), "%s", report->name);
    cr_assert_gt(strlen(report->message), 0);
    cr_assert_eq(fxt_profile_builder_subtract(received->builder), FXT_E_BUSY);
    fxt_profile_builder_destroy(received->builder);
}

Test(builder, damage_is_reported_with_its_offset_and_is_no_failure)
{
    struct received received = {.n = 0};
    struct fxt_profile_options options = {
        .size = sizeof(options), .on_report = receive, .context = &received};
    struct fxt_profile_input input = {.size = sizeof(input), .name = "cut.fxt"};
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_chunk chunk = {archive.data, archive.size - 8, 0};
    struct fxt_profile *profile;

    for (int in_chunks = 0; in_chunks < 2; in_chunks++) {
        received.n = 0;
        received.builder = make_builder(&options);
        if (in_chunks) {
            fxt_profile_builder_begin(received.builder, &input);
            cr_assert_eq(fxt_profile_builder_read_chunk(received.builder, &chunk),
                         FXT_NEED_MORE);
            fxt_profile_builder_end(received.builder, &chunk);
        } else {
            fxt_profile_builder_add_memory(received.builder, &input, archive.data,
                                           archive.size - 8);
        }
        cr_assert_eq(received.n, 1);
        cr_assert_eq(received.code, FXT_E_TRUNCATED);
        cr_assert_eq(received.offset, last);
        cr_assert_str_eq(received.name, "cut.fxt");
        profile = finish(received.builder);
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
    options = (struct fxt_profile_options){.size = sizeof(options), .min_wait_ns = 1};
    cr_assert_eq(fxt_profile_builder_create(&options, &builder), FXT_E_INVALID);
    options = (struct fxt_profile_options){
        .size = sizeof(options), .source = FXT_PROFILE_OFF_CPU, .only_heaps = true};
    cr_assert_eq(fxt_profile_builder_create(&options, &builder), FXT_E_INVALID);
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
    struct fxt_profile_format_info info = {.size = sizeof(info)};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile *profile;

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    profile = finish(builder);
    for (unsigned i = 1; fxt_profile_format_describe((enum fxt_profile_format)i, &info);
         i++) {
        struct fxt_profile_output output = {
            .size = sizeof(output), .format = (enum fxt_profile_format)i, .max_bytes = 1};
        struct fxt_buffer expected;
        struct fxt_buffer got = {.data = NULL};
        enum fxt_code code = FXT_E_NO_MEMORY;

        expected = write_as(profile, output.format);
        for (size_t n = 0; code == FXT_E_NO_MEMORY; n++) {
            got.size = 0;
            code = fxt_profile_write(profile, &output, fxt_buffer_write, &got);
            cr_assert(code == FXT_OK || code == FXT_E_NO_MEMORY);
            cr_assert(code != FXT_OK || n > 3 || i > FXT_PROFILE_OSDK_JSON);
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

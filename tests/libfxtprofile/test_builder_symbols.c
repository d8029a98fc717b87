/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of what was found in files: fxt_profile_write_symbols. */
#include "make_archive.h"

enum { PAGE = 4096, MAPPED = 1 << 20 };

/* The file at the address where it was linked, in both processes. */
static void put_module(struct fxt_writer *writer, uint64_t process, const char *name)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MODULE};

    record.profiler.thread = fxt_thread_from(process, 0);
    record.profiler.module_id = 1;
    record.profiler.name = fxt_string_from(name);
    put(writer, &record);
    record.kind = FXT_PROFILER_MAPPING;
    record.profiler.start = code_address() / PAGE * PAGE;
    record.profiler.vaddr = record.profiler.start;
    record.profiler.length = MAPPED;
    put(writer, &record);
}

/* Samples in that file under a name. */
static struct fxt_buffer make_mapped(const char *name)
{
    struct fxt_buffer archive = {.data = NULL};
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = fxt_buffer_write, .context = &archive};
    struct fxt_writer *writer;

    cr_assert_eq(fxt_writer_create(&options, &writer), FXT_OK);
    cr_assert_eq(fxt_writer_start_archive(writer, 1000000000), FXT_OK);
    put_module(writer, PROCESS, name);
    put_module(writer, OTHER_PROCESS, name);
    for (uint64_t i = 0; i < N_SAMPLES; i++)
        put_sample(writer, i, code_address());
    cr_assert_eq(fxt_writer_finish(writer), FXT_OK);
    fxt_writer_destroy(writer);
    return archive;
}

static struct fxt_profile *profile_of(struct fxt_buffer archive, bool find_modules)
{
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .find_modules = find_modules};
    struct fxt_profile_builder *builder = make_builder(&options);

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    return finish(builder);
}

static struct fxt_buffer lines_of(const struct fxt_profile *profile)
{
    struct fxt_profile_output output = {
        .size = sizeof(output), .format = FXT_PROFILE_FOLDED, .lines = true};
    struct fxt_buffer buffer = {.data = NULL};

    cr_assert_eq(fxt_profile_write(profile, &output, fxt_buffer_write, &buffer), FXT_OK);
    return buffer;
}

Test(symbols, an_archive_with_them_needs_no_file)
{
    struct fxt_buffer archive = make_mapped(MODULE_FILE);
    struct fxt_profile *profile = profile_of(archive, true);
    struct fxt_buffer expected = lines_of(profile);
    struct fxt_buffer again = {.data = NULL};
    struct fxt_profile *other;

    cr_assert_eq(fxt_profile_write_symbols(profile, FXT_BYTE_ORDER_AUTO, 7,
                                           fxt_buffer_write, &archive),
                 FXT_OK);
    other = profile_of(archive, false);
    require_same(lines_of(other), expected);
    fxt_profile_destroy(other);
    /* Nor is anything written that it has already. */
    other = profile_of(archive, true);
    cr_assert_eq(fxt_profile_write_symbols(other, FXT_BYTE_ORDER_AUTO, 7,
                                           fxt_buffer_write, &again),
                 FXT_OK);
    cr_assert_eq(again.size, 0);
    fxt_profile_destroy(profile);
    fxt_profile_destroy(other);
    free(expected.data);
    free(archive.data);
}

Test(symbols, nothing_is_written_where_nothing_was_found)
{
    struct fxt_buffer archive = make_mapped("/no/such/file");
    struct fxt_profile *profile = profile_of(archive, true);
    struct fxt_buffer records = {.data = NULL};

    cr_assert_eq(fxt_profile_write_symbols(profile, FXT_BYTE_ORDER_AUTO, 7,
                                           fxt_buffer_write, &records),
                 FXT_OK);
    cr_assert_eq(records.size, 0);
    fxt_profile_destroy(profile);
    free(archive.data);
}

static int refuse(void *context, const void *data, size_t size)
{
    (void)data;
    (void)size;
    ++*(int *)context;
    return 1;
}

Test(symbols, failures_are_returned)
{
    struct fxt_buffer archive = make_mapped(MODULE_FILE);
    struct fxt_profile *profile = profile_of(archive, true);
    int n_calls = 0;

    cr_assert_eq(fxt_profile_write_symbols(profile, FXT_BYTE_ORDER_AUTO, 0, NULL, NULL),
                 FXT_E_INVALID);
    cr_assert_eq(
        fxt_profile_write_symbols(profile, FXT_BYTE_ORDER_AUTO, 0, refuse, &n_calls),
        FXT_E_SINK);
    cr_assert_eq(n_calls, 1);
    fxt_profile_destroy(profile);
    free(archive.data);
}

/* Reports of each kind. */
struct counts {
    size_t n[FXT_PROFILE_REPORT_REMEDY + 1];
};

static void count_report(void *context, const struct fxt_profile_report *report)
{
    ((struct counts *)context)->n[report->kind]++;
}

static struct counts count_reports(struct fxt_buffer archive, bool no_missing_files)
{
    struct counts counts = {{0}};
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .on_report = count_report,
                                          .context = &counts,
                                          .find_modules = true,
                                          .no_missing_files = no_missing_files};
    struct fxt_profile_builder *builder = make_builder(&options);

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    fxt_profile_destroy(finish(builder));
    return counts;
}

Test(symbols, missing_files_are_reported_unless_they_are_not_wanted)
{
    struct fxt_buffer archive = make_mapped("/no/such/file");
    struct counts wanted = count_reports(archive, false);
    struct counts unwanted = count_reports(archive, true);

    cr_assert_eq(wanted.n[FXT_PROFILE_REPORT_MISSING_FILE], 1);
    for (size_t i = 0; i <= FXT_PROFILE_REPORT_REMEDY; i++)
        cr_assert_eq(unwanted.n[i], 0);
    free(archive.data);
}

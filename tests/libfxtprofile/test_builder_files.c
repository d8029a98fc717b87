/* SPDX-License-Identifier: BSD-2-Clause */
/* The public library: lists of files, what is reported of each, and what a program that
 * prints all of that needs of a profile. */
#include "make_archive.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files ------------------------------------------------------------------------- */

static char directory[] = "/tmp/test_builder_files.XXXXXX";

static void make_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
}

static void remove_directory(void)
{
    char command[sizeof(directory) + 16];

    snprintf(command, sizeof(command), "rm -r %s", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(builder_files, .init = make_directory, .fini = remove_directory);

/* The path is the caller's to free. */
static char *write_file(const char *name, const void *data, size_t size)
{
    char *path = (char *)malloc(sizeof(directory) + strlen(name) + 1);
    FILE *file;

    cr_assert_not_null(path);
    sprintf(path, "%s/%s", directory, name);
    file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
    return path;
}

/* How many samples a profile has of a CPU. */
static int64_t count_of_cpu(const struct fxt_profile *profile, uint32_t cpu)
{
    struct fxt_profile_sample sample;
    int64_t n = 0;

    for (size_t i = 0; fxt_profile_get_sample(profile, i, &sample) == FXT_OK; i++)
        n += sample.cpu == cpu ? sample.values[0] : 0;
    return n;
}

struct progress {
    atomic_uint_fast64_t n_bytes;
};

static void add_progress(void *context, uint64_t n_bytes)
{
    atomic_fetch_add(&((struct progress *)context)->n_bytes, n_bytes);
}

static struct fxt_profile *profile_of_files(const struct fxt_profile_file *files,
                                            size_t n_files, uint32_t n_threads,
                                            struct progress *progress)
{
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .n_threads = n_threads,
                                          .on_progress = add_progress,
                                          .context = progress};
    struct fxt_profile_builder *builder = make_builder(&options);

    fxt_profile_builder_add_files(builder, NULL, files, n_files);
    return finish(builder);
}

Test(builder_files, regions_are_of_the_cpus_in_the_names_of_their_files)
{
    struct fxt_buffer region = read_region();
    char *first = write_file("cpu3.bin", region.data, region.size);
    char *second = write_file("cpu1.bin", region.data, region.size);
    struct fxt_profile_file files[] = {{.path = first}, {.path = second}};
    struct progress progress = {0};
    struct fxt_profile *profile = profile_of_files(files, 2, 1, &progress);
    int64_t n = count_of_cpu(profile, 3);

    cr_assert_gt(n, 0);
    cr_assert_eq(count_of_cpu(profile, 1), n);
    cr_assert_eq(count_of_cpu(profile, 0), 0);
    cr_assert_eq(atomic_load(&progress.n_bytes), 2 * region.size);
    fxt_profile_destroy(profile);
    files[0].has_cpu = true;
    files[0].cpu = 7;
    profile = profile_of_files(files, 2, 1, &progress);
    cr_assert_eq(count_of_cpu(profile, 7), n);
    cr_assert_eq(count_of_cpu(profile, 1), n);
    fxt_profile_destroy(profile);
    free(first);
    free(second);
}

Test(builder_files, threads_give_the_same_profile)
{
    struct fxt_buffer region = read_region();
    struct fxt_profile_file files[8];
    struct progress progress = {0};
    struct fxt_profile *profile;
    struct fxt_buffer expected;

    for (size_t i = 0; i < 8; i++) {
        char name[] = "cpu0.bin";

        name[3] = (char)('0' + i);
        files[i] =
            (struct fxt_profile_file){.path = write_file(name, region.data, region.size)};
    }
    profile = profile_of_files(files, 8, 1, &progress);
    expected = write_as(profile, FXT_PROFILE_PPROF);
    fxt_profile_destroy(profile);
    progress.n_bytes = 0;
    profile = profile_of_files(files, 8, 3, &progress);
    cr_assert_geq(atomic_load(&progress.n_bytes), 8 * region.size);
    require_same(write_as(profile, FXT_PROFILE_PPROF), expected);
    fxt_profile_destroy(profile);
    free(expected.data);
    for (size_t i = 0; i < 8; i++)
        free((void *)(uintptr_t)files[i].path);
}

/* What was read of the same files in two calls. */
static struct fxt_profile_statistics read_twice(const struct fxt_profile_file *files,
                                                size_t n_files, uint32_t n_threads)
{
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .n_threads = n_threads};
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile_builder *builder = make_builder(&options);
    struct fxt_profile *profile;

    for (int i = 0; i < 2; i++)
        cr_assert_eq(fxt_profile_builder_add_files(builder, NULL, files, n_files),
                     FXT_OK);
    profile = finish(builder);
    cr_assert_eq(fxt_profile_get_statistics(profile, &statistics), FXT_OK);
    fxt_profile_destroy(profile);
    return statistics;
}

Test(builder_files, threads_count_each_sample_once_though_files_follow_others)
{
    struct fxt_buffer region = read_region();
    char *first = write_file("cpu1.bin", region.data, region.size);
    char *second = write_file("cpu2.bin", region.data, region.size);
    struct fxt_profile_file files[] = {{.path = first}, {.path = second}};
    struct fxt_profile_statistics expected = read_twice(files, 2, 1);
    struct fxt_profile_statistics found = read_twice(files, 2, 2);

    cr_assert_gt(expected.n_samples, 0);
    cr_assert_arr_eq(&found, &expected, sizeof(expected));
    free(first);
    free(second);
}

/* ---- Reports ----------------------------------------------------------------------- */

enum { MAX_REPORTS = 8 };

struct seen {
    size_t n;
    enum fxt_profile_report_kind kinds[MAX_REPORTS];
    enum fxt_severity severities[MAX_REPORTS];
    size_t inputs[MAX_REPORTS];
    char names[MAX_REPORTS][64];
    /* What accept_captures returns, and what it was given. */
    bool accepts;
    size_t n_asked;
    enum fxt_profile_content content;
};

static void see(void *context, const struct fxt_profile_report *report)
{
    struct seen *seen = (struct seen *)context;

    cr_assert_lt(seen->n, MAX_REPORTS);
    seen->kinds[seen->n] = report->kind;
    seen->severities[seen->n] = report->severity;
    seen->inputs[seen->n] = report->input;
    snprintf(seen->names[seen->n++], sizeof(seen->names[0]), "%s",
             report->name != NULL ? report->name : "");
}

static bool accept(void *context, size_t input, const char *name,
                   enum fxt_profile_content content)
{
    struct seen *seen = (struct seen *)context;

    cr_assert_eq(input, 0);
    cr_assert_str_eq(name, "captures");
    seen->n_asked++;
    seen->content = content;
    return seen->accepts;
}

Test(builder_files, reports_have_the_number_and_the_name_of_their_input)
{
    struct seen seen = {.n = 0};
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .skip_unusable = true,
                                          .on_report = see,
                                          .context = &seen};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    char *whole = write_file("whole.fxt", archive.data, archive.size);
    char *cut = write_file("cut.fxt", archive.data, archive.size - 8);
    struct fxt_profile_file files[] = {
        {.path = whole}, {.path = cut}, {.path = "/no/such/file"}};
    struct fxt_profile_builder *builder = make_builder(&options);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile *profile;

    cr_assert_eq(fxt_profile_builder_add_files(builder, NULL, files, 3), FXT_OK);
    cr_assert_eq(fxt_profile_builder_add_file(builder, NULL, "/no/such/file"), FXT_OK);
    cr_assert_eq(seen.n, 3);
    cr_assert_eq(seen.kinds[0], FXT_PROFILE_REPORT_RECORD);
    cr_assert_eq(seen.inputs[0], 1);
    cr_assert_str_eq(seen.names[0], cut);
    for (size_t i = 1; i < 3; i++) {
        cr_assert_eq(seen.kinds[i], FXT_PROFILE_REPORT_INPUT);
        cr_assert_eq(seen.severities[i], FXT_FATAL);
        cr_assert_eq(seen.inputs[i], 1 + i);
        cr_assert_str_eq(seen.names[i], "/no/such/file");
    }
    profile = finish(builder);
    fxt_profile_get_statistics(profile, &statistics);
    cr_assert_eq(statistics.n_unusable_inputs, 2);
    cr_assert_eq(statistics.n_samples, 2 * N_SAMPLES - 1);
    fxt_profile_destroy(profile);
    free(whole);
    free(cut);
    free(archive.data);
}

/* A later input that is only damaged is not the reason. */
Test(builder_files, the_message_is_about_the_first_input_that_is_unusable)
{
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    char *cut = write_file("cut.fxt", archive.data, archive.size - 8);
    struct fxt_profile_file files[] = {
        {.path = "/no/such/file"}, {.path = cut}, {.path = "/no/other/file"}};
    struct fxt_profile_builder *builder = make_builder(NULL);

    cr_assert_eq(fxt_profile_builder_add_files(builder, NULL, files, 3), FXT_E_FILE);
    cr_assert_str_eq(fxt_profile_builder_message(builder),
                     "/no/such/file: No such file or directory");
    fxt_profile_builder_destroy(builder);
    free(cut);
    free(archive.data);
}

static enum fxt_code add_captures(const struct fxt_profile_options *options,
                                  char *message, size_t size)
{
    static const char text[] = "Thread 1 (Thread 1.1 (CPU#0 [running])):\n"
                               "#0  leaf () at a.c:1\n";
    struct fxt_profile_input input = {.size = sizeof(input), .name = "captures"};
    struct fxt_profile_builder *builder = make_builder(options);
    enum fxt_code code =
        fxt_profile_builder_add_memory(builder, &input, text, strlen(text));

    snprintf(message, size, "%s", fxt_profile_builder_message(builder));
    fxt_profile_builder_destroy(builder);
    return code;
}

Test(builder_files, captures_are_read_if_they_are_accepted)
{
    struct seen seen = {.accepts = true};
    struct fxt_profile_options options = {
        .size = sizeof(options), .accept_captures = accept, .context = &seen};
    char message[64];

    cr_assert_eq(add_captures(&options, message, sizeof(message)), FXT_OK);
    cr_assert_eq(seen.n_asked, 1);
    cr_assert_eq(seen.content, FXT_PROFILE_CONTENT_GDB_LOG);
    seen.accepts = false;
    cr_assert_eq(add_captures(&options, message, sizeof(message)), FXT_E_FILE);
    cr_assert_str_eq(message, "captures were not accepted");
    options.skip_unusable = true;
    cr_assert_eq(add_captures(&options, message, sizeof(message)), FXT_OK);
    cr_assert_eq(seen.n_asked, 3);
    options = (struct fxt_profile_options){.size = sizeof(options), .only_heaps = true};
    cr_assert_eq(add_captures(&options, message, sizeof(message)), FXT_E_FILE);
    cr_assert_str_eq(message, "captures: captures of stacks have no heaps");
}

Test(builder_files, files_with_symbols_are_reported_and_listed)
{
    struct seen seen = {.n = 0};
    struct fxt_profile_options options = {
        .size = sizeof(options), .on_report = see, .context = &seen};
    struct fxt_profile_builder *builder = make_builder(&options);
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile *profile;

    cr_assert_null(fxt_profile_builder_symbol_file(builder, 0));
    fxt_profile_builder_add_module_file(builder, MODULE_FILE);
    cr_assert_eq(fxt_profile_builder_n_symbol_files(builder), 1);
    cr_assert_str_eq(fxt_profile_builder_symbol_file(builder, 0), MODULE_FILE);
    cr_assert_null(fxt_profile_builder_symbol_file(builder, 1));
    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    profile = finish(builder);
    cr_assert_eq(fxt_profile_n_symbol_files(profile), 1);
    cr_assert_str_eq(fxt_profile_symbol_file(profile, 0), MODULE_FILE);
    cr_assert_null(fxt_profile_symbol_file(profile, 1));
    fxt_profile_destroy(profile);
    cr_assert_eq(seen.n, 0);

    builder = make_builder(&options);
    cr_assert_eq(fxt_profile_builder_add_module_file(builder, "/no/such/file"),
                 FXT_E_FILE);
    cr_assert_eq(seen.n, 1);
    cr_assert_eq(seen.kinds[0], FXT_PROFILE_REPORT_SYMBOLS);
    cr_assert_eq(seen.severities[0], FXT_FATAL);
    cr_assert_str_eq(seen.names[0], "/no/such/file");
    fxt_profile_builder_destroy(builder);
    free(archive.data);
}

/* ---- What a profile lacks ---------------------------------------------------------- */

Test(builder_files, losses_are_the_last_comments)
{
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile *profile;

    fxt_profile_builder_add_comment(builder, "a comment");
    cr_assert_eq(fxt_profile_builder_want_cpus(builder, NULL, 0), FXT_OK);
    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    profile = finish(builder);
    fxt_profile_get_statistics(profile, &statistics);
    cr_assert_eq(statistics.n_unknown_cpu, N_SAMPLES);
    cr_assert_eq(fxt_profile_n_samples(profile), 0);
    cr_assert_eq(fxt_profile_n_losses(profile), 1);
    cr_assert_str_eq(fxt_profile_loss(profile, 0),
                     "40 samples left out: of an unknown CPU");
    cr_assert_null(fxt_profile_loss(profile, 1));
    cr_assert_eq(fxt_profile_loss_kind(profile, 0), FXT_PROFILE_LOSS_FILTERED);
    cr_assert_eq(fxt_profile_loss_kind(profile, 1), FXT_PROFILE_LOSS_OTHER);
    cr_assert_eq(fxt_profile_n_comments(profile), 2);
    fxt_profile_destroy(profile);
    free(archive.data);
}

Test(builder_files, folded_stacks_that_are_left_out_are_counted_as_samples)
{
    static const char text[] = "main;parse 40\nmain;read 2\n";
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile *profile;

    cr_assert_eq(fxt_profile_builder_want_cpus(builder, NULL, 0), FXT_OK);
    fxt_profile_builder_add_memory(builder, NULL, text, strlen(text));
    profile = finish(builder);
    cr_assert_eq(fxt_profile_n_samples(profile), 0);
    cr_assert_str_eq(fxt_profile_loss(profile, 0),
                     "42 samples left out: of an unknown CPU");
    fxt_profile_destroy(profile);
}

/* The same stack of a process before and after it has another name. */
static struct fxt_profile *profile_of_renamed(bool ignore_renames)
{
    struct fxt_profile_options build = {.size = sizeof(build),
                                        .ignore_renames = ignore_renames};
    struct fxt_buffer archive = {.data = NULL};
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = fxt_buffer_write, .context = &archive};
    struct fxt_profile_builder *builder = make_builder(&build);
    struct fxt_profile *profile;
    struct fxt_writer *writer;

    cr_assert_eq(fxt_writer_create(&options, &writer), FXT_OK);
    cr_assert_eq(fxt_writer_start_archive(writer, 1000000000), FXT_OK);
    put_name(writer, PROCESS, "first");
    put_sample(writer, 0, 0x1000);
    put_name(writer, PROCESS, "second");
    put_sample(writer, 7 * 4 * 3, 0x1000);
    cr_assert_eq(fxt_writer_finish(writer), FXT_OK);
    fxt_writer_destroy(writer);
    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    profile = finish(builder);
    free(archive.data);
    return profile;
}

Test(builder_files, samples_that_differ_in_names_are_merged_if_renames_are_ignored)
{
    struct fxt_profile *profile = profile_of_renamed(false);
    struct fxt_profile_sample sample;

    cr_assert_eq(fxt_profile_n_samples(profile), 2);
    fxt_profile_destroy(profile);
    profile = profile_of_renamed(true);
    cr_assert_eq(fxt_profile_n_samples(profile), 1);
    fxt_profile_get_sample(profile, 0, &sample);
    cr_assert_eq(sample.values[0], 2);
    cr_assert_eq(sample.process, PROCESS);
    cr_assert_eq(sample.process_name.size, strlen("second"));
    cr_assert_arr_eq(sample.process_name.data, "second", strlen("second"));
    fxt_profile_destroy(profile);
}

Test(builder_files, drops_are_counted_for_each_cpu)
{
    struct fxt_profile_input input = {.size = sizeof(input), .has_cpu = true, .cpu = 2};
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_buffer region = read_region();
    struct fxt_profile *profile;
    struct fxt_profile_drops drops;
    uint64_t n = 0;

    fxt_profile_builder_add_memory(builder, &input, region.data, region.size);
    profile = finish(builder);
    fxt_profile_get_statistics(profile, &statistics);
    cr_assert_gt(statistics.n_dropped_records, 0);
    for (size_t i = 0; i < fxt_profile_n_cpus(profile); i++) {
        cr_assert_eq(fxt_profile_get_drops(profile, i, &drops), FXT_OK);
        n += drops.n_records;
    }
    cr_assert_eq(n, statistics.n_dropped_records);
    cr_assert_eq(fxt_profile_get_drops(profile, fxt_profile_n_cpus(profile), &drops),
                 FXT_E_INVALID);
    cr_assert_eq(drops.n_records, 0);
    fxt_profile_destroy(profile);
}

Test(builder_files, a_profile_tells_what_it_is_made_of)
{
    static const enum fxt_profile_source sources[] = {
        FXT_PROFILE_SAMPLES, FXT_PROFILE_SPANS, FXT_PROFILE_OFF_CPU, FXT_PROFILE_WAKEUPS};
    static const enum fxt_profile_kind kinds[] = {
        FXT_PROFILE_KIND_SAMPLES, FXT_PROFILE_KIND_SPANS, FXT_PROFILE_KIND_WAITS,
        FXT_PROFILE_KIND_WAITS};

    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        struct fxt_profile_options options = {.size = sizeof(options),
                                              .source = sources[i]};
        struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
        struct fxt_profile_builder *builder = make_builder(&options);
        struct fxt_profile *profile;

        fxt_profile_builder_add_file(builder, NULL, TEST_DATA "/every.fxt");
        profile = finish(builder);
        cr_assert_eq(fxt_profile_kind(profile), kinds[i]);
        fxt_profile_get_statistics(profile, &statistics);
        cr_assert_eq(statistics.n_ignored_spans > 0, i == 0);
        cr_assert_eq(statistics.n_ignored_scheduling > 0, i < 2);
        fxt_profile_destroy(profile);
    }
}

Test(builder_files, the_value_that_a_format_shows_is_known)
{
    struct fxt_profile_options options = {.size = sizeof(options), .period_ns = 1000000};
    struct fxt_profile_output output = {.size = sizeof(output),
                                        .format = FXT_PROFILE_FOLDED};
    struct fxt_profile_builder *builder = make_builder(&options);
    struct fxt_profile *profile;

    fxt_profile_builder_add_file(builder, NULL, TEST_DATA "/every.fxt");
    profile = finish(builder);
    cr_assert_eq(fxt_profile_output_value(profile, &output), 0);
    output.value = FXT_PROFILE_VALUE_TIME;
    cr_assert_eq(fxt_profile_output_value(profile, &output), 1);
    output.value_name = "samples";
    cr_assert_eq(fxt_profile_output_value(profile, &output), 0);
    output.value_name = "cpu";
    cr_assert_eq(fxt_profile_output_value(profile, &output), 1);
    output.size = 1;
    cr_assert_eq(fxt_profile_output_value(profile, &output), 0);
    cr_assert_eq(fxt_profile_output_value(profile, NULL), 0);
    fxt_profile_destroy(profile);
}

static int ignore_bytes(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

/* How many samples and stacks a text has, which is written folded; and whether captures
 * can be written of it. */
static void check_folded(const char *text, uint64_t n_samples, size_t n_stacks,
                         bool has_captures)
{
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile_output json = {.size = sizeof(json),
                                      .format = FXT_PROFILE_OSDK_JSON};
    struct fxt_profile_output folded = {.size = sizeof(folded),
                                        .format = FXT_PROFILE_FOLDED};
    struct fxt_profile *profile;
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};

    cr_assert_eq(fxt_profile_builder_add_memory(builder, NULL, text, strlen(text)),
                 FXT_OK);
    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_OK);
    fxt_profile_get_statistics(profile, &statistics);
    cr_assert_eq(statistics.n_samples, n_samples);
    cr_assert_eq(fxt_profile_n_samples(profile), n_stacks);
    cr_assert_eq(fxt_profile_kind(profile), FXT_PROFILE_KIND_CAPTURES);
    cr_assert_eq(fxt_profile_write(profile, &folded, ignore_bytes, NULL), FXT_OK);
    cr_assert_eq(fxt_profile_write(profile, &json, ignore_bytes, NULL),
                 has_captures ? FXT_OK : FXT_E_INVALID);
    fxt_profile_destroy(profile);
    fxt_profile_builder_destroy(builder);
}

Test(builder_files, folded_stacks_are_sums)
{
    check_folded("main;work 3\nmain;wait 4\nmain;work 5\n", 12, 2, false);
    check_folded(
        "main;work 3.9\r\nmain 0\nno count\n\nmain 9223372036854775805\n 4\nlast 1", 4, 2,
        false);
    check_folded("Thread 1 (Thread 1.1):\n#0  main ()\n", 1, 1, true);
}

Test(builder_files, a_walk_over_the_formats_describes_them_all)
{
    struct fxt_profile_format_info info = {.size = sizeof(info)};
    unsigned n = 0;

    while (fxt_profile_format_describe((enum fxt_profile_format)(n + 1), &info)) {
        n++;
        cr_assert_eq(fxt_profile_format_find(info.name), (enum fxt_profile_format)n);
        cr_assert_eq(info.suffixes[0], '.');
        cr_assert(info.content[0] != '\0' && info.description[0] != '\0');
        if (n > FXT_PROFILE_OSDK_JSON)
            continue;
        cr_assert_eq(info.is_binary, n == FXT_PROFILE_PPROF);
        cr_assert_eq(info.is_compressed, n == FXT_PROFILE_PPROF);
        cr_assert_eq((info.uses & FXT_PROFILE_USE_GRAPH) != 0, n == FXT_PROFILE_SVG);
        cr_assert_eq(info.capture_refusal != NULL, n == FXT_PROFILE_MARKUP);
        cr_assert_eq(info.heap_refusal != NULL,
                     n == FXT_PROFILE_MARKUP || n == FXT_PROFILE_OSDK_JSON);
    }
    cr_assert_geq(n, (unsigned)FXT_PROFILE_OSDK_JSON);
    cr_assert_eq(fxt_profile_format_find("fold"), FXT_PROFILE_FORMAT_ANY);
    cr_assert_not(fxt_profile_format_describe(FXT_PROFILE_FORMAT_ANY, &info));
    cr_assert_not(fxt_profile_format_describe((enum fxt_profile_format) - 1, &info));
}

Test(builder_files, a_format_is_described_to_programs_of_other_versions)
{
    struct newer {
        struct fxt_profile_format_info info;
        uint64_t future;
    } newer = {.info.size = sizeof(newer), .future = 1};
    struct fxt_profile_format_info older = {.size = sizeof(size_t) + sizeof(char *),
                                            .suffixes = "kept"};
    struct fxt_profile_format_info wrong = {.size = 1};

    cr_assert(fxt_profile_format_describe(FXT_PROFILE_SVG, &newer.info));
    cr_assert_str_eq(newer.info.suffixes, ".svg");
    cr_assert_eq(newer.info.size, sizeof(newer));
    cr_assert_eq(newer.future, 0);
    cr_assert(fxt_profile_format_describe(FXT_PROFILE_SVG, &older));
    cr_assert_str_eq(older.name, "svg");
    cr_assert_str_eq(older.suffixes, "kept");
    cr_assert_not(fxt_profile_format_describe(FXT_PROFILE_SVG, &wrong));
    cr_assert_null(wrong.name);
}

Test(builder_files, palettes_are_found_by_name)
{
    enum fxt_profile_palette palette = FXT_PROFILE_PALETTE_HOT;

    cr_assert(fxt_profile_palette_find("module", &palette));
    cr_assert_eq(palette, FXT_PROFILE_PALETTE_MODULE);
    cr_assert_not(fxt_profile_palette_find("modul", &palette));
    cr_assert_eq(palette, FXT_PROFILE_PALETTE_MODULE);
}

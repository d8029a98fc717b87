/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public library: the same profile of the same content, however it comes in; what is
 * in it; and what happens when memory runs out.
 */
#include <criterion/criterion.h>

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <fxt/profile.h>

enum { PROCESS = 100, OTHER_PROCESS = 200, N_SAMPLES = 40, PERIOD_NS = 1000 };

/* A file that the build made, with symbols and lines; see data/elf/. */
#define MODULE_FILE getenv("ELF_STATIC")

/* ---- An archive -------------------------------------------------------------------- */

static uint64_t code_address(void)
{
    FILE *file = fopen(MODULE_FILE, "rb");
    Elf64_Ehdr header;

    cr_assert_not_null(file);
    cr_assert_eq(fread(&header, sizeof(header), 1, file), 1);
    fclose(file);
    return header.e_entry;
}

static void put(struct fxt_writer *writer, const struct fxt_record *record)
{
    cr_assert_eq(fxt_writer_write(writer, record), FXT_OK);
}

static void put_name(struct fxt_writer *writer, uint64_t koid, const char *name)
{
    struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};

    record.kernel_object.koid = koid;
    record.kernel_object.type = FXT_OBJECT_PROCESS;
    record.kernel_object.name = fxt_string_from(name);
    put(writer, &record);
}

static void put_sample(struct fxt_writer *writer, uint64_t i, uint64_t code)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER,
                                .kind = FXT_PROFILER_BACKTRACE};
    uint64_t pcs[] = {code + 4 * (i % 7), code + 64, 0x1234};

    record.profiler.timestamp = i * PERIOD_NS;
    record.profiler.thread =
        fxt_thread_from(i % 4 == 3 ? OTHER_PROCESS : PROCESS, 1000 + i % 3);
    record.profiler.pcs = (struct fxt_words){pcs, sizeof(pcs) / sizeof(pcs[0]), false};
    put(writer, &record);
}

/* Where the last record is goes to `*last`. */
static struct fxt_buffer make_archive(uint64_t *last)
{
    struct fxt_buffer archive = {.data = NULL};
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = fxt_buffer_write, .context = &archive};
    struct fxt_writer *writer;
    uint64_t code = code_address();

    cr_assert_eq(fxt_writer_create(&options, &writer), FXT_OK);
    cr_assert_eq(fxt_writer_start_archive(writer, 1000000000), FXT_OK);
    put_name(writer, PROCESS, "first");
    put_name(writer, OTHER_PROCESS, "second");
    for (uint64_t i = 0; i < N_SAMPLES; i++) {
        *last = fxt_writer_offset(writer);
        put_sample(writer, i, code);
    }
    cr_assert_eq(fxt_writer_finish(writer), FXT_OK);
    fxt_writer_destroy(writer);
    return archive;
}

/* ---- Building ---------------------------------------------------------------------- */

static struct fxt_profile_builder *make_builder(const struct fxt_profile_options *options)
{
    struct fxt_profile_builder *builder;

    cr_assert_eq(fxt_profile_builder_create(options, &builder), FXT_OK);
    return builder;
}

static struct fxt_profile *finish(struct fxt_profile_builder *builder)
{
    struct fxt_profile *profile;

    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_OK, "%s",
                 fxt_profile_builder_message(builder));
    fxt_profile_builder_destroy(builder);
    return profile;
}

static struct fxt_buffer write_as(const struct fxt_profile *profile,
                                  enum fxt_profile_format format)
{
    struct fxt_profile_output output = {.size = sizeof(output), .format = format};
    struct fxt_buffer buffer = {.data = NULL};

    cr_assert_eq(fxt_profile_write(profile, &output, fxt_buffer_write, &buffer), FXT_OK);
    return buffer;
}

/* The pprof bytes of what a builder has, which is destroyed. */
static struct fxt_buffer pprof_of(struct fxt_profile_builder *builder)
{
    struct fxt_profile *profile = finish(builder);
    struct fxt_buffer buffer = write_as(profile, FXT_PROFILE_PPROF);

    fxt_profile_destroy(profile);
    return buffer;
}

static void require_same(struct fxt_buffer got, struct fxt_buffer expected)
{
    cr_assert_gt(expected.size, 0);
    cr_assert_eq(got.size, expected.size);
    cr_assert_arr_eq(got.data, expected.data, expected.size);
    free(got.data);
}

static struct fxt_buffer pprof_of_memory(struct fxt_buffer archive)
{
    struct fxt_profile_builder *builder = make_builder(NULL);

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    fxt_profile_builder_add_module_file(builder, MODULE_FILE);
    return pprof_of(builder);
}

/* ---- The same from everywhere ------------------------------------------------------ */

/* Presents `step` bytes more each time, and what was left. */
static void add_chunks(struct fxt_profile_builder *builder, struct fxt_buffer archive,
                       size_t step)
{
    size_t taken = 0;
    size_t given = 0;
    struct fxt_chunk chunk = {archive.data, 0, 0};

    cr_assert_eq(fxt_profile_builder_begin(builder, NULL), FXT_OK);
    while (given < archive.size) {
        enum fxt_code code;

        given = archive.size - given < step ? archive.size : given + step;
        chunk = (struct fxt_chunk){archive.data + taken, given - taken, 0};
        code = fxt_profile_builder_read_chunk(builder, &chunk);
        cr_assert(code == FXT_OK || code == FXT_NEED_MORE, "%d", code);
        cr_assert(code == FXT_OK ||
                  fxt_profile_builder_needed(builder) > given - taken - chunk.pos);
        taken += chunk.pos;
    }
    cr_assert_eq(taken, archive.size);
    cr_assert_eq(fxt_profile_builder_end(builder, NULL), FXT_OK);
}

static int add_record(void *context, const struct fxt_record *record)
{
    return fxt_profile_builder_add_record((struct fxt_profile_builder *)context, record);
}

static void add_records(struct fxt_profile_builder *builder, struct fxt_buffer archive)
{
    struct fxt_reader_options options = {
        .size = sizeof(options), .on_record = add_record, .context = builder};
    struct fxt_chunk chunk = {archive.data, archive.size, 0};
    struct fxt_reader *reader;

    cr_assert_eq(fxt_reader_create(&options, &reader), FXT_OK);
    cr_assert_eq(fxt_profile_builder_begin(builder, NULL), FXT_OK);
    cr_assert_eq(fxt_reader_read(reader, &chunk), FXT_OK);
    cr_assert_eq(fxt_profile_builder_end(builder, NULL), FXT_OK);
    fxt_reader_destroy(reader);
}

Test(builder, chunks_and_records_give_the_same_profile_as_memory)
{
    static const size_t steps[] = {1, 7, 8, 4096};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_buffer expected = pprof_of_memory(archive);
    struct fxt_profile_builder *builder;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        builder = make_builder(NULL);
        add_chunks(builder, archive, steps[i]);
        fxt_profile_builder_add_module_file(builder, MODULE_FILE);
        require_same(pprof_of(builder), expected);
    }
    builder = make_builder(NULL);
    add_records(builder, archive);
    fxt_profile_builder_add_module_file(builder, MODULE_FILE);
    require_same(pprof_of(builder), expected);
    free(expected.data);
    free(archive.data);
}

Test(builder, files_give_the_same_profile_as_memory_compressed_or_not)
{
    static const char *const modes[] = {"wbT", "wb"};
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_buffer expected = pprof_of_memory(archive);

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        char path[] = "/tmp/test_builder.XXXXXX";
        int fd = mkstemp(path);
        gzFile file = gzdopen(fd, modes[i]);
        struct fxt_profile_builder *builder = make_builder(NULL);

        cr_assert_eq(gzwrite(file, archive.data, (unsigned)archive.size),
                     (int)archive.size);
        gzclose(file);
        fxt_profile_builder_add_module_file(builder, MODULE_FILE);
        fxt_profile_builder_add_file(builder, NULL, path);
        require_same(pprof_of(builder), expected);
        unlink(path);
    }
    free(expected.data);
    free(archive.data);
}

Test(builder, a_region_in_chunks_is_the_same_as_in_memory_with_its_tail_checked)
{
    static unsigned char region[1 << 16];
    FILE *file = fopen(TEST_DATA "/region.bin", "rb");
    struct fxt_buffer bytes = {.data = region,
                               .size = fread(region, 1, sizeof(region), file)};
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_chunk chunk = {bytes.data, bytes.size, 0};
    struct fxt_buffer expected;

    fclose(file);
    fxt_profile_builder_add_memory(builder, NULL, bytes.data, bytes.size);
    expected = pprof_of(builder);
    builder = make_builder(NULL);
    fxt_profile_builder_begin(builder, NULL);
    fxt_profile_builder_read_chunk(builder, &chunk);
    fxt_profile_builder_end(builder, &chunk);
    require_same(pprof_of(builder), expected);
    free(expected.data);
}

/* ---- Walking ----------------------------------------------------------------------- */

/* The sum of the numbers at the ends of lines. */
static int64_t folded_total(struct fxt_buffer folded)
{
    int64_t total = 0;
    const char *at = (const char *)folded.data;
    const char *end = at + folded.size;

    while (at < end) {
        const char *newline = (const char *)memchr(at, '\n', (size_t)(end - at));
        const char *digit = newline;
        int64_t factor = 1;

        cr_assert_not_null(newline);
        for (; *--digit != ' '; factor *= 10)
            total += (*digit - '0') * factor;
        at = newline + 1;
    }
    return total;
}

/* Follows all numbers, and returns how many frames have a function of `file`. */
static size_t walk_stack(const struct fxt_profile *profile, size_t i)
{
    struct fxt_profile_stack stack;
    size_t n_named = 0;

    cr_assert_eq(fxt_profile_get_stack(profile, i, &stack), FXT_OK);
    cr_assert_eq(stack.n_locations, 3);
    for (size_t j = 0; j < stack.n_locations; j++) {
        struct fxt_profile_location location;
        struct fxt_profile_line line;
        struct fxt_profile_function function;
        struct fxt_profile_mapping mapping;

        cr_assert_eq(fxt_profile_get_location(profile, stack.locations[j], &location),
                     FXT_OK);
        cr_assert_gt(location.n_lines, 0);
        cr_assert_eq(fxt_profile_get_line(profile, location.first_line, &line), FXT_OK);
        cr_assert_eq(fxt_profile_get_function(profile, line.function, &function), FXT_OK);
        cr_assert_gt(function.name.size, 0);
        n_named += location.is_symbolized;
        if (!location.is_symbolized)
            continue;
        cr_assert_eq(fxt_profile_get_mapping(profile, location.mapping, &mapping),
                     FXT_OK);
        cr_assert(mapping.start <= location.address && location.address < mapping.limit);
        cr_assert_eq(mapping.file.size, strlen(MODULE_FILE));
    }
    return n_named;
}

Test(builder, what_is_walked_is_what_is_written)
{
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile_value_type type;
    struct fxt_profile_sample sample;
    struct fxt_profile *profile;
    const char *name;
    struct fxt_buffer folded;
    int64_t total = 0;
    size_t n_named = 0;

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    fxt_profile_builder_add_module_file(builder, MODULE_FILE);
    fxt_profile_builder_add_comment(builder, "a comment");
    profile = finish(builder);
    for (size_t i = 0; fxt_profile_get_sample(profile, i, &sample) == FXT_OK; i++) {
        total += sample.values[0];
        n_named += walk_stack(profile, sample.stack);
        cr_assert_eq(sample.cpu, FXT_PROFILE_NONE);
        cr_assert(sample.process == PROCESS || sample.process == OTHER_PROCESS);
        name = sample.process == PROCESS ? "first" : "second";
        cr_assert_eq(sample.process_name.size, strlen(name));
        cr_assert_arr_eq(sample.process_name.data, name, strlen(name));
    }
    cr_assert_null(sample.values);
    cr_assert_gt(n_named, 0);
    cr_assert_eq(total, N_SAMPLES);
    folded = write_as(profile, FXT_PROFILE_FOLDED);
    cr_assert_eq(folded_total(folded), total);
    cr_assert_eq(fxt_profile_get_statistics(profile, &statistics), FXT_OK);
    cr_assert_eq(statistics.n_samples, N_SAMPLES);
    cr_assert_eq(statistics.n_frames, 3 * N_SAMPLES);
    cr_assert_eq(statistics.duration_ns, (N_SAMPLES - 1) * PERIOD_NS);
    cr_assert_eq(fxt_profile_get_value_type(profile, 0, &type), FXT_OK);
    cr_assert_str_eq(type.type, "samples");
    cr_assert_str_eq(fxt_profile_comment(profile, 0), "a comment");
    cr_assert_null(fxt_profile_comment(profile, 1));
    free(folded.data);
    fxt_profile_destroy(profile);
    free(archive.data);
}

Test(builder, what_is_not_wanted_is_left_out_and_counted)
{
    uint64_t last;
    struct fxt_buffer archive = make_archive(&last);
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile *profile;

    fxt_profile_builder_want_time(builder, 0, 19 * PERIOD_NS);
    fxt_profile_builder_want_process_name(builder, "sec*");
    fxt_profile_builder_skip_above(builder, "0x");
    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    cr_assert_eq(fxt_profile_builder_want_process(builder, 1), FXT_OK);
    profile = finish(builder);
    cr_assert_eq(fxt_profile_get_statistics(profile, &statistics), FXT_OK);
    cr_assert_eq(statistics.n_other_time, 20);
    cr_assert_eq(statistics.n_other_process, 15);
    cr_assert_eq(statistics.n_samples, 5);
    fxt_profile_destroy(profile);
    free(archive.data);
}

Test(builder, captures_of_a_debugger_are_read_from_memory)
{
    static const char text[] = "Thread 1 (Thread 1.1 (CPU#0 [running])):\n"
                               "#0  leaf () at a.c:1\n"
                               "#1  0x0000000000001000 in root () at a.c:2\n";
    struct fxt_profile_options options = {.size = sizeof(options), .keep_times = true};
    struct fxt_profile_builder *builder = make_builder(&options);
    struct fxt_profile_output output = {.size = sizeof(output),
                                        .format = FXT_PROFILE_MARKUP};
    struct fxt_profile *profile;
    struct fxt_buffer folded;

    fxt_profile_builder_add_memory(builder, NULL, text, strlen(text));
    profile = finish(builder);
    folded = write_as(profile, FXT_PROFILE_FOLDED);
    cr_assert_eq(folded.size, strlen("root;leaf 1\n"));
    cr_assert_arr_eq(folded.data, "root;leaf 1\n", folded.size);
    cr_assert_eq(fxt_profile_write(profile, &output, fxt_buffer_write, &folded),
                 FXT_E_INVALID);
    free(folded.data);
    fxt_profile_destroy(profile);
}

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
        .size = sizeof(options), .on_report = hear, .report_context = &heard};
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

    cr_assert_str_eq(fxt_profile_builder_message(builder), "success");
    cr_assert_eq(fxt_profile_builder_add_file(builder, NULL, "/no/such/file"),
                 FXT_E_FILE);
    cr_assert_str_eq(fxt_profile_builder_message(builder),
                     "/no/such/file: No such file or directory");
    cr_assert_eq(fxt_profile_builder_want_cpu(builder, UINT32_MAX), FXT_E_FILE);
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

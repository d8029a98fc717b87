/* SPDX-License-Identifier: BSD-2-Clause */
/* The public library: the same profile of the same content, however it comes in, and what
 * is in it. */
#include "make_archive.h"

#include <unistd.h>

#include <zlib.h>

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
    struct fxt_buffer bytes = read_region();
    struct fxt_profile_builder *builder = make_builder(NULL);
    struct fxt_chunk chunk = {bytes.data, bytes.size, 0};
    struct fxt_buffer expected;

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

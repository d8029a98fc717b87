/* SPDX-License-Identifier: BSD-2-Clause */
/* An archive with samples of a file that the build made, and what is done with it in all
 * tests of the public library. */
#ifndef TEST_MAKE_ARCHIVE_H
#define TEST_MAKE_ARCHIVE_H

#include <criterion/criterion.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/profile.h>

enum { PROCESS = 100, OTHER_PROCESS = 200, N_SAMPLES = 40, PERIOD_NS = 1000 };

/* A file that the build made, with symbols and lines; see data/elf/. */
#define MODULE_FILE getenv("ELF_STATIC")

/* ---- An archive -------------------------------------------------------------------- */

static inline uint64_t code_address(void)
{
    FILE *file = fopen(MODULE_FILE, "rb");
    Elf64_Ehdr header;

    cr_assert_not_null(file);
    cr_assert_eq(fread(&header, sizeof(header), 1, file), 1);
    fclose(file);
    return header.e_entry;
}

static inline void put(struct fxt_writer *writer, const struct fxt_record *record)
{
    cr_assert_eq(fxt_writer_write(writer, record), FXT_OK);
}

static inline void put_name(struct fxt_writer *writer, uint64_t koid, const char *name)
{
    struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};

    record.kernel_object.koid = koid;
    record.kernel_object.type = FXT_OBJECT_PROCESS;
    record.kernel_object.name = fxt_string_from(name);
    put(writer, &record);
}

static inline void put_sample(struct fxt_writer *writer, uint64_t i, uint64_t code)
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
static inline struct fxt_buffer make_archive(uint64_t *last)
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

/* The region in tests/data; its bytes are not to be freed. */
static inline struct fxt_buffer read_region(void)
{
    static unsigned char region[1 << 16];
    FILE *file = fopen(TEST_DATA "/region.bin", "rb");
    struct fxt_buffer bytes = {.data = region};

    cr_assert_not_null(file);
    bytes.size = fread(region, 1, sizeof(region), file);
    fclose(file);
    return bytes;
}

static inline struct fxt_profile_builder *make_builder(
    const struct fxt_profile_options *options)
{
    struct fxt_profile_builder *builder;

    cr_assert_eq(fxt_profile_builder_create(options, &builder), FXT_OK);
    return builder;
}

static inline struct fxt_profile *finish(struct fxt_profile_builder *builder)
{
    struct fxt_profile *profile;

    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_OK, "%s",
                 fxt_profile_builder_message(builder));
    fxt_profile_builder_destroy(builder);
    return profile;
}

static inline struct fxt_buffer write_as(const struct fxt_profile *profile,
                                         enum fxt_profile_format format)
{
    struct fxt_profile_output output = {.size = sizeof(output), .format = format};
    struct fxt_buffer buffer = {.data = NULL};

    cr_assert_eq(fxt_profile_write(profile, &output, fxt_buffer_write, &buffer), FXT_OK);
    return buffer;
}

/* The pprof bytes of what a builder has, which is destroyed. */
static inline struct fxt_buffer pprof_of(struct fxt_profile_builder *builder)
{
    struct fxt_profile *profile = finish(builder);
    struct fxt_buffer buffer = write_as(profile, FXT_PROFILE_PPROF);

    fxt_profile_destroy(profile);
    return buffer;
}

static inline void require_same(struct fxt_buffer got, struct fxt_buffer expected)
{
    cr_assert_gt(expected.size, 0);
    cr_assert_eq(got.size, expected.size);
    cr_assert_arr_eq(got.data, expected.data, expected.size);
    free(got.data);
}

static inline struct fxt_buffer pprof_of_memory(struct fxt_buffer archive)
{
    struct fxt_profile_builder *builder = make_builder(NULL);

    fxt_profile_builder_add_memory(builder, NULL, archive.data, archive.size);
    fxt_profile_builder_add_module_file(builder, MODULE_FILE);
    return pprof_of(builder);
}

#endif

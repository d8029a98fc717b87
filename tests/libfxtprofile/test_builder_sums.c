/* SPDX-License-Identifier: BSD-2-Clause */
/* The public library: samples that were added up elsewhere. */
#include "make_archive.h"

#include <stdint.h>

#include <fxt/format.h>

#define EQUALS(string, text) fxt_string_is((string), (text))

static struct fxt_profile_builder *make_sums(void)
{
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .source = FXT_PROFILE_SUMS};

    return make_builder(&options);
}

static uint32_t add_frame(struct fxt_profile_builder *builder, const char *name,
                          const char *module, uint32_t line, bool is_inlined)
{
    struct fxt_profile_sum_frame frame = {.size = sizeof(frame),
                                          .name = fxt_string_from(name),
                                          .module = fxt_string_from(module),
                                          .build_id = fxt_string_from("0123abcd"),
                                          .source_file = fxt_string_from("a.c"),
                                          .line = line,
                                          .is_inlined = is_inlined};
    uint32_t number;

    cr_assert_eq(fxt_profile_builder_add_sum_frame(builder, &frame, &number), FXT_OK);
    return number;
}

static void add_sum(struct fxt_profile_builder *builder, const uint32_t *frames, size_t n,
                    int64_t n_samples)
{
    struct fxt_profile_sum sum = {.size = sizeof(sum),
                                  .frames = frames,
                                  .n_frames = n,
                                  .end = FXT_STACK_END_OUTERMOST,
                                  .process_name = fxt_string_from("server"),
                                  .thread_name = fxt_string_from("worker"),
                                  .n_samples = n_samples,
                                  .cpu_ns = 1000 * n_samples};

    cr_assert_eq(fxt_profile_builder_add_sum(builder, &sum), FXT_OK);
}

/* ---- What a profile has ------------------------------------------------------------ */

/* The location of a sample's frame, from the leaf on. */
static struct fxt_profile_location location_of(const struct fxt_profile *profile,
                                               size_t sample, size_t frame)
{
    struct fxt_profile_sample of;
    struct fxt_profile_stack stack;
    struct fxt_profile_location location;

    cr_assert_eq(fxt_profile_get_sample(profile, sample, &of), FXT_OK);
    cr_assert_eq(fxt_profile_get_stack(profile, of.stack, &stack), FXT_OK);
    cr_assert_lt(frame, stack.n_locations);
    cr_assert_eq(fxt_profile_get_location(profile, stack.locations[frame], &location),
                 FXT_OK);
    return location;
}

static void check_line(const struct fxt_profile *profile,
                       const struct fxt_profile_location *location, uint32_t i,
                       const char *name, uint32_t number)
{
    struct fxt_profile_line line;
    struct fxt_profile_function function;

    cr_assert_lt(i, location->n_lines);
    fxt_profile_get_line(profile, location->first_line + i, &line);
    fxt_profile_get_function(profile, line.function, &function);
    cr_assert(EQUALS(function.name, name), "%.*s", (int)function.name.size,
              function.name.data);
    cr_assert(EQUALS(function.file, "a.c"));
    cr_assert_eq(line.line, number);
}

static void check_mapping(const struct fxt_profile *profile,
                          const struct fxt_profile_location *location, const char *file)
{
    struct fxt_profile_mapping mapping;

    cr_assert_eq(fxt_profile_get_mapping(profile, location->mapping, &mapping), FXT_OK);
    cr_assert(EQUALS(mapping.file, file));
    cr_assert(EQUALS(mapping.build_id, "0123abcd"));
    cr_assert_eq(mapping.start, 0);
    cr_assert_eq(mapping.limit, 0);
}

Test(builder_sums, frames_have_modules_files_and_lines)
{
    struct fxt_profile_builder *builder = make_sums();
    uint32_t frames[] = {add_frame(builder, "small", "/lib/x.so", 7, true),
                         add_frame(builder, "middle", "/lib/x.so", 9, true),
                         add_frame(builder, "large", "/lib/x.so", 20, false),
                         add_frame(builder, "main", "/bin/app", 3, false)};
    struct fxt_profile_location location;
    struct fxt_profile *profile;

    cr_assert_eq(add_frame(builder, "large", "/lib/x.so", 20, false), frames[2]);
    cr_assert_neq(add_frame(builder, "large", "/lib/x.so", 20, true), frames[2]);
    add_sum(builder, frames, 4, 5);
    add_sum(builder, frames, 4, 2);
    profile = finish(builder);
    cr_assert_eq(fxt_profile_n_samples(profile), 1);
    cr_assert_eq(fxt_profile_n_losses(profile), 0);

    location = location_of(profile, 0, 0);
    cr_assert_eq(location.n_lines, 3);
    check_line(profile, &location, 0, "small", 7);
    check_line(profile, &location, 1, "middle", 9);
    check_line(profile, &location, 2, "large", 20);
    check_mapping(profile, &location, "/lib/x.so");
    location = location_of(profile, 0, 1);
    cr_assert_eq(location.n_lines, 1);
    check_line(profile, &location, 0, "main", 3);
    check_mapping(profile, &location, "/bin/app");
    fxt_profile_destroy(profile);
}

Test(builder_sums, what_is_not_known_is_not_made_up)
{
    struct fxt_profile_builder *builder = make_sums();
    struct fxt_profile_sum_frame frame = {
        .size = sizeof(frame), .name = fxt_string_from("alone"), .is_inlined = true};
    struct fxt_profile_location location;
    struct fxt_profile_function function;
    struct fxt_profile *profile;
    uint32_t number;

    cr_assert_eq(fxt_profile_builder_add_sum_frame(builder, &frame, &number), FXT_OK);
    add_sum(builder, &number, 1, 1);
    profile = finish(builder);
    location = location_of(profile, 0, 0);
    cr_assert_eq(location.mapping, FXT_PROFILE_NONE);
    cr_assert_eq(location.n_lines, 1);
    cr_assert_eq(fxt_profile_n_mappings(profile), 0);
    cr_assert_eq(fxt_profile_get_function(profile, 0, &function), FXT_OK);
    cr_assert(EQUALS(function.name, "alone"));
    cr_assert_eq(function.file.size, 0);
    fxt_profile_destroy(profile);
}

/* Lines of one function are places of their own; and the order in which frames were
 * added is not seen. */
Test(builder_sums, order_does_not_matter)
{
    struct fxt_buffer written[2];

    for (int i = 0; i < 2; i++) {
        struct fxt_profile_builder *builder = make_sums();
        struct fxt_profile *profile;
        uint32_t stacks[3][2];

        for (uint32_t k = 0; k < 3; k++) {
            uint32_t line = i == 0 ? k : 2 - k;

            stacks[line][0] = add_frame(builder, "leaf", "/lib/x.so", line, false);
            stacks[line][1] = add_frame(builder, "main", "/bin/app", 3 * line, false);
        }
        for (int k = 0; k < 3; k++)
            add_sum(builder, stacks[k], 2, k + 1);
        profile = finish(builder);
        cr_assert_eq(fxt_profile_n_samples(profile), 3);
        written[i] = write_as(profile, FXT_PROFILE_PPROF);
        fxt_profile_destroy(profile);
    }
    cr_assert_eq(written[0].size, written[1].size);
    cr_assert_eq(memcmp(written[0].data, written[1].data, written[0].size), 0);
    free(written[0].data);
    free(written[1].data);
}

Test(builder_sums, losses_are_those_of_the_profile)
{
    struct fxt_profile_builder *builder = make_sums();
    struct fxt_profile *profile;
    char sentence[] = "3 dropped records";

    cr_assert_eq(fxt_profile_builder_add_loss(builder, sentence), FXT_OK);
    sentence[0] = '4';
    cr_assert_eq(fxt_profile_builder_add_loss(builder, sentence), FXT_OK);
    cr_assert_eq(fxt_profile_builder_add_loss(builder, sentence), FXT_OK);
    profile = finish(builder);
    cr_assert_eq(fxt_profile_n_losses(profile), 2);
    cr_assert_str_eq(fxt_profile_loss(profile, 0), "3 dropped records");
    cr_assert_str_eq(fxt_profile_loss(profile, 1), "4 dropped records");
    fxt_profile_destroy(profile);
}

/* ---- What is refused --------------------------------------------------------------- */

/* A builder does nothing more after what it refused. */
static void check_refused(const struct fxt_profile_sum *sum)
{
    struct fxt_profile_builder *builder = make_sums();

    add_frame(builder, "f", "", 0, false);
    cr_assert_eq(fxt_profile_builder_add_sum(builder, sum), FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
}

Test(builder_sums, sums_that_cannot_be_are_refused)
{
    const uint32_t known = 0, unknown = 1;
    const struct fxt_profile_sum good = {
        .size = sizeof(good), .frames = &known, .n_frames = 1, .n_samples = 1};
    struct fxt_profile_sum bad[] = {good, good, good, good, good, good};

    bad[0].frames = NULL;
    bad[1].n_frames = 0;
    bad[2].frames = &unknown;
    bad[3].n_samples = -1;
    bad[4].cpu_ns = -1;
    bad[5].size = 0;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        check_refused(&bad[i]);
    check_refused(NULL);
}

static void check_refused_frame(const struct fxt_profile_sum_frame *frame,
                                uint32_t *number)
{
    struct fxt_profile_builder *builder = make_sums();

    cr_assert_eq(fxt_profile_builder_add_sum_frame(builder, frame, number),
                 FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
}

Test(builder_sums, frames_and_losses_that_cannot_be_are_refused)
{
    struct fxt_profile_builder *builder = make_sums();
    const struct fxt_profile_sum_frame good = {.size = sizeof(good)}, of_no_size = {0};
    uint32_t number = 7;

    check_refused_frame(NULL, &number);
    check_refused_frame(&good, NULL);
    check_refused_frame(&of_no_size, &number);
    cr_assert_eq(number, 7);
    cr_assert_eq(fxt_profile_builder_add_loss(builder, NULL), FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
}

/* ---- Other sources ----------------------------------------------------------------- */

static struct fxt_profile_builder *make_other(void)
{
    struct fxt_profile_options options = {.size = sizeof(options)};

    return make_builder(&options);
}

Test(builder_sums, are_for_their_source_only)
{
    struct fxt_profile_builder *builder = make_other();
    struct fxt_profile_sum_frame frame = {.size = sizeof(frame)};
    uint32_t number = 0;
    struct fxt_profile_sum sum = {
        .size = sizeof(sum), .frames = &number, .n_frames = 1, .n_samples = 1};

    cr_assert_eq(fxt_profile_builder_add_sum_frame(builder, &frame, &number),
                 FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
    builder = make_other();
    cr_assert_eq(fxt_profile_builder_add_sum(builder, &sum), FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
    builder = make_other();
    cr_assert_eq(fxt_profile_builder_add_loss(builder, "lost"), FXT_E_INVALID);
    fxt_profile_builder_destroy(builder);
}

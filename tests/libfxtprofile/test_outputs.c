/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in folded stacks and in a pprof profile, byte by byte. */
#include <stdlib.h>

#include "build_profile.h"
#include "libfxtprofile/profile/locate.h"
#include "libfxtprofile/output/outputs.h"
#include "tests/support/pooled.h"

static struct profile_builder builder;

static void start(void)
{
    start_profile(&builder);
}

TestSuite(folded, .init = start);
TestSuite(pprof, .init = start);

/* Finishes the profile, without modules or files, and writes it; a NUL follows. The
 * caller frees. */
static char *write_profile(const struct output_format *format,
                           const struct output_settings *settings, size_t *size)
{
    struct symbolizer symbolizer = {.n = 0};
    struct modules modules = {.n_modules = 0};
    struct text written = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&written);
    struct profile profile;

    modules_finish(&modules);
    koid_names_finish(&builder.profile.koid_names);
    profile_builder_sort(&builder);
    profile_locate(&builder, &modules, &symbolizer);
    profile_builder_finish(&builder, &profile);
    format->write(&profile, settings, output);
    cr_assert(output_close(output, true, &why));
    *size = written.size;
    text_char(&written, '\0');
    return written.data;
}

/* Asserts the folded stacks of the profile. */
static void assert_folded(const struct output_settings *settings, const char *expected)
{
    size_t size;
    char *data = write_profile(&output_folded, settings, &size);

    cr_assert_str_eq(data, expected);
}

static const struct output_settings by_process = {.roots = {FXT_PROFILE_ROOT_PROCESS},
                                                  .n_roots = 1};
static const struct output_settings no_roots = {.n_roots = 0};

POOLED_TEST(folded, a_line_is_a_stack_from_its_root_and_a_count)
{
    add_sample(&builder, 1045, 2077, 0, PCS(0x10, 0x20, 0x30), 12);
    assert_folded(&by_process, "process[1045];0x30;0x20;0x10 12\n");
}

POOLED_TEST(folded, the_roots_are_those_asked_for_in_their_order)
{
    const struct output_settings all = {.roots = {FXT_PROFILE_ROOT_CPU,
                                                  FXT_PROFILE_ROOT_PROCESS,
                                                  FXT_PROFILE_ROOT_THREAD},
                                        .n_roots = 3};

    name_object(&builder.profile.koid_names, KOID_PROCESS, 1045, "sh");
    add_sample(&builder, 1045, 2077, 3, PCS(0x10), 1);
    add_sample(&builder, 1045, 2078, PROFILE_NO_CPU, PCS(0x10), 2);
    assert_folded(
        &all, "cpu3;sh[1045];thread[2077];0x10 1\ncpu?;sh[1045];thread[2078];0x10 2\n");
}

POOLED_TEST(folded, lines_that_would_be_the_same_are_one)
{
    add_sample(&builder, 1045, 2077, 0, PCS(0x10, 0x20), 1);
    add_sample(&builder, 1045, 2078, 1, PCS(0x10, 0x20), 2);
    add_sample(&builder, 1046, 2079, 1, PCS(0x10, 0x20), 4);
    assert_folded(&no_roots, "0x20;0x10 7\n");
}

/* A space, which ends the stack, sorts before most characters that names have, and
 * digits of the count before them, too. */
POOLED_TEST(folded, lines_are_sorted_as_bytes_to_the_last)
{
    const char *const names[] = {"a", "a b", "a b 4", "a+b", "a-", "a 1", "ab", "Z"};
    char *lines[N_WORDS(names)];
    size_t size;
    size_t n = 0;
    char *data;

    for (size_t i = 0; i < N_WORDS(names); i++)
        name_object(&builder.profile.koid_names, KOID_PROCESS, i, names[i]);
    /* Threads are not named: only the names of processes make a difference. */
    for (size_t i = 0; i < N_WORDS(names); i++)
        add_sample(&builder, i, 9, 0, PCS(0x10), (int64_t)(100 - i));
    data = write_profile(&output_folded, &by_process, &size);
    for (char *line = strtok(data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        lines[n++] = line;
    cr_assert_eq(n, N_WORDS(names));
    for (size_t i = 1; i < n; i++)
        cr_assert_lt(strcmp(lines[i - 1], lines[i]), 0, "%s", lines[i]);
}

POOLED_TEST(folded, a_stack_sorts_before_its_continuations_only_where_its_bytes_do)
{
    add_sample(&builder, 1, 2, 0, PCS(0x1), 9);
    add_sample(&builder, 1, 2, 0, PCS(0x2, 0x1), 1);
    add_sample(&builder, 1, 2, 0, PCS(0x1, 0x1), 1);
    add_sample(&builder, 1, 2, 0, PCS(0x10), 1);
    assert_folded(&no_roots, "0x1 9\n0x10 1\n0x1;0x1 1\n0x1;0x2 1\n");
}

POOLED_TEST(folded, hostile_names_cannot_break_a_line)
{
    const char name[] = "\x1b[31ma;b\nc \xff\0<&\"";

    koid_names_add_name(&builder.profile.koid_names, KOID_PROCESS, 7,
                        (struct string){name, sizeof(name) - 1},
                        (struct koid_names_moment){NAME_SINCE_START, 0});
    add_sample(&builder, 7, 2, 0, PCS(0x1), 1);
    assert_folded(&by_process, "[31ma:b c \xef\xbf\xbd <&\"[7];0x1 1\n");
}

POOLED_TEST(folded, an_empty_profile_has_no_lines)
{
    assert_folded(&by_process, "");
}

/* ---- pprof ---- */

#define BYTES(...)                                                                       \
    (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

static void assert_pprof(const unsigned char *expected, size_t n)
{
    const struct output_settings settings = {.n_roots = 0};
    size_t size;
    char *data = write_profile(&output_pprof, &settings, &size);

    for (size_t i = 0; i < size && i < n; i++)
        cr_assert_eq((unsigned char)data[i], expected[i], "byte %zu is 0x%02x", i,
                     (unsigned char)data[i]);
    cr_assert_eq(size, n);
}

POOLED_TEST(pprof, an_empty_profile_still_says_what_it_would_count)
{
    assert_pprof(BYTES(0x0a, 4, 8, 1, 0x10, 2,                     /* sample_type */
                       0x32, 0,                                    /* "" */
                       0x32, 7, 's', 'a', 'm', 'p', 'l', 'e', 's', /* 1 */
                       0x32, 5, 'c', 'o', 'u', 'n', 't',           /* 2 */
                       0x70, 1)); /* default_sample_type */
}

POOLED_TEST(pprof, a_sample_has_its_stack_leaf_first_its_values_and_its_labels)
{
    builder.profile.start_ns = 300;
    builder.profile.duration_ns = 1;
    name_object(&builder.profile.koid_names, KOID_PROCESS, 5, "p\xff");
    add_sample(&builder, 5, 6, 0, PCS(0x90, 0x20), 200);
    profile_builder_add_comment(&builder, "c");
    assert_pprof(BYTES(0x0a, 4, 8, 1, 0x10, 2,                      /* sample_type */
                       0x12, 42,                                    /* sample */
                       0x0a, 2, 2, 1,                               /* location_id */
                       0x12, 2, 0xc8, 1,                            /* value 200 */
                       0x1a, 4, 8, 3, 0x10, 4,                      /* process_name */
                       0x1a, 6, 8, 5, 0x18, 5, 0x20, 6,             /* process_koid */
                       0x1a, 4, 8, 7, 0x10, 8,                      /* thread */
                       0x1a, 6, 8, 9, 0x18, 6, 0x20, 6,             /* tid */
                       0x1a, 4, 8, 10, 0x20, 10,                    /* cpu 0 */
                       0x22, 8, 8, 1, 0x18, 0x1f, 0x22, 2, 8, 1,    /* location 1 */
                       0x22, 9, 8, 2, 0x18, 0x90, 1, 0x22, 2, 8, 2, /* location 2 */
                       0x2a, 6, 8, 1, 0x10, 11, 0x18, 11,           /* function 1 */
                       0x2a, 6, 8, 2, 0x10, 12, 0x18, 12,           /* function 2 */
                       0x32, 0,                                     /* strings */
                       0x32, 7, 's', 'a', 'm', 'p', 'l', 'e', 's',  /* 1 */
                       0x32, 5, 'c', 'o', 'u', 'n', 't',            /* 2 */
                       0x32, 12, 'p', 'r', 'o', 'c', 'e', 's', 's', '_', 'n', 'a', 'm',
                       'e', 0x32, 4, 'p', 0xef, 0xbf, 0xbd, /* 4 */
                       0x32, 12, 'p', 'r', 'o', 'c', 'e', 's', 's', '_', 'k', 'o', 'i',
                       'd', 0x32, 4, 'k', 'o', 'i', 'd',                     /* 6 */
                       0x32, 6, 't', 'h', 'r', 'e', 'a', 'd',                /* 7 */
                       0x32, 9, 't', 'h', 'r', 'e', 'a', 'd', '[', '6', ']', /* 8 */
                       0x32, 3, 't', 'i', 'd',                               /* 9 */
                       0x32, 3, 'c', 'p', 'u',                               /* 10 */
                       0x32, 4, '0', 'x', '2', '0',                          /* 11 */
                       0x32, 4, '0', 'x', '9', '0',                          /* 12 */
                       0x32, 1, 'c',                                         /* 13 */
                       0x48, 0xac, 2, /* time_nanos */
                       0x50, 1,       /* duration_nanos */
                       0x6a, 1, 13,   /* comment */
                       0x70, 1));     /* default_sample_type */
}

POOLED_TEST(pprof, a_known_period_is_written_and_counted_as_time)
{
    struct profile_labels labels = {.cpu = PROFILE_NO_CPU};
    const int64_t values[] = {1, 5};

    profile_builder_add_type(&builder, "cpu", "nanoseconds");
    builder.profile.default_type = 1;
    builder.profile.period_type = (struct profile_type){"cpu", "nanoseconds"};
    builder.profile.period = 5;
    profile_builder_add(&builder, &labels, PCS(0x1), values);
    assert_pprof(BYTES(0x0a, 4, 8, 1, 0x10, 2, 0x0a, 4, 8, 3, 0x10, 4, /* sample_type */
                       0x12, 25,                                       /* sample */
                       0x0a, 1, 1, 0x12, 2, 1, 5,                      /* values 1, 5 */
                       0x1a, 4, 8, 5, 0x20, 6,                /* process_koid 0 */
                       0x1a, 4, 8, 7, 0x10, 8,                /* thread */
                       0x1a, 4, 8, 9, 0x20, 6,                /* tid 0 */
                       0x22, 8, 8, 1, 0x18, 1, 0x22, 2, 8, 1, /* location */
                       0x2a, 6, 8, 1, 0x10, 10, 0x18, 10,     /* function */
                       0x32, 0, 0x32, 7, 's', 'a', 'm', 'p', 'l', 'e', 's', /* 1 */
                       0x32, 5, 'c', 'o', 'u', 'n', 't',                    /* 2 */
                       0x32, 3, 'c', 'p', 'u',                              /* 3 */
                       0x32, 11, 'n', 'a', 'n', 'o', 's', 'e', 'c', 'o', 'n', 'd', 's',
                       0x32, 12, 'p', 'r', 'o', 'c', 'e', 's', 's', '_', 'k', 'o', 'i',
                       'd', 0x32, 4, 'k', 'o', 'i', 'd',                     /* 6 */
                       0x32, 6, 't', 'h', 'r', 'e', 'a', 'd',                /* 7 */
                       0x32, 9, 't', 'h', 'r', 'e', 'a', 'd', '[', '0', ']', /* 8 */
                       0x32, 3, 't', 'i', 'd',                               /* 9 */
                       0x32, 3, '0', 'x', '1',                               /* 10 */
                       0x5a, 4, 8, 3, 0x10, 4, /* period_type */
                       0x60, 5,                /* period */
                       0x70, 3));              /* default_sample_type */
}

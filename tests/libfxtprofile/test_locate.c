/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses to mappings and names: files of the user's, modules of the input's, both. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/pooled.h"
#include "build_profile.h"
#include "libfxtprofile/profile/locate.h"
#include "libfxtprofile/profile/locate_order.h"
#include "make_elf.h"

/* What a test needs of everything. */
struct setup {
    struct profile_builder builder;
    struct modules modules;
    struct symbolizer symbolizer;
    char elf[32];
};

static struct setup s;

/* A file with code at 0x401000 up to 0x402000; `gives_up` ends where `neighbour` starts,
 * and after that there is a gap. */
static void start(void)
{
    struct made_elf made;
    int fd;

    start_profile(&s.builder);
    made_start(&made, true, false);
    made_function(&made, "first", 0x401000, 0x10);
    made_function(&made, "gives_up", 0x401010, 0x10);
    made_function(&made, "neighbour", 0x401020, 0x10);
    made_function(&made, "trampoline", 0x401040, 0x10);
    strcpy(s.elf, "/tmp/test_locate_XXXXXX");
    fd = mkstemp(s.elf);
    cr_assert_eq(write(fd, made.bytes, sizeof(made.bytes)), sizeof(made.bytes));
    close(fd);
}

static void add_elf(const char *address)
{
    struct text why = {NULL, 0, 0};
    char name[128];

    snprintf(name, sizeof(name), "%s%s", s.elf, address);
    cr_assert(symbolizer_add(&s.symbolizer, name, &why), "%.*s", (int)why.size, why.data);
}

static void add_module(uint64_t process, const char *name, const char *build_id,
                       uint64_t begin, uint64_t length, uint64_t vaddr)
{
    struct fxt_profiler module = module_record(process, 1, name, build_id);
    struct fxt_profiler mapping = mapping_record(process, 1, begin, length, vaddr);

    modules_announce(&s.modules, &module);
    cr_assert(modules_map(&s.modules, &mapping, 0));
}

static void locate(void)
{
    profile_builder_sort(&s.builder);
    modules_finish(&s.modules);
    profile_locate(&s.builder, &s.modules, &s.symbolizer);
}

static void end(void)
{
    unlink(s.elf);
}

TestSuite(locate, .init = start, .fini = end);
TestSuite(symbolize, .init = start, .fini = end);

static const struct profile_location *location(size_t sample, size_t frame)
{
    const struct profile *p = &s.builder.profile;

    return &p->locations[p->stacks[p->samples[sample].stack].frames[frame]];
}

static void assert_frame(size_t sample, size_t frame, const char *name, uint64_t address)
{
    const struct profile_location *found = location(sample, frame);
    struct string function = profile_line_name(&s.builder.profile, found->first_line);

    cr_assert(
        function.size == strlen(name) && memcmp(function.data, name, function.size) == 0,
        "frame %zu is %.*s, not %s", frame, (int)function.size, function.data, name);
    cr_assert_eq(found->address, address, "frame %zu is at 0x%llx", frame,
                 (unsigned long long)found->address);
}

POOLED_TEST(locate, a_leaf_is_looked_up_where_it_is_and_a_caller_one_byte_before)
{
    add_elf("");
    add_sample(&s.builder, 1, 2, 0, PCS(0x401020, 0x401020, 0x401025), 1);
    locate();
    assert_frame(0, 0, "neighbour", 0x401020);
    assert_frame(0, 1, "gives_up", 0x40101f);
    assert_frame(0, 2, "neighbour", 0x401024);
    cr_assert_eq(s.builder.profile.n_frames, 3);
    cr_assert_eq(s.builder.profile.n_named_frames, 3);
}

POOLED_TEST(locate, one_byte_before_is_not_looked_up_in_a_gap_or_outside_of_the_segment)
{
    add_elf("");
    add_sample(&s.builder, 1, 2, 0, PCS(0, 0x401040, 0x401000, 0x402000, 0), 1);
    locate();
    assert_frame(0, 0, "0x0", 0);
    assert_frame(0, 1, "trampoline", 0x401040);
    assert_frame(0, 2, "first", 0x401000);
    /* A segment may end in a call, too. */
    cr_assert_eq(location(0, 3)->address, 0x401fff);
    cr_assert_eq(location(0, 3)->mapping, 0);
    assert_frame(0, 4, "0x0", 0);
}

POOLED_TEST(locate, a_file_counts_where_it_was_loaded)
{
    add_elf("@0x7f0000000000");
    add_sample(&s.builder, 1, 2, 0, PCS(0x7f0000000025, 0x401025, 0x7f0000000fff), 1);
    locate();
    assert_frame(0, 0, "neighbour", 0x7f0000000025);
    assert_frame(0, 1, "0x401025", 0x401024);
    cr_assert_eq(location(0, 1)->mapping, PROFILE_NO_MAPPING);
    cr_assert_eq(s.builder.profile.n_mappings, 1);
    cr_assert_eq(s.builder.profile.mappings[0].start, 0x7f0000000000);
    cr_assert_eq(s.builder.profile.mappings[0].limit, 0x7f0000001000);
    cr_assert_eq(s.builder.profile.mappings[0].file_offset, 0x1000);
    cr_assert(s.builder.profile.mappings[0].has_functions);
    cr_assert_eq(s.builder.profile.n_named_frames, 1);
}

POOLED_TEST(locate, a_file_serves_all_processes_and_its_mapping_is_one)
{
    add_elf("");
    add_sample(&s.builder, 1, 2, 0, PCS(0x401025), 1);
    add_sample(&s.builder, 3, 4, 0, PCS(0x401025), 1);
    locate();
    assert_frame(0, 0, "neighbour", 0x401025);
    assert_frame(1, 0, "neighbour", 0x401025);
    cr_assert_eq(s.builder.profile.n_mappings, 1);
    cr_assert_eq(s.builder.profile.n_locations, 1);
}

POOLED_TEST(locate, without_symbols_a_name_is_the_module_and_the_offset_in_it)
{
    add_module(1, "/boot/lib/libc.so", "\xab", 0x7000, 0x1000, 0x300);
    add_sample(&s.builder, 1, 2, 0, PCS(0x7010, 0x7020, 0x8000, 0x8002), 1);
    add_sample(&s.builder, 5, 2, 0, PCS(0x7010), 1);
    locate();
    assert_frame(0, 0, "libc.so+0x310", 0x7010);
    assert_frame(0, 1, "libc.so+0x320", 0x701f);
    assert_frame(0, 2, "libc.so+0x1300", 0x7fff);
    assert_frame(0, 3, "0x8002", 0x8001);
    assert_frame(1, 0, "0x7010", 0x7010);
    cr_assert_eq(s.builder.profile.n_mappings, 1);
    cr_assert_eq(s.builder.profile.mappings[0].file_offset, 0x300);
    cr_assert_not(s.builder.profile.mappings[0].has_functions);
    cr_assert_eq(s.builder.profile.n_comments, 1,
                 "that offsets are not known is reported");
}

POOLED_TEST(locate, a_module_without_a_name_goes_by_its_build_id_or_not_at_all)
{
    add_module(1, "", "\xab\xcd", 0x7000, 0x1000, 0);
    add_module(2, "", "", 0x7000, 0x1000, 0);
    add_sample(&s.builder, 1, 2, 0, PCS(0x7010), 1);
    add_sample(&s.builder, 2, 2, 0, PCS(0x7010), 1);
    locate();
    assert_frame(0, 0, "abcd+0x10", 0x7010);
    assert_frame(1, 0, "0x7010", 0x7010);
}

POOLED_TEST(locate, a_module_of_the_input_takes_its_file_offset_from_the_file)
{
    add_elf("@0x7f0000000000");
    /* The input maps pages of code that start in the middle of the segment and end after
     * it. */
    add_module(1, "libfoo.so", "\xde\xad\xbe\xef", 0x7f0000000010, 0x1ff0, 0x401010);
    add_sample(&s.builder, 1, 2, 0, PCS(0x7f0000000025, 0x7f0000000080, 0x7f0000001200),
               1);
    locate();
    assert_frame(0, 0, "neighbour", 0x7f0000000025);
    assert_frame(0, 1, "libfoo.so+0x401080", 0x7f000000007f);
    assert_frame(0, 2, "libfoo.so+0x402200", 0x7f00000011ff);
    cr_assert_eq(s.builder.profile.n_mappings, 1);
    cr_assert_eq(s.builder.profile.mappings[0].start, 0x7f0000000010);
    cr_assert_eq(s.builder.profile.mappings[0].file_offset, 0x1010);
    cr_assert_eq(s.builder.profile.n_comments, 0);
}

POOLED_TEST(locate,
            what_the_input_says_of_a_process_comes_before_what_the_user_says_of_all)
{
    add_elf("@0x7f0000000000");
    add_module(1, "other.so", "", 0x7f0000000000, 0x1000, 0x5000);
    add_module(2, "rebuilt.so", "\x01\x02\x03\x04", 0x7f0000000000, 0x1000, 0x401000);
    add_sample(&s.builder, 1, 2, 0, PCS(0x7f0000000025), 1);
    add_sample(&s.builder, 2, 2, 0, PCS(0x7f0000000025), 1);
    add_sample(&s.builder, 3, 2, 0, PCS(0x7f0000000025), 1);
    locate();
    assert_frame(0, 0, "other.so+0x5025", 0x7f0000000025);
    assert_frame(1, 0, "rebuilt.so+0x401025", 0x7f0000000025);
    assert_frame(2, 0, "neighbour", 0x7f0000000025);
}

POOLED_TEST(locate, a_caller_stays_in_its_mapping)
{
    add_module(1, "low.so", "", 0x7000, 0x1000, 0);
    add_module(1, "high.so", "", 0x8000, 0x1000, 0);
    add_sample(&s.builder, 1, 2, 0, PCS(0x7000, 0x8000, 0x9000), 1);
    locate();
    assert_frame(0, 1, "high.so+0x0", 0x8000);
    assert_frame(0, 2, "high.so+0x1000", 0x8fff);
}

POOLED_TEST(locate, a_kernel_starts_at_offset_zero_wherever_it_is_in_its_file)
{
    add_elf("@0xffffffff80100000");
    add_sample(&s.builder, 1, 2, 0, PCS(0xffffffff80100025), 1);
    locate();
    assert_frame(0, 0, "neighbour", 0xffffffff80100025);
    cr_assert_eq(s.builder.profile.mappings[0].start, 0xffffffff80100000);
    cr_assert_eq(s.builder.profile.mappings[0].file_offset, 0);
}

POOLED_TEST(locate, the_main_program_comes_first_and_libraries_last)
{
    uint32_t *order;

    add_module(1, "libc.so.6", "", 0x1000, 0x1000, 0);
    add_module(1, "zsh", "", 0x3000, 0x1000, 0);
    add_module(1, "[vdso]", "", 0x5000, 0x1000, 0);
    add_elf("@0x8000");
    add_sample(&s.builder, 1, 2, 0, PCS(0x1010, 0x3010, 0x5010, 0x8010), 1);
    locate();
    cr_assert_eq(s.builder.profile.n_mappings, 4);
    cr_assert_eq(s.builder.profile.mappings[0].start, 0x8000);
    cr_assert_eq(s.builder.profile.mappings[1].start, 0x3000);
    order = profile_sort_locations(&s.builder.profile);
    for (size_t i = 1; i < s.builder.profile.n_locations; i++)
        cr_assert_leq(s.builder.profile.locations[order[i - 1]].mapping,
                      s.builder.profile.locations[order[i]].mapping);
}

/* ---- What is refused ---- */

static void assert_refused(const char *address, const char *reason)
{
    struct text why = {NULL, 0, 0};
    char name[128];

    snprintf(name, sizeof(name), "%s%s", s.elf, address);
    cr_assert_not(symbolizer_add(&s.symbolizer, name, &why));
    text_char(&why, '\0');
    cr_assert_not_null(strstr(why.data, reason), "%s", why.data);
}

POOLED_TEST(symbolize, two_files_cannot_be_at_one_place)
{
    add_elf("@0x10000");
    add_elf("@0x11000");
    add_elf("@0xf000");
    assert_refused("@0x10000", "would overlap");
    assert_refused("@0x11fff", "would overlap");
    cr_assert_eq(s.symbolizer.n, 3);
}

POOLED_TEST(symbolize, a_file_must_fit_below_the_end_of_the_addresses)
{
    assert_refused("@0xffffffffffffff00", "does not fit");
    add_elf("@0xffffffffffffe000");
}

POOLED_TEST(symbolize, only_a_number_after_the_last_at_sign_is_an_address)
{
    char with_at[64];

    snprintf(with_at, sizeof(with_at), "%s@2", s.elf);
    cr_assert_eq(rename(s.elf, with_at), 0);
    assert_refused("@2", "No such file");
    assert_refused("@zwei", "No such file");
    assert_refused("@", "No such file");
    assert_refused("@2@0xffffffffffffffffff", "No such file");
    add_elf("@2@0x10000");
    cr_assert_eq(s.symbolizer.images[0].bias, 0x10000 - (uint64_t)MADE_CODE);
    unlink(with_at);
}

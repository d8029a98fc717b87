/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process has mapped where, from records in all orders. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/pooled.h"
#include "build_profile.h"
#include "libfxtprofile/profile/mappings/modules.h"

static struct modules m;

static void announce(uint64_t process, uint32_t id, const char *name)
{
    struct fxt_profiler record = module_record(process, id, name, "");

    modules_announce(&m, &record);
}

static bool map(uint64_t process, uint32_t id, uint64_t start, uint64_t length,
                uint64_t vaddr)
{
    struct fxt_profiler record = mapping_record(process, id, start, length, vaddr);

    return modules_map(&m, &record, 0);
}

/* Asserts that an address shows a module at its own address `vaddr`; NULL for nothing. */
static void assert_at(uint64_t process, uint64_t address, const char *name,
                      uint64_t vaddr)
{
    const struct mapping *mapping = modules_find(&m, process, 0, address);
    struct string found;

    if (name == NULL) {
        cr_assert_null(mapping, "0x%llx", (unsigned long long)address);
        return;
    }
    cr_assert_not_null(mapping, "0x%llx", (unsigned long long)address);
    found = modules_name(&m, mapping);
    cr_assert_eq(found.size, strlen(name));
    cr_assert_arr_eq(found.data, name, found.size);
    cr_assert_eq(address - mapping->start + mapping->vaddr, vaddr);
}

POOLED_TEST(modules, an_address_is_found_within_the_bounds_of_its_mapping)
{
    announce(1, 5, "libc.so");
    cr_assert(map(1, 5, 0x1000, 0x100, 0x40));
    modules_finish(&m);
    assert_at(1, 0xfff, NULL, 0);
    assert_at(1, 0x1000, "libc.so", 0x40);
    assert_at(1, 0x10ff, "libc.so", 0x13f);
    assert_at(1, 0x1100, NULL, 0);
    assert_at(0, 0x1000, NULL, 0);
    assert_at(2, 0x1000, NULL, 0);
}

POOLED_TEST(modules, nothing_is_found_in_nothing)
{
    modules_finish(&m);
    assert_at(1, 0, NULL, 0);
    assert_at(1, UINT64_MAX, NULL, 0);
}

POOLED_TEST(modules, the_same_number_is_another_module_in_another_process)
{
    announce(1, 5, "a");
    announce(2, 5, "b");
    map(1, 5, 0x1000, 0x1000, 0);
    map(2, 5, 0x1000, 0x1000, 0);
    modules_finish(&m);
    assert_at(1, 0x1000, "a", 0);
    assert_at(2, 0x1000, "b", 0);
}

POOLED_TEST(modules, the_newest_announcement_counts_from_there_on)
{
    announce(1, 5, "old");
    map(1, 5, 0x1000, 0x1000, 0);
    announce(1, 5, "new");
    map(1, 5, 0x8000, 0x1000, 0);
    modules_finish(&m);
    assert_at(1, 0x1000, "old", 0);
    assert_at(1, 0x8000, "new", 0);
}

POOLED_TEST(modules, a_mapping_of_no_announced_module_is_refused)
{
    cr_assert_not(map(1, 5, 0x1000, 0x1000, 0));
    announce(1, 5, "a");
    cr_assert_not(map(1, 6, 0x1000, 0x1000, 0));
    cr_assert_not(map(2, 5, 0x1000, 0x1000, 0));
    cr_assert_not(map(1, 5, 0x1000, 0, 0), "of no length");
    modules_start_stream(&m);
    cr_assert_not(map(1, 5, 0x1000, 0x1000, 0), "announced in another stream");
    modules_finish(&m);
    cr_assert_eq(m.mapped.n, 0);
}

POOLED_TEST(modules, mappings_outlive_their_stream)
{
    announce(1, 5, "a");
    map(1, 5, 0x1000, 0x1000, 0);
    modules_start_stream(&m);
    announce(1, 5, "b");
    map(1, 5, 0x3000, 0x1000, 0);
    modules_finish(&m);
    assert_at(1, 0x1000, "a", 0);
    assert_at(1, 0x3000, "b", 0);
}

POOLED_TEST(modules, a_later_mapping_takes_the_place_of_an_earlier_one)
{
    announce(1, 1, "below");
    announce(1, 2, "above");
    map(1, 1, 0x1000, 0x3000, 0x100);
    map(1, 2, 0x2000, 0x1000, 0x900);
    modules_finish(&m);
    assert_at(1, 0x1fff, "below", 0x10ff);
    assert_at(1, 0x2000, "above", 0x900);
    assert_at(1, 0x2fff, "above", 0x18ff);
    assert_at(1, 0x3000, "below", 0x2100);
    assert_at(1, 0x3fff, "below", 0x30ff);
    cr_assert_eq(m.mapped.n, 3);
}

POOLED_TEST(modules, a_mapping_recorded_again_is_one_mapping)
{
    announce(1, 1, "a");
    announce(1, 2, "a");
    for (uint32_t i = 0; i < 10; i++)
        map(1, 1 + i % 2, 0x1000, 0x1000, 0);
    map(1, 1, 0x1800, 0x1000, 0x800);
    modules_finish(&m);
    cr_assert_eq(m.mapped.n, 1, "equal modules of two numbers are one");
    assert_at(1, 0x27ff, "a", 0x17ff);
}

POOLED_TEST(modules, segments_that_touch_stay_apart)
{
    struct fxt_profiler code = mapping_record(1, 1, 0x2000, 0x1000, 0x1000);
    struct fxt_profiler data = mapping_record(1, 1, 0x3000, 0x1000, 0x2000);

    announce(1, 1, "a");
    data.flags = FXT_MAPPING_READ | FXT_MAPPING_WRITE;
    modules_map(&m, &data, 0);
    modules_map(&m, &code, 0);
    modules_finish(&m);
    cr_assert_eq(m.mapped.n, 2);
    cr_assert_eq(modules_find(&m, 1, 0, 0x2fff)->limit, 0x3000);
}

POOLED_TEST(modules, build_ids_are_lower_case_hex_whichever_way_they_came)
{
    struct fxt_profiler raw = module_record(1, 1, "a", "\xab\xcd\x01");
    struct fxt_profiler hex = module_record(1, 2, "a", "ABcd01");
    struct string id;

    hex.build_id_is_hex = true;
    modules_announce(&m, &raw);
    modules_announce(&m, &hex);
    map(1, 1, 0x1000, 0x1000, 0);
    map(1, 2, 0x2000, 0x1000, 0x1000);
    modules_finish(&m);
    cr_assert_eq(m.mapped.n, 1, "they are the same module");
    id = modules_build_id(&m, &m.mapped.all[0]);
    cr_assert_eq(id.size, 6);
    cr_assert_arr_eq(id.data, "abcd01", 6);
}

POOLED_TEST(modules, a_mapping_that_would_pass_the_end_of_the_addresses_ends_there)
{
    announce(1, 1, "a");
    cr_assert(map(1, 1, UINT64_MAX - 0xff, UINT64_MAX, 0));
    modules_finish(&m);
    assert_at(1, UINT64_MAX - 1, "a", 0xfe);
    assert_at(1, 0x10, NULL, 0);
}

/* The oracle is an array of what each address shows, painted in the order of the input.
 */
POOLED_TEST(modules, random_overlaps_are_as_if_painted)
{
    enum { SPACE = 300, ROUNDS = 200 };

    srand(4);
    for (int round = 0; round < ROUNDS; round++) {
        int painted[2][SPACE] = {{0}};
        char name[8];

        for (int i = 1; i <= 30; i++) {
            int process = rand() % 2;
            int start = rand() % (SPACE - 1);
            int length = 1 + rand() % (SPACE - start);

            snprintf(name, sizeof(name), "m%d", i);
            announce((uint64_t)process, 7, name);
            map((uint64_t)process, 7, (uint64_t)start, (uint64_t)length, (uint64_t)start);
            for (int a = start; a < start + length; a++)
                painted[process][a] = i;
        }
        modules_finish(&m);
        for (int process = 0; process < 2; process++) {
            for (int a = 0; a < SPACE; a++) {
                snprintf(name, sizeof(name), "m%d", painted[process][a]);
                assert_at((uint64_t)process, (uint64_t)a,
                          painted[process][a] > 0 ? name : NULL, (uint64_t)a);
            }
        }
        modules_free(&m);
        m = (struct modules){.n_modules = 0};
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of Linux kernels without symbol tables, whose symbols are those that a kernel has
 * itself: such as tests/support/linux_memory.py makes, and damaged ones.
 */
#include <stdint.h>
#include <string.h>

#include "tests/support/pooled.h"
#include "read_elf.h"
#include "read_file.h"

#define BASE UINT64_C(0xffffffff81000000)
#define FUNCTIONS (BASE + 0x1000)

enum { N_FUNCTIONS = 300, FUNCTION_BYTES = 64 };

static const char *const files[] = {
    TEST_DATA "/../../fuzz/corpus/elf/kernel_older",
    TEST_DATA "/../../fuzz/corpus/elf/kernel_newer",
    TEST_DATA "/../../fuzz/corpus/elf/kernel_relocated",
};

enum { N_FILES = sizeof(files) / sizeof(files[0]) };

static void assert_functions(const struct elf *elf)
{
    char name[200];

    for (int i = 0; i < N_FUNCTIONS; i++) {
        uint64_t start = FUNCTIONS + (uint64_t)i * FUNCTION_BYTES;

        snprintf(name, sizeof(name), "func%d", i);
        /* More tokens than one byte counts. */
        for (size_t at = 0; i == 7 && at < 40; at++)
            memcpy(name + 4 * at, "long", 5);
        assert_symbol(elf, start, name);
        assert_symbol(elf, start + FUNCTION_BYTES - 1, name);
    }
}

POOLED_TEST(kernel_file, has_the_functions_that_the_kernel_knows)
{
    for (size_t i = 0; i < N_FILES; i++) {
        size_t size;
        unsigned char *bytes = read_file(files[i], &size);
        struct elf elf;

        cr_assert(read_bytes(&elf, bytes, size));
        assert_symbol(&elf, BASE, "_text");
        assert_functions(&elf);
        assert_symbol(&elf, FUNCTIONS + N_FUNCTIONS * FUNCTION_BYTES, NULL);
        cr_assert_not(elf.symbols.has_full_table, "a file for debuggers has more");
        elf_free(&elf);
        memory_release(bytes);
    }
}

/* Two functions of one name are told apart by where they are in the kernel. */
POOLED_TEST(kernel_file, has_places_for_equal_names)
{
    static const char number[] = "\5"
                                 "t\1"
                                 "101";
    size_t size;
    unsigned char *bytes = read_file(files[0], &size);
    unsigned char *at = (unsigned char *)memmem(bytes, size, number, sizeof(number) - 1);
    const struct elf_symbol *symbol;
    struct elf elf;

    cr_assert_not_null(at);
    at[sizeof(number) - 2] = '2';
    cr_assert(read_bytes(&elf, bytes, size));
    for (int i = 101; i <= 102; i++) {
        symbol = elf_symbols_find(&elf.symbols, FUNCTIONS + (uint64_t)i * FUNCTION_BYTES);
        cr_assert_not_null(symbol);
        cr_assert_str_eq(symbol->name, "func102");
        cr_assert(symbol->is_local);
        cr_assert_str_eq(symbol->source,
                         i == 101 ? "[kernel]+0x2940" : "[kernel]+0x2980");
    }
}

static void assert_sound(const struct elf *elf)
{
    for (size_t i = 0; i < elf->symbols.ranges.n; i++) {
        const struct range *range = &elf->symbols.ranges.items[i];
        const struct elf_code *code = elf_image_find_code(&elf->image, range->start);

        cr_assert_lt(range->start, range->limit);
        cr_assert_lt(range->item, elf->symbols.n);
        cr_assert(code != NULL && range->limit <= code->limit);
        cr_assert_gt(strlen(elf->symbols.all[range->item].name), 0);
    }
}

/* Each byte with one bit flipped, with all flipped, and missing with all after it. */
POOLED_TEST(kernel_file, may_be_damaged_anywhere)
{
    for (size_t i = 0; i < N_FILES; i++) {
        size_t size;
        unsigned char *bytes = read_file(files[i], &size);
        struct elf elf;

        for (size_t at = 0; at < size; at += 11) {
            unsigned char flips[] = {(unsigned char)(1 << at % 8), 0xff};

            for (size_t k = 0; k < sizeof(flips); k++) {
                bytes[at] ^= flips[k];
                if (read_bytes(&elf, bytes, size)) {
                    assert_sound(&elf);
                    elf_free(&elf);
                }
                bytes[at] ^= flips[k];
            }
            if (read_bytes(&elf, bytes, at)) {
                assert_sound(&elf);
                elf_free(&elf);
            }
        }
        memory_release(bytes);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF reader on files made by hand in both classes and byte orders: what counts as a
 * symbol, and damage, which must give an error or less and no crash; to be run under
 * AddressSanitizer.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/pooled.h"
#include "make_elf.h"
#include "read_elf.h"

static struct made_elf made;
static struct elf elf;

static void start(void)
{
    made_start(&made, true, false);
}

TestSuite(elf, .init = start);

/* ---- Rules ---- */

POOLED_TEST(elf, both_classes_and_byte_orders_are_read)
{
    for (int kind = 0; kind < 4; kind++) {
        made_start(&made, kind & 1, kind & 2);
        made_function(&made, "one", 0x401010, 0x10);
        made_function(&made, "two", 0x401020, 0x20);
        read_made(&elf, &made);
        cr_assert_eq(elf.image.lowest, 0x401000);
        cr_assert_eq(elf.image.n_code, 1);
        cr_assert_eq(elf.image.code[0].vaddr, 0x401000);
        cr_assert_eq(elf.image.code[0].limit, 0x402000);
        cr_assert_eq(elf.image.code[0].offset, 0x1000);
        cr_assert_eq(elf.image.build_id_size, 4);
        cr_assert_arr_eq(elf.image.build_id, "\xde\xad\xbe\xef", 4);
        assert_symbol(&elf, 0x40100f, NULL);
        assert_symbol(&elf, 0x401010, "one");
        assert_symbol(&elf, 0x40101f, "one");
        assert_symbol(&elf, 0x401020, "two");
        assert_symbol(&elf, 0x40103f, "two");
        assert_symbol(&elf, 0x401040, NULL);
        elf_free(&elf);
    }
}

POOLED_TEST(elf, a_symbol_without_a_size_reaches_to_the_next_or_to_the_end_of_the_code)
{
    made_label(&made, "start", 0x401000);
    made_label(&made, "loop", 0x401080);
    made_function(&made, "sized", 0x401100, 0x10);
    made_label(&made, "last", 0x401800);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x40107f, "start");
    assert_symbol(&elf, 0x4010ff, "loop");
    assert_symbol(&elf, 0x40110f, "sized");
    assert_symbol(&elf, 0x401110, NULL);
    assert_symbol(&elf, 0x401fff, "last");
    assert_symbol(&elf, 0x402000, NULL);
}

POOLED_TEST(elf, a_label_inside_a_function_is_not_a_function)
{
    made_function(&made, "outer", 0x401000, 0x100);
    made_label(&made, "retry", 0x401040);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401040, "outer");
    assert_symbol(&elf, 0x4010ff, "outer");
    assert_symbol(&elf, 0x401100, NULL);
}

POOLED_TEST(elf, of_functions_inside_each_other_the_innermost_counts)
{
    made_function(&made, "outer", 0x401000, 0x100);
    made_function(&made, "inner", 0x401040, 0x20);
    made_function(&made, "innermost", 0x401050, 0x08);
    made_function(&made, "across", 0x4010f0, 0x20);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x40103f, "outer");
    assert_symbol(&elf, 0x401040, "inner");
    assert_symbol(&elf, 0x401050, "innermost");
    assert_symbol(&elf, 0x401057, "innermost");
    assert_symbol(&elf, 0x401058, "inner");
    assert_symbol(&elf, 0x401060, "outer");
    assert_symbol(&elf, 0x4010ef, "outer");
    assert_symbol(&elf, 0x4010f0, "across");
    assert_symbol(&elf, 0x40110f, "across");
    assert_symbol(&elf, 0x401110, NULL);
}

POOLED_TEST(elf, of_names_for_one_address_the_most_informative_is_chosen)
{
    made_label(&made, "__text_start", 0x401000);
    made_symbol(&made, "local", STT_FUNC, STB_LOCAL, 1, 0x401000, 0x10);
    made_symbol(&made, "weak", STT_FUNC, STB_WEAK, 1, 0x401000, 0x10);
    made_symbol(&made, "global", STT_FUNC, STB_GLOBAL, 1, 0x401000, 0x10);
    made_symbol(&made, "second", STT_FUNC, STB_GLOBAL, 1, 0x401000, 0x10);
    made_symbol(&made, "unsized", STT_FUNC, STB_GLOBAL, 1, 0x401000, 0);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401000, "global");
}

POOLED_TEST(elf, what_is_no_code_is_no_symbol)
{
    made_symbol(&made, "undefined", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0x401000, 0x10);
    made_symbol(&made, "object", STT_OBJECT, STB_GLOBAL, 1, 0x401010, 0x10);
    made_symbol(&made, "data", STT_NOTYPE, STB_GLOBAL, MADE_DATA_SECTION, 0x401020, 0);
    made_symbol(&made, "absolute", STT_NOTYPE, STB_GLOBAL, SHN_ABS, 0x401030, 0);
    made_symbol(&made, "section", STT_SECTION, STB_LOCAL, 1, 0x401000, 0);
    made_symbol(&made, "", STT_FUNC, STB_GLOBAL, 1, 0x401040, 0x10);
    made_label(&made, "$x", 0x401050);
    made_label(&made, ".L3", 0x401060);
    made_function(&made, "elsewhere", 0x500000, 0x10);
    made_function(&made, "in_data", 0x402010, 0x10);
    read_made(&elf, &made);
    cr_assert_eq(elf.symbols.n, 0);
}

POOLED_TEST(elf, functions_end_with_their_segment)
{
    made_function(&made, "long", 0x401ff0, UINT64_MAX);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401fff, "long");
    assert_symbol(&elf, 0x402000, NULL);
    assert_symbol(&elf, 0x10, NULL);
}

POOLED_TEST(elf, an_arm_function_starts_at_an_even_address)
{
    made_start(&made, false, false);
    MADE_FIELD(&made, 0, Ehdr, e_machine, EM_ARM);
    made_function(&made, "thumb", 0x401011, 0x10);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401010, "thumb");
    assert_symbol(&elf, 0x401020, NULL);
}

POOLED_TEST(elf, the_dynamic_symbols_count_where_there_are_no_others)
{
    made_function(&made, "exported", 0x401000, 0x10);
    made_section(&made, 3, SHT_DYNSYM, 0, MADE_SYMBOLS, MADE_SIZEOF(&made, Sym), 4);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401000, "exported");
}

POOLED_TEST(elf, counts_too_large_for_the_file_header_stand_in_the_first_section)
{
    made_function(&made, "f", 0x401000, 0x10);
    MADE_FIELD(&made, 0, Ehdr, e_phnum, PN_XNUM);
    MADE_FIELD(&made, 0, Ehdr, e_shnum, 0);
    MADE_FIELD(&made, MADE_SECTIONS, Shdr, sh_info, 3);
    MADE_FIELD(&made, MADE_SECTIONS, Shdr, sh_size, 5);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401000, "f");
}

POOLED_TEST(elf, a_kernel_keeps_its_build_id_in_a_section)
{
    made_segment(&made, 0, PT_NULL, 0, 0, 0, 0);
    made_section(&made, MADE_DATA_SECTION, SHT_NOTE, SHF_ALLOC, MADE_NOTE, 44, 0);
    read_made(&elf, &made);
    cr_assert_eq(elf.image.build_id_size, 4);
}

/* ---- What cannot be used ---- */

static void assert_refused(const char *reason)
{
    struct file *file = file_from_memory(made.bytes, sizeof(made.bytes));
    struct text why = {NULL, 0, 0};

    cr_assert_not(elf_read(&elf, file, &why));
    text_char(&why, '\0');
    cr_assert_str_eq(why.data, reason);
    file_close(file);
}

POOLED_TEST(elf, what_is_no_program_is_refused_with_a_reason)
{
    made.bytes[0] = 'E';
    assert_refused("not an ELF file");
    made_start(&made, true, false);
    made.bytes[EI_CLASS] = 3;
    assert_refused("an ELF file with a broken header");
    made_start(&made, true, false);
    made.bytes[EI_DATA] = 0;
    assert_refused("an ELF file with a broken header");
    made_start(&made, true, false);
    MADE_FIELD(&made, 0, Ehdr, e_type, ET_REL);
    assert_refused("an ELF file that is not a program, library or kernel");
    made_start(&made, true, false);
    made_segment(&made, 1, PT_LOAD, PF_R, 0x1000, MADE_CODE, 0x1000);
    assert_refused("an ELF file without an executable segment");
    made_start(&made, true, false);
    MADE_FIELD(&made, 0, Ehdr, e_phoff, UINT64_MAX - 8);
    assert_refused("an ELF file without an executable segment");
    made_start(&made, true, false);
    made_segment(&made, 1, PT_LOAD, PF_X, 0x1000, UINT64_MAX - 0x10, 0x1000);
    assert_refused("an ELF file without an executable segment");
}

POOLED_TEST(elf, damage_is_reported)
{
    made_function(&made, "f", 0x401000, 0x10);
    read_made(&elf, &made);
    cr_assert_null(elf.symbols.damage);
    cr_assert(elf.symbols.has_full_table);
    /* No section headers at all, as some strippers leave it, are no damage. */
    MADE_FIELD(&made, 0, Ehdr, e_shoff, 0);
    MADE_FIELD(&made, 0, Ehdr, e_shnum, 0);
    read_made(&elf, &made);
    cr_assert_null(elf.symbols.damage);
    /* Only the last of the headers is missing, or all are. */
    MADE_FIELD(&made, 0, Ehdr, e_shnum, 5);
    for (int all = 0; all < 2; all++) {
        MADE_FIELD(&made, 0, Ehdr, e_shoff,
                   all ? MADE_SIZE : MADE_SIZE - 5 * sizeof(Elf64_Shdr) + 1);
        read_made(&elf, &made);
        cr_assert_not_null(elf.symbols.damage);
        cr_assert_not_null(strstr(elf.symbols.damage, "section headers"));
        elf_free(&elf);
    }
    MADE_FIELD(&made, 0, Ehdr, e_shoff, MADE_SECTIONS);
    made_section(&made, 3, SHT_SYMTAB, 0, MADE_SIZE - 1, sizeof(Elf64_Sym), 4);
    read_made(&elf, &made);
    cr_assert_not_null(elf.symbols.damage);
    cr_assert_not_null(strstr(elf.symbols.damage, "symbol table"));
    cr_assert_not(elf.symbols.has_full_table);
}

/* As while a file is replaced. */
POOLED_TEST(elf, a_symbol_table_whose_names_are_cut_off_is_not_a_full_one)
{
    FILE *shrinking = tmpfile();
    struct text why = {NULL, 0, 0};
    char name[32];
    struct file *file;

    made_function(&made, "f", 0x401000, 0x10);
    made_section(&made, 4, SHT_STRTAB, 0, MADE_SIZE - 0x10, 0x10, 0);
    cr_assert_eq(fwrite(made.bytes, 1, MADE_SIZE, shrinking), MADE_SIZE);
    cr_assert_eq(fflush(shrinking), 0);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(shrinking));
    file = file_open(name, &why);
    cr_assert_not_null(file);
    cr_assert_eq(ftruncate(fileno(shrinking), MADE_SIZE - 1), 0);
    cr_assert(elf_read(&elf, file, &why));
    cr_assert_not_null(strstr(elf.symbols.damage, "symbol table"));
    cr_assert_not(elf.symbols.has_full_table);
    assert_symbol(&elf, 0x401000, NULL);
    file_close(file);
    fclose(shrinking);
}

/* Of what does not fit, memory would have the lower 32 bits of the size. */
POOLED_TEST(elf, bytes_are_those_of_the_file_that_fit_into_memory)
{
    const uint64_t size = (UINT64_C(1) << 32) + 16;
    FILE *sparse = tmpfile();
    struct text why = {NULL, 0, 0};
    struct elf_headers h;
    char name[32];

    cr_assert_eq(ftruncate(fileno(sparse), (off_t)size), 0);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(sparse));
    h.file = file_open(name, &why);
    cr_assert_not_null(h.file);
    cr_assert_eq(elf_has_bytes(&h, 0, size), SIZE_MAX > UINT32_MAX);
    cr_assert(elf_has_bytes(&h, size - 16, 16));
    cr_assert(elf_has_bytes(&h, size, 0));
    cr_assert_not(elf_has_bytes(&h, size - 15, 16));
    cr_assert_not(elf_has_bytes(&h, UINT64_MAX, 16));
    cr_assert_not(elf_has_bytes(&h, 16, UINT64_MAX - 15));
    file_close(h.file);
    fclose(sparse);
}

POOLED_TEST(elf, a_file_is_never_longer_than_it_is)
{
    made_function(&made, "f", 0x401000, 0x10);
    for (size_t size = 0; size < sizeof(made.bytes); size++) {
        /* Memory of exactly this size, so that a sanitizer sees the end of it. */
        unsigned char *bytes = memory_reserve(size > 0 ? size : 1);

        memcpy(bytes, made.bytes, size);
        if (read_bytes(&elf, bytes, size))
            elf_free(&elf);
        memory_release(bytes);
    }
}

/* Numbers at which arithmetic goes wrong if it can. */
static uint64_t awkward(void)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       7,
                                       8,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       UINT64_MAX - 63,
                                       UINT64_MAX - 7,
                                       UINT64_MAX};

    return numbers[(unsigned)rand() % (sizeof(numbers) / sizeof(numbers[0]))];
}

POOLED_TEST(elf, awkward_numbers_in_any_place_do_no_harm)
{
    static const size_t regions[][2] = {{0, 0x40},
                                        {MADE_SEGMENTS, 0xb0},
                                        {MADE_NOTE, 0x40},
                                        {MADE_SECTIONS, 0x140},
                                        {MADE_SYMBOLS, 0x60}};

    srand(1);
    for (int round = 0; round < 40000; round++) {
        made_start(&made, round & 1, round & 2);
        made_function(&made, "f", 0x401000, 0x10);
        made_label(&made, "g", 0x401080);
        for (int i = 0; i < 1 + round % 3; i++) {
            const size_t *region = regions[(unsigned)rand() % 5];
            size_t size = (size_t)1 << ((unsigned)rand() % 4);
            size_t at = region[0] + (unsigned)rand() % region[1] / size * size;

            made_put(&made, at, awkward(), size);
        }
        if (!read_bytes(&elf, made.bytes, sizeof(made.bytes)))
            continue;
        for (size_t i = 0; i < elf.symbols.ranges.n; i++) {
            const struct range *range = &elf.symbols.ranges.items[i];

            cr_assert_lt(range->start, range->limit);
            cr_assert(i == 0 || range[-1].limit <= range->start);
            cr_assert_not_null(elf_image_find_code(&elf.image, range->start));
        }
        elf_free(&elf);
    }
}

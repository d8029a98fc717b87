/* SPDX-License-Identifier: BSD-2-Clause */
/* How far symbols reach that state no size, on ELF files made by hand. */
#include <stddef.h>

#include "tests/support/pooled.h"
#include "make_elf.h"
#include "read_elf.h"

static void add_code_section(struct made_elf *made, size_t index, uint64_t offset,
                             uint64_t size)
{
    MADE_FIELD(made, 0, Ehdr, e_shnum, index < 5 ? 5 : index + 1);
    made_section(made, index, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, offset, size, 0);
}

/* Stubs for calls into libraries are separate sections without any symbol. */
POOLED_TEST(elf, a_symbol_without_a_size_ends_with_its_section)
{
    struct made_elf made;
    struct elf elf;

    for (int kind = 0; kind < 4; kind++) {
        made_start(&made, kind & 1, kind & 2);
        add_code_section(&made, MADE_CODE_SECTION, 0x1000, 0x20);
        add_code_section(&made, 5, 0x1020, 0xe0);
        add_code_section(&made, 6, 0x1100, 0x700);
        add_code_section(&made, 7, 0x1800, 0x80);
        made_function(&made, "_init", 0x401000, 0);
        made_symbol(&made, "start", STT_FUNC, STB_LOCAL, 6, 0x401100, 0);
        made_symbol(&made, "loop", STT_NOTYPE, STB_LOCAL, 6, 0x401180, 0);
        made_symbol(&made, "sized_beyond", STT_FUNC, STB_LOCAL, 7, 0x401870, 0x20);
        read_made(&elf, &made);
        assert_symbol(&elf, 0x401000, "_init");
        assert_symbol(&elf, 0x40101f, "_init");
        assert_symbol(&elf, 0x401020, NULL);
        assert_symbol(&elf, 0x4010ff, NULL);
        assert_symbol(&elf, 0x40117f, "start");
        assert_symbol(&elf, 0x401180, "loop");
        assert_symbol(&elf, 0x4017ff, "loop");
        assert_symbol(&elf, 0x401800, NULL);
        assert_symbol(&elf, 0x40186f, NULL);
        assert_symbol(&elf, 0x40188f, "sized_beyond");
        elf_free(&elf);
    }
}

POOLED_TEST(elf, a_symbol_of_no_section_ends_with_the_section_that_it_is_in)
{
    struct made_elf made;
    struct elf elf;

    made_start(&made, true, false);
    add_code_section(&made, MADE_CODE_SECTION, 0x1000, 0x100);
    add_code_section(&made, 5, 0x1180, 0x80);
    made_symbol(&made, "inside", STT_FUNC, STB_GLOBAL, SHN_ABS, 0x401010, 0);
    made_symbol(&made, "between", STT_FUNC, STB_GLOBAL, SHN_ABS, 0x401110, 0);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x4010ff, "inside");
    assert_symbol(&elf, 0x401100, NULL);
    assert_symbol(&elf, 0x40117f, "between");
    assert_symbol(&elf, 0x401180, NULL);
}

POOLED_TEST(elf, a_mark_at_the_end_of_a_section_names_nothing)
{
    struct made_elf made;
    struct elf elf;

    made_start(&made, true, false);
    add_code_section(&made, MADE_CODE_SECTION, 0x1000, 0x100);
    add_code_section(&made, 5, 0x1100, 0x100);
    made_label(&made, "first", 0x401000);
    made_label(&made, "_etext", 0x401100);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x4010ff, "first");
    assert_symbol(&elf, 0x401100, NULL);
}

POOLED_TEST(elf, without_sections_the_next_symbol_or_the_segment_is_the_end)
{
    struct made_elf made;
    struct elf elf;

    made_start(&made, true, false);
    made_function(&made, "_init", 0x401000, 0);
    made_function(&made, "main", 0x401100, 0);
    made_section(&made, MADE_CODE_SECTION, SHT_NULL, 0, 0, 0, 0);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x4010ff, "_init");
    assert_symbol(&elf, 0x401fff, "main");
    assert_symbol(&elf, 0x402000, NULL);
}

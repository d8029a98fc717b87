/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of functions in ELF files: which of several, PLT stubs of each machine, and
 * symbols in .gnu_debugdata. Real files are those that the fuzz targets begin with.
 */
#include <criterion/criterion.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "make_elf.h"
#include "read_elf.h"
#include "read_file.h"

/* ---- Several names ----------------------------------------------------------------- */

static void put_alias(struct made_elf *m, const char *name, unsigned char binding)
{
    made_symbol(m, name, STT_FUNC, binding, MADE_CODE_SECTION, 0x401000, 0x10);
}

/* Asserts which of two names is chosen, in either order in the table. */
static void assert_chosen(const char *chosen, unsigned char chosen_binding,
                          const char *other, unsigned char other_binding,
                          const char *shown)
{
    for (int order = 0; order < 2; order++) {
        struct made_elf made;
        struct elf elf;

        made_start(&made, order == 0, false);
        if (order == 0)
            put_alias(&made, chosen, chosen_binding);
        put_alias(&made, other, other_binding);
        if (order == 1)
            put_alias(&made, chosen, chosen_binding);
        read_made(&elf, &made);
        assert_symbol(&elf, 0x401000, shown);
        elf_free(&elf);
    }
}

/* A name is repeated if a symbol of the same source has it, too. */
Test(elf_names, are_repeated_in_sources_of_one_name)
{
    struct elf_symbol all[] = {
        {.name = "helper", .source = "util.c"},
        {.name = "helper", .source = "main.c"},
        {.name = "helper", .source = "util.c"},
        {.name = "other", .source = "util.c"},
        {.name = "other"},
        {.name = "one"},
        {.name = "one"},
    };
    static const bool expected[] = {true, false, true, false, false, true, true};
    struct elf_symbols symbols = {.all = all, .n = sizeof(all) / sizeof(all[0])};

    elf_symbols_find_repeated(&symbols);
    for (size_t i = 0; i < symbols.n; i++)
        cr_assert_eq(all[i].is_repeated, expected[i], "%zu", i);
}

/* Sources that begin alike must not all be compared with each other. */
Test(elf_names, of_long_sources_are_not_compared, .timeout = 60)
{
    enum { N = 50000, LONGEST = 200000 };
    struct elf_symbols symbols = {.n = N};
    char *source = (char *)memory_allocate(LONGEST + 1);

    memset(source, 'a', LONGEST);
    source[LONGEST] = '\0';
    symbols.all = (struct elf_symbol *)memory_allocate(N * sizeof(*symbols.all));
    for (size_t i = 0; i < N; i++)
        symbols.all[i] = (struct elf_symbol){.name = "helper", .source = source + i};
    elf_symbols_find_repeated(&symbols);
    cr_assert(!symbols.all[N - 1].is_repeated);
    memory_release(symbols.all);
    memory_release(source);
}

Test(elf_names, the_one_that_programmers_write_is_chosen)
{
    static const unsigned char global = STB_GLOBAL;
    static const unsigned char weak = STB_WEAK;
    static const unsigned char local = STB_LOCAL;

    assert_chosen("read", weak, "__read", global, "read");
    assert_chosen("read", weak, "__GI___libc_read", local, "read");
    assert_chosen("__read", global, "helper", local, "__read");
    assert_chosen("malloc", global, "__libc_malloc", global, "malloc");
    assert_chosen("puts", weak, "_IO_puts", global, "puts");
    assert_chosen("_exit", global, "_Exit", weak, "_exit");
    assert_chosen("open", weak, "open64", weak, "open");
    assert_chosen("__printf_fp", local, "__GI___printf_fp", local, "__printf_fp");
    assert_chosen("__memmove_avx", local, "__memcpy_avx", local, "__memmove_avx");
    assert_chosen("aaa", global, "bbb", global, "aaa");
    assert_chosen("named", local, "", global, "named");
}

Test(elf_names, a_function_comes_before_a_label)
{
    struct made_elf made;
    struct elf elf;

    made_start(&made, true, false);
    made_symbol(&made, "label", STT_NOTYPE, STB_GLOBAL, MADE_CODE_SECTION, 0x401000,
                0x10);
    put_alias(&made, "function", STB_LOCAL);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401000, "function");
    elf_free(&elf);
}

Test(elf_names, global_symbols_of_the_default_version_are_public)
{
    static const struct {
        const char *name;
        unsigned char binding;
        bool is_public;
    } rows[] = {{"f", STB_GLOBAL, true},
                {"f@@V1", STB_WEAK, true},
                {"f@V1", STB_GLOBAL, false},
                {"f", STB_LOCAL, false}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct made_elf made;
        struct elf elf;

        made_start(&made, true, false);
        put_alias(&made, rows[i].name, rows[i].binding);
        read_made(&elf, &made);
        cr_assert_eq(elf_find(&elf, 0x401000)->is_public, rows[i].is_public, "%zu", i);
        elf_free(&elf);
    }
}

Test(elf_names, a_version_is_no_part_of_a_name)
{
    static const unsigned char global = STB_GLOBAL;

    assert_chosen("read@@GLIBC_2.2.5", global, "__read", global, "read");
    assert_chosen("memmove@@GLIBC_2.2.5", global, "cpy@GLIBC_2.2.5", global, "memmove");
    assert_chosen("__a_default@@V2", global, "old@V1", global, "__a_default");
    assert_chosen("old@V1", global, "inner", STB_LOCAL, "old");
    assert_chosen("@lone", global, "inner", STB_LOCAL, "@lone");
}

/* As a forger writes it: the end of another symbol's name. */
Test(elf_names, a_name_that_is_anothers_version_is_none)
{
    struct made_elf made;
    struct elf elf;
    size_t second;

    made_start(&made, true, false);
    made_function(&made, "read@@V1", 0x401000, 0x10);
    second = MADE_SYMBOLS + made.n_symbols * MADE_SIZEOF(&made, Sym);
    made_function(&made, "", 0x401010, 0x10);
    MADE_FIELD(&made, second, Sym, st_name,
               made.string_table_size - strlen("@@V1") - 1 - 1);
    read_made(&elf, &made);
    assert_symbol(&elf, 0x401000, "read");
    assert_symbol(&elf, 0x401010, NULL);
    elf_free(&elf);
}

Test(elf_names, of_dynamic_symbols_the_default_version_is_chosen)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        for (int hidden = 0; hidden < 2; hidden++) {
            struct made_elf made;
            struct elf elf;

            made_start(&made, true, is_big);
            put_alias(&made, "first", STB_GLOBAL);
            put_alias(&made, "other", STB_GLOBAL);
            made_section(&made, 3, SHT_DYNSYM, 0, MADE_SYMBOLS,
                         2 * MADE_SIZEOF(&made, Sym), 4);
            made_section(&made, 5, SHT_GNU_versym, 0, MADE_SYMBOLS + 0x100, 4, 3);
            MADE_FIELD(&made, 0, Ehdr, e_shnum, 6);
            made_put(&made, MADE_SYMBOLS + 0x100, hidden ? 0x8002 : 2, 2);
            made_put(&made, MADE_SYMBOLS + 0x102, hidden ? 2 : 0x8002, 2);
            read_made(&elf, &made);
            assert_symbol(&elf, 0x401000, hidden ? "other" : "first");
            elf_free(&elf);
        }
    }
}

/* Names of .dynsym count where .symtab does not have as many. */
Test(elf_names, of_dynamic_symbols_that_the_full_table_lacks_are_known)
{
    for (unsigned n_full = 0; n_full <= 2; n_full++) {
        struct made_elf made;
        struct elf elf;

        made_start(&made, true, false);
        put_alias(&made, "__read@@V1", STB_GLOBAL);
        put_alias(&made, "read", STB_GLOBAL);
        made_section(&made, 3, SHT_SYMTAB, 0, MADE_SYMBOLS,
                     n_full * MADE_SIZEOF(&made, Sym), 4);
        made_section(&made, 5, SHT_DYNSYM, 0, MADE_SYMBOLS,
                     (n_full == 2 ? 1 : 2) * MADE_SIZEOF(&made, Sym), 4);
        MADE_FIELD(&made, 0, Ehdr, e_shnum, 6);
        read_made(&elf, &made);
        assert_symbol(&elf, 0x401000, "read");
        cr_assert_eq(elf.symbols.names[1] == NULL, n_full == 2,
                     "names that are not needed are not read");
        elf_free(&elf);
    }
}

/* ---- Real files -------------------------------------------------------------------- */

static unsigned char *read_seed(const char *name, size_t *size)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/../../fuzz/corpus/elf/%s", TEST_DATA, name);
    return read_file(path, size);
}

struct stub_at {
    const char *file;
    uint64_t a;
    uint64_t b;
    uint64_t size;
};

/* As objdump -d has them. */
static const struct stub_at stubs[] = {
    {"stubs_x86_64", 0x238, 0x230, 8},   {"stubs_x86_64_ibt", 0x2b0, 0x2a0, 16},
    {"stubs_i386", 0x168, 0x160, 8},     {"stubs_aarch64", 0x2e0, 0x2d0, 16},
    {"stubs_riscv64", 0x2d0, 0x2c0, 16}, {"stubs_arm", 0x19c, 0x190, 12},
};

Test(elf_names, stubs_of_each_machine_are_known)
{
    for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
        const struct stub_at *s = &stubs[i];
        size_t size;
        unsigned char *bytes = read_seed(s->file, &size);
        struct elf elf;

        cr_assert(read_bytes(&elf, bytes, size), "%s", s->file);
        assert_symbol(&elf, s->a, "a@plt");
        assert_symbol(&elf, s->a + s->size - 1, "a@plt");
        assert_symbol(&elf, s->b, "b@plt");
        assert_symbol(&elf, s->b + s->size - 1, "b@plt");
        assert_symbol(&elf, s->b - 1, NULL);
        elf_free(&elf);
        memory_release(bytes);
    }
}

Test(elf_names, symbols_in_debugdata_are_found_beside_the_dynamic_ones)
{
    size_t size;
    unsigned char *bytes = read_seed("debugdata", &size);
    bool can_read = strcmp(getenv("HAS_LIBLZMA"), "1") == 0;
    struct elf elf;

    cr_assert(read_bytes(&elf, bytes, size));
    assert_symbol(&elf, 0x282, can_read ? "inner" : NULL);
    assert_symbol(&elf, 0x240, "f");
    cr_assert_eq(elf.symbols.damage == NULL, can_read);
    cr_assert_not(elf.symbols.has_full_table, "a file for debuggers has more");
    elf_free(&elf);
    memory_release(bytes);
}

Test(elf_names, real_files_that_are_damaged_do_no_harm)
{
    srand(5);
    for (size_t i = 0; i <= sizeof(stubs) / sizeof(stubs[0]); i++) {
        bool is_stubs = i < sizeof(stubs) / sizeof(stubs[0]);
        size_t size;
        unsigned char *original =
            read_seed(is_stubs ? stubs[i].file : "debugdata", &size);
        unsigned char *bytes = (unsigned char *)memory_reserve(size);
        struct elf elf;

        for (int round = 0; round < 2000; round++) {
            memcpy(bytes, original, size);
            for (int j = 0; j < 1 + round % 8; j++)
                bytes[(size_t)rand() % size] = (unsigned char)rand();
            if (read_bytes(&elf, bytes, size))
                elf_free(&elf);
        }
        memory_release(original);
        memory_release(bytes);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is read of DWARF without libdw, in real programs, with libdw as the other reader:
 * the DIEs of each unit, its files, and the file and the line at each row's first and
 * last address. And a line table by hand, with what compilers seldom write.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>

#include "tests/support/pooled.h"
#include "libfxtprofile/symbols/dwarf/debug_line_tables.h"
#include "common/base/sort.h"

/* A program, read by both. */
struct program {
    const char *name;
    int fd;
    Elf *handle;
    struct debug_dwarf files[2];
    struct elf elf;
    struct debug_line_tables tables;
    uint64_t *addresses;
    struct debug_wanted wanted;
    size_t capacity;
    size_t n_dies;
    size_t n_files;
    size_t n_lines;
    size_t n_wrong;
};

static struct program open_program(const char *name)
{
    struct program p = {.name = name, .fd = open(name, O_RDONLY)};
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(name, &why);

    cr_assert(file != NULL && elf_read(&p.elf, file, &why), "%s: %.*s", name,
              (int)why.size, why.data);
    file_close(file);
    elf_version(EV_CURRENT);
    p.handle = elf_begin(p.fd, ELF_C_READ, NULL);
    p.files[0].dwarf = dwarf_begin_elf(p.handle, DWARF_C_READ, NULL);
    cr_assert_not_null(p.files[0].dwarf, "%s", name);
    cr_assert(debug_dwarf_take(&p.files[0], p.handle));
    return p;
}

static void close_program(struct program *p)
{
    dwarf_end(p->files[0].dwarf);
    elf_end(p->handle);
    close(p->fd);
}

/* ---- Addresses --------------------------------------------------------------------- */

static void want(struct program *p, uint64_t address)
{
    if (elf_image_find_code(&p->elf.image, address) == NULL)
        return;
    MEMORY_ADD(p->addresses, p->wanted.n_addresses, p->capacity, address);
}

static void want_rows(struct program *p, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t n;

    if (dwarf_getsrclines(unit, &lines, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Addr address;

        dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
        if (address > 0)
            want(p, address - 1);
        want(p, address);
    }
}

/* ---- Comparing --------------------------------------------------------------------- */

/* What libdw says of a path, whole: file 0 of versions before 5 is none. */
static bool is_same_path(Dwarf_Die *unit, const char *ours, const char *theirs)
{
    Dwarf_Attribute attribute;
    const char *directory = NULL;
    char whole[8192];

    if (ours == NULL || theirs == NULL)
        return ours == NULL && (theirs == NULL || strcmp(theirs, "???") == 0);
    if (theirs[0] != '/')
        directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    snprintf(whole, sizeof(whole), "%s%s%s", directory != NULL ? directory : "",
             directory != NULL ? "/" : "", theirs);
    return strcmp(ours, whole) == 0;
}

static void report(struct program *p, const char *what, uint64_t where, const char *ours,
                   const char *theirs)
{
    if (p->n_wrong++ < 5)
        fprintf(stderr, "%s: %s %#llx: here %s, by libdw %s\n", p->name, what,
                (unsigned long long)where, ours != NULL ? ours : "none",
                theirs != NULL ? theirs : "none");
}

static void compare_files(struct program *p, Dwarf_Die *unit,
                          struct debug_line_table *table)
{
    Dwarf_Files *files;
    size_t n;

    if (dwarf_getsrcfiles(unit, &files, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *theirs = dwarf_filesrc(files, i, NULL, NULL);
        const char *ours = debug_line_table_file(table, i);

        if (!is_same_path(unit, ours, theirs))
            report(p, "file", i, ours, theirs);
    }
    cr_expect_null(debug_line_table_file(table, n));
    p->n_files += n;
}

static void compare_address(struct program *p, Dwarf_Die *unit,
                            struct debug_line_table *table, uint64_t address)
{
    Dwarf_Line *row = dwarf_getsrc_die(unit, address);
    const char *theirs = dwarf_linesrc(row, NULL, NULL);
    const char *ours = NULL;
    struct debug_line line = {0, 0};
    int number = 0;

    dwarf_lineno(row, &number);
    if (debug_line_table_find(table, &p->wanted, address, &line))
        ours = debug_line_table_file(table, line.file);
    p->n_lines += row != NULL;
    /* libdw extends a sequence without code to the next one. */
    if (ours == NULL && theirs != NULL && dwarf_haspc(unit, address) == 0)
        return;
    if (!is_same_path(unit, ours, theirs))
        report(p, "the file at", address, ours, theirs);
    else if (line.line != (uint32_t)number)
        report(p, "a line at", address, "another", theirs);
}

static void compare_unit(struct program *p, Dwarf_Die *unit)
{
    struct debug_line_table *table = debug_line_tables_of(&p->tables, unit->cu, unit);
    Dwarf_Lines *lines;
    size_t n;

    if (table == NULL || dwarf_getsrclines(unit, &lines, &n) != 0)
        return;
    compare_files(p, unit, table);
    for (size_t i = 0; i < n; i++) {
        Dwarf_Addr address;

        dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
        if (elf_image_find_code(&p->elf.image, address) == NULL)
            continue;
        compare_address(p, unit, table, address);
        if (elf_image_find_code(&p->elf.image, address - 1) != NULL)
            compare_address(p, unit, table, address - 1);
    }
}

/* Goes to the next DIE by libdw. */
static bool go_on(Dwarf_Die *dies, size_t *depth)
{
    if (dwarf_child(&dies[*depth], &dies[*depth + 1]) == 0) {
        (*depth)++;
        return true;
    }
    for (; *depth > 0; (*depth)--) {
        if (dwarf_siblingof(&dies[*depth], &dies[*depth]) == 0)
            return true;
    }
    return false;
}

static bool is_same_die(const struct debug_tree *tree, Dwarf_Die *die, size_t depth)
{
    const struct debug_node *node = &tree->nodes[tree->depth];

    return tree->depth == depth && node->at == dwarf_dieoffset(die) &&
           node->tag == dwarf_tag(die) &&
           tree->has_children == (dwarf_haschildren(die) > 0) &&
           tree->has_code ==
               (dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges));
}

static void compare_dies(struct program *p, Dwarf_Die *unit)
{
    struct debug_tree *tree = debug_tree_start(debug_dwarf_place(&p->files[0], unit));
    Dwarf_Die dies[DEBUG_DEPTH_MAX + 1] = {*unit};
    size_t n_wrong = p->n_wrong;
    size_t depth = 0;

    while (go_on(dies, &depth) && p->n_wrong == n_wrong) {
        if (!debug_tree_next(tree) || !is_same_die(tree, &dies[depth], depth))
            report(p, "DIE", dwarf_dieoffset(&dies[depth]), "another", "this");
        p->n_dies++;
    }
    if (p->n_wrong == n_wrong && debug_tree_next(tree))
        report(p, "DIE", tree->nodes[tree->depth].at, "more", NULL);
    debug_tree_free(tree);
}

static void for_units(struct program *p, void (*take)(struct program *p, Dwarf_Die *unit))
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (dwarf_get_units(p->files[0].dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        take(p, &die);
}

static void compare_program(const char *name)
{
    struct program p = open_program(name);

    p.tables.files = p.files;
    for_units(&p, want_rows);
    sort_numbers(p.addresses, p.wanted.n_addresses);
    p.wanted.elf = &p.elf;
    p.wanted.addresses = p.addresses;
    for_units(&p, compare_unit);
    for_units(&p, compare_dies);
    fprintf(stderr, "%s: %zu DIEs, %zu files, %zu addresses\n", name, p.n_dies, p.n_files,
            p.n_lines);
    cr_expect_eq(p.n_wrong, 0, "%s: %zu", name, p.n_wrong);
    cr_expect_gt(p.n_dies, 10);
    cr_expect_gt(p.n_lines, 20);
    close_program(&p);
}

POOLED_TEST(debug_dwarf, is_read_as_by_libdw)
{
    char *names = strdup(getenv("ELF_DWARF"));
    char *rest = names;
    char *name;

    while ((name = strtok_r(rest, ":", &rest)) != NULL)
        compare_program(name);
    free(names);
}

/* ---- By hand ----------------------------------------------------------------------- */

#define SET_ADDRESS(low, high) 0, 9, 2, low, high, 0, 0, 0, 0, 0, 0
#define END_SEQUENCE 0, 1, 1

/* Version 4, with an opcode that no version has, and a number of the program's bytes. */
static const unsigned char table_bytes[] = {
    /* Its size, the version, the size of the rest of the header. */
    0x70, 0, 0, 0, 4, 0, 0x27, 0, 0, 0,
    /* Lines from -3 on, a range of 12, special opcodes from 14 on. */
    1, 1, 1, 0xfd, 12, 14, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1,
    /* A directory; a file in it, and one elsewhere. */
    'd', 0, 0, 'a', 0, 1, 0, 0, '/', 'b', '/', 'c', 0, 0, 0, 0, 0, /* padding */ 0, 0, 0,
    /* Code that was dropped: 0x2000 bytes. */
    SET_ADDRESS(0, 0), 1, 2, 0x80, 0x40, END_SEQUENCE,
    /* Line 1 at 0x1000; 20 bytes later line 11 of the second file; line 12 at 0x1116. */
    SET_ADDRESS(0, 0x10), 1, 8, 4, 2, 3, 10, 1, 9, 0, 1, 42,
    /* What is not known is skipped. */
    13, 0x85, 1, 0, 3, 0x80, 1, 1,
    /* Back to 0x1050, for four bytes. */
    SET_ADDRESS(0x50, 0x10), 3, 8, 1, 2, 4, END_SEQUENCE};

POOLED_TEST(debug_dwarf, rows_are_those_of_the_program)
{
    static const struct {
        uint64_t address;
        const char *file;
        uint32_t line;
    } rows[] = {
        {0x1000, "/w/d/a", 1}, {0x1013, "/w/d/a", 1}, {0x1014, "/b/c", 11},
        {0x104f, "/b/c", 11},  {0x1050, "/b/c", 20},  {0x1053, "/b/c", 20},
        {0x1054, "/b/c", 11},  {0x1115, "/b/c", 11},  {0x1116, NULL, 0},
        {0x1fff, NULL, 0},
    };
    enum { N = sizeof(rows) / sizeof(rows[0]) };
    struct debug_sections sections = {.lines = {table_bytes, sizeof(table_bytes), 0}};
    struct elf elf = {.image = {.code = {{0x1000, 0x3000, 0}}, .n_code = 1}};
    uint64_t addresses[N];
    struct debug_wanted wanted = {.elf = &elf, .addresses = addresses, .n_addresses = N};
    struct debug_line_table table;

    cr_assert_eq(sizeof(table_bytes), table_bytes[0] + 4u, "%zu", sizeof(table_bytes));
    for (size_t i = 0; i < N; i++)
        addresses[i] = rows[i].address;
    debug_line_table_read(&table, &sections, 0, "/w");
    for (size_t i = 0; i < N; i++) {
        struct debug_line line = {0, 0};
        bool found = debug_line_table_find(&table, &wanted, addresses[i], &line);

        cr_expect_eq(found, rows[i].file != NULL, "%#llx",
                     (unsigned long long)addresses[i]);
        cr_expect_eq(line.line, rows[i].line, "%#llx: %u",
                     (unsigned long long)addresses[i], line.line);
        if (found)
            cr_expect_str_eq(debug_line_table_file(&table, line.file), rows[i].file);
    }
}

POOLED_TEST(debug_dwarf, what_is_cut_has_what_is_before)
{
    struct elf elf = {.image = {.code = {{0x1000, 0x3000, 0}}, .n_code = 1}};
    uint64_t address = 0x1000;
    struct debug_wanted wanted = {.elf = &elf, .addresses = &address, .n_addresses = 1};

    for (size_t size = 0; size < sizeof(table_bytes); size++) {
        unsigned char *bytes = (unsigned char *)memory_allocate(size + 1);
        struct debug_sections sections = {.lines = {bytes, size, 0}};
        struct debug_line_table table;
        struct debug_line line;
        const char *file;

        memcpy(bytes, table_bytes, size);
        if (size > 0)
            bytes[0] = size > 4 ? (unsigned char)(size - 4) : 0;
        debug_line_table_read(&table, &sections, 0, NULL);
        file = debug_line_table_file(&table, 1);
        cr_expect_eq(file != NULL, size >= 49, "%zu", size);
        cr_expect_eq(debug_line_table_find(&table, &wanted, address, &line), size >= 85,
                     "%zu", size);
        memory_release(bytes);
    }
}

POOLED_TEST(debug_dwarf, abbreviations_have_any_codes)
{
    /* Code, tag, no children, no attributes. */
    static const unsigned char bytes[] = {
        9, DW_TAG_variable, 0, 0, 0, 2, DW_TAG_member, 0, 0, 0,
        7, DW_TAG_typedef,  0, 0, 0, 0};
    static const int tags[] = {
        [2] = DW_TAG_member, [7] = DW_TAG_typedef, [9] = DW_TAG_variable, [10] = 0};
    struct debug_sections sections = {.abbreviations = {bytes, sizeof(bytes), 0}};
    struct debug_abbreviations a;

    debug_abbreviations_read(&a, &sections, (struct debug_format){4, 4, 8}, 0);
    for (uint64_t code = 0; code < sizeof(tags) / sizeof(tags[0]); code++) {
        const struct debug_abbreviation *found = debug_abbreviations_find(&a, code);

        cr_expect_eq(found != NULL ? found->tag : 0, tags[code], "%u", (unsigned)code);
    }
    debug_abbreviations_free(&a);
}

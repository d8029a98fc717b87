/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions and lines of real programs, with addr2line as the other opinion on every
 * address there is code at.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libfxtprofile/symbols/binary.h"
#include "read_file.h"

/* The programs that the build made for this test, named in its environment. */
static const char *const programs[] = {"ELF_PIE", "ELF_INLINES", "ELF_INLINES_5",
                                       "ELF_CPLUSPLUS"};

/* Reads the lines at all addresses of functions, and writes these to a file, twice each:
 * for the first address that it gets of a function addr2line prints the symbol's name,
 * even if the address is in another function inside of it. */
static void list_addresses(struct binary *binary, const char *list)
{
    FILE *file = fopen(list, "w");
    struct text why = {NULL, 0, 0};

    cr_assert_not_null(file);
    for (size_t i = 0; i < binary->elf.symbols.ranges.n; i++) {
        const struct range *range = &binary->elf.symbols.ranges.items[i];

        for (uint64_t a = range->start; a < range->limit; a++) {
            fprintf(file, "0x%llx\n0x%llx\n", (unsigned long long)a,
                    (unsigned long long)a);
            binary_want(binary, a);
        }
    }
    fclose(file);
    cr_assert(binary_read_lines(binary, NULL, &why), "%.*s", (int)why.size, why.data);
}

/* addr2line joins directories and names to other paths; the names are the same. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* A name and a line as both can say them. Parts and variants of functions go by their
 * function's name: which of the two addr2line says depends on what it was asked before.
 */
static void add_name(struct text *text, const char *name)
{
    size_t size = strcspn(name, "\n");

    if (strncmp(name, "_Z", 2) != 0 && name[0] != '.')
        size = strcspn(name, ".\n");
    text_add(text, name, size);
    text_char(text, '\n');
}

/* What is known of an address in the words of addr2line, but without directories. */
static void describe(struct text *text, const struct source_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        const struct source_line *line = &lines->items[i];

        add_name(text, line->name);
        text_str(text, line->file != NULL ? base_name(line->file) : "??");
        text_char(text, ':');
        if (line->line > 0)
            text_u64(text, line->line);
        else
            text_char(text, '?');
        text_char(text, '\n');
    }
    text_char(text, '\0');
}

/* addr2line and what it said last. */
struct oracle {
    FILE *pipe;
    char line[8192];
    bool at_end;
    uint64_t address;
    struct text said;
};

static void read_line(struct oracle *o)
{
    o->at_end = fgets(o->line, sizeof(o->line), o->pipe) == NULL;
}

/* Reads the answer for the next address: it, and names and lines in turn. */
static bool next(struct oracle *o)
{
    bool is_name = true;

    if (o->at_end)
        return false;
    o->address = strtoull(o->line, NULL, 16);
    o->said.size = 0;
    read_line(o);
    while (!o->at_end && strncmp(o->line, "0x", 2) != 0) {
        char *end = strstr(o->line, " (discriminator");

        if (end != NULL)
            strcpy(end, "\n");
        if (is_name)
            add_name(&o->said, o->line);
        else
            text_str(&o->said, base_name(o->line));
        is_name = !is_name;
        read_line(o);
    }
    text_char(&o->said, '\0');
    return true;
}

struct tally {
    size_t n;
    size_t n_inlined;
    size_t n_wrong;
};

/* Of addresses without a line it is the symbols that name functions, and those are
 * compared in test_elf_real.c. */
static void compare_address(struct binary *binary, const struct oracle *oracle,
                            struct tally *tally)
{
    struct source_lines lines = {NULL, 0, 0};
    struct text ours = {NULL, 0, 0};

    binary_lines(binary, oracle->address, &lines);
    cr_assert_gt(lines.n, 0);
    describe(&ours, &lines);
    if (lines.items[0].file != NULL || (strstr(oracle->said.data, ":?") == NULL &&
                                        strstr(oracle->said.data, ":0\n") == NULL)) {
        tally->n++;
        tally->n_inlined += lines.n > 1;
        if (strcmp(ours.data, oracle->said.data) != 0 && tally->n_wrong++ < 5)
            fprintf(stderr, "%s: 0x%llx: here\n%sby addr2line\n%s\n", binary->name,
                    (unsigned long long)oracle->address, ours.data, oracle->said.data);
    }
    memory_release(lines.items);
    text_free(&ours);
}

static struct tally compare(const char *name)
{
    char list[] = "/tmp/test_debug_info_XXXXXX";
    struct tally tally = {0, 0, 0};
    struct text why = {NULL, 0, 0};
    struct binary *binary = binary_open(name, &why);
    struct oracle oracle = {.at_end = false};
    char command[4096];

    cr_assert_not_null(binary, "%s", name);
    close(mkstemp(list));
    list_addresses(binary, list);
    snprintf(command, sizeof(command), "addr2line -a -f -i -e '%s' @%s", name, list);
    oracle.pipe = popen(command, "r");
    read_line(&oracle);
    while (next(&oracle) && next(&oracle))
        compare_address(binary, &oracle, &tally);
    cr_assert_eq(pclose(oracle.pipe), 0);
    unlink(list);
    text_free(&oracle.said);
    binary_close(binary);
    return tally;
}

Test(debug_info, addr2line_prints_the_same_for_every_address, .timeout = 120)
{
    struct tally all = {0, 0, 0};

    if (system("addr2line --version >/dev/null 2>&1") != 0)
        cr_skip_test("there is no addr2line");
    if (strcmp(getenv("HAS_LIBDW"), "1") != 0)
        cr_skip_test("built without libdw");
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        const char *name = getenv(programs[i]);
        struct tally tally;

        if (name == NULL)
            continue;
        tally = compare(name);
        fprintf(stderr,
                "%s: %zu addresses with lines, %zu of them in inlined functions\n", name,
                tally.n, tally.n_inlined);
        cr_expect_eq(tally.n_wrong, 0, "%s: %zu", name, tally.n_wrong);
        all.n += tally.n;
        all.n_inlined += tally.n_inlined;
    }
    cr_assert_gt(all.n, 500);
    cr_assert_gt(all.n_inlined, 250);
}

/* ---- Selections -------------------------------------------------------------------- */

/* Which addresses of a program's functions are looked up, and what is described: all, or
 * only every `step`th, from number `first` on. */
struct selection {
    bool wants_all;
    size_t first;
    size_t step;
};

/* What is known of the addresses of a selection. */
static struct text describe_selection(const char *name, struct selection s)
{
    struct text why = {NULL, 0, 0};
    struct text all = {NULL, 0, 0};
    struct source_lines lines = {NULL, 0, 0};
    struct binary *binary = binary_open(name, &why);

    cr_assert_not_null(binary, "%s", name);
    for (int pass = 0; pass < 2; pass++) {
        size_t n = 0;

        for (size_t i = 0; i < binary->elf.symbols.ranges.n; i++) {
            const struct range *range = &binary->elf.symbols.ranges.items[i];

            for (uint64_t a = range->start; a < range->limit; a++) {
                bool is_selected = n++ % s.step == s.first;

                if (pass == 0 && (s.wants_all || is_selected))
                    binary_want(binary, a);
                if (pass == 0 || !is_selected)
                    continue;
                binary_lines(binary, a, &lines);
                describe(&all, &lines);
            }
        }
        if (pass == 0)
            cr_assert(binary_read_lines(binary, NULL, &why));
    }
    memory_release(lines.items);
    binary_close(binary);
    return all;
}

static size_t compare_selections(const char *name, struct selection left,
                                 struct selection right)
{
    struct text one = describe_selection(name, left);
    struct text other = describe_selection(name, right);
    size_t size = one.size;

    cr_assert_eq(size, other.size, "%s, from %zu on", name, left.first);
    cr_assert(memcmp(one.data, other.data, size) == 0, "%s, from %zu on", name,
              left.first);
    text_free(&one);
    text_free(&other);
    return size;
}

/* Functions without an address to look up are skipped, with what is inlined into them. */
Test(debug_info, an_address_has_the_same_answer_among_few_and_among_all)
{
    enum { STEP = 61 };

    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        size_t size = 0;

        if (getenv(programs[i]) == NULL)
            continue;
        for (size_t first = 0; first < STEP; first++)
            size += compare_selections(getenv(programs[i]),
                                       (struct selection){true, first, STEP},
                                       (struct selection){false, first, STEP});
        cr_assert_gt(size, 100);
    }
}

/* ---- Damage ------------------------------------------------------------------------ */

static void write_whole(const char *name, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");

    cr_assert_not_null(file, "%s", name);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

/* Looks all addresses up, if the file can be used at all. */
static void look_around(const char *name)
{
    struct text why = {NULL, 0, 0};
    struct binary *binary = binary_open(name, &why);
    struct source_lines lines = {NULL, 0, 0};
    bool ok;

    text_free(&why);
    if (binary == NULL)
        return;
    for (size_t i = 0; i < binary->elf.symbols.ranges.n; i++) {
        const struct range *range = &binary->elf.symbols.ranges.items[i];

        for (uint64_t a = range->start; a < range->limit && a - range->start < 4096;
             a += 3)
            binary_want(binary, a);
    }
    ok = binary_read_lines(binary, NULL, &why);
    cr_assert_eq(ok, why.size == 0);
    for (size_t i = 0; i < binary->elf.symbols.ranges.n; i++) {
        binary_lines(binary, binary->elf.symbols.ranges.items[i].start, &lines);
        cr_assert_gt(lines.n, 0);
    }
    text_free(&why);
    memory_release(lines.items);
    binary_close(binary);
}

Test(debug_info, damaged_files_do_no_harm, .timeout = 120)
{
    const char *rounds = getenv("DAMAGE_ROUNDS");
    char name[] = "/tmp/test_debug_info_XXXXXX";
    size_t size;
    unsigned char *original = read_file(getenv("ELF_INLINES"), &size);
    unsigned char *bytes = (unsigned char *)memory_allocate(size);

    close(mkstemp(name));
    srand(rounds != NULL ? (unsigned)time(NULL) : 4);
    for (int round = 0; round < (rounds != NULL ? atoi(rounds) : 300); round++) {
        memcpy(bytes, original, size);
        /* What a linker adds for debuggers is in the second half. */
        for (int i = 0; i < 1 + round % 16; i++)
            bytes[size / 2 + (size_t)rand() % (size / 2)] = (unsigned char)rand();
        write_whole(name, bytes, round % 5 == 0 ? (size_t)rand() % size : size);
        look_around(name);
    }
    unlink(name);
    memory_release(original);
    memory_release(bytes);
}

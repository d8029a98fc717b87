/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF reader on real files, with nm as the other opinion, and on real files with
 * damage; the latter is for AddressSanitizer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/pooled.h"
#include "read_elf.h"
#include "read_file.h"

/* The files that the build made for this test, named in its environment. */
static const char *const real_files[] = {"ELF_STATIC", "ELF_PIE", "ELF_KERNEL"};

struct nm_symbol {
    unsigned long long address;
    unsigned long long size;
    char type;
    char name[512];
};

/* Checks the symbols that nm lists with a size: each address of one has a symbol that nm
 * knows for where it starts. Returns how many there are. */
static size_t compare_to_nm(const struct elf *elf, const char *name)
{
    char command[4096];
    char line[1024];
    struct nm_symbol *all = NULL;
    size_t n = 0;
    FILE *pipe;

    snprintf(command, sizeof(command), "nm -S --defined-only '%s'", name);
    pipe = popen(command, "r");
    while (fgets(line, sizeof(line), pipe) != NULL) {
        struct nm_symbol s;

        if (sscanf(line, "%llx %llx %c %511s", &s.address, &s.size, &s.type, s.name) !=
                4 ||
            strchr("tTwWi", s.type) == NULL)
            continue;
        all = memory_reallocate(all, (n + 1) * sizeof(*all));
        all[n++] = s;
    }
    cr_assert_eq(pclose(pipe), 0);
    for (size_t i = 0; i < n; i++) {
        const struct elf_symbol *first = elf_symbols_find(&elf->symbols, all[i].address);
        const struct elf_symbol *last =
            elf_symbols_find(&elf->symbols, all[i].address + all[i].size - 1);
        bool known = false;

        cr_assert(first != NULL && last != NULL, "%s", all[i].name);
        for (size_t j = 0; j < n; j++)
            known = known || (all[j].address == all[i].address &&
                              strcmp(all[j].name, first->name) == 0);
        cr_assert(known, "%s is not %s", first->name, all[i].name);
    }
    return n;
}

POOLED_TEST(elf, real_files_have_the_symbols_that_nm_lists)
{
    size_t n_files = 0;

    if (system("nm --version >/dev/null 2>&1") != 0)
        cr_skip_test("there is no nm");
    for (size_t i = 0; i < sizeof(real_files) / sizeof(real_files[0]); i++) {
        const char *name = getenv(real_files[i]);
        size_t size;
        unsigned char *bytes;
        struct elf elf;

        if (name == NULL)
            continue;
        bytes = read_file(name, &size);
        cr_assert(read_bytes(&elf, bytes, size));
        cr_assert_eq(elf.image.build_id_size, 20, "%s", name);
        cr_assert_gt(compare_to_nm(&elf, name), 3, "%s", name);
        elf_free(&elf);
        memory_release(bytes);
        n_files++;
    }
    cr_assert_gt(n_files, 0);
}

POOLED_TEST(elf, real_files_that_are_damaged_do_no_harm)
{
    const char *name = getenv("ELF_PIE");
    unsigned char *original;
    unsigned char *bytes;
    size_t size;
    struct elf elf;

    cr_assert_not_null(name);
    original = read_file(name, &size);
    bytes = memory_reserve(size);
    srand(2);
    for (int round = 0; round < 3000; round++) {
        memcpy(bytes, original, size);
        for (int i = 0; i < 1 + round % 8; i++) {
            /* The headers stand at the start and at the end of the file. */
            size_t distance = (size_t)rand() % (round % 2 == 0 ? 0x400 : 0x2000) % size;

            bytes[rand() % 2 ? distance : size - 1 - distance] = (unsigned char)rand();
        }
        if (read_bytes(&elf, bytes, round % 5 == 0 ? (size_t)rand() % size : size))
            elf_free(&elf);
    }
}

POOLED_TEST(elf, files_that_are_no_files_are_not_waited_for)
{
    char directory[] = "/tmp/test_elf_XXXXXX";
    char command[64];
    struct text why = {NULL, 0, 0};

    cr_assert_not_null(mkdtemp(directory));
    cr_assert_null(file_open(directory, &why));
    snprintf(command, sizeof(command), "mkfifo %s/pipe", directory);
    cr_assert_eq(system(command), 0);
    snprintf(command, sizeof(command), "%s/pipe", directory);
    cr_assert_null(file_open(command, &why));
    unlink(command);
    rmdir(directory);
}

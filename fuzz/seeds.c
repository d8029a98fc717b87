/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the seeds of corpus/reader/ and of corpus/profile/ into these directories, the
 * golden streams of the tests, in either byte order, read in different ways; and those of
 * corpus/elf/.
 *
 *     ninja -C build fuzz/seeds && build/fuzz/seeds fuzz/corpus
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/golden.h"
#include "how.h"
#include "tests/libfxtprofile/make_elf.h"
#include "tests/support/worked.h"

/* Writes DIR/TARGET/ORDER-NAME, with whatever a file name should not have replaced. */
static void write_seed(const char *dir, const char *target, const char *name,
                       const struct words *w)
{
    char path[4096];
    size_t start;
    FILE *file;

    start = (size_t)snprintf(path, sizeof(path), "%s/%s/", dir, target);
    snprintf(path + start, sizeof(path) - start, "%s-%s", w->big ? "big" : "little",
             name);
    for (char *c = path + start; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c))
            *c = '-';
    }
    file = fopen(path, "wb");
    if (file == NULL || fwrite(w->bytes, 1, w->size, file) != w->size ||
        fclose(file) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
}

/* A stream, followed by the cuts and the options of fuzz_reader.c. */
static void write_for_reader(const char *dir, const char *name, struct words *w,
                             const struct how *how)
{
    uint8_t tail[HOW_BYTES];

    for (unsigned i = 0; i < how->n_cuts; i++) {
        uint8_t cut[2] = {(uint8_t)(37 * (i + 1)), (uint8_t)i};

        put_raw(w, cut, sizeof(cut));
    }
    how_put(how, tail);
    put_raw(w, tail, sizeof(tail));
    write_seed(dir, "reader", name, w);
}

/* A stream, followed by the options of fuzz_profile.c. */
static void write_for_profile(const char *dir, size_t i, bool big)
{
    struct words w = {.big = big};
    uint8_t tail[3] = {
        (uint8_t)(goldens[i].stream | (big ? FXT_BYTE_ORDER_BIG : 0) << 2 |
                  goldens[i].resync << 4),
        (uint8_t)(i % 3 == 0 ? 4 : 0),
        (uint8_t)(i % 8),
    };

    goldens[i].put(&w);
    put_raw(&w, tail, sizeof(tail));
    write_seed(dir, "profile", goldens[i].name, &w);
    words_free(&w);
}

/* The same as spans, with more options. */
static void write_for_spans(const char *dir, size_t i)
{
    struct words w = {0};
    char name[256];
    uint8_t tail[5] = {
        (uint8_t)(0x80 | (i % 4 == 0 ? 0 : 1u << (i % 7))),
        (uint8_t)(i * 37),
        (uint8_t)(goldens[i].stream | 0x40),
        0,
        (uint8_t)(i % 8),
    };

    snprintf(name, sizeof(name), "%s spans", goldens[i].name);
    goldens[i].put(&w);
    put_raw(&w, tail, sizeof(tail));
    write_seed(dir, "profile", name, &w);
    words_free(&w);
}

static void write_golden(const char *dir, size_t i, bool big)
{
    struct words w = {.big = big};
    struct how how = {
        .stream = goldens[i].stream,
        .byte_order = big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_AUTO,
        .resync = goldens[i].resync,
        .stable = i % 3 == 0,
        .stop = i % 4 == 1,
        .as_needed = i % 4 == 2,
        .record_limit = goldens[i].max_record_bytes > 0 ? 3 : 0,
        .kept_limit = big ? (unsigned)i % 8 : 0,
        .n_cuts = (unsigned)i % 5,
        .fail_at = big ? 0 : (unsigned)i,
    };

    goldens[i].put(&w);
    write_for_reader(dir, goldens[i].name, &w, &how);
    words_free(&w);
}

static void write_worked(const char *dir, size_t i)
{
    struct words w = {0};
    struct how how = {.stream = FXT_STREAM_ARCHIVE, .resync = i % 2 == 1};

    put_worked_example(&w, &worked_examples[i]);
    write_for_reader(dir, worked_examples[i].name, &w, &how);
    words_free(&w);
}

/* Where the link to a file for debuggers is. */
enum { LINK = 0x1c0, LINK_SIZE = 12, LINK_SECTION = 5 };

/* A file with symbols of all kinds, and as much of it as is looked at. */
static void write_elf(const char *dir, bool is_64, bool is_big)
{
    struct made_elf made;
    struct words words = {.big = is_big};

    made_start(&made, is_64, is_big);
    made_section(&made, LINK_SECTION, SHT_PROGBITS, 0, LINK, LINK_SIZE, 0);
    MADE_FIELD(&made, MADE_SECTIONS + LINK_SECTION * MADE_SIZEOF(&made, Shdr), Shdr,
               sh_name, made.string_table_size);
    memcpy(made.bytes + MADE_STRINGS + made.string_table_size, ".gnu_debuglink", 15);
    made.string_table_size += 15;
    memcpy(made.bytes + LINK, "a.debug", 8);
    MADE_FIELD(&made, 0, Ehdr, e_shnum, LINK_SECTION + 1);
    MADE_FIELD(&made, 0, Ehdr, e_shstrndx, 4);
    made_function(&made, "outer", MADE_CODE, 0x100);
    made_function(&made, "inner", MADE_CODE + 0x20, 0x20);
    made_label(&made, "label", MADE_CODE + 0x200);
    made_label(&made, "$x", MADE_CODE + 0x204);
    made_function(&made, "without_size", MADE_CODE + 0x300, 0);
    made_function(&made, "last", MADE_CODE_LIMIT - 1, 0x1000);
    put_raw(&words, made.bytes, MADE_SYMBOLS + made.n_symbols * MADE_SIZEOF(&made, Sym));
    write_seed(dir, "elf", is_64 ? "64" : "32", &words);
    words_free(&words);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < n_goldens; i++) {
        write_golden(argv[1], i, false);
        write_golden(argv[1], i, true);
        write_for_profile(argv[1], i, false);
        write_for_profile(argv[1], i, true);
        write_for_spans(argv[1], i);
    }
    for (int i = 0; i < 4; i++)
        write_elf(argv[1], i & 1, i & 2);
    for (size_t i = 0; i < N_WORKED; i++)
        write_worked(argv[1], i);
    return 0;
}

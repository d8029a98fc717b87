/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the seeds of corpus/reader/ and of corpus/profile/ into these directories: the
 * golden streams of the tests, in either byte order, read in different ways.
 *
 *     ninja -C build fuzz/seeds && build/fuzz/seeds fuzz/corpus
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "how.h"
#include "worked.h"

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

/* The cuts and the options of fuzz_reader.c behind a stream. */
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

/* The options of fuzz_profile.c behind a stream. */
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
    }
    for (size_t i = 0; i < N_WORKED; i++)
        write_worked(argv[1], i);
    return 0;
}

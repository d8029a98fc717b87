/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the seeds of corpus/reader/ into a directory: the golden streams of the tests,
 * in either byte order, read in different ways.
 *
 *     ninja -C build fuzz/seeds && build/fuzz/seeds fuzz/corpus/reader
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "how.h"
#include "worked.h"

static void write_seed(const char *dir, const char *name, struct words *w,
                       const struct how *how)
{
    uint8_t tail[HOW_BYTES];
    char path[4096];
    FILE *file;

    for (unsigned i = 0; i < how->n_cuts; i++) {
        uint8_t cut[2] = {(uint8_t)(37 * (i + 1)), (uint8_t)i};

        put_raw(w, cut, sizeof(cut));
    }
    how_put(how, tail);
    put_raw(w, tail, sizeof(tail));
    snprintf(path, sizeof(path), "%s/%s-%s", dir, w->big ? "big" : "little", name);
    for (char *c = path + strlen(dir) + 1; *c != '\0'; c++) {
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
    write_seed(dir, goldens[i].name, &w, &how);
    words_free(&w);
}

static void write_worked(const char *dir, size_t i)
{
    struct words w = {0};
    struct how how = {.stream = FXT_STREAM_ARCHIVE, .resync = i % 2 == 1};

    put_worked_example(&w, &worked_examples[i]);
    write_seed(dir, worked_examples[i].name, &w, &how);
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
    }
    for (size_t i = 0; i < N_WORKED; i++)
        write_worked(argv[1], i);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the seeds of corpus/round_trip/ into a directory: a few records of every type,
 * to be copied in different ways. (The seeds of the reader serve as well.)
 *
 *     ninja -C build fuzz/seeds_round_trip
 *     build/fuzz/seeds_round_trip fuzz/corpus/round_trip
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/maker.h"
#include "tests/support/trip.h"
#include "how.h"

enum { N_SEEDS = 27, SEED_RECORDS = 12 };

/* Fuzzing has to change each bit of them. */
static bool is_small(const struct fxt_record *r)
{
    return !(r->type == FXT_RECORD_LARGE && r->large_blob.payload.size > 100) &&
           !(r->type == FXT_RECORD_BLOB && r->blob.payload.size > 100) &&
           !(r->type == FXT_RECORD_LOG && r->log.message.size > 100) &&
           !(r->type == FXT_RECORD_PROFILER && r->profiler.pcs.count > 30);
}

static struct fxt_buffer make(uint64_t seed, const struct trip_how *how)
{
    static struct maker maker;
    struct fxt_writer_options options = {
        .strings = (enum fxt_references)how->strings,
        .threads = (enum fxt_references)how->threads,
        .byte_order = (enum fxt_byte_order)how->from,
    };
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);

    maker_start(&maker, seed);
    maker.n_names = 8;
    maker.n_threads = 4;
    fxt_writer_start_archive(writer, 24000000);
    for (int i = 0; i < SEED_RECORDS; i++) {
        struct fxt_record record;

        do
            maker_make(&maker, &record);
        while (!is_small(&record));
        fxt_writer_write(writer, &record);
    }
    if (fxt_writer_finish(writer) != FXT_OK)
        abort();
    fxt_writer_destroy(writer);
    return stream;
}

static void write_seed(const char *dir, unsigned i)
{
    struct trip_how how = {
        .strings = i % 3,
        .threads = i / 3 % 3,
        .from = 1 + i % 2,
        .to = i / 9,
        .kept_limit = i % 5 == 4 ? i % 8 : 0,
        .buffer_size = i % 8,
        .resync = i % 4 == 3,
        .fail_at = i % 7 == 6 ? i / 7 : 0,
    };
    struct fxt_buffer stream = make(i, &how);
    uint8_t tail[HOW_BYTES];
    char path[4096];
    FILE *file;

    trip_how_put(&how, tail);
    if (fxt_buffer_write(&stream, tail, sizeof(tail)) != 0)
        abort();
    snprintf(path, sizeof(path), "%s/made-%02u", dir, i);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(stream.data, 1, stream.size, file) != stream.size ||
        fclose(file) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    free(stream.data);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < N_SEEDS; i++)
        write_seed(argv[1], i);
    return 0;
}

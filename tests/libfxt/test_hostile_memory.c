/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks in memory that is not nice: at the edge of what is mapped, and changing while it
 * is read. */
#include "tests/support/harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/support/golden.h"
#include "tests/support/guard.h"
#include "tests/support/random.h"
#include "tests/support/walk.h"

/* ---- the edge of what is mapped ---- */

static void read_quietly(const struct fxt_reader_options *options, const void *data,
                         size_t size)
{
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(options, &reader) == FXT_OK, "no reader");
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
}

/* Presents each golden stream, and each of its last records cut off at any byte, in front
 * of and after an unmapped page, so at all alignments. */
TEST(hostile_memory, nothing_outside_the_chunk_is_touched)
{
    struct guard guard;

    guard_create(&guard, 1 << 20);
    for (size_t i = 0; i < n_goldens; i++) {
        struct fxt_reader_options options = golden_options(&goldens[i], false);
        struct words w = {0};

        goldens[i].put(&w);
        for (size_t cut = 0; cut < 100 && cut <= w.size; cut++) {
            read_quietly(&options, guard_at_end(&guard, w.bytes, w.size - cut),
                         w.size - cut);
            read_quietly(&options, guard_at_start(&guard, w.bytes, w.size - cut),
                         w.size - cut);
            read_quietly(&options, guard_at_end(&guard, w.bytes + cut, w.size - cut),
                         w.size - cut);
        }
        words_free(&w);
    }
    guard_destroy(&guard);
}

/* ---- memory that changes ---- */

/* A race on purpose is no news to the thread sanitizer. */
#if defined(__SANITIZE_THREAD__)
#define RACES_ARE_REPORTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RACES_ARE_REPORTED 1
#endif
#endif

#ifndef RACES_ARE_REPORTED

enum { SHARED_WORDS = 512 };

struct shared {
    /* Written by one thread with whole words, read by the other in any way it likes. */
    uint64_t words[SHARED_WORDS];
    atomic_bool done;
};

/* Words that make records of all kinds and sizes, for a while; plausible and not. */
static void *scribble(void *context)
{
    struct shared *shared = (struct shared *)context;
    uint64_t random = 10;

    while (!shared->done) {
        uint64_t word = random_next(&random);
        uint64_t kind = random_next(&random) % 4;

        if (kind == 0)
            word = word % 16 | AT(4, random_next(&random) % 40) |
                   AT(16, word >> 32 & 0xffff);
        else if (kind == 1)
            word = word % 600;
        else if (kind == 2)
            word &= 0xffff00ff00ff01ff;
        *(volatile uint64_t *)&shared->words[random_next(&random) % SHARED_WORDS] = word;
    }
    return NULL;
}

/* Where pointers may lead. */
struct bounds {
    const unsigned char *start;
    const unsigned char *end;
    uint64_t n_records;
};

static void check_inside(const struct bounds *b, const void *data, uint64_t size)
{
    const unsigned char *at = (const unsigned char *)data;

    CHECK(at >= b->start && at <= b->end && size <= (uint64_t)(b->end - at),
          "%llu bytes lead out", (unsigned long long)size);
}

static void check_string(void *context, const char *field, const struct fxt_string *s)
{
    (void)field;
    if (s->ref & FXT_STRING_REF_INLINE)
        check_inside((struct bounds *)context, s->data, s->size);
}

static void check_bytes(void *context, const char *field, const void *data, uint64_t size)
{
    (void)field;
    if (size > 0)
        check_inside((struct bounds *)context, data, size);
}

static void check_run(void *context, const char *field, struct fxt_words words)
{
    CHECK(words.count <= SHARED_WORDS, "%llu words", (unsigned long long)words.count);
    check_bytes(context, field, words.data, words.count * FXT_WORD_BYTES);
}

static int check_record(void *context, const struct fxt_record *record)
{
    struct bounds *bounds = (struct bounds *)context;
    struct walker w = {.context = context,
                       .string = check_string,
                       .bytes = check_bytes,
                       .words = check_run};

    CHECK(record->n_args <= FXT_ARGS_MAX, "%u arguments", record->n_args);
    walk_frame(&w, record);
    walk_content(&w, record);
    bounds->n_records++;
    return 0;
}

static uint64_t read_for_a_while(struct shared *shared, bool resync, double seconds)
{
    const unsigned char *start = (const unsigned char *)shared->words;
    struct bounds bounds = {start, start + sizeof(shared->words), 0};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = check_record,
        .context = &bounds,
        .stream = FXT_STREAM_ARCHIVE,
        .resync = resync,
    };
    clock_t until = clock() + (clock_t)(2 * seconds * CLOCKS_PER_SEC);
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    while (clock() < until) {
        for (int i = 0; i < 100; i++) {
            struct fxt_chunk chunk = {start, sizeof(shared->words), 0};

            fxt_reader_read(reader, &chunk);
            fxt_reader_finish(reader, &chunk);
            CHECK(chunk.pos <= chunk.size, "the chunk's place has gone wild");
            CHECK(fxt_reader_reset(reader) == FXT_OK, "no reset");
        }
    }
    fxt_reader_destroy(reader);
    return bounds.n_records;
}

TEST(hostile_memory,
     a_chunk_that_another_thread_writes_to_spoils_records_and_nothing_else)
{
    static struct shared shared;
    pthread_t thread;
    uint64_t n_records;

    CHECK(pthread_create(&thread, NULL, scribble, &shared) == 0, "no thread");
    n_records = read_for_a_while(&shared, false, 0.3);
    n_records += read_for_a_while(&shared, true, 0.3);
    shared.done = true;
    pthread_join(thread, NULL);
    CHECK(n_records > 0, "no record was read");
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The emitter: what others see of a region that is being written, or whose writer was
 * killed. */
#include <fxt/emit.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "numbered.h"
#include "tests/support/region.h"

/* ---- What others see while it is written ------------------------------------------- */

enum { LIVE_BYTES = 1 << 20, LIVE_ROUNDS = 20 };

struct live {
    uint64_t *region;
    uint64_t n_written;
    atomic_bool finished;
};

/* Slow enough for the reader to keep up with, so that it meets records in the making. */
static void *write_live(void *context)
{
    struct live *live = context;
    struct fxt_emit emit;

    fxt_emit_init(&emit, live->region, LIVE_BYTES);
    while (emit_numbered(&emit, live->n_written)) {
        live->n_written++;
        for (uint64_t i = 0; i < mix(live->n_written) % 1024; i++)
            FXT_FORGET_ORIGIN(i);
        if (live->n_written % 64 == 0)
            sched_yield();
    }
    atomic_store(&live->finished, true);
    return NULL;
}

/* Zero, or the header of one of our samples. */
static bool is_sane(uint64_t header)
{
    return header == 0 || (FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE &&
                           FXT_GET(header, LARGE_WORDS) <= MOST_WORDS);
}

/* Returns the number of words of the record at `pos`, 0 if there is none yet; a
 * reader that sees the record must also see the end after it, or the next one. */
static uint64_t look_at(const uint64_t *words, uint64_t pos)
{
    uint64_t header = __atomic_load_n(&words[pos], __ATOMIC_ACQUIRE);
    uint64_t n_words = FXT_GET(header, LARGE_WORDS);

    if (header == 0)
        return 0;
    if (!is_sane(header) ||
        !is_sane(__atomic_load_n(&words[pos + n_words], __ATOMIC_ACQUIRE)))
        CHECK(false, "no header at word %llu or after it", (unsigned long long)pos);
    return n_words;
}

/* Decodes every record as soon as its header appears. Returns the size of them all. */
static uint64_t read_live(struct live *live, struct fxt_reader *reader)
{
    uint64_t pos = 0;
    bool finished = false;

    for (;;) {
        struct fxt_chunk chunk = {live->region + pos, 0, 0};
        uint64_t n_words = look_at(live->region, pos);

        if (n_words == 0 && finished)
            return pos * 8;
        finished = atomic_load(&live->finished);
        chunk.size = n_words * 8;
        CHECK_EQ(fxt_reader_read(reader, &chunk), FXT_OK);
        pos += n_words;
    }
}

/* Over memory that was filled with one byte before. */
static void write_and_read(uint64_t *region, int filling)
{
    struct live live = {.region = region};
    struct region_reader read;
    uint64_t first = 0;
    pthread_t writer;
    uint64_t size;

    memset(region, filling, LIVE_BYTES);
    region[0] = 0;
    CHECK_EQ(pthread_create(&writer, NULL, write_live, &live), 0);
    region_start(&read, check_numbered, &first);
    size = read_live(&live, read.reader);
    pthread_join(writer, NULL);
    region_finish(&read, region + size / 8, filling == 0 ? LIVE_BYTES - size : 8);
    CHECK_EQ(read.n_stacks, live.n_written);
    CHECK_EQ(read.n_other_records, 0);
    CHECK_EQ(read.n_reports, 0);
}

TEST(emit_live, a_reader_beside_the_writer_sees_whole_records_and_then_zero)
{
    uint64_t *region = map_before_guard(LIVE_BYTES);

    for (int round = 0; round < LIVE_ROUNDS; round++)
        write_and_read(region, round % 2 == 0 ? 0 : 0xff);
    unmap(region, LIVE_BYTES);
}

/* ---- What is left when the writer is killed ---------------------------------------- */

/* The place of the zero header, in words; what the writer got done can be trusted. */
static uint64_t find_end(const uint64_t *words)
{
    uint64_t pos = 0;

    while (words[pos] != 0)
        pos += FXT_GET(words[pos], LARGE_WORDS);
    return pos;
}

static void nap(uint64_t ns)
{
    struct timespec time = {0, (long)ns};

    nanosleep(&time, NULL);
}

/* Writes the region, full or from the beginning again, until it is killed. */
static void write_until_killed(uint64_t *region, size_t size, bool again,
                               atomic_bool *started)
{
    struct fxt_emit emit;
    uint64_t number = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    do {
        fxt_emit_init(&emit, region, size);
        while (emit_numbered(&emit, number)) {
            number++;
            atomic_store_explicit(started, true, memory_order_relaxed);
        }
    } while (again);
    for (;;)
        pause();
}

/* Kills a writer some time after its first record. */
static void write_and_kill(uint64_t *region, size_t size, bool again, uint64_t wait_ns)
{
    atomic_bool *started = map_before_guard((size_t)sysconf(_SC_PAGESIZE));
    pid_t child = fork();
    int status;

    CHECK_TRUE(child >= 0);
    if (child == 0) {
        write_until_killed(region, size, again, started);
        _exit(1);
    }
    while (!atomic_load(started))
        nap(1000);
    nap(wait_ns);
    kill(child, SIGKILL);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    unmap(started, (size_t)sysconf(_SC_PAGESIZE));
}

/* After the end there may be what the writer had of one record, and nothing else. */
static void check_tail(const uint64_t *region, uint64_t end, uint64_t n_words)
{
    CHECK_EQ(region[end], 0);
    for (uint64_t i = end + MOST_WORDS; i < n_words; i++)
        CHECK_EQ(region[i], 0);
}

TEST(emit_live, a_killed_writer_leaves_whole_records_and_then_zero)
{
    enum { REGION_BYTES = 32 << 20, ROUNDS = 30, LONGEST_NS = 4000000 };
    uint64_t cut_short = 0;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t *region = map_before_guard(REGION_BYTES);
        uint64_t first = 0;
        struct region_reader read;
        uint64_t end;

        write_and_kill(region, REGION_BYTES, false, mix(round) % LONGEST_NS);
        end = find_end(region);
        check_tail(region, end, REGION_BYTES / 8);
        cut_short += end < REGION_BYTES / 8 - MOST_WORDS;
        read = region_read(region, REGION_BYTES, check_numbered, &first);
        CHECK_TRUE(read.n_stacks > 0);
        CHECK_EQ(read.n_other_records, 0);
        if (read.n_reports > 0) {
            CHECK_EQ(read.n_reports, 1);
            CHECK_EQ(read.last_report, FXT_E_DATA_AFTER_END);
        }
        unmap(region, REGION_BYTES);
    }
    CHECK(cut_short > 0, "every writer had filled its region before it was killed");
}

TEST(emit_live, a_killed_writer_leaves_whole_records_and_then_zero_over_old_data)
{
    enum { REGION_BYTES = 1 << 16, ROUNDS = 100, LONGEST_NS = 1000000 };
    uint64_t *region = map_before_guard(REGION_BYTES);

    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct region_reader read;
        uint64_t first;
        uint64_t end;

        write_and_kill(region, REGION_BYTES, true, mix(round) % LONGEST_NS);
        end = find_end(region);
        CHECK_TRUE(end < REGION_BYTES / 8);
        first = region[2];
        read = region_read(region, end * 8 + 8, check_numbered, &first);
        CHECK_EQ(read.n_stacks == 0, end == 0);
        CHECK_EQ(read.n_other_records, 0);
        CHECK(read.n_reports == 0, "%s", fxt_code_name(read.last_report));
    }
    unmap(region, REGION_BYTES);
}

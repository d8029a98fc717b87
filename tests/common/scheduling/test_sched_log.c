/* SPDX-License-Identifier: BSD-2-Clause */
/* Events come back sorted by time, whether they are in memory or in a file. */
#include "common/scheduling/sched_log.h"
#include "tests/support/pooled.h"
#include "tests/support/random.h"

struct replay {
    uint64_t n;
    uint64_t last_ns;
    uint64_t last_order;
    uint64_t sum;
};

static void take(void *context, const struct sched_event *event)
{
    struct replay *r = (struct replay *)context;

    CHECK(r->n == 0 || event->time_ns > r->last_ns ||
              (event->time_ns == r->last_ns && event->order > r->last_order),
          "event %u is out of order", (unsigned)r->n);
    CHECK(event->thread == event->time_ns * 3 + event->order, "an event has changed");
    r->n++;
    r->last_ns = event->time_ns;
    r->last_order = event->order;
    r->sum += event->order;
}

static void check(struct sched_log *log, uint64_t n, uint64_t range, uint64_t *seed)
{
    struct replay replay = {0};

    for (uint64_t i = 0; i < n; i++) {
        struct sched_event event = {.time_ns = random_next(seed) % range, .cpu = i % 3};

        event.thread = event.time_ns * 3 + i;
        sched_log_add(log, event);
    }
    sched_log_replay(log, take, &replay);
    CHECK(replay.n == n, "%u of %u events", (unsigned)replay.n, (unsigned)n);
    CHECK(n == 0 || replay.sum == n * (n - 1) / 2, "not each event once");
}

POOLED_TEST(sched_log, events_are_sorted_and_equal_ones_keep_their_order)
{
    uint64_t seed = 7;

    for (size_t length = 1; length < 700; length += 1 + length / 3) {
        struct sched_log log = {.run_length = length};

        for (uint64_t n = 0; n < 3000; n += 1 + n * 2)
            check(&log, n, 1 + random_next(&seed) % 2000, &seed);
    }
}

POOLED_TEST(sched_log, runs_without_a_temporary_file_stay_in_memory)
{
    struct sched_log log = {.run_length = 10, .is_stuck = true};
    uint64_t seed = 8;

    check(&log, 1005, 500, &seed);
}

POOLED_TEST(sched_log, switches_that_go_back_in_time_on_their_cpu_are_counted)
{
    static const struct sched_event events[] = {
        {.time_ns = 10, .cpu = 0},    {.time_ns = 5, .cpu = 1},
        {.time_ns = 9, .cpu = 0},     {.time_ns = 10, .cpu = 0},
        {.time_ns = 4, .cpu = 1},     {.time_ns = 1, .cpu = 1, .kind = SCHED_WAKEUP},
        {.time_ns = 1, .cpu = 65535},
    };
    struct sched_log log = {.run_length = 0};

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        sched_log_add(&log, events[i]);
    CHECK(log.n_backwards == 2, "%u", (unsigned)log.n_backwards);
}

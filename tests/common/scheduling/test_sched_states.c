/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs and waits of threads, worked out by hand from events. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <fxt/format.h>

#include "common/scheduling/sched_states.h"
#include "tests/support/pooled.h"

/* Lines such as "cpu0 5 10-20" (CPU 0 ran thread 5), "7 blocked 10-15-20 by 5": switched
 * out at 10, woken at 15 by thread 5, and running again at 20. */
static struct {
    char text[4096];
    size_t size;
    struct sched_states states;
} lines;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lines.size += (size_t)vsnprintf(lines.text + lines.size,
                                    sizeof(lines.text) - lines.size, format, args);
    va_end(args);
}

static void add_run(void *context, const struct sched_run *run)
{
    (void)context;
    if (run->from_ns == run->to_ns) {
        CHECK(run->state_after == SCHED_STATE_GOES_ON, "no time before the end");
        return;
    }
    add("cpu%u ", run->cpu);
    if (run->state == SCHED_CPU_IDLE)
        add("idle");
    else if (run->state == SCHED_CPU_UNKNOWN)
        add("unknown");
    else if (run->thread == SCHED_NO_THREAD)
        add("other");
    else
        add("%u", (unsigned)lines.states.threads[run->thread].koid);
    add(" %u-%u\n", (unsigned)run->from_ns, (unsigned)run->to_ns);
}

static void add_wait(void *context, const struct sched_wait *wait)
{
    static const char *const kinds[] = {"preempted", "blocked", "suspended", "started",
                                        "unknown"};

    (void)context;
    add("%u %s %u-", (unsigned)lines.states.threads[wait->thread].koid, kinds[wait->kind],
        (unsigned)wait->from_ns);
    if (wait->is_woken)
        add("%u-", (unsigned)wait->woken_ns);
    add("%u", (unsigned)wait->to_ns);
    if (wait->waker != 0)
        add(" by %u", (unsigned)wait->waker);
    add("%s\n", wait->is_open ? " open" : "");
}

static void start(void)
{
    memset(&lines, 0, sizeof(lines));
    lines.states = (struct sched_states){.on_run = add_run, .on_wait = add_wait};
}

/* Thread 0 is an idle one. */
static void change(uint64_t time, uint32_t cpu, uint64_t from, unsigned state,
                   uint64_t to)
{
    struct sched_event event = {.time_ns = time,
                                .thread = from,
                                .other = to,
                                .cpu = cpu,
                                .kind = SCHED_SWITCH,
                                .state = (uint8_t)state};

    event.flags = (uint8_t)((from == 0 ? SCHED_OUTGOING_IDLE : 0) |
                            (to == 0 ? SCHED_INCOMING_IDLE : 0));
    sched_states_take(&lines.states, &event);
}

static void wake(uint64_t time, uint64_t thread, uint64_t waker)
{
    sched_states_take(&lines.states, &(struct sched_event){.time_ns = time,
                                                           .thread = thread,
                                                           .other = waker,
                                                           .kind = SCHED_WAKEUP});
}

static void is_waiting(uint64_t time, uint64_t thread, unsigned state, uint64_t woken,
                       uint64_t waker)
{
    sched_states_take(&lines.states, &(struct sched_event){.time_ns = time,
                                                           .thread = thread,
                                                           .other = waker,
                                                           .woken_ns = woken,
                                                           .kind = SCHED_WAITING,
                                                           .state = (uint8_t)state});
}

static void drop(uint64_t time, uint32_t cpu)
{
    sched_states_take(
        &lines.states,
        &(struct sched_event){.time_ns = time, .cpu = cpu, .kind = SCHED_DROPS});
}

static void check(bool is_cut, const char *expected, uint64_t n_lost)
{
    sched_states_end(&lines.states, is_cut);
    CHECK(strcmp(lines.text, expected) == 0, "found:\n%sexpected:\n%s", lines.text,
          expected);
    CHECK(lines.states.n_lost == n_lost, "%u lost switches",
          (unsigned)lines.states.n_lost);
}

enum {
    NEW = FXT_THREAD_NEW,
    RUNNING = FXT_THREAD_RUNNING,
    SUSPENDED = FXT_THREAD_SUSPENDED,
    BLOCKED = FXT_THREAD_BLOCKED,
    DYING = FXT_THREAD_DYING,
    DEAD = FXT_THREAD_DEAD
};

/* The states in which threads are left by their runs. */
struct states_after {
    uint8_t states[8];
    size_t n;
};

static void add_state(void *context, const struct sched_run *run)
{
    struct states_after *after = (struct states_after *)context;

    if (run->state == SCHED_CPU_BUSY && after->n < sizeof(after->states))
        after->states[after->n++] = run->state_after;
}

static void ignore_wait(void *context, const struct sched_wait *wait)
{
    (void)context;
    (void)wait;
}

POOLED_TEST(sched_states, a_run_says_how_the_thread_is_left)
{
    static const uint8_t expected[] = {BLOCKED, DEAD, RUNNING, 15, SCHED_STATE_GOES_ON};
    struct states_after after = {.n = 0};

    lines.states = (struct sched_states){
        .on_run = add_state, .on_wait = ignore_wait, .context = &after};
    change(10, 0, 0, RUNNING, 5);
    change(20, 0, 5, BLOCKED, 6);
    change(30, 0, 6, DEAD, 7);
    change(40, 0, 7, RUNNING, 8);
    drop(50, 0);
    /* It runs from the last event on, for no time. */
    change(60, 0, 0, RUNNING, 9);
    sched_states_end(&lines.states, false);
    CHECK(after.n == sizeof(expected) &&
              memcmp(after.states, expected, sizeof(expected)) == 0,
          "%u runs", (unsigned)after.n);
}

POOLED_TEST(sched_states, a_thread_blocks_is_woken_and_runs_on_another_cpu)
{
    start();
    change(10, 0, 0, RUNNING, 5);
    change(12, 1, 0, RUNNING, 6);
    change(20, 0, 5, BLOCKED, 0);
    wake(30, 5, 6);
    change(33, 1, 6, RUNNING, 5);
    change(40, 0, 0, RUNNING, 6);
    change(50, 1, 5, SUSPENDED, 0);
    CHECK(lines.states.threads[0].koid == 5 && lines.states.threads[0].n_switches == 2 &&
              lines.states.threads[0].n_migrations == 1,
          "thread 5");
    check(false,
          "cpu0 5 10-20\n"
          "cpu1 6 12-33\n"
          "5 blocked 20-30-33 by 6\n"
          "cpu0 idle 20-40\n"
          "6 preempted 33-40\n"
          "cpu1 5 33-50\n"
          "cpu0 6 40-50\n"
          "5 suspended 50-50 open\n",
          0);
}

POOLED_TEST(sched_states, what_goes_on_at_the_end_lasts_until_the_last_event)
{
    start();
    change(10, 0, 5, BLOCKED, 6);
    change(12, 1, 7, BLOCKED, 0);
    wake(20, 5, 0);
    check(false,
          "cpu0 6 10-20\n"
          "cpu1 idle 12-20\n"
          "5 blocked 10-20-20 open\n"
          "7 blocked 12-20 open\n",
          0);
}

POOLED_TEST(sched_states, what_was_cut_off_is_unknown)
{
    start();
    change(10, 0, 5, BLOCKED, 6);
    change(12, 1, 7, BLOCKED, 0);
    check(true,
          "cpu0 unknown 10-12\n"
          "5 blocked 10-12 open\n"
          "6 unknown 10-12 open\n"
          "7 blocked 12-12 open\n",
          0);
}

POOLED_TEST(sched_states, a_new_thread_waits_from_its_wakeup_on)
{
    start();
    change(10, 0, 0, RUNNING, 5);
    wake(12, 6, 5);
    change(15, 0, 5, DEAD, 6);
    change(20, 0, 6, DYING, 0);
    /* The koid is used again. */
    wake(30, 5, 0);
    change(31, 0, 0, RUNNING, 5);
    check(false,
          "cpu0 5 10-15\n"
          "6 started 12-12-15 by 5\n"
          "cpu0 6 15-20\n"
          "cpu0 idle 20-31\n"
          "5 started 30-30-31\n",
          0);
}

POOLED_TEST(sched_states, a_thread_that_is_ready_is_new_in_zircon)
{
    start();
    change(10, 0, 5, NEW, 6);
    change(20, 0, 6, RUNNING, 5);
    check(false,
          "cpu0 6 10-20\n"
          "5 preempted 10-20\n"
          "6 preempted 20-20 open\n",
          0);
}

POOLED_TEST(sched_states, blocking_without_a_wakeup_is_counted)
{
    start();
    change(10, 0, 5, BLOCKED, 0);
    change(20, 0, 0, RUNNING, 5);
    CHECK(lines.states.n_without_wakeup == 1, "not counted");
    check(false,
          "cpu0 idle 10-20\n"
          "5 blocked 10-20\n",
          0);
}

POOLED_TEST(sched_states, wakeups_of_threads_that_can_run_change_nothing)
{
    start();
    change(10, 0, 5, RUNNING, 6);
    wake(11, 5, 6);
    wake(12, 6, 6);
    change(13, 0, 6, BLOCKED, 5);
    wake(14, 6, 5);
    wake(15, 6, 7);
    change(16, 0, 5, BLOCKED, 6);
    CHECK(lines.states.n_needless_wakeups == 3, "%u",
          (unsigned)lines.states.n_needless_wakeups);
    check(false,
          "cpu0 6 10-13\n"
          "5 preempted 10-13\n"
          "cpu0 5 13-16\n"
          "6 blocked 13-14-16 by 5\n"
          "5 blocked 16-16 open\n",
          0);
}

POOLED_TEST(sched_states, where_a_switch_is_missing_times_are_unknown)
{
    start();
    change(10, 0, 0, RUNNING, 5);
    change(12, 1, 6, BLOCKED, 0);
    /* The switch from 5 to 6 is missing. */
    change(20, 0, 6, BLOCKED, 0);
    change(30, 0, 0, RUNNING, 5);
    check(false,
          "cpu0 unknown 10-20\n"
          "6 unknown 12-20\n"
          "cpu0 idle 20-30\n"
          "5 unknown 10-30\n"
          "cpu1 idle 12-30\n"
          "6 blocked 20-30 open\n",
          1);
}

POOLED_TEST(sched_states, a_thread_that_appears_on_another_cpu_was_lost_on_the_first)
{
    start();
    change(10, 0, 0, RUNNING, 5);
    change(11, 1, 0, RUNNING, 7);
    change(20, 1, 7, BLOCKED, 5);
    change(30, 0, 8, BLOCKED, 0);
    change(40, 1, 5, BLOCKED, 0);
    check(false,
          "cpu1 7 11-20\n"
          "5 unknown 10-20\n"
          "cpu0 unknown 10-30\n"
          "cpu1 5 20-40\n"
          "cpu0 idle 30-40\n"
          "5 blocked 40-40 open\n"
          "7 blocked 20-40 open\n"
          "8 blocked 30-40 open\n",
          1);
}

POOLED_TEST(sched_states, an_idle_cpu_that_stops_to_run_a_thread_lost_a_switch)
{
    start();
    change(10, 0, 5, BLOCKED, 0);
    change(20, 0, 6, BLOCKED, 0);
    change(30, 0, 0, RUNNING, 5);
    change(40, 0, 0, RUNNING, 6);
    check(false,
          "cpu0 unknown 10-20\n"
          "cpu0 idle 20-30\n"
          "5 blocked 10-30\n"
          "cpu0 unknown 30-40\n"
          "6 blocked 20-40\n"
          "5 unknown 30-40 open\n",
          2);
}

POOLED_TEST(sched_states, nothing_is_known_from_dropped_records_to_the_next_switch)
{
    start();
    change(10, 0, 5, BLOCKED, 6);
    drop(15, 0);
    drop(16, 3);
    /* This would fit what was before. */
    change(20, 0, 6, BLOCKED, 5);
    change(25, 0, 5, BLOCKED, 0);
    check(false,
          "cpu0 6 10-15\n"
          "cpu0 unknown 15-20\n"
          "6 unknown 15-20\n"
          "5 blocked 10-20\n"
          "cpu0 5 20-25\n"
          "5 blocked 25-25 open\n"
          "6 blocked 20-25 open\n",
          0);
}

POOLED_TEST(sched_states, a_lost_thread_that_is_woken_waits_from_then_on)
{
    start();
    change(10, 0, 0, RUNNING, 5);
    drop(12, 0);
    wake(20, 5, 9);
    change(25, 0, 7, BLOCKED, 5);
    check(false,
          "cpu0 5 10-12\n"
          "5 unknown 12-20\n"
          "cpu0 unknown 12-25\n"
          "5 started 20-20-25 by 9\n"
          "7 blocked 25-25 open\n",
          0);
}

POOLED_TEST(sched_states, a_switch_from_a_thread_to_itself_says_what_runs)
{
    start();
    change(10, 0, 5, RUNNING, 5);
    change(10, 1, 0, RUNNING, 0);
    change(20, 0, 5, RUNNING, 5);
    change(30, 0, 5, BLOCKED, 6);
    change(40, 0, 6, RUNNING, 6);
    change(40, 1, 0, RUNNING, 0);
    CHECK(lines.states.threads[0].n_switches == 0 &&
              lines.states.threads[1].n_switches == 1,
          "they are no switches");
    check(false,
          "cpu0 5 10-30\n"
          "cpu0 6 30-40\n"
          "cpu1 idle 10-40\n"
          "5 blocked 30-40 open\n",
          0);
}

POOLED_TEST(sched_states, a_thread_may_turn_out_to_run_after_a_missing_switch)
{
    start();
    change(10, 0, 5, BLOCKED, 6);
    change(20, 0, 5, RUNNING, 5);
    change(30, 0, 5, BLOCKED, 0);
    check(false,
          "cpu0 unknown 10-20\n"
          "5 unknown 10-20\n"
          "cpu0 5 20-30\n"
          "5 blocked 30-30 open\n"
          "6 unknown 10-30 open\n",
          1);
}

POOLED_TEST(sched_states, of_threads_beyond_the_limit_only_the_cpus_time_is_known)
{
    start();
    lines.states.max_threads = 1;
    change(10, 0, 0, RUNNING, 5);
    change(20, 0, 5, BLOCKED, 6);
    wake(25, 7, 6);
    change(30, 0, 6, BLOCKED, 7);
    change(40, 0, 7, BLOCKED, 0);
    CHECK(lines.states.n_no_room == 5, "%u", (unsigned)lines.states.n_no_room);
    check(false,
          "cpu0 5 10-20\n"
          "cpu0 other 20-30\n"
          "cpu0 other 30-40\n"
          "5 blocked 20-40 open\n",
          0);
}

POOLED_TEST(sched_states, another_trace_starts_with_nothing_known)
{
    start();
    change(10, 0, 5, BLOCKED, 6);
    change(20, 0, 6, BLOCKED, 5);
    sched_states_end(&lines.states, false);
    change(5, 1, 5, BLOCKED, 6);
    change(8, 1, 6, BLOCKED, 5);
    CHECK(lines.states.threads[0].n_migrations == 0, "not between traces");
    check(false,
          "cpu0 6 10-20\n"
          "5 blocked 10-20\n"
          "6 blocked 20-20 open\n"
          "cpu1 6 5-8\n"
          "5 blocked 5-8\n"
          "6 blocked 8-8 open\n",
          0);
}

POOLED_TEST(sched_states, a_thread_may_wait_already_when_a_trace_begins)
{
    start();
    is_waiting(10, 5, BLOCKED, 0, 0);
    is_waiting(10, 6, BLOCKED, 4, 9);
    is_waiting(10, 7, RUNNING, 0, 0);
    is_waiting(10, 8, NEW, 7, 0);
    is_waiting(10, 9, SUSPENDED, 0, 0);
    change(11, 0, 1, BLOCKED, 6);
    CHECK(lines.states.threads[5].n_switches == 0 &&
              lines.states.threads[1].n_switches == 1,
          "a thread that waits was not switched to");
    change(12, 0, 6, BLOCKED, 7);
    wake(13, 5, 7);
    /* What the trace has itself counts for more. */
    is_waiting(14, 6, SUSPENDED, 0, 0);
    change(14, 0, 7, BLOCKED, 8);
    change(15, 0, 8, BLOCKED, 5);
    check(false,
          "6 blocked 10-10-11 by 9\n"
          "cpu0 6 11-12\n"
          "7 preempted 10-12\n"
          "cpu0 7 12-14\n"
          "8 started 10-10-14\n"
          "cpu0 8 14-15\n"
          "5 blocked 10-13-15 by 7\n"
          "6 blocked 12-15 open\n"
          "7 blocked 14-15 open\n"
          "8 blocked 15-15 open\n"
          "9 suspended 10-15 open\n"
          "1 blocked 11-15 open\n",
          0);
}

POOLED_TEST(sched_states, a_thread_that_runs_cannot_wait)
{
    start();
    change(10, 0, 0, RUNNING, 5);
    is_waiting(20, 5, BLOCKED, 0, 0);
    change(30, 0, 0, RUNNING, 5);
    check(false,
          "5 unknown 10-20\n"
          "cpu0 unknown 10-30\n"
          "5 blocked 20-30\n",
          1);
}

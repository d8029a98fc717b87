/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peak in a heap's table, while threads are preempted and programs are killed. A
 * change is interrupted at each of its steps, and others run there from start to end, as
 * those of another thread or of a signal handler. After each step the table must show the
 * peak that there was: to one who reads it then, as after a kill; and to one whose reads
 * of a stack are as far apart as can be.
 */
#include "tests/support/harness.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "libfxtheap/shared/look.h"

static void take_step(void);
static uint64_t next_time(void);

#define PEAK_STEP() take_step()
#define clock_ns(clock) next_time()

#include "libfxtheap/peak.c"

/* Block sizes: that of the change that is interrupted is small, so that what is missing
 * besides is seen. */
enum { BLOCK = 4096, SMALL = 16 };

enum { STACKS = 3, STATES_MAX = 512, PEAKS_MAX = 64, POOL_WORDS = 32 };

/* ---- The table --------------------------------------------------------------------- */

static uint64_t pool[POOL_WORDS];
static struct heap_peak_v4 peak;
static struct table table = {.pool = pool, .peak = &peak};

/* By number; 0 is no stack. */
static const uint32_t stack_numbers[STACKS] = {0, 1, 16};

static void clear_table(void)
{
    memset(pool, 0, sizeof(pool));
    memset(&peak, 0, sizeof(peak));
    for (int i = 1; i < STACKS; i++)
        stacks_at(&table, stack_numbers[i])->n_pcs = 1;
}

/* ---- What there was ---------------------------------------------------------------- */

/* A moment: the table, and what changes that were over had made of the heap. */
struct state {
    uint64_t bytes;
    uint64_t last;
    uint64_t time_ns;
    struct heap_live_v4 live[STACKS];
    uint64_t now_ns;
    uint64_t most;
    /* The blocks of changes that were under way may be counted or not. */
    uint64_t slack;
};

static struct state states[STATES_MAX];
static int n_states;
static uint64_t now_ns;
static uint64_t total;
static uint64_t most;
/* Of the change that is interrupted, and of the one that runs during it. */
static uint64_t slacks[2];
static int depth;
/* When each peak was seen first. */
static uint64_t seen_ns[PEAKS_MAX];

static uint64_t next_time(void)
{
    return ++now_ns;
}

static void note_state(void)
{
    struct state *s = &states[n_states++];
    uint64_t number = heap_peak_number(peak.last);

    CHECK(n_states <= STATES_MAX && number < PEAKS_MAX, "too many states");
    *s = (struct state){.bytes = peak.bytes,
                        .last = peak.last,
                        .time_ns = peak.time_ns[number % 2],
                        .now_ns = next_time(),
                        .most = most,
                        .slack = slacks[0] + slacks[1]};
    for (int i = 0; i < STACKS; i++)
        s->live[i] = *live_of(&table, stack_numbers[i]);
    if (seen_ns[number] == 0)
        seen_ns[number] = s->now_ns;
}

static void finish(uint64_t change)
{
    total += change;
    if (total > most)
        most = total;
    slacks[depth] = 0;
    note_state();
}

/* ---- Changes ----------------------------------------------------------------------- */

/* Blocks that the program has, of each stack. */
static uint64_t sizes[STACKS][32];
static int n_blocks[STACKS];

static void add(int stack, uint64_t size)
{
    slacks[depth] = size;
    peak_add(&table, stack_numbers[stack], size);
    sizes[stack][n_blocks[stack]++] = size;
    finish(size);
}

/* Without a block these do nothing. While they are under way the block is no other's. */
static void remove_last(int stack)
{
    uint64_t size;

    if (n_blocks[stack] == 0)
        return;
    size = sizes[stack][--n_blocks[stack]];
    slacks[depth] = size;
    peak_remove(&table, stack_numbers[stack], size);
    finish(0 - size);
}

static void shrink_last(int stack, uint64_t by)
{
    uint64_t size;

    if (n_blocks[stack] == 0)
        return;
    size = sizes[stack][--n_blocks[stack]];
    slacks[depth] = by;
    peak_resize(&table, stack_numbers[stack], size, size - by);
    sizes[stack][n_blocks[stack]++] = size - by;
    finish(0 - by);
}

/* Letters: a, b and c add a block of each stack, x, y and z remove one. */
static void change(char letter)
{
    if (letter <= 'c')
        add(letter - 'a', BLOCK);
    else
        remove_last(letter - 'x');
}

static void run_changes(const char *letters)
{
    for (; *letters != '\0'; letters++)
        change(*letters);
}

/* ---- The interrupted change -------------------------------------------------------- */

static bool is_interrupted;
static int steps_left;
static const char *interrupting;
/* The last peak when the change was interrupted. */
static uint64_t last_before;

static void take_step(void)
{
    note_state();
    if (!is_interrupted || depth > 0 || steps_left-- != 0)
        return;
    last_before = peak.last;
    depth = 1;
    run_changes(interrupting);
    depth = 0;
}

static void interrupt_at(int step, const char *letters)
{
    is_interrupted = true;
    steps_left = step;
    interrupting = letters;
}

static void clear_all(void)
{
    clear_table();
    memset(n_blocks, 0, sizeof(n_blocks));
    memset(seen_ns, 0, sizeof(seen_ns));
    n_states = 0;
    now_ns = total = most = last_before = 0;
    is_interrupted = false;
}

enum interrupted { ADDS, REMOVES, SHRINKS, N_INTERRUPTED };

/* Returns false if it has no such step. */
static bool interrupt_change(const char *before, enum interrupted what, int step,
                             const char *letters)
{
    clear_all();
    add(1, 2 * SMALL);
    run_changes(before);
    add(1, SMALL);
    interrupt_at(step, letters);
    if (what == ADDS)
        add(1, SMALL);
    else if (what == REMOVES)
        remove_last(1);
    else
        shrink_last(1, SMALL / 2);
    is_interrupted = false;
    return steps_left < 0;
}

/* ---- The reader -------------------------------------------------------------------- */

static struct heap_live_v4 read_stack(int stack, const struct state *first,
                                      const struct state *second, bool is_at_peak)
{
    struct heap_live_v4 live = first->live[stack];
    const struct heap_live_v4 *saved = &second->live[stack];

    if (is_at_peak)
        return live;
    live.objects = look_at_peak(live.objects, saved->peak_objects, first->last);
    live.bytes = look_at_peak(live.bytes, saved->peak_bytes, first->last);
    return live;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* One stack is read at other times than the rest. */
static void judge(const struct state *first, const struct state *second, int other)
{
    bool is_at_peak = heap_is_at_peak(first->bytes, heap_peak_amount(first->last));
    uint64_t slack = SMALL + second->slack + first->slack;
    uint64_t bytes = 0;
    uint64_t objects = 0;

    for (int i = 0; i < STACKS; i++) {
        struct heap_live_v4 read =
            read_stack(i, i == other ? second : first, second, is_at_peak);

        bytes += read.bytes;
        objects += read.objects;
    }
    CHECK(bytes + slack >= first->most - first->most / 256,
          "%d bytes of %d at state %d and %d", (int)bytes, (int)first->most,
          (int)(first - states), (int)(second - states));
    CHECK(bytes <= second->most + slack, "%d bytes, but at most %d", (int)bytes,
          (int)second->most);
    /* Two blocks are small, and two may be under way. */
    CHECK(difference(objects, bytes / BLOCK) <= 5, "%d blocks have %d bytes",
          (int)objects, (int)bytes);
}

static void judge_time(const struct state *s)
{
    uint64_t number = heap_peak_number(s->last);

    CHECK(number == 0 || (s->time_ns <= seen_ns[number] &&
                          (number == 1 || s->time_ns >= seen_ns[number - 1])),
          "peak %d has another's time", (int)number);
}

static void judge_states(void)
{
    for (int i = 0; i < n_states; i++) {
        judge_time(&states[i]);
        for (int j = i; j < n_states && states[j].last == states[i].last; j++) {
            for (int other = 0; other <= STACKS; other++)
                judge(&states[i], &states[j], other);
        }
    }
}

/* ---- All of them ------------------------------------------------------------------- */

static void interrupt_everywhere(enum interrupted what, const char *before,
                                 const char *letters)
{
    for (int step = 0; interrupt_change(before, what, step, letters); step++)
        judge_states();
}

/* All changes that begin with the `n` letters in `letters`, of up to `most_letters`. */
static void try_letters(enum interrupted what, const char *before, char *letters, int n,
                        int most_letters)
{
    letters[n] = '\0';
    interrupt_everywhere(what, before, letters);
    for (const char *next = "abcxyz"; n < most_letters && *next != '\0'; next++) {
        letters[n] = *next;
        try_letters(what, before, letters, n + 1, most_letters);
    }
}

static void try_all(enum interrupted what)
{
    static const char *const before[] = {"", "abb", "bbbyb", "abcbyba"};
    char letters[8];

    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        try_letters(what, before[i], letters, 0, 3);
    /* Several peaks come during it. */
    interrupt_everywhere(what, "b", "bybbybbbybbbbybbbbby");
}

TEST(heap_peak_protocol, a_thread_that_adds_a_block_may_be_preempted)
{
    try_all(ADDS);
}

TEST(heap_peak_protocol, a_thread_that_removes_a_block_may_be_preempted)
{
    try_all(REMOVES);
}

TEST(heap_peak_protocol, a_thread_that_shrinks_a_block_may_be_preempted)
{
    try_all(SHRINKS);
}

/* The thread removes a block that is as large as all that the heap grows by while it is
 * preempted. If it marked what it had seen before, a later peak that is smaller would
 * replace this one.
 */
TEST(heap_peak_protocol, a_peak_while_a_thread_is_preempted_is_not_replaced)
{
    enum { LARGE = 8 * BLOCK, MOST = LARGE + 4 * BLOCK };
    int n_before = 0;

    for (int step = 0; steps_left < 0 || step == 0; step++) {
        const struct state *end;
        uint64_t bytes = 0;

        clear_all();
        add(1, LARGE);
        interrupt_at(step, "bbbb");
        remove_last(1);
        is_interrupted = false;
        run_changes("aaaaaax");
        end = &states[n_states - 1];
        for (int i = 0; i < STACKS; i++)
            bytes += read_stack(i, end, end, false).bytes;
        if (steps_left >= 0 || last_before != 0)
            continue;
        n_before++;
        CHECK(bytes == MOST, "%d bytes", (int)bytes);
    }
    CHECK(n_before >= 3, "it was never preempted before the peak");
}

TEST(heap_peak_protocol, the_number_of_a_peak_has_room)
{
    uint64_t largest = 0;
    uint64_t n = 0;

    for (; heap_is_at_peak(largest + (largest >> HEAP_PEAK_LARGER_BITS) + 1, largest);
         n++)
        largest += (largest >> HEAP_PEAK_LARGER_BITS) + 1;
    CHECK(n < UINT64_C(1) << (64 - HEAP_PEAK_SHIFT), "%d peaks", (int)n);
}

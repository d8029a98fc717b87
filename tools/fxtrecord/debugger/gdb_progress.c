/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_progress.h. */
#include "gdb_progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <time.h>

#include "common/base/clock.h"
#include "tools/fxtrecord/record_options.h"

enum { BAR_WIDTH = 40, NS_IN_10_US = 10000, STEP_BITS = 5, STEPS = 1 << STEP_BITS };

uint64_t gdb_clock(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int gdb_stop_descriptor(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Milliseconds with two decimals. */
static void add_ms(struct text *to, uint64_t ns)
{
    uint64_t hundredths = (ns + NS_IN_10_US / 2) / NS_IN_10_US;

    text_printf(to, "%" PRIu64 ".%02u ms", hundredths / 100,
                (unsigned)(hundredths % 100));
}

static uint64_t mean_ns(const struct gdb_progress *p)
{
    return p->n_captures > 0 ? p->stopped_ns / p->n_captures : 0;
}

/* Numbers of 6 bits, 32 for each power of two. */
static unsigned number_of_time(uint64_t ns)
{
    unsigned shift = 0;

    while (ns >> shift >= 2 * STEPS)
        shift++;
    return shift * STEPS + (unsigned)(ns >> shift);
}

/* The middle of the times that have a number. */
static uint64_t time_of_number(unsigned number)
{
    unsigned shift = number < 2 * STEPS ? 0 : number / STEPS - 1;

    return ((uint64_t)(number - shift * STEPS) << shift) + ((uint64_t)1 << shift) / 2;
}

static uint64_t median_ns(const struct gdb_progress *p)
{
    uint64_t n = 0;
    unsigned number = 0;

    while (number < GDB_TIMES_MAX - 1 && (n += p->n_times[number]) <= p->n_captures / 2)
        number++;
    return time_of_number(number);
}

static void show_counts(const struct gdb_progress *p)
{
    uint64_t filled = p->n_captures * BAR_WIDTH / p->n_wanted;
    struct text line = {NULL, 0, 0};

    text_str(&line, "\r" FXTRECORD_PROGRAM ": [");
    for (uint64_t i = 0; i < BAR_WIDTH; i++)
        text_char(&line, i < filled ? '#' : '-');
    text_printf(&line, "] %" PRIu64 " of %" PRIu64 ", ", p->n_captures, p->n_wanted);
    add_ms(&line, mean_ns(p));
    text_str(&line, " stopped for each\033[K");
    fwrite(line.data, 1, line.size, stderr);
    fflush(stderr);
    text_free(&line);
}

void gdb_progress_add(struct gdb_progress *p, uint64_t stopped_ns)
{
    p->n_captures++;
    p->stopped_ns += stopped_ns;
    p->n_times[number_of_time(stopped_ns)]++;
    if (stopped_ns > p->longest_ns)
        p->longest_ns = stopped_ns;
    if (p->is_shown)
        show_counts(p);
}

void gdb_progress_hide(const struct gdb_progress *p)
{
    if (p->is_shown)
        fputs("\r\033[K", stderr);
}

void gdb_progress_describe(const struct gdb_progress *p, struct text *to)
{
    text_printf(to, "; %" PRIu64 " capture%s", p->n_captures, text_plural(p->n_captures));
    if (p->n_captures == 0)
        return;
    text_str(to, ", ");
    add_ms(to, mean_ns(p));
    text_str(to, " stopped for each, ");
    add_ms(to, median_ns(p));
    text_str(to, " at the median, ");
    add_ms(to, p->longest_ns);
    text_str(to, " at most");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The windows of time that are kept, in nanoseconds and by the clocks of providers. */
#ifndef FXTCUT_WINDOWS_H
#define FXTCUT_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both ends are included; UINT64_MAX is for ever. */
struct time_window {
    uint64_t from_ns;
    uint64_t to_ns;
};

/* All zero has none. */
struct time_windows {
    struct time_window *windows;
    size_t n;
    size_t capacity;
};

void windows_add(struct time_windows *windows, struct time_window window);

/* By where they begin and then by where they end. */
void windows_sort(struct time_windows *windows);

/* Sorts them, and makes one of those that overlap. */
void windows_merge(struct time_windows *windows);

/* The same windows in ticks of a clock; those that it reaches. */
struct clock_window {
    uint64_t from;
    uint64_t to;
};

/* All zero is to be updated. */
struct clock_windows {
    struct clock_window *windows;
    size_t n;
    uint64_t ticks_per_second;
};

void clock_windows_update(struct clock_windows *clock, const struct time_windows *windows,
                          uint64_t ticks_per_second);
void clock_windows_free(struct clock_windows *clock);

/* Where in time something is: in a window, or before it; after all of them, `window` is
 * how many there are. */
struct place {
    size_t window;
    bool is_inside;
};

struct place clock_windows_search(const struct clock_windows *clock, uint64_t ticks);

static inline struct place clock_windows_place(const struct clock_windows *clock,
                                               uint64_t ticks)
{
    if (clock->n == 1 && ticks <= clock->windows[0].to)
        return (struct place){0, ticks >= clock->windows[0].from};
    return clock_windows_search(clock, ticks);
}

#endif

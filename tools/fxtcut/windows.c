/* SPDX-License-Identifier: BSD-2-Clause */
/* See windows.h. */
#include "windows.h"

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"

#define NS_PER_SECOND ((uint64_t)1000000000)

void windows_add(struct time_windows *w, struct time_window window)
{
    MEMORY_ADD(w->windows, w->n, w->capacity, window);
}

SORT_ORDER(order_windows, struct time_window, BY(from_ns) || BY(to_ns));

void windows_sort(struct time_windows *w)
{
    SORT(w->windows, w->n, order_windows);
}

void windows_merge(struct time_windows *w)
{
    size_t n = 0;

    windows_sort(w);
    for (size_t i = 0; i < w->n; i++) {
        struct time_window next = w->windows[i];

        if (n == 0 || next.from_ns > w->windows[n - 1].to_ns)
            w->windows[n++] = next;
        else if (next.to_ns > w->windows[n - 1].to_ns)
            w->windows[n - 1].to_ns = next.to_ns;
    }
    w->n = n;
}

/* ---- By a clock -------------------------------------------------------------------- */

static bool add_ticks(uint64_t *ticks, uint64_t more)
{
    if (more > UINT64_MAX - *ticks)
        return false;
    *ticks += more;
    return true;
}

/* Stores the first tick at or after a time; false if the clock does not reach it. */
static bool find_tick(uint64_t ns, uint64_t rate, uint64_t *ticks)
{
    uint64_t seconds = ns / NS_PER_SECOND;
    uint64_t part = ns % NS_PER_SECOND;
    /* Less than 10^18. */
    uint64_t product = part * (rate % NS_PER_SECOND);

    if (seconds > 0 && rate > UINT64_MAX / seconds)
        return false;
    *ticks = seconds * rate;
    /* At most 999999999 times 18446744073. */
    return add_ticks(ticks, part * (rate / NS_PER_SECOND)) &&
           add_ticks(ticks, product / NS_PER_SECOND + (product % NS_PER_SECOND > 0));
}

void clock_windows_update(struct clock_windows *clock, const struct time_windows *w,
                          uint64_t ticks_per_second)
{
    if (clock->windows == NULL && w->n > 0)
        clock->windows =
            (struct clock_window *)memory_allocate(w->n * sizeof(*clock->windows));
    clock->ticks_per_second = ticks_per_second;
    clock->n = 0;
    for (size_t i = 0; i < w->n; i++) {
        struct clock_window *window = &clock->windows[i];

        if (!find_tick(w->windows[i].from_ns, ticks_per_second, &window->from))
            break;
        if (w->windows[i].to_ns == UINT64_MAX ||
            !find_tick(w->windows[i].to_ns + 1, ticks_per_second, &window->to))
            window->to = UINT64_MAX;
        else
            window->to--;
        clock->n++;
    }
}

void clock_windows_free(struct clock_windows *clock)
{
    memory_release(clock->windows);
}

struct place clock_windows_search(const struct clock_windows *clock, uint64_t ticks)
{
    size_t first = search_below(clock->windows, clock->n, sizeof(*clock->windows),
                                offsetof(struct clock_window, to), ticks);

    return (struct place){first, first < clock->n && ticks >= clock->windows[first].from};
}

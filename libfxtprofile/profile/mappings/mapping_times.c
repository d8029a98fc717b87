/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See mapping_times.h. For each process there is a segment tree over the stretches of
 * addresses between the starts and limits of its mappings: a mapping is in the lists of
 * the few nodes that make up what it covers, and an address is covered by what is in the
 * lists from its stretch up to the root. Lists are in the order of time.
 */
#include "mapping_times.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"

struct mapping_times_process {
    uint64_t process;
    /* Its mappings, and where they begin in all. */
    size_t first;
    size_t n;
    /* Where each stretch starts; the last one ends where there is no mapping. Node i has
     * the nodes 2i and 2i + 1 below it, and stretch i is node n_starts + i. */
    uint64_t *starts;
    size_t n_starts;
    /* The list of node i is lists[list_ends[i - 1]] up to lists[list_ends[i]], as numbers
     * of mappings from `first` on. */
    size_t *list_ends;
    uint32_t *lists;
};

/* ---- Which processes --------------------------------------------------------------- */

SORT_ORDER(order_places, struct mapping,
           BY(process) || BY(start) || BY(limit) || BY(module) || BY(vaddr));

SORT_ORDER(order_times, struct mapping, BY(process) || BY(time_ns) || BY(sequence));

static size_t count_process(const struct mapping *mappings, size_t n)
{
    size_t count = 0;

    while (count < n && mappings[count].process == mappings[0].process)
        count++;
    return count;
}

/* Marks the mappings of a process, which are sorted by address, that have had addresses
 * of others. A repeated record of a mapping is not another one. */
static void mark_shared(struct mapping *mappings, size_t n)
{
    uint64_t limit = 0;
    size_t next = 0;

    for (size_t i = 0; i < n; i = next) {
        uint64_t until = limit;
        bool is_shared;

        for (next = i; next < n && order_places(&mappings[i], &mappings[next]) == 0;)
            next++;
        limit = mappings[i].limit > limit ? mappings[i].limit : limit;
        is_shared = mappings[i].start < until ||
                    (next < n && mappings[next].start < mappings[i].limit);
        for (size_t j = i; j < next; j++)
            mappings[j].is_shared = is_shared;
    }
}

/* Whether a process has had different mappings at one address at different times. */
static bool has_reuse(const struct mapping *mappings, size_t n)
{
    const struct mapping *first = NULL;

    for (size_t i = 0; i < n; i++) {
        if (!mappings[i].is_shared)
            continue;
        if (first != NULL && mappings[i].time_ns != first->time_ns)
            return true;
        first = &mappings[i];
    }
    return false;
}

/* Drops what is of other processes. */
static void choose_processes(struct mapping_times *t)
{
    size_t kept = 0;
    size_t n;

    SORT(t->mappings, t->n_mappings, order_places);
    for (size_t i = 0; i < t->n_mappings; i += n) {
        n = count_process(t->mappings + i, t->n_mappings - i);
        mark_shared(t->mappings + i, n);
        if (has_reuse(t->mappings + i, n)) {
            memmove(t->mappings + kept, t->mappings + i, n * sizeof(*t->mappings));
            kept += n;
        }
    }
    t->n_mappings = kept;
    SORT(t->mappings, kept, order_times);
}

/* ---- The tree of a process --------------------------------------------------------- */

/* How many stretches start at an address or below it. */
static size_t count_starts(const struct mapping_times_process *p, uint64_t address)
{
    return search_up_to(p->starts, p->n_starts, sizeof(*p->starts), 0, address);
}

static void add_to_node(struct mapping_times_process *p, size_t node, uint32_t number,
                        bool only_count)
{
    if (!only_count)
        p->lists[p->list_ends[node]] = number;
    p->list_ends[node]++;
}

/* Puts a mapping in the lists of its nodes, or counts it there. */
static void add_to_lists(struct mapping_times_process *p, const struct mapping *mapping,
                         uint32_t number, bool only_count)
{
    size_t from = count_starts(p, mapping->start) - 1 + p->n_starts;
    size_t to = count_starts(p, mapping->limit) - 1 + p->n_starts;

    for (; from < to; from /= 2, to /= 2) {
        if (from % 2 == 1)
            add_to_node(p, from++, number, only_count);
        if (to % 2 == 1)
            add_to_node(p, --to, number, only_count);
    }
}

/* From how many are in each list to where each begins, which is where the first of it is
 * put. */
static size_t sum_up(size_t *list_ends, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t count = list_ends[i];

        list_ends[i] = sum;
        sum += count;
    }
    return sum;
}

static void build_lists(struct mapping_times_process *p, const struct mapping *mappings)
{
    p->list_ends = (size_t *)memory_allocate(2 * p->n_starts * sizeof(*p->list_ends));
    for (size_t i = 0; i < p->n; i++)
        add_to_lists(p, &mappings[i], (uint32_t)i, true);
    p->lists = (uint32_t *)memory_allocate(sum_up(p->list_ends, 2 * p->n_starts) *
                                           sizeof(*p->lists));
    for (size_t i = 0; i < p->n; i++)
        add_to_lists(p, &mappings[i], (uint32_t)i, false);
}

static void build_process(struct mapping_times_process *p, const struct mapping *mappings)
{
    p->starts = (uint64_t *)memory_allocate(2 * p->n * sizeof(*p->starts));
    for (size_t i = 0; i < p->n; i++) {
        p->starts[2 * i] = mappings[i].start;
        p->starts[2 * i + 1] = mappings[i].limit;
    }
    p->n_starts = sort_unique(p->starts, 2 * p->n);
    build_lists(p, mappings);
}

void mapping_times_build(struct mapping_times *t, const struct mapping *mappings,
                         size_t n)
{
    if (n == 0)
        return;
    t->mappings = (struct mapping *)memory_allocate(n * sizeof(*t->mappings));
    memcpy(t->mappings, mappings, n * sizeof(*mappings));
    t->n_mappings = n;
    choose_processes(t);
    for (size_t i = 0; i < t->n_mappings; i += n) {
        n = count_process(t->mappings + i, t->n_mappings - i);
        t->processes = (struct mapping_times_process *)memory_grow(
            t->processes, t->n_processes, &t->process_capacity, sizeof(*t->processes));
        t->processes[t->n_processes] = (struct mapping_times_process){
            .process = t->mappings[i].process, .first = i, .n = n};
        build_process(&t->processes[t->n_processes++], t->mappings + i);
    }
}

/* ---- Looking up -------------------------------------------------------------------- */

static const struct mapping_times_process *find_process(const struct mapping_times *t,
                                                        uint64_t process)
{
    size_t i =
        search_below(t->processes, t->n_processes, sizeof(*t->processes), 0, process);

    return i < t->n_processes && t->processes[i].process == process ? &t->processes[i]
                                                                    : NULL;
}

bool mapping_times_has(const struct mapping_times *t, uint64_t process)
{
    return find_process(t, process) != NULL;
}

/* How many of a node's list were mapped until some time. */
static size_t count_until(const struct mapping *mappings, const uint32_t *list, size_t n,
                          uint64_t time_ns)
{
    size_t low = 0;

    while (n > 0) {
        if (mappings[list[low + n / 2]].time_ns <= time_ns) {
            low += n / 2 + 1;
            n -= n / 2 + 1;
        } else {
            n /= 2;
        }
    }
    return low;
}

/* The last mapping of a stretch until some time, or NULL, with the time of the first one
 * in `*first_ns`. */
static const struct mapping *find_until(const struct mapping_times_process *p,
                                        const struct mapping *mappings, size_t stretch,
                                        uint64_t time_ns, uint64_t *first_ns)
{
    uint32_t best = UINT32_MAX;

    for (size_t node = stretch + p->n_starts; node > 0; node /= 2) {
        size_t start = p->list_ends[node - 1];
        size_t n = p->list_ends[node] - start;
        const uint32_t *list = p->lists + start;
        size_t until = count_until(mappings, list, n, time_ns);

        if (n > 0 && mappings[list[0]].time_ns < *first_ns)
            *first_ns = mappings[list[0]].time_ns;
        if (until > 0 && (best == UINT32_MAX || list[until - 1] > best))
            best = list[until - 1];
    }
    return best != UINT32_MAX ? &mappings[best] : NULL;
}

const struct mapping *mapping_times_find(const struct mapping_times *t, uint64_t process,
                                         uint64_t time_ns, uint64_t address)
{
    const struct mapping_times_process *p = find_process(t, process);
    const struct mapping *mappings;
    const struct mapping *found;
    uint64_t first_ns = UINT64_MAX;
    size_t n;

    if (p == NULL)
        return NULL;
    n = count_starts(p, address);
    if (n == 0)
        return NULL;
    mappings = t->mappings + p->first;
    found = find_until(p, mappings, n - 1, time_ns, &first_ns);
    return found != NULL ? found : find_until(p, mappings, n - 1, first_ns, &first_ns);
}

void mapping_times_free(struct mapping_times *t)
{
    for (size_t i = 0; i < t->n_processes; i++) {
        memory_release(t->processes[i].starts);
        memory_release(t->processes[i].list_ends);
        memory_release(t->processes[i].lists);
    }
    memory_release(t->processes);
    memory_release(t->mappings);
}

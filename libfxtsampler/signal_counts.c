/* SPDX-License-Identifier: BSD-2-Clause */
/* See signal_counts.h. */
#include "signal_counts.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "grow.h"
#include "regions.h"
#include "common/base/sort.h"

/* The kernel's largest id of a thread is below 2^22. Pages are never freed: a handler may
 * run when its session has ended. */
enum { IDS_PER_PAGE = 1 << 10, PAGES = 1 << 12 };

struct count {
    atomic_uint_fast32_t n;
    atomic_int cpu_timer;
    atomic_int wall_timers[THREAD_TIMERS_WALL];
    atomic_uint_fast64_t due_ns;
};

struct count_page {
    struct count counts[IDS_PER_PAGE];
};

static _Atomic(struct count_page *) pages[PAGES];

/* What is missing and cannot be told from the edges of a thread's time. */
enum { PERIODS_MIN = 3, SHARE_MIN = 8 };

static struct count *find_count(pid_t thread)
{
    uint32_t page = (uint32_t)thread / IDS_PER_PAGE;
    struct count_page *counts = page < PAGES ? atomic_load(&pages[page]) : NULL;

    return counts != NULL ? &counts->counts[(uint32_t)thread % IDS_PER_PAGE] : NULL;
}

bool signal_counts_begin(pid_t thread)
{
    uint32_t page = (uint32_t)thread / IDS_PER_PAGE;
    struct count_page *none = NULL;
    struct count_page *counts;

    if (page >= PAGES)
        return false;
    if (atomic_load(&pages[page]) == NULL) {
        counts = calloc(1, sizeof(*counts));
        if (counts == NULL)
            return false;
        if (!atomic_compare_exchange_strong(&pages[page], &none, counts))
            free(counts);
    }
    atomic_store(&find_count(thread)->n, 0);
    return true;
}

void signal_counts_keep_timers(pid_t thread, const struct thread_timers *timers)
{
    struct count *count = find_count(thread);

    if (count == NULL)
        return;
    atomic_store(&count->due_ns, timers->due_ns);
    atomic_store(&count->cpu_timer, timers->cpu);
    for (int i = 0; i < THREAD_TIMERS_WALL; i++)
        atomic_store(&count->wall_timers[i], timers->wall[i]);
}

struct thread_timers signal_counts_timers(pid_t thread)
{
    struct thread_timers timers = {-1, {-1, -1}, 0};
    struct count *count = find_count(thread);

    if (count == NULL)
        return timers;
    timers.due_ns = atomic_load(&count->due_ns);
    timers.cpu = atomic_load(&count->cpu_timer);
    for (int i = 0; i < THREAD_TIMERS_WALL; i++)
        timers.wall[i] = atomic_load(&count->wall_timers[i]);
    return timers;
}

void signal_counts_add(pid_t thread, uint64_t n)
{
    struct count *count = find_count(thread);

    if (count != NULL)
        atomic_fetch_add_explicit(&count->n, (uint_fast32_t)n, memory_order_relaxed);
}

uint64_t signal_counts_get(pid_t thread)
{
    struct count *count = find_count(thread);

    return count != NULL ? atomic_load(&count->n) : 0;
}

/* ---- Time without samples ---------------------------------------------------------- */

static void write_not_sampled(pid_t thread, uint64_t n)
{
    const uint64_t no_pc = 0;
    struct region_sample sample = {.process = (uint64_t)getpid(),
                                   .thread = (uint64_t)thread,
                                   .pcs = &no_pc,
                                   .n_pcs = 1,
                                   .end = FXT_STACK_END_NOT_SAMPLED};
    int cpu = sched_getcpu();

    while (n-- > 0)
        regions_write(cpu >= 0 ? (uint32_t)cpu : 0, &sample);
}

static void write_missing(const struct signal_account *account, uint64_t sample_ns)
{
    uint64_t sampled_ns = account->n * sample_ns;
    uint64_t missing_ns = account->cpu_ns > sampled_ns ? account->cpu_ns - sampled_ns : 0;

    if (missing_ns > PERIODS_MIN * sample_ns && missing_ns > account->cpu_ns / SHARE_MIN)
        write_not_sampled(account->thread, (missing_ns + sample_ns / 2) / sample_ns);
}

static bool keep(struct signal_accounts *accounts, const struct signal_account *account)
{
    if (!grow_array(&accounts->all, accounts->n, &accounts->capacity,
                    sizeof(*accounts->all)))
        return false;
    accounts->all[accounts->n++] = *account;
    return true;
}

/* Of threads that took a few periods nothing can be told. */
void signal_accounts_add(struct signal_accounts *accounts, struct signal_account account)
{
    if (account.cpu_ns <= PERIODS_MIN * accounts->period_ns)
        return;
    if (!accounts->by_wall_clock || !keep(accounts, &account))
        write_missing(&account, accounts->period_ns);
}

/* The fewest time for a sample first, and without samples last. */
static int order_accounts(const void *left, const void *right)
{
    const struct signal_account *a = left;
    const struct signal_account *b = right;
    double of_a = (double)a->cpu_ns / ((double)a->n + 0.001);
    double of_b = (double)b->cpu_ns / ((double)b->n + 0.001);

    return (of_a > of_b) - (of_a < of_b);
}

/* What a sample stands for in those threads that were sampled best, which make up a
 * quarter of the time: signals that are late cost all threads alike. */
static uint64_t find_sample_ns(const struct signal_accounts *accounts)
{
    uint64_t total_ns = 0;
    uint64_t cpu_ns = 0;
    uint64_t n = 0;

    for (size_t i = 0; i < accounts->n; i++)
        total_ns += accounts->all[i].n > 0 ? accounts->all[i].cpu_ns : 0;
    for (size_t i = 0; i < accounts->n && cpu_ns < total_ns / 4; i++) {
        cpu_ns += accounts->all[i].cpu_ns;
        n += accounts->all[i].n;
    }
    return n > 0 && cpu_ns / n > accounts->period_ns ? cpu_ns / n : accounts->period_ns;
}

void signal_accounts_settle(struct signal_accounts *accounts)
{
    SORT(accounts->all, accounts->n, order_accounts);
    accounts->sample_ns = find_sample_ns(accounts);
    for (size_t i = 0; i < accounts->n; i++)
        write_missing(&accounts->all[i], accounts->sample_ns);
    free(accounts->all);
    accounts->all = NULL;
    accounts->n = accounts->capacity = 0;
}

uint64_t signal_accounts_write_rest(const struct signal_accounts *accounts,
                                    uint64_t cpu_ns)
{
    if (cpu_ns <= PERIODS_MIN * accounts->sample_ns)
        return 0;
    write_not_sampled(0, (cpu_ns + accounts->sample_ns / 2) / accounts->sample_ns);
    return cpu_ns;
}

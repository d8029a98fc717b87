/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler on a machine where signals are dear: a clock of CPU time that is ahead by
 * half a millisecond with each look at it makes this one seem so. */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sampled.h"

enum { LOOK_NS = 500000 };

static atomic_bool is_dear;
static atomic_ullong n_looks;

/* In the C library's place, for the sampler, too. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    long failed;

    /* A sanitizer does not see what the call stores. */
    *now = (struct timespec){0};
    failed = syscall(SYS_clock_gettime, clock, now);

    if (failed == 0 && clock == CLOCK_THREAD_CPUTIME_ID && is_dear) {
        uint64_t ns = (uint64_t)now->tv_nsec + (uint64_t)++n_looks * LOOK_NS;

        now->tv_sec += (time_t)(ns / 1000000000);
        now->tv_nsec = (long)(ns % 1000000000);
    }
    return (int)failed;
}

/* 0 if a session of this period is made; else what its reason says should be the least
 * period, in microseconds, or 255. */
static int try_period(uint64_t period_ns)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    const char *least;
    struct fxt_sampler *sampler;
    enum fxt_sampler_code code;
    int least_us = 255;

    is_dear = true;
    config.period_ns = period_ns;
    code = fxt_sampler_create(0, &config, &sampler);
    if (code == FXT_SAMPLER_OK)
        return fxt_sampler_destroy(sampler) == FXT_SAMPLER_OK ? 0 : 255;
    least = strstr(fxt_sampler_reason(NULL), "the shortest period is ");
    printf("# %s: %s\n", fxt_sampler_code_name(code), fxt_sampler_reason(NULL));
    fflush(stdout);
    if (code == FXT_SAMPLER_E_PERIOD && sampler == NULL && least != NULL)
        sscanf(least, "the shortest period is %d us", &least_us);
    return least_us;
}

/* What signals cost is measured once in a process. */
static int try_in_child(uint64_t period_ns)
{
    pid_t child;
    int status = 0;

    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(try_period(period_ns));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "status %d", status);
    return WEXITSTATUS(status);
}

TEST(sampler_costly, a_period_that_leaves_nothing_to_the_thread_is_refused)
{
    int least_us = try_in_child(FXT_SAMPLER_PERIOD_MIN_NS);

    CHECK(least_us >= 20 && least_us < 255, "from %d us on", least_us);
}

TEST(sampler_costly, a_period_that_can_be_stretched_is_not)
{
    CHECK(try_in_child(200000) == 0, "200 us are refused");
}

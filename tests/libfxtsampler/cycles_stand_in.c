/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The function syscall, with software events in place of counters of CPU cycles, which
 * most virtual machines lack. It is linked to a test, or loaded into a program.
 */
#include "cycles_stand_in.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#endif
#endif

enum cycles_stand_in cycles_stand_in;
pid_t cycles_thread;
int cycles_error;

enum { N_ARGUMENTS = 6 };

typedef long syscall_function(long number, ...);

static bool is_refused(long cpu)
{
    return cycles_stand_in == CYCLES_OF_NONE ||
           (cycles_stand_in == CYCLES_OF_THE_FIRST_CPU && cpu > 0);
}

long syscall(long number, ...)
{
    struct perf_event_attr attr;
    syscall_function *next;
    void *found = dlsym(RTLD_NEXT, "syscall");
    long a[N_ARGUMENTS];
    va_list list;

    /* dlsym gives a function as a pointer to an object. */
    memcpy(&next, &found, sizeof(next));
    va_start(list, number);
    for (unsigned i = 0; i < N_ARGUMENTS; i++)
        a[i] = va_arg(list, long);
    va_end(list);
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
    /* Not each call has so many. */
    __msan_unpoison(a, sizeof(a));
#endif
#endif
    if (number != SYS_perf_event_open)
        return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    memcpy(&attr, (const void *)a[0], sizeof(attr));
    if (attr.type == PERF_TYPE_HARDWARE && attr.config == PERF_COUNT_HW_CPU_CYCLES) {
        if (is_refused(a[2])) {
            errno = cycles_error;
            return -1;
        }
        attr.type = PERF_TYPE_SOFTWARE;
        attr.config = cycles_stand_in == CYCLES_THAT_STOPPED ? PERF_COUNT_SW_DUMMY
                                                             : PERF_COUNT_SW_CPU_CLOCK;
        if (cycles_stand_in == CYCLES_OF_ANOTHER && attr.sample_period > 0)
            a[1] = cycles_thread;
    }
    return next(number, (long)&attr, a[1], a[2], a[3], a[4], a[5]);
}

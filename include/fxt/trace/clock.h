/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: the clock, which is the CPU's counter or
 * CLOCK_MONOTONIC. Not for direct use.
 */
#ifndef FXT_TRACE_CLOCK_H
#define FXT_TRACE_CLOCK_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

FXT_BEGIN_DECLS

uint32_t fxt_trace_clock_;

static uint64_t fxt_trace_monotonic_(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether the CPU has a counter of constant rate, which the kernel trusts. */
static bool fxt_trace_has_counter_(void)
{
#if defined(__aarch64__)
    return true;
#elif defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d = 0;
    char name[32] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t n = read(fd, name, sizeof(name) - 1);

        (void)n;
        close(fd);
    }
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1) != 0 &&
           strncmp(name, "hpet", 4) != 0 && strncmp(name, "acpi_pm", 7) != 0 &&
           strstr(name, "jiffies") == NULL;
#else
    return false;
#endif
}

static void fxt_trace_choose_clock_(bool is_monotonic)
{
    FXT_STORE_RELAXED(&fxt_trace_clock_,
                      (uint32_t)(is_monotonic || !fxt_trace_has_counter_() ? 2 : 1));
}

/* A variable of the environment. It is nothing to a program that has more rights than the
 * user who runs it, as those that are setuid: it would overwrite any file. */
static const char *fxt_trace_setting_(const char *variable)
{
    return getauxval(AT_SECURE) == 0 ? getenv(variable) : 0;
}

/* Whether a variable of the environment has this value. */
static bool fxt_trace_is_(const char *variable, const char *value)
{
    const char *text = fxt_trace_setting_(variable);

    return text && strcmp(text, value) == 0;
}

uint64_t fxt_trace_other_now_(void)
{
    if (FXT_LOAD_RELAXED(&fxt_trace_clock_) != 0)
        return fxt_trace_monotonic_();
    fxt_trace_choose_clock_(fxt_trace_is_("FXT_TRACE_CLOCK", "monotonic"));
    return fxt_trace_now();
}

/* The counter and CLOCK_MONOTONIC, of one moment as nearly as can be had. */
static void fxt_trace_read_clocks_(uint64_t *ticks, uint64_t *monotonic)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 8; i++) {
        uint64_t before = fxt_trace_monotonic_();
        uint64_t counter = fxt_trace_now();
        uint64_t after = fxt_trace_monotonic_();

        if (after - before >= least)
            continue;
        least = after - before;
        *ticks = counter;
        *monotonic = before + least / 2;
    }
}

FXT_END_DECLS

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: what the environment asks for, and what is
 * said on standard error of what cannot be. Not for direct use.
 */
#ifndef FXT_TRACE_ENVIRONMENT_H
#define FXT_TRACE_ENVIRONMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fxt/trace/clock.h>
#include <fxt/trace/layout.h>

FXT_BEGIN_DECLS

/* Without stdio, which the program may be in the middle of. */
static void fxt_trace_complain_(const char *name, const char *what)
{
    static const char prefix[] = "fxt/trace.h: ";
    ssize_t unused = write(STDERR_FILENO, prefix, sizeof(prefix) - 1);

    unused += write(STDERR_FILENO, name, strlen(name));
    unused += write(STDERR_FILENO, ": ", 2);
    unused += write(STDERR_FILENO, what, strlen(what));
    unused += write(STDERR_FILENO, "\n", 1);
    (void)unused;
}

static void fxt_trace_refuse_value_(const char *variable, const char *value,
                                    const char *what)
{
    char name[128];

    snprintf(name, sizeof(name), "%s=%s", variable, value);
    fxt_trace_complain_(name, what);
}

/* Returns 0 for what is no size. */
static uint64_t fxt_trace_parse_size_(const char *text)
{
    uint64_t size = 0;
    unsigned shift;

    for (; *text >= '0' && *text <= '9'; text++) {
        if (size > UINT64_MAX / 10 - 1)
            return 0;
        size = size * 10 + (uint64_t)(*text - '0');
    }
    shift = *text == 'K' || *text == 'k' ? 10 : *text == 'M' ? 20 : *text == 'G' ? 30 : 0;
    if (text[shift > 0] != 0 || size > UINT64_MAX >> shift)
        return 0;
    return size << shift;
}

static uint64_t fxt_trace_read_size_(void)
{
    const char *text = fxt_trace_setting_("FXT_TRACE_SIZE");
    uint64_t size = text ? fxt_trace_parse_size_(text) : 0;

    if (text && *text && size == 0)
        fxt_trace_refuse_value_("FXT_TRACE_SIZE", text,
                                "not a size, as 64M is: the default is used");
    return size;
}

static enum fxt_trace_mode fxt_trace_read_mode_(void)
{
    const char *mode = fxt_trace_setting_("FXT_TRACE_MODE");

    if (!mode || !*mode || strcmp(mode, "keep-first") == 0)
        return FXT_TRACE_KEEP_FIRST;
    if (strcmp(mode, "keep-last") == 0)
        return FXT_TRACE_KEEP_LAST;
    if (strcmp(mode, "stream") == 0)
        return FXT_TRACE_STREAM;
    fxt_trace_refuse_value_("FXT_TRACE_MODE", mode,
                            "not keep-first, keep-last or stream: keep-first is used");
    return FXT_TRACE_KEEP_FIRST;
}

static bool fxt_trace_read_clock_(void)
{
    const char *clock = fxt_trace_setting_("FXT_TRACE_CLOCK");

    if (clock && *clock && strcmp(clock, "monotonic") != 0)
        fxt_trace_refuse_value_("FXT_TRACE_CLOCK", clock,
                                "not monotonic: the default is used");
    return fxt_trace_is_("FXT_TRACE_CLOCK", "monotonic");
}

/* The file is mapped, and cannot be compressed while it is written. */
static void fxt_trace_check_name_(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0))
        fxt_trace_complain_(path, "despite its name it is not compressed");
}

static const char *fxt_trace_read_categories_(void)
{
    const char *patterns = fxt_trace_setting_("FXT_TRACE");

    if (patterns && strlen(patterns) >= FXT_TRACE_PATTERNS_BYTES_)
        fxt_trace_complain_("FXT_TRACE", "only the first 1023 bytes are used");
    return patterns;
}

static bool fxt_trace_is_set_(const char *variable)
{
    const char *text = fxt_trace_setting_(variable);

    return text && *text;
}

/* Whether the environment asks for a trace from the first event on. */
static bool fxt_trace_is_asked_for_(void)
{
    return !fxt_trace_is_set_("FXT_TRACE_SIGNAL") &&
           (fxt_trace_is_set_("FXT_TRACE_FILE") || fxt_trace_is_set_("FXT_TRACE"));
}

static void fxt_trace_read_environment_(struct fxt_trace_options *options)
{
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
    options->path = fxt_trace_setting_("FXT_TRACE_FILE");
    if (!fxt_trace_is_set_("FXT_TRACE_FILE"))
        options->path = "trace.fxt";
    options->categories = fxt_trace_read_categories_();
    options->max_bytes = fxt_trace_read_size_();
    options->mode = fxt_trace_read_mode_();
    options->monotonic_clock = fxt_trace_read_clock_();
    fxt_trace_check_name_(options->path);
}

FXT_END_DECLS

#endif

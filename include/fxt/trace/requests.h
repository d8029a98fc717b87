/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: how fxttrace finds a program that traces, or
 * could, and what it asks of it. It reads and writes the program's memory; the program
 * does nothing for that, but look for a request where a session may have to be started.
 * Not for direct use.
 */
#ifndef FXT_TRACE_REQUESTS_H
#define FXT_TRACE_REQUESTS_H

#include <string.h>

#include <fxt/trace/layout.h>

FXT_BEGIN_DECLS

static struct fxt_trace_request_ fxt_trace_request_;

__attribute__((
    __used__, __aligned__(FXT_TRACE_CONTROL_ALIGNMENT_))) static struct fxt_trace_control_
    fxt_trace_control_ = {FXT_TRACE_MAGIC_ FXT_TRACE_VERSION_, 0, &fxt_trace_session_, 0,
                          &fxt_trace_request_};

/* Returns false if there is no request that has not been answered. The strings are the
 * request's. */
static bool fxt_trace_read_request_(struct fxt_trace_options *options, uint32_t *number)
{
    struct fxt_trace_request_ *request = &fxt_trace_request_;

    *number = __atomic_load_n(&request->number, __ATOMIC_ACQUIRE);
    if (*number == FXT_LOAD_RELAXED(&request->answered))
        return false;
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
    options->path = request->has_path ? request->path : 0;
    options->categories = request->categories;
    options->max_bytes = request->max_bytes;
    options->mode = (enum fxt_trace_mode)request->mode;
    return true;
}

static void fxt_trace_answer_(uint32_t number, int error)
{
    FXT_STORE_RELAXED(&fxt_trace_request_.error, error);
    __atomic_store_n(&fxt_trace_request_.answered, number, __ATOMIC_RELEASE);
}

FXT_END_DECLS

#endif

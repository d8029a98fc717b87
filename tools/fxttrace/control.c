/* SPDX-License-Identifier: BSD-2-Clause */
/* See actions.h: starting, stopping and switching. */
#include "actions.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/report.h"
#include "traced.h"

enum { WAITS = 100, WAIT_NS = 20000000 };

static enum fxttrace_status refuse(const char *name, const char *why)
{
    complain(FXTTRACE_PROGRAM, name, "%s", why);
    return FXTTRACE_BAD;
}

static bool find(struct traced *traced, const struct target *target, const char *name)
{
    enum traced_result result = traced_find(traced, target);

    if (result != TRACED_FOUND)
        refuse(name, traced_reason(result));
    return result == TRACED_FOUND;
}

static bool write_session(const struct target *target, const struct traced *traced,
                          uint32_t session)
{
    return target_write(target, traced_address(traced->control.session), &session,
                        sizeof(session));
}

/* ---- Starting ---------------------------------------------------------------------- */

static uint64_t request_member(const struct traced *traced, size_t offset)
{
    return traced_address(traced->control.request) + offset;
}

#define REQUEST_MEMBER(traced, member)                                                   \
    request_member(traced, offsetof(struct fxt_trace_request_, member))

/* The program may be in another directory. Returns false if there is no room. */
static bool write_path(struct fxt_trace_request_ *request, const char *output)
{
    char here[sizeof(request->path)] = "";
    int n;

    if (output == NULL)
        return true;
    request->has_path = 1;
    if (output[0] != '/' && getcwd(here, sizeof(here)) == NULL)
        return false;
    n = snprintf(request->path, sizeof(request->path), "%s%s%s", here,
                 output[0] != '/' ? "/" : "", output);
    return n > 0 && (size_t)n < sizeof(request->path);
}

static bool write_categories(struct fxt_trace_request_ *request, const char *patterns)
{
    int n = snprintf(request->categories, sizeof(request->categories), "%s",
                     patterns != NULL ? patterns : "");

    return n >= 0 && (size_t)n < sizeof(request->categories);
}

/* The number comes last. */
static bool write_request(const struct target *target, const struct traced *traced,
                          struct fxt_trace_request_ *request)
{
    uint32_t number = request->answered + 1;

    request->number = request->answered;
    return target_write(target, traced_address(traced->control.request), request,
                        sizeof(*request)) &&
           target_write(target, REQUEST_MEMBER(traced, number), &number,
                        sizeof(number)) &&
           (traced->session == 1 || write_session(target, traced, 1));
}

static enum fxttrace_status await_answer(const struct target *target,
                                         const struct traced *traced, const char *name,
                                         const struct fxttrace_options *o)
{
    const struct timespec wait = {.tv_nsec = WAIT_NS};
    struct fxt_trace_request_ request;

    for (int i = 0; i < WAITS; i++) {
        if (!target_read(target, traced_address(traced->control.request), &request,
                         offsetof(struct fxt_trace_request_, path)))
            return refuse(name, "has ended");
        if (request.answered == request.number)
            break;
        nanosleep(&wait, NULL);
    }
    if (request.answered == request.number && request.error != 0)
        return refuse(name, strerror(request.error));
    if (!o->quiet)
        complain(
            FXTTRACE_PROGRAM, name,
            request.answered == request.number
                ? "traces to %s"
                : "has had no event since, and will trace from the next one on, to %s",
            o->output != NULL ? o->output : "its memory");
    return FXTTRACE_GOOD;
}

static const char *reason_not_to_start(const struct traced *traced,
                                       const struct fxt_trace_request_ *request)
{
    if (traced->session > 1)
        return "traces already: --stop first";
    if (traced->control.is_used == 0)
        return "has had no event yet: try again later, or run it with FXT_TRACE_FILE set";
    if (request->number != request->answered)
        return "has been asked already, and has had no event since: --stop cancels that";
    return NULL;
}

enum fxttrace_status control_start(const struct target *target, const char *name,
                                   const struct fxttrace_options *o)
{
    struct traced traced;
    struct fxt_trace_request_ request;
    const char *why;

    if (!find(&traced, target, name))
        return FXTTRACE_BAD;
    if (!target_read(target, traced_address(traced.control.request), &request,
                     sizeof(request)))
        return refuse(name, traced_reason(TRACED_UNREADABLE));
    why = reason_not_to_start(&traced, &request);
    if (why != NULL)
        return refuse(name, why);
    request = (struct fxt_trace_request_){.answered = request.answered};
    request.session = traced.has_file ? traced.file.session : 0;
    request.max_bytes = o->max_bytes;
    request.mode = o->streams      ? FXT_TRACE_STREAM
                   : o->keeps_last ? FXT_TRACE_KEEP_LAST
                                   : FXT_TRACE_KEEP_FIRST;
    if (!write_path(&request, o->output))
        return refuse(name, "the name of the file is too long");
    if (!write_categories(&request, o->categories))
        return refuse(name, "the list of categories is too long");
    /* Where all were off, no event would come to look. */
    if ((traced.control.state != NULL &&
         !categories_switch(target, &traced, request.categories)) ||
        !write_request(target, &traced, &request))
        return refuse(name, "has ended, or its memory cannot be written");
    return await_answer(target, &traced, name, o);
}

/* ---- Stopping and switching -------------------------------------------------------- */

enum fxttrace_status control_stop(const struct target *target, const char *name)
{
    struct traced traced;
    uint32_t number;

    if (!find(&traced, target, name))
        return FXTTRACE_BAD;
    if (!target_read(target, REQUEST_MEMBER(&traced, number), &number, sizeof(number)) ||
        !target_write(target, REQUEST_MEMBER(&traced, answered), &number, sizeof(number)))
        return refuse(name, "has ended, or its memory cannot be written");
    if (traced.session == 0)
        return refuse(name, "does not trace");
    return write_session(target, &traced, 0)
               ? FXTTRACE_GOOD
               : refuse(name, "has ended, or its memory cannot be written");
}

enum fxttrace_status control_switch(const struct target *target, const char *name,
                                    const char *patterns)
{
    struct traced traced;

    if (!find(&traced, target, name))
        return FXTTRACE_BAD;
    if (traced.session <= 1 || traced.control.state == NULL)
        return refuse(name, "does not trace: --start takes --categories, too");
    if (strlen(patterns) >= FXT_TRACE_PATTERNS_BYTES_)
        return refuse(name, "the list of categories is too long");
    return categories_switch(target, &traced, patterns)
               ? FXTTRACE_GOOD
               : refuse(name, "has ended, or its memory cannot be written");
}

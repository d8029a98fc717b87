/* SPDX-License-Identifier: BSD-2-Clause */
/* See session.h: what a session finds out of processes, for archives. */
#include "session.h"

#include <unistd.h>

/* An fxt_sampler_event_fn. */
static void take_event(void *context, const struct fxt_sampler_event *event)
{
    const struct fxt_sampler *s = context;

    tracker_take_event(s->tracker, event);
    if (s->on_event != NULL)
        s->on_event(s->event_context, event);
}

enum fxt_sampler_code session_make_tracker(struct fxt_sampler *s)
{
    if ((s->config.flags & FXT_SAMPLER_ARCHIVE) == 0)
        return FXT_SAMPLER_OK;
    s->tracker = tracker_create(s->config.max_bytes);
    if (s->tracker == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    s->on_event = s->config.on_event;
    s->event_context = s->config.context;
    s->config.on_event = take_event;
    s->config.context = s;
    return FXT_SAMPLER_OK;
}

static void read_kernel(void *context, struct recording *recording)
{
    (void)context;
    recording_read_kernel(recording);
}

void session_prepare_tracker(const struct fxt_sampler *s)
{
    if (s->tracker != NULL && s->method->number == FXT_SAMPLER_PERF &&
        (s->config.flags & FXT_SAMPLER_USER_ONLY) == 0)
        tracker_run(s->tracker, read_kernel, NULL);
}

/* Signals report no events: what maps code, or is renamed, while the session runs is
 * found when it stops. */
void session_track_self(const struct fxt_sampler *s)
{
    if (s->tracker != NULL && s->method->number == FXT_SAMPLER_SIGNAL)
        tracker_read_target(s->tracker, FXT_SAMPLER_PROCESS, getpid());
}

void session_track_target(const struct fxt_sampler *s, enum fxt_sampler_target target,
                          pid_t id)
{
    if (s->tracker == NULL)
        return;
    if (target == FXT_SAMPLER_THREAD && s->method->number == FXT_SAMPLER_SIGNAL)
        tracker_read_thread(s->tracker, getpid(), id);
    else
        tracker_read_target(s->tracker, target, id);
}

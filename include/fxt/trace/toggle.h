/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: a signal that starts and stops traces. Its
 * handler only says what is to be; the next event starts a session, as one that fxttrace
 * has asked for. Not for direct use.
 */
#ifndef FXT_TRACE_TOGGLE_H
#define FXT_TRACE_TOGGLE_H

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/trace/environment.h>
#include <fxt/trace/rings.h>

FXT_BEGIN_DECLS

/* A session is to start, whatever the environment asks for. */
static uint32_t fxt_trace_is_wanted_;

/* The signal that this has a handler for, or 0. */
static int fxt_trace_signal_;

void fxt_trace_toggle(void)
{
    uint32_t session = FXT_LOAD_RELAXED(&fxt_trace_session_);
    bool starts =
        session == 0 || (session == 1 && FXT_LOAD_RELAXED(&fxt_trace_is_wanted_) == 0);

    FXT_STORE_RELAXED(&fxt_trace_is_wanted_, (uint32_t)starts);
    __atomic_store_n(&fxt_trace_session_, (uint32_t)starts, __ATOMIC_SEQ_CST);
}

static void fxt_trace_handle_(int number)
{
    (void)number;
    fxt_trace_toggle();
}

/* "USR2", "SIGUSR2" or a number; returns 0 for what is none of these. */
static int fxt_trace_parse_signal_(const char *text)
{
    char *end;
    long number;

    text += strncmp(text, "SIG", 3) == 0 ? 3 : 0;
    if (strcmp(text, "USR1") == 0)
        return SIGUSR1;
    if (strcmp(text, "USR2") == 0)
        return SIGUSR2;
    number = strtol(text, &end, 10);
    return *end == 0 && number > 0 && number < 128 ? (int)number : 0;
}

/* Before main: until there is a handler, the signal ends the program. What else has set
 * one by now is another copy of this, or knows better; and the program may set one
 * later. */
__attribute__((__constructor__)) static void fxt_trace_await_signal_(void)
{
    const char *name = fxt_trace_setting_("FXT_TRACE_SIGNAL");
    struct sigaction action;
    int number;

    if (!name || !*name)
        return;
    number = fxt_trace_parse_signal_(name);
    if (number == 0 || sigaction(number, NULL, &action) != 0) {
        fxt_trace_refuse_value_("FXT_TRACE_SIGNAL", name, "not a signal, as USR2 is");
        return;
    }
    if (action.sa_handler != SIG_DFL)
        return;
    memset(&action, 0, sizeof(action));
    action.sa_handler = fxt_trace_handle_;
    action.sa_flags = SA_RESTART;
    if (sigaction(number, &action, NULL) == 0)
        fxt_trace_signal_ = number;
    else
        fxt_trace_refuse_value_("FXT_TRACE_SIGNAL", name, strerror(errno));
}

/* Where the library that has the handler is unloaded. */
static void fxt_trace_ignore_signal_(void)
{
    struct sigaction action;

    if (fxt_trace_signal_ != 0 && sigaction(fxt_trace_signal_, NULL, &action) == 0 &&
        action.sa_handler == fxt_trace_handle_)
        signal(fxt_trace_signal_, SIG_IGN);
}

FXT_END_DECLS

#endif

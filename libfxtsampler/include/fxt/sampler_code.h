/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions of fxt/sampler.h return. */
#ifndef FXT_SAMPLER_CODE_H
#define FXT_SAMPLER_CODE_H

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

/* What a function returns. The numbers are pinned. A call that returns an error has done
 * nothing. */
enum fxt_sampler_code {
    FXT_SAMPLER_OK = 0,
    /* fxt_sampler_create: the options are not 0. */
    FXT_SAMPLER_E_OPTIONS = 1,
    /* The configuration is NULL, its size is not that of any version, or it has a method,
     * a flag or a member that this version does not know. */
    FXT_SAMPLER_E_CONFIG = 2,
    /* The period is shorter than FXT_SAMPLER_PERIOD_MIN_NS, or longer than a day; or
     * signals cost so much on this machine that they would have to be more than 100 times
     * less frequent. */
    FXT_SAMPLER_E_PERIOD = 3,
    /* The buffer size is 0, or larger than FXT_SAMPLER_BUFFER_SIZE_MAX. */
    FXT_SAMPLER_E_BUFFER_SIZE = 4,
    /* The discipline is not FXT_SAMPLER_DISCIPLINE_NONE. */
    FXT_SAMPLER_E_DISCIPLINE = 5,
    /* This process has a session already. */
    FXT_SAMPLER_E_EXISTS = 6,
    /* There is no such session: it was not created, or it was destroyed. */
    FXT_SAMPLER_E_NO_SESSION = 7,
    /* The session runs: it cannot be started, nor its regions read. */
    FXT_SAMPLER_E_RUNNING = 8,
    /* The session does not run: it cannot be stopped. */
    FXT_SAMPLER_E_NOT_RUNNING = 9,
    /* There is no such process or thread. */
    FXT_SAMPLER_E_NO_TARGET = 10,
    /* The thread or process is attached already, or, to be detached, is not. */
    FXT_SAMPLER_E_ATTACHED = 11,
    /* The method cannot do this: by signals, other processes, kernel stacks or cycles. */
    FXT_SAMPLER_E_METHOD = 12,
    /* The system does not allow it. */
    FXT_SAMPLER_E_PERMISSION = 13,
    /* The system does not support it. */
    FXT_SAMPLER_E_SUPPORT = 14,
    /* There is no region with that index: it is not below their number. */
    FXT_SAMPLER_E_REGION = 15,
    /* Out of memory, or of another limited resource (files, timers, threads). */
    FXT_SAMPLER_E_RESOURCES = 16,
    /* fxt_sampler_write: the session was created without FXT_SAMPLER_ARCHIVE. */
    FXT_SAMPLER_E_ARCHIVE = 17,
    /* The caller's function, which was to write or take something, has failed. */
    FXT_SAMPLER_E_SINK = 18,
    /* A region is full: nothing more can be sampled on its CPU. */
    FXT_SAMPLER_E_FULL = 19,
    /* An archive is open already; or, to be appended to or closed, is not. */
    FXT_SAMPLER_E_OPEN = 20,
    /* This machine has no such event, or it cannot take samples. */
    FXT_SAMPLER_E_EVENT = 21
};

/* A short, stable word for a code, such as "not_running"; "unknown_code" for any other
 * number. The string is static. */
FXT_API const char *fxt_sampler_code_name(enum fxt_sampler_code code);

/* A human-readable message for a code, without a full stop. The string is static. */
FXT_API const char *fxt_sampler_code_message(enum fxt_sampler_code code);

FXT_END_DECLS

#endif

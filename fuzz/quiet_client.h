/* SPDX-License-Identifier: BSD-2-Clause */
/* What the importing of inputs reports to where a fuzz target does not look at reports.
 */
#ifndef FUZZ_QUIET_CLIENT_H
#define FUZZ_QUIET_CLIENT_H

#include "libfxtprofile/import/settings.h"

static void ignore_number(void *context, size_t number)
{
    (void)context;
    (void)number;
}

static void ignore_error(void *context, const char *name, const struct fxt_error *error)
{
    (void)context;
    (void)name;
    (void)error;
}

static void ignore_fault(void *context, const char *name, const char *message)
{
    (void)context;
    (void)name;
    (void)message;
}

static void ignore_message(void *context, const char *name, enum fxt_severity severity,
                           const char *message)
{
    (void)context;
    (void)name;
    (void)severity;
    (void)message;
}

static bool accept_all(void *context, const char *name, enum fxt_profile_content content)
{
    (void)context;
    (void)name;
    (void)content;
    return true;
}

static const struct import_client quiet_client = {
    .on_start = ignore_number,
    .on_read = ignore_number,
    .on_error = ignore_error,
    .on_fault = ignore_fault,
    .on_message = ignore_message,
    .accepts = accept_all,
};

#endif

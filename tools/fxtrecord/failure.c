/* SPDX-License-Identifier: BSD-2-Clause */
/* See failure.h. */
#include "failure.h"

#include "record_options.h"
#include "tools/common/report.h"

bool failure_report(const char *what, const char *why)
{
    complain(FXTRECORD_PROGRAM, what, "%s", why);
    return false;
}

bool failure_report_text(const char *what, struct text *why)
{
    text_char(why, '\0');
    failure_report(what, why->data);
    text_free(why);
    return false;
}

bool failure_report_code(const char *what, enum fxt_sampler_code code)
{
    const char *message = fxt_sampler_code_message(code);

    if (code != FXT_SAMPLER_E_PERMISSION)
        return failure_report(what, message);
    complain(FXTRECORD_PROGRAM, what,
             "%s: perf events of other users' processes, of the kernel, and of the whole "
             "system need root or a lower kernel.perf_event_paranoid",
             message);
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See attach.h: where the registers of a thread are not known. */
#include "attach.h"

#include "tools/common/report.h"
#include "tools/fxtheap/fxtheap.h"

static int refuse(void)
{
    complain(FXTHEAP_PROGRAM, NULL, "attach and detach are there on x86-64 only");
    return FXTHEAP_FAILED;
}

int attach_start(const struct attach_options *options)
{
    (void)options;
    return refuse();
}

int attach_end(const struct attach_options *options)
{
    (void)options;
    return refuse();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See dropped.h. */
#include "dropped.h"

#include <inttypes.h>

void dropped_name(struct text *to, const char *name, uint64_t size, uint64_t time_ns)
{
    text_printf(to, "%s.%" PRIu64 ".%" PRIu64 DROPPED_SUFFIX, name, size, time_ns);
    text_char(to, '\0');
}

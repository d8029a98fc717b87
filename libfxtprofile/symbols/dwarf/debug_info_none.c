/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_info.h: where there is no libdw. */
#include "debug_info.h"

bool debug_info_is_there(void)
{
    return false;
}

void debug_info_read(const struct debug_source *source, const uint64_t *addresses,
                     size_t n_addresses, debug_take_fn *take, void *context)
{
    (void)source;
    (void)addresses;
    (void)n_addresses;
    (void)take;
    (void)context;
}

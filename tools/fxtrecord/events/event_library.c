/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_library.h. */
#include "event_library.h"

#include <linux/perf_event.h>

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

bool event_library_find(const char *name, struct fxt_sampler_source *source,
                        const char **why)
{
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
    int code = pfm_initialize();

    if (code == PFM_SUCCESS)
        code =
            pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
    if (code != PFM_SUCCESS) {
        *why = pfm_strerror(code);
        return false;
    }
    source->type = attr.type;
    source->config = attr.config;
    source->config1 = attr.config1;
    source->config2 = attr.config2;
    return true;
}

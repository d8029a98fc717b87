/* SPDX-License-Identifier: BSD-2-Clause */
/* The public function of fxt/heap.h. */
#include <fxt/heap.h>

#include "bind.h"
#include "libfxtheap/intercept/intercept.h"

enum fxt_heap_code fxt_heap_bind(const struct fxt_heap_options *options)
{
    const struct fxt_heap_options defaults = {.size = sizeof(defaults)};

    if (options == NULL)
        options = &defaults;
    if (options->size != sizeof(*options))
        return FXT_HEAP_E_OPTIONS;
    if (!intercept_is_first())
        return FXT_HEAP_E_BYPASSED;
    return bind_with(options);
}

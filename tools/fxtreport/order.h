/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of names in tables: that of their bytes, a prefix first. */
#ifndef FXTREPORT_ORDER_H
#define FXTREPORT_ORDER_H

#include <fxt/types.h>

#include "common/base/string_table.h"

/* For comparisons, as qsort wants them. Empty strings may have no data. */
static inline int order_strings(struct fxt_string a, struct fxt_string b)
{
    return string_compare((struct string){a.size > 0 ? a.data : "", a.size},
                          (struct string){b.size > 0 ? b.data : "", b.size});
}

#endif

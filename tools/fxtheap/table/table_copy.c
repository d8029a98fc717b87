/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_copy.h. */
#include "table_copy.h"

void table_copy_free(struct table_copy *copy)
{
    memory_release(copy->blocks);
    memory_release(copy->stacks);
    memory_release(copy->pcs);
    memory_release(copy->threads);
    text_free(&copy->maps);
    *copy = (struct table_copy){.n_blocks = 0};
}

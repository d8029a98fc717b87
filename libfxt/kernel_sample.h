/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a large blob is a kernel sampler's stack; see fxt/sample.h. */
#ifndef LIBFXT_KERNEL_SAMPLE_H
#define LIBFXT_KERNEL_SAMPLE_H

#include <stdbool.h>

#include <fxt/record.h>

static inline bool kernel_sample_is(const struct fxt_large_blob *blob)
{
    return blob->format == FXT_LARGE_BLOB_METADATA && blob->category.data != NULL &&
           blob->category.size == 0 && blob->name.data != NULL && blob->name.size == 0 &&
           blob->payload.size >= FXT_WORD_BYTES;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as base64, which pages hold data in. */
#ifndef FXTPROFILE_OUTPUT_BASE64_H
#define FXTPROFILE_OUTPUT_BASE64_H

#include <stdbool.h>

#include "common/base/io/output.h"
#include "common/base/text.h"

/* Writes `data` and removes it. But for the last ones, bytes that fill no group of
 * characters stay until more are added. */
void base64_write(struct output *output, struct text *data, bool is_last);

#endif

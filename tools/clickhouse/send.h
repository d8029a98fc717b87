/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending what a converter has read; its options are send_options.h's. */
#ifndef TOOLS_CLICKHOUSE_SEND_H
#define TOOLS_CLICKHOUSE_SEND_H

#include "send_options.h"
#include "tools/convert/conversion.h"

/* Another attempt, with the same inputs, may succeed. */
enum { EXIT_NOT_TAKEN = EXIT_UNUSABLE + 1 };

/* The converter's write_own: sends all tables, and says how many rows the server took. */
int send_profile(const struct conversion *conversion, struct output *output);

/* The exit status of a converter that ended with this one: what ended before all was
 * sent, for want of memory perhaps, is not EXIT_BAD, with which files may be removed. */
int send_judge(const struct send_options *own, int status);

/* Whether the server answers; else that is printed. */
bool send_reaches(const struct send_options *own);

#endif

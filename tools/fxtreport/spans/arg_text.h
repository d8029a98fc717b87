/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of events' arguments as text and as JSON. */
#ifndef FXTREPORT_SPANS_ARG_TEXT_H
#define FXTREPORT_SPANS_ARG_TEXT_H

#include <fxt/profile.h>

#include "common/base/text.h"

/* Not quoted: strings are as in the input. */
void arg_text_add(struct text *text, const struct fxt_profile_event_arg *arg);

/* Numbers as numbers, but for those that JSON has no word for; blobs as hex digits, and
 * pointers as strings with 0x. */
void arg_text_add_json(struct text *text, const struct fxt_profile_event_arg *arg);

/* "table=users, rows=3" of an event. */
void arg_text_add_all(struct text *text, const struct fxt_profile *profile,
                      uint32_t event);

#endif

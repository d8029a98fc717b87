/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a page for browsers takes all events of the inputs. What is refused is refused
 * with a command that makes a page of a part of them.
 */
#ifndef CONVERT_PAGE_EVENTS_H
#define CONVERT_PAGE_EVENTS_H

#include "conversion.h"

/* Complain and return false if there are too many: before the inputs are read as a
 * profile, which takes far longer than counting, as far as they can be counted; and
 * afterwards. */
bool page_takes_inputs(const struct conversion *conversion);
bool page_takes_profile(const struct conversion *conversion);

#endif

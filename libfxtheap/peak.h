/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each stack has live, and had when the heap was largest, as layout.h specifies: for
 * tables that keep the peak. From any thread, and from signal handlers.
 */
#ifndef LIBFXTHEAP_PEAK_H
#define LIBFXTHEAP_PEAK_H

#include "table.h"

/* A block of a stack, or of none if that is 0, was added. */
void peak_add(struct table *table, uint32_t stack, uint64_t size);

/* It is going to be removed. */
void peak_remove(struct table *table, uint32_t stack, uint64_t size);

/* Its size changes, where it is. */
void peak_resize(struct table *table, uint32_t stack, uint64_t before, uint64_t size);

#endif

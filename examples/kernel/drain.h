/* SPDX-License-Identifier: BSD-2-Clause */
/* The consumer of the rings: CPU 0 drains what all CPUs write, while they write. */
#ifndef KERNEL_DRAIN_H
#define KERNEL_DRAIN_H

#include <stdint.h>

#include "session.h"

/* Opens the rings of a session that has begun. */
void drain_open(const struct session *session);

/* Takes out what is there. */
void drain_all(void);

/* Whether there is room for what the rings hold, and more. */
bool drain_has_room(void);

/* What was taken out of a source's ring, and how many bytes that is. */
const void *drain_data(unsigned cpu, enum source_id id, uint64_t *size);

#endif

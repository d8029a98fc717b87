/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A structure in the kernel's memory, at the symbol `report`, with the addresses of the
 * samples, for readers from outside: in this machine's byte order.
 */
#ifndef KERNEL_REPORT_H
#define KERNEL_REPORT_H

#include <stdint.h>

#include "session.h"

#define REPORT_MAGIC 0x74726f7065525846 /* "FXReport" */

enum { MAX_REPORTED = 64 };

/* One source's part in one session. */
struct reported {
    uint64_t session;
    uint64_t cpu;
    uint64_t source;
    /* The samples: a region, or what was drained from a ring. */
    uint64_t address;
    uint64_t size;
    uint64_t n_taken;
    uint64_t n_dropped;
    uint64_t n_invalid;
};

struct report {
    uint64_t magic;
    /* The end was reached. */
    uint64_t done;
    /* What went wrong, if anything did, and where. */
    char why[64];
    uint64_t pc;
    uint64_t ticks_per_second;
    uint64_t n;
    struct reported all[MAX_REPORTED];
};

extern struct report report;

/* Adds a source of a session that was stopped, whose samples are here. */
void report_add(unsigned session, unsigned cpu, enum source_id id, const void *data,
                uint64_t size);

/* Says that something went wrong. Only the first is kept. */
void report_failure(const char *why, uint64_t pc);

#endif

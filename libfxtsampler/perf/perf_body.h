/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a perf record's body is not read yet. */
#ifndef LIBFXTSAMPLER_PERF_BODY_H
#define LIBFXTSAMPLER_PERF_BODY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perf_body {
    const unsigned char *at;
    size_t left;
};

static inline struct perf_body perf_body_of(const struct perf_event_header *record)
{
    const unsigned char *bytes = (const unsigned char *)record;

    return (struct perf_body){bytes + sizeof(*record), record->size - sizeof(*record)};
}

static inline bool perf_body_skip(struct perf_body *body, uint64_t size)
{
    if (size > body->left)
        return false;
    body->at += size;
    body->left -= (size_t)size;
    return true;
}

static inline bool perf_body_take(struct perf_body *body, void *to, size_t size)
{
    const unsigned char *from = body->at;

    if (!perf_body_skip(body, size))
        return false;
    memcpy(to, from, size);
    return true;
}

#endif

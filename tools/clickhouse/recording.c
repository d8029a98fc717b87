/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "recording.h"

#include "common/base/quote.h"
#include "row_binary.h"

#define NS_PER_S 1000000000

/* ---- The row ----------------------------------------------------------------------- */

uint32_t recording_seconds(int64_t ns)
{
    int64_t seconds = ns / NS_PER_S;

    if (seconds < 0)
        return 0;
    return seconds < UINT32_MAX ? (uint32_t)seconds : UINT32_MAX;
}

void recording_date(struct recording *recording, const struct fxt_profile *profile)
{
    uint64_t clock_ns;
    uint64_t wall_ns;

    if (!fxt_profile_wall_clock(profile, &clock_ns, &wall_ns))
        wall_ns = 0;
    recording->time =
        recording_seconds(wall_ns < INT64_MAX ? (int64_t)wall_ns : INT64_MAX);
}

static void add_string(struct text *rows, const char *string, size_t size)
{
    struct text valid = {NULL, 0, 0};

    quote_utf8(&valid, string, size);
    row_binary_string(rows, valid.data, valid.size);
    text_free(&valid);
}

void recording_row(struct text *rows, const struct recording *r, uint64_t n_rows)
{
    text_add(rows, r->id, sizeof(r->id));
    text_le(rows, r->time, sizeof(r->time));
    add_string(rows, r->host, strlen(r->host));
    text_varint(rows, r->n_labels);
    for (size_t i = 0; i < r->n_labels; i++)
        add_string(rows, r->labels[i].name, r->labels[i].name_size);
    text_varint(rows, r->n_labels);
    for (size_t i = 0; i < r->n_labels; i++)
        add_string(rows, r->labels[i].value, strlen(r->labels[i].value));
    text_le(rows, n_rows, sizeof(n_rows));
}

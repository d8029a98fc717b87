/* SPDX-License-Identifier: BSD-2-Clause */
/* Without libzstd: see zstd.h. */
#include "zstd.h"

bool zstd_exists(void)
{
    return false;
}

struct zstd *zstd_create(void)
{
    return NULL;
}

void zstd_free(struct zstd *zstd)
{
    (void)zstd;
}

void zstd_add(struct zstd *zstd, const void *data, size_t size, struct text *to)
{
    (void)zstd;
    text_add(to, data, size);
}

void zstd_add_part(struct zstd *zstd, const void *data, size_t size, struct text *to)
{
    zstd_add(zstd, data, size, to);
}

void zstd_part_done(struct zstd *zstd, bool is_written)
{
    (void)zstd;
    (void)is_written;
}

void zstd_end(struct zstd *zstd, struct text *to)
{
    (void)zstd;
    (void)to;
}

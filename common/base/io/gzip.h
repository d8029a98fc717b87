/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressing with gzip: the same content always gives the same bytes. */
#ifndef BASE_IO_GZIP_H
#define BASE_IO_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

/* Takes compressed bytes; returns false if there is no use for more of them. */
typedef bool gzip_fn(void *context, const char *data, size_t size);

/* All zero is one that has not begun. */
struct gzip {
    bool has_begun;
    gzip_fn *take;
    void *context;
    z_stream z;
};

/* Piece by piece; the last one may be empty. gzip_free may be called at any time. */
void gzip_begin(struct gzip *gzip, gzip_fn *take, void *context);
void gzip_add(struct gzip *gzip, const char *data, size_t size, bool is_last);
void gzip_free(struct gzip *gzip);

/* Up to how many bytes are better compressed at once; 0 if that cannot be done here. */
size_t gzip_whole_max(void);

/* All at once. */
void gzip_whole(const char *data, size_t size, gzip_fn *take, void *context);

#endif

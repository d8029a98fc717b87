/* SPDX-License-Identifier: BSD-2-Clause */
/* What each format has for decompress.h. */
#ifndef BASE_IO_DECOMPRESS_FORMAT_H
#define BASE_IO_DECOMPRESS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Compressed bytes, and room for what they become: a step moves both forward. */
struct decompress_step {
    const unsigned char *in;
    size_t n_in;
    unsigned char *out;
    size_t n_out;
    /* Set by a step at the end of a frame. */
    bool has_ended;
};

/* The data is any number of frames (gzip calls them members), one after the other. */
struct decompress_format {
    const char *ends_early;
    const char *something_follows;
    /* Whether a frame may begin with this byte. */
    bool (*begins_with)(unsigned char byte);
    /* Make and free what is kept between steps; NULL where there is no memory. */
    void *(*create)(void);
    void (*free)(void *state);
    /* Prepares for the next frame. */
    void (*start)(void *state);
    /* Goes on until no byte is left, no room, or nothing of the frame. Returns what is
     * wrong with the data, or NULL. */
    const char *(*step)(void *state, struct decompress_step *step);
};

extern const struct decompress_format decompress_gzip;
extern const struct decompress_format decompress_zstd;

#endif

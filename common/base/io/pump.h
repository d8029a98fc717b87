/* SPDX-License-Identifier: BSD-2-Clause */
/* An input's bytes through a reader. */
#ifndef BASE_IO_PUMP_H
#define BASE_IO_PUMP_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "input.h"

struct pump_result {
    /* FXT_OK; FXT_STOPPED where a callback asked to stop (nothing more is read); or
     * FXT_E_SIZE_ZERO where the framing was lost. */
    enum fxt_code code;
    /* How many bytes of the input made up the stream; and how many of these, the last
     * ones, were lost with the framing. */
    uint64_t n_bytes;
    uint64_t n_lost;
};

/* Everything. */
#define PUMP_ALL UINT64_MAX

/* Called when the memory of the records that were read is about to change. */
struct pump_client {
    void (*release)(void *context);
    void *context;
};

/* Reads the next `limit` bytes of the input, or as many as there are, as one stream, from
 * the reader's reset or creation to its finish. `client` may be NULL. */
struct pump_result pump(struct input *input, struct fxt_reader *reader, uint64_t limit,
                        const struct pump_client *client);

#endif

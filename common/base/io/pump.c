/* SPDX-License-Identifier: BSD-2-Clause */
/* See pump.h. */
#include "pump.h"

static size_t min_size(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* Takes what is left of a stream that cannot be read on. */
static uint64_t skip_rest(struct input *input, uint64_t limit)
{
    uint64_t n_bytes = 0;

    while (n_bytes < limit && input_want(input, 1)) {
        size_t size = min_size(limit - n_bytes, input_size(input));

        input_consume(input, size);
        n_bytes += size;
    }
    return n_bytes;
}

struct pump_result pump(struct input *input, struct fxt_reader *reader, uint64_t limit,
                        const struct pump_client *client)
{
    struct pump_result result = {FXT_OK, 0, 0};
    uint64_t wanted = 1;

    for (;;) {
        uint64_t left = limit - result.n_bytes;
        /* Where the rest of the stream is too short, all of it is needed. */
        bool enough =
            input_want(input, min_size(wanted < left ? wanted : left, SIZE_MAX));
        bool more = enough && wanted <= left;
        struct fxt_chunk chunk = {input_data(input), min_size(left, input_size(input)),
                                  0};

        if (more)
            result.code = fxt_reader_read(reader, &chunk);
        else
            result.code = fxt_reader_finish(reader, &chunk);
        if (client != NULL)
            client->release(client->context);
        input_consume(input, chunk.pos);
        result.n_bytes += chunk.pos;
        if (result.code == FXT_STOPPED)
            return result;
        if (result.code == FXT_E_SIZE_ZERO) {
            result.n_lost = skip_rest(input, limit - result.n_bytes);
            result.n_bytes += result.n_lost;
            return result;
        }
        if (!more) {
            result.code = FXT_OK;
            return result;
        }
        wanted = result.code == FXT_NEED_MORE ? fxt_reader_needed(reader) : 1;
        /* What is in memory is not enough, or there would be no need for more. */
        if (wanted <= input_size(input))
            wanted = input_size(input) + 1;
    }
}

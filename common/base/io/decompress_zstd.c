/* SPDX-License-Identifier: BSD-2-Clause */
/* See decompress_format.h. */
#include "decompress_format.h"

#include <zstd.h>
#include <zstd_errors.h>

#include "common/base/memory.h"
#include "magic.h"

/* The binary logarithm of how far data may refer back, which the decompressor allocates:
 * 128 MiB, as zstd does without being asked for more. */
enum { WINDOW_LOG_MAX = 27 };

/* Also those that are to be skipped. */
static bool zstd_begins_with(unsigned char byte)
{
    return byte == MAGIC_ZSTD || (byte & 0xf0) == 0x50;
}

/* What would be decompressed before an error in the same call is lost: so a call gets one
 * block, or one header. */
struct zstd {
    ZSTD_DCtx *context;
    /* How many bytes zstd proposes: a block, and the header of the next one. */
    size_t n_next;
};

enum { BLOCK_HEADER_BYTES = 3 };

static void *create_zstd(void)
{
    struct zstd *zstd = memory_allocate(sizeof(*zstd));

    zstd->context = ZSTD_createDCtx();
    if (zstd->context != NULL) {
        ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
        return zstd;
    }
    memory_release(zstd);
    return NULL;
}

static void free_zstd(void *state)
{
    struct zstd *zstd = state;

    if (zstd != NULL)
        ZSTD_freeDCtx(zstd->context);
    memory_release(zstd);
}

static void start_zstd(void *state)
{
    struct zstd *zstd = state;

    zstd->n_next = ZSTD_initDStream(zstd->context);
}

static const char *describe_error(ZSTD_ErrorCode code)
{
    if (code == ZSTD_error_frameParameter_windowTooLarge)
        return "the zstd data has a window of more than 128 MiB, which takes "
               "'zstd -dc --long=31',";
    if (code == ZSTD_error_dictionary_wrong)
        return "the zstd data needs a dictionary";
    if (code == ZSTD_error_memory_allocation)
        return "there is no memory to decompress";
    return "the zstd data is broken";
}

static size_t limit_input(const struct zstd *zstd, size_t n_in)
{
    size_t n = zstd->n_next;

    if (n > BLOCK_HEADER_BYTES)
        n -= BLOCK_HEADER_BYTES;
    return n_in < n ? n_in : n;
}

static const char *zstd_step(void *state, struct decompress_step *step)
{
    struct zstd *zstd = state;
    ZSTD_inBuffer in = {step->in, limit_input(zstd, step->n_in), 0};
    ZSTD_outBuffer out = {step->out, step->n_out, 0};
    size_t left = ZSTD_decompressStream(zstd->context, &out, &in);

    zstd->n_next = left;
    step->in += in.pos;
    step->n_in -= in.pos;
    step->out += out.pos;
    step->n_out -= out.pos;
    step->has_ended = left == 0;
    return ZSTD_isError(left) ? describe_error(ZSTD_getErrorCode(left)) : NULL;
}

const struct decompress_format decompress_zstd = {
    .ends_early = "the zstd data ends early",
    .something_follows = "something else follows the zstd data",
    .begins_with = zstd_begins_with,
    .create = create_zstd,
    .free = free_zstd,
    .start = start_zstd,
    .step = zstd_step,
};

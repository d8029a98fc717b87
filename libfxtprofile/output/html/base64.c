/* SPDX-License-Identifier: BSD-2-Clause */
/* See html.h: bytes as base64, which pages hold data in. */
#include "html.h"

#include <stdint.h>
#include <string.h>

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes are four characters of six bits each. A table has each two of them: half as
 * many steps as with one at a time. */
enum { GROUP_BYTES = 3, GROUP_CHARS = 4, PAIR_BITS = 12, N_PAIRS = 1 << PAIR_BITS };

enum { GROUPS_AT_ONCE = 1024 };

static void make_pairs(char pairs[][2])
{
    for (unsigned i = 0; i < N_PAIRS; i++) {
        pairs[i][0] = digits[i >> 6];
        pairs[i][1] = digits[i & 63];
    }
}

static void encode_groups(char (*pairs)[2], const unsigned char *from, size_t n, char *to)
{
    for (size_t i = 0; i < n; i++, from += GROUP_BYTES, to += GROUP_CHARS) {
        uint32_t bits = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];

        memcpy(to, pairs[bits >> PAIR_BITS], 2);
        memcpy(to + 2, pairs[bits & (N_PAIRS - 1)], 2);
    }
}

/* One or two bytes, and `=` for those that are missing. */
static void write_rest(struct output *output, char (*pairs)[2], const unsigned char *from,
                       size_t n)
{
    unsigned char group[GROUP_BYTES] = {0};
    char chars[GROUP_CHARS];

    memcpy(group, from, n);
    encode_groups(pairs, group, 1, chars);
    memset(chars + 1 + n, '=', GROUP_BYTES - n);
    output_write(output, chars, sizeof(chars));
}

void base64_write(struct output *output, struct text *data, bool is_last)
{
    char pairs[N_PAIRS][2];
    char chars[GROUPS_AT_ONCE * GROUP_CHARS];
    const unsigned char *from = (const unsigned char *)data->data;
    size_t left = data->size;

    make_pairs(pairs);
    while (left >= GROUP_BYTES) {
        size_t n =
            left / GROUP_BYTES < GROUPS_AT_ONCE ? left / GROUP_BYTES : GROUPS_AT_ONCE;

        encode_groups(pairs, from, n, chars);
        output_write(output, chars, n * GROUP_CHARS);
        from += n * GROUP_BYTES;
        left -= n * GROUP_BYTES;
    }
    if (is_last && left > 0)
        write_rest(output, pairs, from, left);
    if (!is_last && left > 0)
        memmove(data->data, from, left);
    data->size = is_last ? 0 : left;
}

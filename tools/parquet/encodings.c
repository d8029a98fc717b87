/* SPDX-License-Identifier: BSD-2-Clause */
/* See encodings.h. */
#include "encodings.h"

#include "common/base/sort.h"

/* ---- Numbers ----------------------------------------------------------------------- */

void encode_zigzag(struct text *to, int64_t value)
{
    text_varint(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

int encode_width(uint64_t value)
{
    return value > 0 ? (int)count_bits(value) : 0;
}

/* ---- Packing ----------------------------------------------------------------------- */

/* Bits that have been packed and are less than a word. */
struct packer {
    struct text *to;
    uint64_t bits;
    int n_bits;
};

static inline void pack(struct packer *p, uint64_t value, int width)
{
    p->bits |= value << p->n_bits;
    p->n_bits += width;
    if (p->n_bits < 64)
        return;
    text_le(p->to, p->bits, sizeof(p->bits));
    p->n_bits -= 64;
    /* A shift by 64 is undefined. */
    p->bits = p->n_bits > 0 ? value >> (width - p->n_bits) : 0;
}

static void pack_rest(struct packer *p)
{
    text_le(p->to, p->bits, ((size_t)p->n_bits + 7) / 8);
}

void encode_bools(struct text *to, const uint64_t *values, size_t n)
{
    struct packer packer = {to, 0, 0};

    for (size_t i = 0; i < n; i++)
        pack(&packer, values[i], 1);
    pack_rest(&packer);
}

/* ---- Hybrid ------------------------------------------------------------------------ */

enum { GROUP = 8 };

/* In groups of eight, the last of which is filled up. */
static void add_packed(struct text *to, const uint32_t *values, size_t n, int width)
{
    size_t n_groups = (n + GROUP - 1) / GROUP;
    struct packer packer = {to, 0, 0};

    if (n == 0)
        return;
    text_varint(to, n_groups << 1 | 1);
    for (size_t i = 0; i < n_groups * GROUP; i++)
        pack(&packer, i < n ? values[i] : 0, width);
    pack_rest(&packer);
}

static void add_run(struct text *to, uint32_t value, size_t n, int width)
{
    text_varint(to, n << 1);
    text_le(to, value, ((size_t)width + 7) / 8);
}

static size_t count_equal(const uint32_t *values, size_t n)
{
    size_t n_equal = 1;

    while (n_equal < n && values[n_equal] == values[0])
        n_equal++;
    return n_equal;
}

/* Packed values must fill their groups, but for the last ones: so a run begins where a
 * group would. */
void encode_hybrid(struct text *to, const uint32_t *values, size_t n, int width)
{
    size_t first_packed = 0;
    size_t at = 0;

    while (at < n) {
        size_t n_equal = count_equal(values + at, n - at);

        if (n_equal < GROUP) {
            at += GROUP < n - at ? GROUP : n - at;
            continue;
        }
        add_packed(to, values + first_packed, at - first_packed, width);
        add_run(to, values[at], n_equal, width);
        at += n_equal;
        first_packed = at;
    }
    add_packed(to, values + first_packed, n - first_packed, width);
}

/* ---- Delta ------------------------------------------------------------------------- */

enum { BLOCK = 128, N_PARTS = 4, PART = BLOCK / N_PARTS };

/* Differences wrap around. */
static int64_t find_least(const uint64_t *deltas, size_t n)
{
    int64_t least = (int64_t)deltas[0];

    for (size_t i = 1; i < n; i++) {
        if ((int64_t)deltas[i] < least)
            least = (int64_t)deltas[i];
    }
    return least;
}

static int find_width(const uint64_t *values, size_t n)
{
    uint64_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= values[i];
    return encode_width(any);
}

/* `deltas` has room for a whole block; the parts after the last value are empty. */
static void add_block(struct text *to, uint64_t deltas[BLOCK], size_t n)
{
    size_t n_parts = (n + PART - 1) / PART;
    int64_t least = find_least(deltas, n);
    int widths[N_PARTS] = {0};

    for (size_t i = 0; i < BLOCK; i++)
        deltas[i] = i < n ? deltas[i] - (uint64_t)least : 0;
    encode_zigzag(to, least);
    for (size_t part = 0; part < N_PARTS; part++) {
        widths[part] = find_width(deltas + part * PART, PART);
        text_char(to, (char)widths[part]);
    }
    for (size_t part = 0; part < n_parts; part++) {
        struct packer packer = {to, 0, 0};

        for (size_t i = 0; i < PART && widths[part] > 0; i++)
            pack(&packer, deltas[part * PART + i], widths[part]);
        pack_rest(&packer);
    }
}

void encode_delta(struct text *to, const uint64_t *values, size_t n)
{
    text_varint(to, BLOCK);
    text_varint(to, N_PARTS);
    text_varint(to, n);
    encode_zigzag(to, (int64_t)values[0]);
    for (size_t at = 1; at < n; at += BLOCK) {
        size_t n_deltas = n - at < BLOCK ? n - at : BLOCK;
        uint64_t deltas[BLOCK];

        for (size_t i = 0; i < n_deltas; i++)
            deltas[i] = values[at + i] - values[at + i - 1];
        add_block(to, deltas, n_deltas);
    }
}

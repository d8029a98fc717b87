/* SPDX-License-Identifier: BSD-2-Clause */
/* See kallsyms_table.h. */
#include "kallsyms_table.h"

#include <string.h>

/* A sample of memory, and how far samples are apart; a kernel has more offsets. */
enum { SAMPLE_BYTES = 64, SAMPLE_OFFSETS = SAMPLE_BYTES / 4, STRIDE = 1 << 16 };

/* How far the image extends, and the largest part of it that may not be mapped. */
#define IMAGE_BYTES_MAX ((uint64_t)1 << 28)
#define HOLE_BYTES_MAX ((uint64_t)1 << 23)

enum {
    SYMBOLS_MIN = 256,
    SYMBOLS_MAX = 1 << 22,
    MARKED = 256,
    NAME_BYTES_MAX = 130,
    TOKENS_BYTES_MAX = 1 << 14,
    SEQUENCE_BYTES = 3,
    PAGE = 4096,
    /* Offsets in a sample are near each other. */
    SPAN_MAX = 1 << 20,
    /* Tables that look like offsets and are not. */
    ATTEMPTS_MAX = 64
};

static uint64_t align(uint64_t address)
{
    return (address + 7) & ~(uint64_t)7;
}

/* ---- Offsets ----------------------------------------------------------------------- */

static bool read_offset(struct kernel_memory *m, uint64_t address, int64_t *offset)
{
    uint32_t value;

    if (!kernel_memory_u32(m, address, &value))
        return false;
    *offset = (int32_t)value;
    return true;
}

static bool are_sorted(int64_t before, int64_t after, bool has_absolute)
{
    if (has_absolute)
        return before < 0 && after < 0 && after <= before;
    return before >= 0 && after >= before;
}

/* Whether these may be offsets: their order is stored. */
static bool look_like_offsets(const unsigned char *sample, bool *has_absolute)
{
    int64_t offsets[SAMPLE_OFFSETS];
    int64_t span;

    for (size_t i = 0; i < SAMPLE_OFFSETS; i++) {
        const unsigned char *at = sample + 4 * i;

        offsets[i] = (int32_t)(at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                               (uint32_t)at[3] << 24);
    }
    *has_absolute = offsets[0] < 0;
    for (size_t i = 1; i < SAMPLE_OFFSETS; i++) {
        if (!are_sorted(offsets[i - 1], offsets[i], *has_absolute))
            return false;
    }
    span = offsets[SAMPLE_OFFSETS - 1] - offsets[0];
    if (span < 0)
        span = -span;
    return span >= SAMPLE_OFFSETS && span < SPAN_MAX;
}

static bool read_base(struct kernel_memory *m, uint64_t address, uint64_t *base)
{
    if (!kernel_memory_u64(m, address, base))
        return false;
    if (*base == 0 && m->relocated != NULL)
        *base = m->relocated(m->context, address);
    return true;
}

/* Where the base may be after offsets that some address is among. */
static bool find_base(struct kernel_memory *m, struct kallsyms_table *s, uint64_t from,
                      uint64_t *at)
{
    uint64_t end = from;
    int64_t last;
    int64_t next;

    if (!read_offset(m, end, &last))
        return false;
    while (read_offset(m, end + 4, &next) && are_sorted(last, next, s->has_absolute)) {
        last = next;
        end += 4;
    }
    /* Its lower half may look like an offset, and so may what is before it. */
    for (*at = align(end) - 8; *at <= end + 16; *at += 8) {
        if (read_base(m, *at, &s->base) && kernel_memory_has(m, s->base) &&
            s->base % PAGE == 0 && s->base <= *at && *at - s->base < IMAGE_BYTES_MAX)
            return true;
    }
    return false;
}

/* The first offset: absolute values ascend, up to the others. */
static uint64_t find_first(struct kernel_memory *m, const struct kallsyms_table *s,
                           uint64_t from)
{
    int64_t first;
    int64_t before;

    if (!read_offset(m, from, &first))
        return from;
    while (read_offset(m, from - 4, &before) &&
           are_sorted(before, first, s->has_absolute)) {
        first = before;
        from -= 4;
    }
    if (!s->has_absolute || !read_offset(m, from - 4, &before) || before < 0)
        return from;
    do {
        first = before;
        from -= 4;
    } while (read_offset(m, from - 4, &before) && before >= 0 && before <= first);
    return from;
}

/* ---- Names and tokens -------------------------------------------------------------- */

/* The number of tokens of a name; moves past the number. */
static bool read_length(struct kernel_memory *m, uint64_t *at, size_t *length)
{
    unsigned char byte;

    if (!kernel_memory_copy(m, (*at)++, &byte, 1))
        return false;
    *length = byte & 0x7f;
    if (byte < 0x80)
        return true;
    if (!kernel_memory_copy(m, (*at)++, &byte, 1))
        return false;
    *length |= (size_t)byte << 7;
    return true;
}

/* Moves past the names of `n` symbols. */
static bool skip_names(struct kernel_memory *m, uint64_t *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t length;

        if (!read_length(m, at, &length) || length == 0)
            return false;
        *at += length;
    }
    return true;
}

static uint32_t count_markers(const struct kallsyms_table *s)
{
    return (s->n + MARKED - 1) / MARKED;
}

/* Whether the markers are right. */
static bool check_names(struct kernel_memory *m, const struct kallsyms_table *s,
                        uint64_t markers)
{
    uint64_t at = s->names;
    uint32_t left = s->n;

    for (uint32_t i = 0; i < count_markers(s); i++) {
        uint32_t n = left < MARKED ? left : MARKED;
        uint32_t marker;

        if (!kernel_memory_u32(m, markers + 4 * (uint64_t)i, &marker) ||
            at - s->names != marker || !skip_names(m, &at, n))
            return false;
        left -= n;
    }
    return align(at) == markers;
}

/* Whether tokens are at this address, and their index follows them, at `*index`. */
static bool check_tokens(struct kernel_memory *m, struct kallsyms_table *s, uint64_t at,
                         uint64_t *index)
{
    uint64_t end = at;

    s->tokens = at;
    for (size_t i = 0; i < KALLSYMS_TOKENS; i++) {
        unsigned char byte;

        s->token_index[i] = (uint16_t)(end - at);
        do {
            if (end - at >= TOKENS_BYTES_MAX || !kernel_memory_copy(m, end++, &byte, 1))
                return false;
        } while (byte != 0);
    }
    *index = align(end);
    for (size_t i = 0; i < KALLSYMS_TOKENS; i++) {
        uint16_t value;

        if (!kernel_memory_u16(m, *index + 2 * i, &value) || value != s->token_index[i])
            return false;
    }
    return true;
}

/* ---- The two orders ---------------------------------------------------------------- */

/* The count follows the base. */
static bool find_older(struct kernel_memory *m, struct kallsyms_table *s,
                       uint64_t base_at, uint64_t sample)
{
    uint64_t at;
    uint64_t index;

    if (!kernel_memory_u32(m, base_at + 8, &s->n) || s->n < SYMBOLS_MIN ||
        s->n > SYMBOLS_MAX)
        return false;
    s->offsets = (base_at - 4 * (uint64_t)s->n) & ~(uint64_t)7;
    s->names = base_at + 16;
    at = s->names;
    if (s->offsets > sample || !skip_names(m, &at, s->n) || !check_names(m, s, align(at)))
        return false;
    at = align(align(at) + 4 * (uint64_t)count_markers(s));
    return check_tokens(m, s, at, &index) ||
           check_tokens(m, s, align(at + SEQUENCE_BYTES * (uint64_t)s->n), &index);
}

/* The token index is before the offsets, and the tokens are before it: their last one is
 * not long. */
static bool find_tokens_before(struct kernel_memory *m, struct kallsyms_table *s)
{
    uint64_t index = s->offsets - 2 * KALLSYMS_TOKENS;
    uint64_t found;
    uint16_t last;

    if (!kernel_memory_u16(m, index + 2 * (KALLSYMS_TOKENS - 1), &last))
        return false;
    for (uint64_t at = align(index - last - 8) - 64; at < index - last; at += 8) {
        if (check_tokens(m, s, at, &found) && found == index)
            return true;
    }
    return false;
}

/* The names are before the markers, the last of which says how many they are except for
 * those of the last symbols; the count is before them. */
static bool find_count_before(struct kernel_memory *m, struct kallsyms_table *s)
{
    uint64_t markers = s->tokens - align(4 * (uint64_t)count_markers(s));
    uint64_t end;
    uint32_t last;
    uint32_t count;

    if (!kernel_memory_u32(m, markers + 4 * (uint64_t)(count_markers(s) - 1), &last))
        return false;
    end = markers - (last & ~(uint32_t)7);
    for (uint64_t at = end; at > end - MARKED * NAME_BYTES_MAX; at -= 8) {
        s->names = at + 8;
        if (kernel_memory_u32(m, at, &count) && count == s->n &&
            check_names(m, s, markers))
            return true;
    }
    return false;
}

static bool find_newer(struct kernel_memory *m, struct kallsyms_table *s,
                       uint64_t base_at, uint64_t sample)
{
    uint64_t n;

    s->offsets = find_first(m, s, sample);
    n = (base_at - s->offsets) / 4;
    if (n < SYMBOLS_MIN || n > SYMBOLS_MAX || !find_tokens_before(m, s))
        return false;
    s->n = (uint32_t)n;
    if (find_count_before(m, s))
        return true;
    /* The last one may be padding. */
    s->n--;
    return find_count_before(m, s);
}

bool kallsyms_table_find(struct kernel_memory *m, uint64_t pc, struct kallsyms_table *s)
{
    unsigned char sample[SAMPLE_BYTES];
    uint64_t start = pc - pc % STRIDE;
    uint64_t mapped = start;
    int n_attempts = 0;

    /* Elsewhere, memory is not that of this kernel. */
    if (!m->read(m->context, pc - pc % SAMPLE_BYTES, sample, sizeof(sample)))
        return false;
    for (uint64_t at = start; at - start < IMAGE_BYTES_MAX && kernel_memory_has(m, at);
         at += STRIDE) {
        uint64_t base_at;

        if (at - mapped > HOLE_BYTES_MAX)
            return false;
        if (!m->read(m->context, at, sample, sizeof(sample)))
            continue;
        mapped = at;
        if (!look_like_offsets(sample, &s->has_absolute))
            continue;
        if (find_base(m, s, at, &base_at) &&
            (find_older(m, s, base_at, at) || find_newer(m, s, base_at, at)))
            return true;
        if (++n_attempts == ATTEMPTS_MAX)
            return false;
    }
    return false;
}

/* ---- Symbols ----------------------------------------------------------------------- */

struct name {
    char data[KALLSYMS_NAME_MAX];
    size_t size;
};

/* What is longer is cut. */
static bool read_name(struct kernel_memory *m, const struct kallsyms_table *s,
                      const char *tokens, uint64_t *at, struct name *name)
{
    size_t length;

    name->size = 0;
    if (!read_length(m, at, &length))
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char number;
        const char *token;
        size_t size;

        if (!kernel_memory_copy(m, (*at)++, &number, 1))
            return false;
        token = tokens + s->token_index[number];
        size = strlen(token);
        if (size > sizeof(name->data) - name->size)
            size = sizeof(name->data) - name->size;
        memcpy(name->data + name->size, token, size);
        name->size += size;
    }
    return true;
}

bool kallsyms_table_each(struct kernel_memory *m, const struct kallsyms_table *s,
                         kallsyms_symbol_fn *take, void *context)
{
    char tokens[TOKENS_BYTES_MAX + 1];
    size_t tokens_size = s->token_index[KALLSYMS_TOKENS - 1] + (size_t)KALLSYMS_NAME_MAX;
    uint64_t at = s->names;
    struct name name;

    /* The last token is not that long. */
    if (tokens_size > TOKENS_BYTES_MAX)
        tokens_size = TOKENS_BYTES_MAX;
    memset(tokens, 0, sizeof(tokens));
    if (!kernel_memory_copy(m, s->tokens, tokens, tokens_size))
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t offset;

        if (!read_name(m, s, tokens, &at, &name) ||
            !read_offset(m, s->offsets + 4 * (uint64_t)i, &offset))
            return false;
        if (name.size < 2 || (s->has_absolute && offset >= 0))
            continue;
        take(context,
             s->has_absolute ? s->base - 1 - (uint64_t)offset
                             : s->base + (uint64_t)offset,
             name.data[0], name.data + 1, name.size - 1);
    }
    return true;
}

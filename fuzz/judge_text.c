/* SPDX-License-Identifier: BSD-2-Clause */
/* See judge_text.h. */
#include "judge_text.h"

/* The code point at the start, and how many bytes it takes; 0 where there is none. */
static size_t code_point(struct bytes b, uint32_t *point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = b.at[0];
    size_t n = first < 0x80   ? 1
               : first < 0xc0 ? 0
               : first < 0xe0 ? 2
               : first < 0xf0 ? 3
                              : 4;

    if (n == 0 || n > b.size || first > 0xf4)
        return 0;
    *point = n == 1 ? first : first & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (b.at[i] >> 6 != 2)
            return 0;
        *point = *point << 6 | (b.at[i] & 0x3fu);
    }
    if (*point < smallest[n] || *point > 0x10ffff || *point >> 11 == 0xd800 >> 11)
        return 0;
    return n;
}

bool judge_is_text(struct bytes b, bool (*allows)(uint32_t point))
{
    while (b.size > 0) {
        uint32_t point;
        size_t n = code_point(b, &point);

        if (n == 0 || !allows(point))
            return false;
        b.at += n;
        b.size -= n;
    }
    return true;
}

bool judge_any(uint32_t point)
{
    (void)point;
    return true;
}

bool judge_no_control(uint32_t point)
{
    return point == '\n' || (point >= 0x20 && (point < 0x7f || point > 0x9f));
}

uint64_t judge_add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the judges share: text, and sums. */
#ifndef FUZZ_JUDGE_TEXT_H
#define FUZZ_JUDGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const unsigned char *at;
    size_t size;
};

/* Whether this is UTF-8, of nothing but what is allowed. */
bool judge_is_text(struct bytes bytes, bool (*allows)(uint32_t point));

/* All code points, and all but control characters; a line may end. */
bool judge_any(uint32_t point);
bool judge_no_control(uint32_t point);

/* The sum, or the largest number. */
uint64_t judge_add_up(uint64_t a, uint64_t b);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What fxtdump --hex prints where no file is large enough to have it. */
#include <stdio.h>

#include <fxt/record.h>

#include "tests/support/pooled.h"
#include "tools/fxtdump/print.h"

static void check_offset(uint64_t offset, const char *shown)
{
    static const struct fxt_provider provider = {.ticks_per_second = 1};
    static const unsigned char words[16] = {0x1b, 0, 0x7f, ' ', '~', 0x80, 0xff, 'a'};
    struct print_context context = {.words_follow = true};
    struct fxt_record record = {
        .offset = offset,
        .size = sizeof(words),
        .data = words,
        .swapped = FXT_HOST_IS_BIG_ENDIAN,
        .provider = &provider,
        .type = 11,
        .unknown = true,
    };
    struct text out = {NULL, 0, 0};
    char expected[128];
    const char *line;

    print_hex.record(&out, &context, &record);
    text_char(&out, '\0');
    /* Two of four words and the characters of all of them. */
    snprintf(expected, sizeof(expected), "  %s %s %s%36s%s\n", shown, "61ff807e207f001b",
             "0000000000000000", "", "... ~..a........");
    line = strchr(out.data, '\n');
    cr_assert_not_null(line);
    cr_expect_str_eq(line + 1, expected);
}

POOLED_TEST(fxtdump_hex, offsets_have_eight_digits_or_all_that_they_take)
{
    check_offset(0, "0x00000000");
    check_offset(UINT32_MAX, "0xffffffff");
    check_offset((uint64_t)UINT32_MAX + 1, "0x100000000");
    check_offset(UINT64_MAX, "0xffffffffffffffff");
}

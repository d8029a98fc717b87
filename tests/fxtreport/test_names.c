/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is too long for its column; names of functions: test_function_name.c. */
#include <string.h>

#include "tests/support/pooled.h"
#include "tools/fxtreport/names.h"

#define DOTS "\xe2\x80\xa6"

static const struct {
    size_t width;
    const char *name;
    const char *expected;
} rows[] = {
    {10, "main", "main"},
    {4, "main", "main"},
    {3, "main", DOTS "in"},
    {1, "main", DOTS},
    {10, "", ""},
    /* Columns, not bytes: two for each of these, and none for the last. */
    {6, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2"},
    {5, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", DOTS "\xe6\xbc\xa2"},
    {2, "ae\xcc\x81", "ae\xcc\x81"},
    /* What a terminal might obey. */
    {9, "\x1b[1m", "\\x1b[1m"},
};

POOLED_TEST(names, are_measured_in_columns)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct text text = {NULL, 0, 0};
        size_t columns =
            names_add_plain(&text, rows[i].name, strlen(rows[i].name), rows[i].width);

        cr_assert_eq(columns, names_columns(text.data, text.size));
        cr_assert_leq(columns, rows[i].width);
        text_char(&text, '\0');
        cr_assert_str_eq(text.data, rows[i].expected, "%s is not %s", text.data,
                         rows[i].expected);
    }
}

POOLED_TEST(names, of_files_keep_their_ends)
{
    struct text text = {NULL, 0, 0};

    names_add_plain(&text, "/usr/lib/libpython(3.11)", 24, 12);
    text_char(&text, '|');
    names_add_start(&text, "for (i = 0; i < n; i++)", 23, 12);
    text_char(&text, '\0');
    cr_assert_str_eq(text.data, "/us" DOTS "on(3.11)|for (i = 0;" DOTS);
}

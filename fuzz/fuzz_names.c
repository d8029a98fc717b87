/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the name of a function, a file or a line of source in a report: what is
 * printed of it fits in its column, is UTF-8 and has nothing that a terminal obeys.
 *
 * The last byte of an input is the number of columns.
 */

#include "common/base/quote.h"
#include "tools/fxtreport/names.h"
#include "target.h"

typedef size_t add_fn(struct text *text, const char *data, size_t size, size_t width);

static void check(add_fn *add, const char *data, size_t size, size_t width)
{
    struct text text = {NULL, 0, 0};
    size_t columns = add(&text, data, size, width);

    require(columns <= width, "names fit");
    require(columns == names_columns(text.data, text.size), "columns are counted");
    require(quote_count_utf8(text.data, text.size) == text.size, "names are UTF-8");
    for (size_t i = 0; i < text.size; i++)
        require((unsigned char)text.data[i] >= ' ' && text.data[i] != 0x7f,
                "names have no control characters");
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *name = (const char *)data;
    size_t width;

    if (size == 0)
        return 0;
    width = data[--size];
    width += width == 0;
    check(names_add, name, size, width);
    check(names_add, name, size, NAMES_ANY_WIDTH);
    check(names_add_plain, name, size, width);
    check(names_add_start, name, size, width);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the name of a function, a file or a line of source in a report: what is
 * printed of it fits in its column, is UTF-8 and has nothing that a terminal obeys. And
 * as a symbol, whose readable name is printed then.
 *
 * The last byte of an input is the number of columns.
 */

#include "common/base/quote.h"
#include "libfxtprofile/symbols/demangle.h"
#include "tools/fxtreport/names.h"
#include "target.h"

/* The columns of functions' own names, which are whole where others are cut. */
enum { OWN_NAME_MAX = 256 };

typedef size_t add_fn(struct text *text, const char *data, size_t size, size_t width);

static void check(add_fn *add, const char *data, size_t size, size_t width)
{
    struct text text = {NULL, 0, 0};
    size_t columns = add(&text, data, size, width);

    require(columns <= width || (add == names_add && columns <= OWN_NAME_MAX),
            "names fit");
    require(columns == names_columns(text.data, text.size), "columns are counted");
    require(quote_count_utf8(text.data, text.size) == text.size, "names are UTF-8");
    for (size_t i = 0; i < text.size; i++)
        require((unsigned char)text.data[i] >= ' ' && text.data[i] != 0x7f,
                "names have no control characters");
    text_free(&text);
}

/* The halves of the input are two names. */
static void check_alike(const char *data, size_t size, size_t width)
{
    const struct string names[] = {{data, size / 2}, {data + size / 2, size - size / 2}};
    struct text remarks[] = {{NULL, 0, 0}, {NULL, 0, 0}};

    names_tell_apart(names, 2, width, remarks);
    require((remarks[0].size > 0) == (remarks[1].size > 0), "there are two or none");
    require(remarks[0].size < size + 8, "remarks are words");
    text_free(&remarks[0]);
    text_free(&remarks[1]);
}

static void check_symbol(const char *data, size_t size, size_t width)
{
    struct text symbol = {NULL, 0, 0};
    struct text name = {NULL, 0, 0};

    text_add(&symbol, data, size);
    text_char(&symbol, '\0');
    if (demangle(&name, symbol.data)) {
        require(name.size > 0, "readable names have characters");
        require(memchr(name.data, '\0', name.size) == NULL, "and do not end before");
        check(names_add, name.data, name.size, width);
    } else {
        require(name.size == 0, "what is not understood adds nothing");
    }
    text_free(&symbol);
    text_free(&name);
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
    check_alike(name, size, width);
    check_symbol(name, size, width);
    return 0;
}

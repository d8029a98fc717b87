/* SPDX-License-Identifier: BSD-2-Clause */
/* See strings.h. */
#include "strings.h"

#include "common/base/quote.h"

static void add_without_nul(struct text *to, const char *data, size_t size)
{
    const char *end = data + size;

    while (data < end) {
        const char *nul = (const char *)memchr(data, '\0', (size_t)(end - data));
        const char *stop = nul != NULL ? nul : end;

        text_add(to, data, (size_t)(stop - data));
        if (nul != NULL)
            text_str(to, "\xef\xbf\xbd");
        data = nul != NULL ? nul + 1 : end;
    }
}

struct string strings_valid(struct fxt_string from, struct text *room)
{
    struct text valid = {NULL, 0, 0};

    if (from.size == 0)
        return (struct string){"", 0};
    if (quote_count_utf8(from.data, from.size) == from.size &&
        memchr(from.data, '\0', from.size) == NULL)
        return (struct string){from.data, from.size};
    quote_utf8(&valid, from.data, from.size);
    room->size = 0;
    add_without_nul(room, valid.data, valid.size);
    text_free(&valid);
    return (struct string){room->data, room->size};
}

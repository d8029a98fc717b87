/* SPDX-License-Identifier: BSD-2-Clause */
/* See part_mark.h. */
#include "part_mark.h"

#include <string.h>

#include <fxt/compiler.h>

#include "common/base/text.h"

#define MARK "fxt-part"

/* Puts the text where there is room for any of them. */
static void put_text(struct text *text, const struct part_mark *mark)
{
    text_str(text, MARK);
    if (mark->number == 0)
        return;
    text_char(text, ' ');
    text_u64(text, mark->number);
    if (!mark->is_last)
        return;
    text_str(text, " of ");
    text_u64(text, mark->number);
}

static bool is_text(const struct fxt_string *string, const struct part_mark *mark)
{
    char bytes[PART_MARK_BYTES_MAX];
    struct text text = {bytes, 0, sizeof(bytes)};

    put_text(&text, mark);
    return string->size == text.size && memcmp(string->data, bytes, text.size) == 0;
}

bool part_mark_read(struct part_mark *mark, const struct fxt_record *record)
{
    const struct fxt_string *string = &record->string.value;
    size_t n = strlen(MARK);

    *mark = (struct part_mark){.number = 0};
    if (record->type != FXT_RECORD_STRING ||
        record->string.index != FXT_STRING_INDEX_MAX || string->size < n ||
        memcmp(string->data, MARK, n) != 0)
        return false;
    /* What is no number is not what is written of one. */
    for (n++; n < string->size && string->data[n] != ' '; n++)
        mark->number = 10 * mark->number + (uint64_t)(string->data[n] - '0');
    mark->is_last = n < string->size;
    return is_text(string, mark);
}

uint64_t part_mark_write(struct output *output, const struct part_mark *mark,
                         bool swapped)
{
    /* Zeros follow the text, to the end of the word. */
    char bytes[PART_MARK_BYTES_MAX] = "";
    struct text text = {bytes, 0, sizeof(bytes)};
    uint64_t n_words;
    uint64_t header;

    put_text(&text, mark);
    n_words = 1 + (text.size + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
    header = FXT_PUT(RECORD_TYPE, FXT_RECORD_STRING) | FXT_PUT(RECORD_WORDS, n_words) |
             FXT_PUT(STRING_INDEX, FXT_STRING_INDEX_MAX) |
             FXT_PUT(STRING_SIZE, text.size);
    if (swapped)
        header = FXT_SWAP64(header);
    output_write(output, &header, sizeof(header));
    output_write(output, bytes, (size_t)(n_words - 1) * FXT_WORD_BYTES);
    return n_words * FXT_WORD_BYTES;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as what the reader of DWARF says, which a damaged file may have taken over.
 * Cut at different places it must come to the same.
 */
#include <string.h>

#include "libfxtprofile/symbols/dwarf/debug_answers.h"
#include "target.h"

enum { MAX_ANSWERS = 16 };

static struct debug_answers take(const uint8_t *data, size_t size, size_t piece)
{
    struct debug_answers answers = {.max_answers = MAX_ANSWERS, .max_bytes = 1 << 16};
    size_t at = 0;
    bool more = true;

    while (more && at < size) {
        size_t n = size - at < piece ? size - at : piece;

        more = debug_answers_take(&answers, data + at, n);
        at += n;
    }
    require(more == (answers.end == 0 && !answers.is_faulty), "what is over is over");
    return answers;
}

static void require_same_text(const char *a, const char *b)
{
    require((a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0),
            "strings are the same");
}

static void compare(const struct debug_answers *a, const struct debug_answers *b)
{
    struct source_lines lines = {NULL, 0, 0};
    struct source_lines others = {NULL, 0, 0};

    require(a->n_answers <= MAX_ANSWERS, "there are no more answers than addresses");
    require(a->n_answers == b->n_answers, "there are as many answers");
    require(a->end == b->end && a->is_faulty == b->is_faulty, "the end is the same");
    for (size_t i = 0; i < a->n_answers; i++) {
        lines.n = others.n = 0;
        debug_answers_get(a, i, &lines);
        debug_answers_get(b, i, &others);
        require(lines.n == others.n && lines.n <= DEBUG_DEPTH_MAX, "as many functions");
        for (size_t j = 0; j < lines.n; j++) {
            require_same_text(lines.items[j].name, others.items[j].name);
            require_same_text(lines.items[j].scope, others.items[j].scope);
            require_same_text(lines.items[j].file, others.items[j].file);
        }
    }
    memory_release(lines.items);
    memory_release(others.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct debug_answers whole = take(data, size, size);
    struct debug_answers pieces = take(data, size, size % 13 + 1);

    compare(&whole, &pieces);
    debug_answers_free(&whole);
    debug_answers_free(&pieces);
    return 0;
}

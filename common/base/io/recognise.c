/* SPDX-License-Identifier: BSD-2-Clause */
/* See recognise.h. */
#include "recognise.h"

#include <string.h>

#include "common/base/quote.h"

/* So many bytes are enough for what has a magic number, and to suspect the rest, of which
 * more is looked at. */
enum { FEW = 16, MANY = 1 << 16 };

/* What is shorter than a header could be anything, and than two words, if it has no
 * shape. */
enum { SHAPED_TEXT_MIN = 8, TEXT_MIN = 16 };

/* ---- Magic numbers ----------------------------------------------------------------- */

/* ? is any byte. As FXT, an ELF file would be a record of 20 GB or more with bits set
 * that are unused today. perf.data would be a record about a provider of 9 KB, which has
 * one word; from a machine of the other byte order it would be a blob with such bits. A
 * database of SQLite would be a thread record of 10 KB, which has three words. */
static const struct {
    const char *description;
    const char *magic;
    size_t size;
} magics[] = {
    {"an ELF file, which readelf reads; fxt2folded and fxt2pprof take names of functions "
     "from it with --elf",
     "\x7f"
     "ELF??\1",
     7},
    {"perf.data, which 'perf script' reads", "PERFILE2", 8},
    {"perf.data, which 'perf script' reads", "2ELIFREP", 8},
    {"perf.data, which 'perf script' reads", "PERFFILE", 8},
    {"perf.data, which 'perf script' reads", "ELIFFREP", 8},
    {"a database, which sqlite3 reads", "SQLite format 3\0", 16},
};

static const char *find_magic(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
        size_t n = 0;

        while (
            n < magics[i].size && n < size &&
            (magics[i].magic[n] == '?' || bytes[n] == (unsigned char)magics[i].magic[n]))
            n++;
        if (n == magics[i].size)
            return magics[i].description;
    }
    return NULL;
}

/* ---- Text -------------------------------------------------------------------------- */

/* Headers of records have zeros, or else give sizes of more than a kilobyte; so a longer
 * text is not FXT. A character may be cut off at the end. */
static bool is_text(const char *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)at[i] < 0x20 && memchr("\t\n\f\r\x1b", at[i], 5) == NULL)
            return false;
    }
    return size - quote_count_utf8(at, size) < 4;
}

static bool starts_with(const char *at, const char *end, const char *start)
{
    size_t size = strlen(start);

    return (size_t)(end - at) >= size && memcmp(at, start, size) == 0;
}

static bool contains_text(const char *at, const char *end, const char *text)
{
    return memmem(at, (size_t)(end - at), text, strlen(text)) != NULL;
}

const char *recognise_skip_mark(const char *at, const char *end)
{
    return starts_with(at, end, "\xef\xbb\xbf") ? at + 3 : at;
}

static const char *skip_blanks(const char *at, const char *end)
{
    at = recognise_skip_mark(at, end);
    while (at < end && memchr(" \t\r\n", *at, 4) != NULL)
        at++;
    return at;
}

/* An object with the captures in it; what else is in it may come first. */
bool recognise_json_captures(const char *at, const char *end)
{
    at = skip_blanks(at, end);
    if (at == end || *at != '{')
        return false;
    at = skip_blanks(at + 1, end);
    return at < end && *at == '"' && contains_text(at, end, "\"stack_traces\"");
}

/* "Thread 2 (", or "#0 " */
static bool is_line_of_log(const char *at, const char *end)
{
    if (starts_with(at, end, "#0 "))
        return true;
    if (!starts_with(at, end, "Thread "))
        return false;
    for (at += strlen("Thread "); at < end && strchr("0123456789.", *at) != NULL; at++)
        continue;
    return starts_with(at, end, " (");
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *line_end = (const char *)memchr(at, '\n', (size_t)(end - at));

    return line_end != NULL ? line_end : end;
}

bool recognise_gdb_log(const char *at, const char *end)
{
    while (at < end) {
        const char *line_end = end_of_line(at, end);

        if (is_line_of_log(at, line_end))
            return true;
        at = line_end < end ? line_end + 1 : end;
    }
    return false;
}

static const char *find_json(const char *at, const char *end)
{
    if (recognise_json_captures(at, end))
        return "captures of stacks in JSON, which fxt2folded and fxt2pprof read";
    if (contains_text(at, end, "speedscope.app/file-format-schema"))
        return "a profile that www.speedscope.app shows";
    if (contains_text(at, end, "\"traceEvents\"") || contains_text(at, end, "\"ph\""))
        return "a trace in Chrome's JSON, which ui.perfetto.dev shows";
    return "JSON, which jq reads";
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

const char *recognise_folded_end(const char *at, const char *end)
{
    return end > at && end[-1] == '\r' ? end - 1 : end;
}

const char *recognise_folded_count(const char *at, const char *end)
{
    const char *space = (const char *)memrchr(at, ' ', (size_t)(end - at));
    const char *digits_end;

    if (space == NULL)
        return NULL;
    digits_end = skip_digits(space + 1, end);
    if (digits_end == space + 1)
        return NULL;
    if (digits_end < end && *digits_end == '.')
        digits_end = skip_digits(digits_end + 1, end);
    return digits_end == end ? space + 1 : NULL;
}

bool recognise_folded_comment(const char *at, const char *end)
{
    return at == end || (*at == '#' && recognise_folded_count(at, end) == NULL);
}

/* "main;parse 12" */
static bool is_folded_line(const char *at, const char *end)
{
    const char *count = recognise_folded_count(at, end);

    return count != NULL && count - at >= 2 && is_text(at, (size_t)(end - at));
}

/* Whole lines. The first two are enough where there is a semicolon; else all have to be
 * such, since other texts have lines that end in a number. */
bool recognise_folded(const char *at, const char *end)
{
    size_t n_wanted = contains_text(at, end, ";") ? 2 : SIZE_MAX;
    size_t n = 0;
    const char *line_end;

    at = recognise_skip_mark(at, end);
    for (; n < n_wanted && (line_end = end_of_line(at, end)) < end; at = line_end + 1) {
        const char *text_end = recognise_folded_end(at, line_end);

        if (recognise_folded_comment(at, text_end))
            continue;
        if (!is_folded_line(at, text_end))
            return false;
        n++;
    }
    return n > 0;
}

static const char *find_text(const char *at, const char *end)
{
    const char *first = skip_blanks(at, end);

    if (first < end && (*first == '{' || *first == '['))
        return find_json(first, end);
    if (starts_with(first, end, "<svg") ||
        ((starts_with(first, end, "<?xml") || starts_with(first, end, "<!DOCTYPE")) &&
         contains_text(first, end, "<svg")))
        return "an SVG image, which browsers show";
    if (recognise_gdb_log(at, end))
        return "a log of gdb, which fxt2folded and fxt2pprof read";
    if (recognise_folded(first, end))
        return "folded stacks, which fxt2folded and fxt2pprof read";
    return end - at >= TEXT_MIN ? "text" : NULL;
}

/* ---- All --------------------------------------------------------------------------- */

const char *recognise_foreign(struct input *input)
{
    bool is_all = !input_want(input, FEW);
    size_t size = input_size(input) < FEW ? input_size(input) : FEW;
    const unsigned char *bytes = input_data(input);
    const char *found = find_magic(bytes, size);
    bool may_be_text = size > 0 && is_text((const char *)bytes, size);

    if (found != NULL ||
        (!may_be_text && recognise_pprof(bytes, size, is_all) == RECOGNISED_NOT))
        return found;
    is_all = !input_want(input, MANY);
    size = input_size(input) < MANY ? input_size(input) : MANY;
    bytes = input_data(input);
    if (recognise_pprof(bytes, size, is_all) == RECOGNISED_YES)
        return "a pprof profile, which 'go tool pprof' reads";
    if (size < SHAPED_TEXT_MIN || !is_text((const char *)bytes, size))
        return NULL;
    return find_text((const char *)bytes, (const char *)bytes + size);
}

struct input *recognise_open(const char *name, struct text *why)
{
    struct input *input = input_open(name, why);
    const char *foreign = input != NULL ? recognise_foreign(input) : NULL;

    if (foreign == NULL)
        return input;
    text_printf(why, "not FXT but %s", foreign);
    input_close(input);
    return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ../import.h: folded stacks, as fxt2folded and stackcollapse-*.pl write them.
 *
 *     main;parse;read_line 12
 *
 * Frames are separated by semicolons, the outermost first, and what follows the last
 * space is how many samples there are. A line without such a number is an error, unless
 * it begins with #, and the others are read.
 */
#include <string.h>

#include "common/base/io/recognise.h"
#include "import_lines.h"
#include "libfxtprofile/import/import.h"

/* The count is at the end of a line, so that a longer one is lost. */
enum { LINE_MAX_BYTES = 1 << 24 };

struct folded {
    struct import *import;
    uint64_t line;
    uint64_t *names;
    size_t n_names;
    size_t name_capacity;
};

static void report_line_fault(const struct folded *f, const char *what)
{
    import_fault(f->import, "line", f->line, what);
}

/* Of a fraction the whole part, as inferno-flamegraph takes it. Returns false for more
 * than a value can hold. */
static bool read_count(struct folded *f, const char *at, const char *end, int64_t *count)
{
    for (*count = 0; at < end && *at != '.'; at++) {
        if (__builtin_mul_overflow(*count, 10, count) ||
            __builtin_add_overflow(*count, *at - '0', count))
            return false;
    }
    while (at < end && (*at == '.' || *at == '0'))
        at++;
    f->import->collect->tally.n_fractions += at < end;
    return true;
}

/* Whether no sum of these counts and those before can overflow. */
static bool fits(const struct folded *f, int64_t count)
{
    const struct tally *t = &f->import->collect->tally;

    return (uint64_t)count <= INT64_MAX - t->n_samples - t->n_without_pcs - t->n_no_cpu;
}

/* From the last one on: import_add takes the leaf first. */
static void read_names(struct folded *f, const char *at, const char *end)
{
    const char *name = end;

    f->n_names = 0;
    if (at == end)
        return;
    for (;;) {
        while (name > at && name[-1] != ';')
            name--;
        MEMORY_ADD(f->names, f->n_names, f->name_capacity,
                   import_name(f->import, (struct string){name, (size_t)(end - name)}));
        if (name == at)
            break;
        end = --name;
    }
}

static void take_line(struct folded *f, const char *at, const char *end)
{
    const char *number;
    int64_t count;

    end = recognise_folded_end(at, end);
    if (recognise_folded_comment(at, end))
        return;
    number = recognise_folded_count(at, end);
    if (number == NULL) {
        report_line_fault(f, "no count after the last space");
        return;
    }
    if (!read_count(f, number, end, &count) || !fits(f, count)) {
        report_line_fault(f, "with this count the sum of all is 2^63 or more");
        return;
    }
    read_names(f, at, number - 1);
    import_add(f->import, PROFILE_NO_CPU, 0, f->names, f->n_names, count);
}

static void take_next_line(struct folded *f, const struct import_lines *lines)
{
    f->line++;
    if (lines->is_cut) {
        report_line_fault(f, "a line of more than 16 MiB: left out");
        return;
    }
    if (lines->text.size > 0) {
        const char *at = lines->text.data;
        const char *end = at + lines->text.size;

        take_line(f, f->line == 1 ? recognise_skip_mark(at, end) : at, end);
    }
    if (!lines->has_end)
        import_warn(f->import, "line", f->line, "no end of line: its count may be cut");
}

void import_folded(struct import *im)
{
    struct import_lines lines = {.input = im->input, .max_bytes = LINE_MAX_BYTES};
    struct folded f = {.import = im};

    im->collect->builder->profile.is_folded = true;
    import_start_capture(im);
    while (import_lines_next(&lines))
        take_next_line(&f, &lines);
    memory_release(f.names);
    import_lines_free(&lines);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See names.h: names of functions, shortened from what says least. */
#include <string.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "function_parts.h"
#include "names.h"

/* Remarks are cut, too, but not below so many columns; and the function's own name only
 * above so many, as that of a program that no demangler knows. */
enum { LEAST_REMARK = 10, OWN_MOST = 256 };

/* A name that is being shortened. */
struct shortener {
    struct function_parts parts;
    /* Quoted. */
    const char *data;
    size_t size;
    /* The columns that it takes now, and those that there are. */
    size_t columns;
    size_t width;
};

/* ---- Parts ------------------------------------------------------------------------- */

/* Adds what is left of a part. */
static void add_cut(const struct shortener *s, const struct function_cut *cut,
                    struct text *text)
{
    const char *data = s->data + cut->start;
    size_t size = cut->end - cut->start;
    size_t opening = 0;

    if (cut->level == 0) {
        text_add(text, data, size);
    } else if (cut->level == 1 && cut->kind == CUT_ARGUMENTS) {
        text_str(text, data[1] == ')' ? "()" : "(" NAMES_ELLIPSIS ")");
    } else if (cut->level == 1 && cut->kind == CUT_TEMPLATE) {
        while (memchr("(<[", data[opening++], 3) == NULL)
            continue;
        text_add(text, data, opening);
        text_str(text, NAMES_ELLIPSIS);
        text_add(text, data + size - 1, 1);
    }
}

static size_t cut_columns(const struct shortener *s, const struct function_cut *cut)
{
    struct text text = {NULL, 0, 0};
    size_t columns;

    add_cut(s, cut, &text);
    columns = names_columns(text.data, text.size);
    text_free(&text);
    return columns;
}

/* Leaves out a part, or more of it, unless that makes it longer. */
static void raise_cut(struct shortener *s, struct function_cut *cut, unsigned level)
{
    struct function_cut raised = {cut->start, cut->end, cut->kind, level};
    size_t before = cut_columns(s, cut);
    size_t after = cut_columns(s, &raised);

    if (after > before)
        return;
    *cut = raised;
    s->columns -= before - after;
}

/* Leaves out parts of a kind, the last ones first, until the name fits; or all of them,
 * where some without the others would be hard to read. */
static void cut_kind(struct shortener *s, enum function_cut_kind kind, unsigned level)
{
    bool takes_all = kind == CUT_INNER || kind == CUT_PATH;

    if (s->columns <= s->width)
        return;
    for (size_t i = s->parts.n_cuts; i-- > 0;) {
        if (s->parts.cuts[i].kind == kind && (takes_all || s->columns > s->width))
            raise_cut(s, &s->parts.cuts[i], level);
    }
}

/* ---- Namespaces -------------------------------------------------------------------- */

/* Adds what is left of the name from one place to another, which no part spans. `*cut` is
 * the number of the next part. */
static void add_between(const struct shortener *s, size_t start, size_t end, size_t *cut,
                        struct text *text)
{
    const struct function_parts *parts = &s->parts;

    for (; *cut < parts->n_cuts && parts->cuts[*cut].start < end; ++*cut) {
        text_add(text, s->data + start, parts->cuts[*cut].start - start);
        add_cut(s, &parts->cuts[*cut], text);
        start = parts->cuts[*cut].end;
    }
    text_add(text, s->data + start, end - start);
}

/* Adds the name from the first namespace on with which it fits; if it does not fit with
 * any, with less of the remarks or none; and as the last resort the function's own name
 * alone, which rather takes more columns than there are than be cut. */
static void add_inner(struct shortener *s, struct text *text)
{
    const struct function_parts *parts = &s->parts;
    struct text left = {NULL, 0, 0};
    size_t at = parts->name;
    size_t cut = 0;
    size_t room = s->width;
    size_t columns;

    for (size_t i = 0; i < parts->n_scopes && parts->scopes[i] <= parts->own; i++) {
        size_t separator = s->data[parts->scopes[i] - 1] == ':' ? 2 : 1;

        left.size = 0;
        add_between(s, at, parts->scopes[i], &cut, &left);
        s->columns -= names_columns(left.data, left.size);
        at = parts->scopes[i];
        if (s->columns + 1 + separator <= s->width) {
            text_str(text, NAMES_ELLIPSIS);
            text_add(text, s->data + at - separator, separator);
            room -= 1 + separator;
            break;
        }
    }
    left.size = 0;
    add_between(s, at, parts->remarks, &cut, &left);
    columns = names_columns(left.data, left.size);
    names_cut(text, left.data, left.size,
              parts->is_code || room > OWN_MOST ? room : OWN_MOST);
    left.size = 0;
    add_between(s, parts->remarks, s->size, &cut, &left);
    if (columns + names_columns(left.data, left.size) <= room)
        text_add(text, left.data, left.size);
    else if (columns + LEAST_REMARK <= room)
        names_cut(text, left.data, left.size, room - columns);
    text_free(&left);
}

static void shorten(struct shortener *s, struct text *text)
{
    size_t cut = 0;

    s->columns -= names_columns(s->data, s->parts.name);
    cut_kind(s, CUT_INNER, 1);
    cut_kind(s, CUT_ARGUMENTS, 1);
    cut_kind(s, CUT_TEMPLATE, 1);
    cut_kind(s, CUT_ARGUMENTS, 2);
    cut_kind(s, CUT_TEMPLATE, 2);
    cut_kind(s, CUT_PATH, 1);
    if (s->columns <= s->width)
        add_between(s, s->parts.name, s->size, &cut, text);
    else
        add_inner(s, text);
}

size_t names_add(struct text *text, const char *data, size_t size, size_t width)
{
    struct text name = {NULL, 0, 0};
    size_t start = text->size;
    struct shortener s = {.width = width};

    quote_text(&name, data, size);
    s.data = name.data;
    s.size = name.size;
    s.columns = names_columns(name.data, name.size);
    if (s.columns <= width) {
        text_add(text, name.data, name.size);
    } else {
        function_parts_find(&s.parts, name.data, name.size);
        shorten(&s, text);
        function_parts_free(&s.parts);
    }
    text_free(&name);
    /* A text without characters may have no memory. */
    return text->size > start ? names_columns(text->data + start, text->size - start) : 0;
}

/* ---- Names that look alike --------------------------------------------------------- */

struct alike_name {
    struct string name;
    /* What would be shown of it. */
    struct text shown;
    struct text *remark;
};

static int compare_shown(const struct alike_name *a, const struct alike_name *b)
{
    return string_compare((struct string){a->shown.data, a->shown.size - 1},
                          (struct string){b->shown.data, b->shown.size - 1});
}

SORT_ORDER(order_names, struct alike_name,
           BY_ORDER(compare_shown(a, b)) || BY_ORDER(string_compare(a->name, b->name)));

/* After how many bytes two names have differed for the first time; 0 if they do not. */
static size_t find_difference(const struct alike_name *a, const struct alike_name *b)
{
    size_t i = 0;

    while (i < a->name.size && i < b->name.size && a->name.data[i] == b->name.data[i])
        i++;
    return i < a->name.size || i < b->name.size ? i + 1 : 0;
}

static bool is_word_at(struct string name, size_t at)
{
    return at < name.size && function_is_word(name.data[at]);
}

/* Adds the word at a place, or after brackets there; with what follows it there, such as
 * "*" of a type; or what is before and after no word, such as "()". */
static void add_word(struct text *text, struct string name, size_t at)
{
    size_t start = at;
    size_t end;

    while (start < name.size && strchr("<([&", name.data[start]) != NULL)
        start++;
    if (is_word_at(name, start))
        at = start;
    start = end = at;
    while (start > 0 && is_word_at(name, start - 1))
        start--;
    while (is_word_at(name, end))
        end++;
    if (start == end) {
        start -= start > 0;
        end += end < name.size;
    } else if (end == at && end < name.size && strchr(",)>] ", name.data[end]) == NULL) {
        end++;
    }
    text_add(text, name.data + start, end - start);
}

/* Of sorted names, the first and the last one differ first of all; and each one differs
 * last from one beside it. */
static void remark_differences(const struct alike_name *all, size_t n)
{
    size_t first = find_difference(&all[0], &all[n - 1]);

    for (size_t i = 0; i < n && first > 0; i++) {
        size_t before = i > 0 ? find_difference(&all[i - 1], &all[i]) : 0;
        size_t after = i + 1 < n ? find_difference(&all[i], &all[i + 1]) : 0;
        size_t last = before > after ? before : after;

        text_str(all[i].remark, " [");
        add_word(all[i].remark, all[i].name, first - 1);
        if (last > first) {
            text_str(all[i].remark, ", ");
            add_word(all[i].remark, all[i].name, last - 1);
        }
        text_char(all[i].remark, ']');
    }
}

void names_tell_apart(const struct string *names, size_t n, size_t width,
                      struct text *remarks)
{
    struct alike_name *all = memory_allocate(n * sizeof(*all));
    size_t next;

    for (size_t i = 0; i < n; i++) {
        all[i].name = names[i];
        all[i].remark = &remarks[i];
        names_add(&all[i].shown, names[i].data, names[i].size, width);
        /* Text without characters would have no memory. */
        text_char(&all[i].shown, '\0');
    }
    SORT(all, n, order_names);
    for (size_t i = 0; i < n; i = next) {
        for (next = i + 1; next < n && compare_shown(&all[i], &all[next]) == 0;)
            next++;
        remark_differences(all + i, next - i);
    }
    for (size_t i = 0; i < n; i++)
        text_free(&all[i].shown);
    memory_release(all);
}

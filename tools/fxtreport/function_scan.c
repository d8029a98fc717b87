/* SPDX-License-Identifier: BSD-2-Clause */
/* See function_scan.h. */
#include "function_scan.h"

#include <stdint.h>

#include "common/base/memory.h"
#include "common/base/text.h"

#define NO_PATH SIZE_MAX

struct scanner {
    struct function_scan *scan;
    struct function_parts *parts;
    struct string name;
    /* Open brackets; the first of them are text of the name, as in "<T as Trait>::f",
     * "(anonymous namespace)::f" and "main.(*T).f", in which there may be parts. And how
     * many there are of each kind. */
    struct text open;
    size_t n_plain;
    size_t n_open[256];
    /* The bracket after the plain ones, which begins a part. */
    size_t group;
    enum function_cut_kind group_kind;
    /* Where the last operator ends; whether it converts to a type, up to its "(", and
     * whether it is the call of a lambda. */
    size_t operator_end;
    bool is_conversion;
    bool is_lambda_call;
    /* Where a type in brackets of the name begins, NO_PATH after brackets in it. */
    size_t path;
};

/* ---- Parts ------------------------------------------------------------------------- */

void function_scan_add(struct function_parts *parts, size_t start, size_t end,
                       enum function_cut_kind kind)
{
    while (parts->n_cuts > 0 && parts->cuts[parts->n_cuts - 1].start >= start)
        parts->n_cuts--;
    MEMORY_ADD(parts->cuts, parts->n_cuts, parts->cut_capacity,
               (struct function_cut){start, end, kind, 0});
}

static void add_scope(struct function_parts *parts, size_t start)
{
    MEMORY_ADD(parts->scopes, parts->n_scopes, parts->scope_capacity, start);
}

/* ---- Brackets ---------------------------------------------------------------------- */

static bool is_at_text(const struct scanner *s)
{
    return s->open.size == s->n_plain;
}

static bool is_in_braces(const struct scanner *s)
{
    return s->n_plain > 0 && s->open.data[s->n_plain - 1] == '{';
}

/* Whether a bracket begins a name, and so is text. */
static bool is_leading(const struct scanner *s, size_t at)
{
    char before = at > 0 ? s->name.data[at - 1] : ' ';

    if (s->name.data[at] == '{')
        return true;
    if (at > 0 && (at == s->operator_end || (before == ' ' && at - 1 == s->operator_end &&
                                             s->name.data[at] == '<')))
        return false;
    if (s->name.data[at] == '(' && before == '!')
        return false;
    /* Template arguments of Rust, "f::<T>", but not "slice::<impl [T]>::f"; nor of Python
     * "py::<module>". */
    if (s->name.data[at] == '<' && name_had(s->name, at, "::") && at > 2)
        return name_has(s->name, at, "<impl ") ||
               (at == 4 && name_has(s->name, 0, "py::"));
    return name_had(s->name, at, "decltype") ||
           !(function_is_word(before) || strchr(")>]}\"'", before) != NULL);
}

static void open_group(struct scanner *s, size_t at)
{
    s->group = at;
    s->group_kind = s->name.data[at] == '(' ? CUT_ARGUMENTS : CUT_TEMPLATE;
    if (is_in_braces(s) || name_has(s->name, at, "[abi:")) {
        s->group_kind = CUT_INNER;
    } else if (s->name.data[at] == '(' && at > 0 && s->name.data[at - 1] == '!') {
        s->group_kind = CUT_TEMPLATE;
        s->group--;
    } else if (s->name.data[at] == '<' && s->name.data[at - 1] == ' ') {
        s->group--;
    } else if (s->name.data[at] == '(') {
        s->scan->has_arguments |= s->open.size == 0;
        s->is_conversion = false;
    } else if (s->parts->n_scopes > 0 && name_had(s->name, at, "::") &&
               s->parts->scopes[s->parts->n_scopes - 1] == at) {
        s->parts->n_scopes--;
        s->group -= 2;
    }
}

static void open_bracket(struct scanner *s, size_t at)
{
    if (is_at_text(s)) {
        if (is_leading(s, at)) {
            s->n_plain++;
            s->path = at + 1;
        } else {
            open_group(s, at);
        }
    }
    text_char(&s->open, s->name.data[at]);
    s->n_open[(unsigned char)s->name.data[at]]++;
}

/* Where what belongs to arguments ends: qualifiers. */
static size_t skip_qualifiers(const struct scanner *s, size_t at)
{
    static const char *const words[] = {" const", " volatile", " noexcept", " &", "&"};
    bool found;

    do {
        found = false;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !found; i++) {
            found = name_has(s->name, at, words[i]);
            at += found ? strlen(words[i]) : 0;
        }
    } while (found);
    return at;
}

/* Adds the part whose last bracket is at `at`; returns where it ends. */
static size_t close_group(struct scanner *s, size_t at)
{
    size_t end = at + 1;
    enum function_cut_kind kind = s->group_kind;

    if (kind == CUT_ARGUMENTS) {
        end = skip_qualifiers(s, end);
        if (s->is_lambda_call || name_has(s->name, end, "::"))
            kind = CUT_INNER;
        s->is_lambda_call = false;
    } else if (kind == CUT_INNER && name_has(s->name, end, "#1}")) {
        end += 2;
    }
    function_scan_add(s->parts, s->group, end, kind);
    return end;
}

/* The call of a lambda, and what calls it without an object. */
static size_t skip_lambda_call(struct scanner *s, size_t at)
{
    static const char *const calls[] = {"::operator()", "::_FUN"};

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (!name_has(s->name, at, calls[i]))
            continue;
        s->operator_end = at + strlen(calls[i]);
        s->is_lambda_call = true;
        function_scan_add(s->parts, at, s->operator_end, CUT_INNER);
        return s->operator_end;
    }
    return at;
}

/* Returns where to go on. A ")" closes what is open inside; a ">" only its own. */
static size_t close_bracket(struct scanner *s, size_t at)
{
    static const char closing[] = ")>]}";
    char opening = "(<[{"[strchr(closing, s->name.data[at]) - closing];
    bool is_group;

    if (s->n_open[(unsigned char)opening] == 0 ||
        (opening == '<' &&
         (s->open.data[s->open.size - 1] != '<' || s->name.data[at - 1] == '-')))
        return at + 1;
    do
        s->n_open[(unsigned char)s->open.data[--s->open.size]]--;
    while (s->open.data[s->open.size] != opening);
    is_group = s->open.size == s->n_plain;
    if (s->open.size < s->n_plain)
        s->n_plain = s->open.size;
    if (is_group)
        return close_group(s, at);
    s->path = NO_PATH;
    return opening == '{' && s->open.size == 0 ? skip_lambda_call(s, at + 1) : at + 1;
}

/* ---- Words ------------------------------------------------------------------------- */

/* Returns where to go on after "operator". */
static size_t skip_operator(struct scanner *s, size_t at)
{
    static const char *const names[] = {
        "()", "[]", "\"\"", "<=>", "<<=",  ">>=",     "->",        "<<", ">>",
        "<=", ">=", "<",    ">",   " new", " delete", " co_await", ""};
    bool is_text = is_at_text(s);
    size_t i = 0;

    while (!name_has(s->name, at, names[i]))
        i++;
    at += strlen(names[i]);
    if (names[i][0] == '\0' && name_has(s->name, at, " ")) {
        s->is_conversion |= is_text;
        return at;
    }
    while (at < s->name.size && memchr("+-*/%^&|~!=,", s->name.data[at], 12) != NULL)
        at++;
    at += name_has(s->name, at, "[]") ? 2 : 0;
    at += names[i][0] == '"' && name_has(s->name, at, " ");
    s->operator_end = is_text ? at : s->operator_end;
    return at;
}

/* A type in brackets has one path, which gets longer. */
static void add_path(struct scanner *s, size_t end)
{
    struct function_parts *parts = s->parts;
    size_t n = parts->n_cuts;
    size_t start = s->path;

    while (n > 0 && parts->cuts[n - 1].start >= s->path)
        n--;
    if (n > 0 && parts->cuts[n - 1].kind == CUT_PATH && parts->cuts[n - 1].end == start)
        start = parts->cuts[n - 1].start;
    function_scan_add(parts, start, end, CUT_PATH);
    s->path = end;
}

/* Returns where to go on after "::". */
static size_t add_separator(struct scanner *s, size_t at)
{
    if (s->open.size == 0)
        add_scope(s->parts, at + 2);
    else if (s->open.data[s->open.size - 1] == '<' && s->path != NO_PATH)
        add_path(s, at + 2);
    return at + 2;
}

static size_t add_dot(struct scanner *s, size_t at)
{
    if (s->scan->is_dotted && s->open.size == 0 && at > 0 &&
        (s->name.data[at] == '.' || at < s->scan->last_dot))
        add_scope(s->parts, at + 1);
    return at + 1;
}

static size_t parse_text(struct scanner *s, size_t at)
{
    static const char keyword[] = "operator";

    if (s->name.data[at] == 'o' && name_has(s->name, at, keyword) &&
        (at == 0 || !function_is_word(s->name.data[at - 1])) &&
        at + strlen(keyword) < s->name.size &&
        !function_is_word(s->name.data[at + strlen(keyword)]))
        return skip_operator(s, at + strlen(keyword));
    if (!is_at_text(s) || s->is_conversion)
        return at + 1;
    switch (s->name.data[at]) {
    case ':':
        return name_has(s->name, at, "::") ? add_separator(s, at) : at + 1;
    case '.':
    case '/':
        return add_dot(s, at);
    case ' ':
        if (s->open.size == 0 && !s->scan->has_arguments && at != s->operator_end)
            s->scan->word = at + 1;
        s->path = at + 1;
        return at + 1;
    case ',':
    case '&':
    case '*':
        s->path = at + 1;
        return at + 1;
    default:
        return at + 1;
    }
}

void function_scan(struct function_scan *scan)
{
    struct scanner scanner = {.scan = scan, .parts = scan->parts, .name = scan->name};
    struct scanner *s = &scanner;

    for (size_t at = 0; at < s->name.size;) {
        switch (s->name.data[at]) {
        case '(':
        case '<':
        case '[':
        case '{':
            open_bracket(s, at++);
            break;
        case ')':
        case '>':
        case ']':
        case '}':
            at = close_bracket(s, at);
            break;
        default:
            at = parse_text(s, at);
        }
    }
    text_free(&s->open);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See function_parts.h. */
#include "function_parts.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/memory.h"

/* ---- The own name ------------------------------------------------------------------ */

/* Names that compilers number, which say nothing without the function they are in. */
static bool is_numbered(const char *data, size_t size)
{
    static const char *const words[] = {"func", "gowrap", "deferwrap", ""};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i]);

        if (n >= size || memcmp(data, words[i], n) != 0)
            continue;
        while (n < size && data[n] >= '0' && data[n] <= '9')
            n++;
        if (n == size)
            return true;
    }
    return false;
}

/* Whether the name after a separator, up to the next one, needs what is before it. */
static bool is_part(const struct function_scan *s, size_t start, size_t end)
{
    static const char outlined[] = "_omp_fn";
    static const char call[] = "operator()";

    if (start >= end || s->name.data[start] == '{' || name_has(s->name, start, call))
        return true;
    return s->is_dotted &&
           (is_numbered(s->name.data + start, end - start) ||
            (end - start == strlen(outlined) && name_has(s->name, start, outlined)));
}

static size_t find_own(const struct function_scan *s, size_t name)
{
    const struct function_parts *parts = s->parts;
    size_t n = parts->n_scopes;
    size_t end = s->name.size;

    for (; n > 0 && is_part(s, parts->scopes[n - 1], end); n--)
        end = parts->scopes[n - 1] - 1;
    return n > 0 ? parts->scopes[n - 1] : name;
}

/* What a function returns is before its name; but in "virtual thunk to f()" it is what
 * the function is. */
static void find_name(struct function_scan *s)
{
    struct function_parts *parts = s->parts;
    size_t cut = 0;
    size_t scope = 0;

    if (s->has_arguments && !name_had(s->name, s->word, " to ") &&
        !name_had(s->name, s->word, " for "))
        parts->name = s->word;
    while (cut < parts->n_cuts && parts->cuts[cut].start < parts->name)
        cut++;
    while (scope < parts->n_scopes && parts->scopes[scope] < parts->name)
        scope++;
    parts->n_cuts -= cut;
    parts->n_scopes -= scope;
    if (cut > 0)
        memmove(parts->cuts, parts->cuts + cut, parts->n_cuts * sizeof(*parts->cuts));
    if (scope > 0)
        memmove(parts->scopes, parts->scopes + scope,
                parts->n_scopes * sizeof(*parts->scopes));
    parts->own = find_own(s, parts->name);
}

/* ---- All --------------------------------------------------------------------------- */

static size_t find(const struct function_scan *s, const char *word)
{
    for (size_t at = 0; at < s->name.size; at++) {
        if (name_has(s->name, at, word))
            return at;
    }
    return s->name.size;
}

/* Words in brackets at the end, such as " (inl)" or " [clone .cold]". */
static void split_remarks(struct function_scan *s)
{
    size_t at = s->name.size;

    while (at > 0 && (s->name.data[at - 1] == ')' || s->name.data[at - 1] == ']')) {
        char opening = s->name.data[at - 1] == ')' ? '(' : '[';
        size_t end = at - 1;

        for (at = end; at > 0 && memchr("()[]", s->name.data[at - 1], 4) == NULL;)
            at--;
        if (at < 3 || at == end || s->name.data[at - 1] != opening ||
            s->name.data[at - 2] != ' ')
            return;
        at -= 2;
        s->name.size = at;
    }
}

/* Where a function of Python or JavaScript is: "py::f:/home/f.py", "JS:*f
 * /home/f.js:1:2". Returns where the file's name begins there. */
static size_t split_place(struct function_scan *s)
{
    static const char *const places[] = {" /", " file:", " node:"};
    size_t place = s->name.size;
    size_t limit = s->name.size;

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && place == s->name.size;
         i++)
        place = find(s, places[i]);
    if (name_has(s->name, 0, "py::")) {
        for (place = strlen("py::"); place < s->name.size && s->name.data[place] != ':';)
            place++;
    }
    while (limit > place && s->name.data[limit - 1] != '/')
        limit--;
    if (limit <= place || memchr(s->name.data, '(', place) != NULL)
        return 0;
    s->name.size = place;
    return limit;
}

/* The name of code, not of a function, such as "[heap]" or "libz.so.1+0x1a0". */
static bool is_code(const struct function_scan *s)
{
    return name_has(s->name, 0, "[") || find(s, "+0x") < s->name.size;
}

static bool is_objective_c(const struct function_scan *s)
{
    return name_has(s->name, 0, "-[") || name_has(s->name, 0, "+[");
}

static void find_separators(struct function_scan *s)
{
    s->is_dotted = find(s, "::") == s->name.size;
    for (s->last_dot = s->name.size; s->last_dot > 0;) {
        if (s->name.data[--s->last_dot] == '.')
            break;
    }
}

void function_parts_find(struct function_parts *parts, const char *data, size_t size)
{
    struct function_scan s = {.name = {data, size}, .parts = parts};
    size_t file;

    *parts = (struct function_parts){.n_cuts = 0};
    split_remarks(&s);
    parts->remarks = s.name.size;
    parts->is_code = is_code(&s);
    if (parts->is_code || is_objective_c(&s))
        return;
    file = split_place(&s);
    find_separators(&s);
    function_scan(&s);
    find_name(&s);
    if (s.name.size < parts->remarks)
        function_scan_add(parts, s.name.size + 1, file, CUT_PATH);
    parts->remarks = s.name.size;
}

void function_parts_free(struct function_parts *parts)
{
    memory_release(parts->cuts);
    memory_release(parts->scopes);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle_swift_nodes.h. */
#include "demangle_swift_nodes.h"

#include <string.h>

/* ---- Characters and numbers -------------------------------------------------------- */

static bool is_between(char c, char first, char last)
{
    return c >= first && c <= last;
}

void swift_fail(struct swift *swift)
{
    swift->has_failed = true;
    swift->at = swift->end;
}

char swift_peek(const struct swift *swift)
{
    return swift->at < swift->end ? *swift->at : '\0';
}

char swift_take(struct swift *swift)
{
    if (swift->at == swift->end) {
        swift_fail(swift);
        return '\0';
    }
    return *swift->at++;
}

bool swift_take_if(struct swift *swift, char c)
{
    bool is_there = swift->at < swift->end && *swift->at == c;

    swift->at += is_there;
    return is_there;
}

size_t swift_take_number(struct swift *swift)
{
    size_t number = 0;

    if (!is_between(swift_peek(swift), '0', '9'))
        swift_fail(swift);
    while (is_between(swift_peek(swift), '0', '9') && number < SWIFT_MANGLED_MAX)
        number = number * 10 + (size_t)(swift_take(swift) - '0');
    return number;
}

size_t swift_take_index(struct swift *swift)
{
    size_t index = 0;

    if (swift_take_if(swift, '_'))
        return 0;
    index = swift_take_number(swift) + 1;
    if (!swift_take_if(swift, '_'))
        swift_fail(swift);
    return index;
}

/* ---- The stack --------------------------------------------------------------------- */

struct swift_node *swift_push(struct swift *swift, struct swift_node node)
{
    if (swift->n_nodes == SWIFT_NODES_MAX) {
        swift_fail(swift);
        swift->n_nodes = 0;
    }
    swift->nodes[swift->n_nodes] = node;
    return &swift->nodes[swift->n_nodes++];
}

bool swift_is_next(const struct swift *swift, enum swift_kind kind)
{
    return swift->n_nodes > 0 && swift->nodes[swift->n_nodes - 1].kind == kind;
}

bool swift_pop_if(struct swift *swift, enum swift_kind kind)
{
    bool is_there = swift_is_next(swift, kind);

    swift->n_nodes -= is_there;
    return is_there;
}

struct swift_node swift_pop(struct swift *swift, enum swift_kind kind)
{
    if (swift_pop_if(swift, kind))
        return swift->nodes[swift->n_nodes];
    swift_fail(swift);
    return (struct swift_node){.kind = kind};
}

void swift_remember(struct swift *swift, struct swift_node node)
{
    if (swift->n_substitutions == SWIFT_NODES_MAX)
        swift_fail(swift);
    else
        swift->substitutions[swift->n_substitutions++] = node;
}

/* ---- Names ------------------------------------------------------------------------- */

void swift_add_bytes(struct swift *swift, const char *bytes, size_t size)
{
    if (size > SWIFT_TEXT_MAX - swift->text.size)
        swift_fail(swift);
    else
        text_add(&swift->text, bytes, size);
}

void swift_add(struct swift *swift, const char *string)
{
    swift_add_bytes(swift, string, strlen(string));
}

void swift_add_part(struct swift *swift, size_t start, size_t size)
{
    text_room(&swift->text, size);
    swift_add_bytes(swift, swift->text.data + start, size);
}

void swift_add_name(struct swift *swift, struct swift_node node)
{
    if (node.size == 0)
        swift_fail(swift);
    else
        swift_add_part(swift, node.start, node.size);
}

struct swift_node swift_named(struct swift *swift, enum swift_kind kind, size_t start)
{
    return (struct swift_node){
        .kind = kind, .n_elements = 1, .start = start, .size = swift->text.size - start};
}

/* ---- Identifiers ------------------------------------------------------------------- */

static bool is_upper(char c)
{
    return is_between(c, 'A', 'Z');
}

/* Words are parts of identifiers, between underscores and before upper case. */
static void add_words(struct swift *swift, const char *data, size_t size)
{
    size_t start = size;

    for (size_t i = 0; i <= size; i++) {
        char c = i < size ? data[i] : '\0';

        if (start < i &&
            (c == '_' || c == '\0' || (is_upper(c) && !is_upper(data[i - 1])))) {
            if (i - start >= 2 && swift->n_words < SWIFT_WORDS_MAX) {
                swift->words[swift->n_words].data = data + start;
                swift->words[swift->n_words++].size = i - start;
            }
            start = size;
        }
        if (start == size && c != '_' && c != '\0' && !is_between(c, '0', '9'))
            start = i;
    }
}

/* References to words, all but the last lower case. */
static bool take_words(struct swift *swift)
{
    while (is_between(swift_peek(swift), 'a', 'z') || is_upper(swift_peek(swift))) {
        char c = swift_take(swift);
        size_t word = (size_t)(c - (is_upper(c) ? 'A' : 'a'));

        if (word >= swift->n_words)
            swift_fail(swift);
        else
            swift_add_bytes(swift, swift->words[word].data, swift->words[word].size);
        if (is_upper(c))
            return false;
    }
    return true;
}

/* Identifiers in Punycode are not understood. */
void swift_take_identifier(struct swift *swift)
{
    size_t start = swift->text.size;
    bool has_words = swift_take_if(swift, '0');
    struct swift_node node;

    if (has_words && swift_peek(swift) == '0')
        swift_fail(swift);
    do {
        size_t size;

        has_words = has_words && take_words(swift);
        if (swift->text.size > start && swift_take_if(swift, '0'))
            break;
        size = swift_take_number(swift);
        if (size == 0 || size > (size_t)(swift->end - swift->at)) {
            swift_fail(swift);
            return;
        }
        swift_add_bytes(swift, swift->at, size);
        add_words(swift, swift->at, size);
        swift->at += size;
    } while (has_words);
    node = swift_named(swift, SWIFT_IDENTIFIER, start);
    node.path = node.size;
    swift_remember(swift, *swift_push(swift, node));
}

struct swift_node swift_pop_name(struct swift *swift)
{
    return swift_pop(swift, swift_is_next(swift, SWIFT_DECLARATION) ? SWIFT_DECLARATION
                                                                    : SWIFT_IDENTIFIER);
}

void swift_take_operator_name(struct swift *swift)
{
    static const char characters[] = "& @/= >    <*!|+?%-~   ^ .";
    struct swift_node name = swift_pop(swift, SWIFT_IDENTIFIER);
    size_t start = swift->text.size;
    char c;

    for (size_t i = 0; i < name.size; i++) {
        char letter = swift->text.data[name.start + i];

        c = is_between(letter, 'a', 'z') ? characters[letter - 'a'] : ' ';

        if (c == ' ')
            swift_fail(swift);
        swift_add_bytes(swift, &c, 1);
    }
    c = swift_take(swift);
    if (c == 'i')
        swift_add(swift, " infix");
    else if (c == 'p')
        swift_add(swift, " prefix");
    else if (c == 'P')
        swift_add(swift, " postfix");
    else
        swift_fail(swift);
    swift_push(swift, swift_named(swift, SWIFT_DECLARATION, start));
}

/* Declarations that are local to a file or to a function, where they have a number. */
void swift_take_local_name(struct swift *swift)
{
    size_t start = swift->text.size;

    if (swift_take_if(swift, 'l')) {
        swift_pop(swift, SWIFT_IDENTIFIER);
        swift_push(swift, (struct swift_node){.kind = SWIFT_PRIVATE});
        return;
    }
    if (swift_take_if(swift, 'L')) {
        swift_pop(swift, SWIFT_IDENTIFIER);
        swift_push(swift, swift_pop_name(swift))->kind = SWIFT_DECLARATION;
        return;
    }
    swift_add_name(swift, swift_pop_name(swift));
    text_printf(&swift->text, " #%zu", swift_take_index(swift) + 1);
    swift_push(swift, swift_named(swift, SWIFT_DECLARATION, start))->is_local = true;
}

/* Nodes of before: A, then numbers of times and letters, of which the last is upper case;
 * or a number that has no letter. */
void swift_take_substitutions(struct swift *swift)
{
    char c;

    do {
        bool has_number = is_between(swift_peek(swift), '0', '9');
        size_t number = has_number ? swift_take_number(swift) : 1;
        size_t index;

        c = swift_take(swift);
        if (c == '_')
            index = has_number ? number + 27 : 26;
        else
            index = (size_t)(is_upper(c) ? c - 'A' : c - 'a');
        if (c == '_')
            number = 1;
        if (!(c == '_' || is_upper(c) || is_between(c, 'a', 'z')) || number == 0 ||
            number > SWIFT_NODES_MAX || index >= swift->n_substitutions) {
            swift_fail(swift);
            return;
        }
        while (number-- > 0)
            swift_push(swift, swift->substitutions[index]);
    } while (is_between(c, 'a', 'z'));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internal: names in Swift's mangling as they are read, and the stack of what was read. A
 * mangled name is a program: operands, such as identifiers and types, come before the
 * operators that take them from the stack and leave what they make of them. What the
 * rules do not allow fails for good: nothing is left to read.
 */
#ifndef FXTPROFILE_SYMBOLS_DEMANGLE_SWIFT_NODES_H
#define FXTPROFILE_SYMBOLS_DEMANGLE_SWIFT_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

enum {
    SWIFT_MANGLED_MAX = 1 << 13,
    SWIFT_TEXT_MAX = 1 << 15,
    SWIFT_NODES_MAX = 256,
    SWIFT_WORDS_MAX = 26,
};

enum swift_kind {
    SWIFT_EMPTY,    /* an empty list */
    SWIFT_FIRST,    /* the node before is the first of a list; or no label */
    SWIFT_VARIADIC, /* the parameter before is */
    SWIFT_EFFECT,   /* of a function's type: async, throws and others */
    SWIFT_IDENTIFIER,
    SWIFT_DECLARATION, /* a name that is no plain identifier */
    SWIFT_PRIVATE,     /* the file of a declaration that has no other name */
    SWIFT_MODULE,
    SWIFT_TYPE,
    SWIFT_EXTENSION,
    SWIFT_ENTITY, /* a function, a variable or a part of one */
    SWIFT_GLOBAL, /* what the compiler makes of an entity or a type */
    SWIFT_OPAQUE, /* an entity whose result is of an opaque type */
    SWIFT_REQUIREMENT,
    SWIFT_SIGNATURE, /* of something generic */
    SWIFT_CONFORMANCE,
    SWIFT_CONFORMANCE_PROTOCOL,
    SWIFT_RETROACTIVE,
};

/* The name, if it has one, is `size` bytes of the text. Members of "A in f" are called
 * "A.member in f": `path` bytes of the name are before the member's. */
struct swift_node {
    enum swift_kind kind;
    bool is_nominal; /* a type that is declared, without arguments */
    bool is_class;
    bool is_protocol;
    bool is_function;  /* a type whose parameters can have labels */
    bool is_local;     /* a declaration in a function */
    size_t n_elements; /* of a tuple, or parameters of a function's type; else 1 */
    size_t start;
    size_t size;
    size_t path;
};

struct swift {
    const char *at;
    const char *end;
    struct text text;
    size_t n_nodes;
    size_t n_substitutions;
    size_t n_words;
    bool has_failed;
    struct swift_node nodes[SWIFT_NODES_MAX];
    struct swift_node substitutions[SWIFT_NODES_MAX]; /* what can be referred to */
    struct swift_word {
        const char *data;
        size_t size;
    } words[SWIFT_WORDS_MAX];
};

void swift_fail(struct swift *swift);

/* '\0' at the end. */
char swift_peek(const struct swift *swift);
char swift_take(struct swift *swift);
bool swift_take_if(struct swift *swift, char c);
size_t swift_take_number(struct swift *swift);
size_t swift_take_index(struct swift *swift);

/* What is returned stays until the next is pushed. */
struct swift_node *swift_push(struct swift *swift, struct swift_node node);
bool swift_is_next(const struct swift *swift, enum swift_kind kind);
bool swift_pop_if(struct swift *swift, enum swift_kind kind);
struct swift_node swift_pop(struct swift *swift, enum swift_kind kind);
/* Substitutions can refer to the node from here on. */
void swift_remember(struct swift *swift, struct swift_node node);

void swift_add_bytes(struct swift *swift, const char *bytes, size_t size);
void swift_add(struct swift *swift, const char *string);
/* Again, what is in the text. */
void swift_add_part(struct swift *swift, size_t start, size_t size);
/* Fails if the node has none. */
void swift_add_name(struct swift *swift, struct swift_node node);
/* A node whose name is the text since `start`. */
struct swift_node swift_named(struct swift *swift, enum swift_kind kind, size_t start);

void swift_take_identifier(struct swift *swift);
void swift_take_operator_name(struct swift *swift);
void swift_take_local_name(struct swift *swift);
/* An identifier or a declaration. */
struct swift_node swift_pop_name(struct swift *swift);
/* References to earlier nodes. */
void swift_take_substitutions(struct swift *swift);

#endif

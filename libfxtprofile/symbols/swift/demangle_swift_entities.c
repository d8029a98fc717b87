/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle_swift_entities.h. */
#include "demangle_swift_entities.h"

#include <string.h>

/* ---- Names of members -------------------------------------------------------------- */

struct swift_node swift_name_literal(struct swift *swift, const char *string)
{
    size_t start = swift->text.size;

    swift_add(swift, string);
    return swift_named(swift, SWIFT_IDENTIFIER, start);
}

struct swift_node swift_pop_module(struct swift *swift)
{
    return swift_pop(swift, swift_is_next(swift, SWIFT_MODULE) ? SWIFT_MODULE
                                                               : SWIFT_IDENTIFIER);
}

struct swift_node swift_pop_nominal(struct swift *swift)
{
    struct swift_node type = swift_pop(swift, SWIFT_TYPE);

    if (!type.is_nominal)
        swift_fail(swift);
    return type;
}

struct swift_node swift_pop_context(struct swift *swift)
{
    if (swift_is_next(swift, SWIFT_TYPE))
        return swift_pop_nominal(swift);
    if (swift_is_next(swift, SWIFT_EXTENSION))
        return swift_pop(swift, SWIFT_EXTENSION);
    if (swift_is_next(swift, SWIFT_ENTITY))
        return swift_pop(swift, SWIFT_ENTITY);
    return swift_pop_module(swift);
}

/* The names of the parameters of a function. */
struct labels {
    size_t n;
    const struct swift_node *names; /* NULL: none has a name */
};

/* Those that were popped stay where they are until the next push. */
static struct labels pop_labels(struct swift *swift, struct swift_node type)
{
    struct labels labels = {type.is_function ? type.n_elements : 0, NULL};

    if (swift_pop_if(swift, SWIFT_EMPTY) || labels.n == 0)
        return labels;
    for (size_t i = 0; i < labels.n; i++) {
        if (!swift_pop_if(swift, SWIFT_FIRST))
            swift_pop(swift, SWIFT_IDENTIFIER);
    }
    labels.names = swift->nodes + swift->n_nodes;
    return labels;
}

static void add_labels(struct swift *swift, const struct labels *labels)
{
    swift_add(swift, "(");
    for (size_t i = 0; i < labels->n && !swift->has_failed; i++) {
        if (labels->names != NULL && labels->names[i].kind == SWIFT_IDENTIFIER)
            swift_add_name(swift, labels->names[i]);
        else
            swift_add(swift, "_");
        swift_add(swift, ":");
    }
    swift_add(swift, ")");
}

/* What is called `name` in a context: "context.name", or "name in context" if either is
 * local. */
static struct swift_node name_member(struct swift *swift, enum swift_kind kind,
                                     struct swift_node context, struct swift_node name,
                                     const char *suffix, const struct labels *labels)
{
    bool has_path = context.path > 0 && !name.is_local;
    size_t start = swift->text.size;
    size_t path = 0;
    struct swift_node node;

    if (has_path) {
        swift_add_part(swift, context.start, context.path);
        swift_add(swift, ".");
    }
    swift_add_name(swift, name);
    swift_add(swift, suffix);
    if (labels != NULL)
        add_labels(swift, labels);
    if (kind == SWIFT_TYPE && !name.is_local)
        path = swift->text.size - start;
    if (has_path) {
        swift_add_part(swift, context.start + context.path, context.size - context.path);
    } else {
        swift_add(swift, " in ");
        swift_add_name(swift, context);
    }
    node = swift_named(swift, kind, start);
    node.path = path;
    return node;
}

struct swift_node swift_name_plain_member(struct swift *swift, enum swift_kind kind,
                                          struct swift_node context,
                                          struct swift_node name)
{
    return name_member(swift, kind, context, name, "", NULL);
}

/* ---- Declared types ---------------------------------------------------------------- */

void swift_take_nominal(struct swift *swift, char letter)
{
    struct swift_node name = swift_pop_name(swift);
    struct swift_node type =
        name_member(swift, SWIFT_TYPE, swift_pop_context(swift), name, "", NULL);

    type.is_nominal = true;
    type.is_class = letter == 'C';
    type.is_protocol = letter == 'P';
    swift_remember(swift, *swift_push(swift, type));
}

/* Types of Swift's library: letters, those of concurrency after "c", and "+" if it is a
 * protocol. */
static const char known_types[] =
    " A=AutoreleasingUnsafeMutablePointer B+BinaryFloatingPoint D=Dictionary E+Encodable"
    " F+FloatingPoint G+RandomNumberGenerator H+Hashable I=DefaultIndices J=Character"
    " K+BidirectionalCollection L+Comparable M+MutableCollection N=ClosedRange"
    " O=ObjectIdentifier P=UnsafePointer Q+Equatable R=UnsafeBufferPointer S=String"
    " T+Sequence U+UnsignedInteger V=UnsafeRawPointer W=UnsafeRawBufferPointer"
    " X+RangeExpression Y+RawRepresentable Z+SignedInteger a=Array b=Bool d=Double"
    " e+Decodable f=Float h=Set i=Int j+Numeric k+RandomAccessCollection l+Collection"
    " m+RangeReplaceableCollection n=Range p=UnsafeMutablePointer q=Optional"
    " r=UnsafeMutableBufferPointer s=Substring t+IteratorProtocol u=UInt"
    " v=UnsafeMutableRawPointer w=UnsafeMutableRawBufferPointer x+Strideable"
    " y+StringProtocol z+BinaryInteger"
    " cA+Actor cC=CheckedContinuation cE=CancellationError cF+Executor cG=TaskGroup"
    " cI+AsyncIteratorProtocol cJ=UnownedJob cM=MainActor cP=TaskPriority cS=AsyncStream"
    " cT=Task cc=UnsafeContinuation ce=UnownedSerialExecutor cf+SerialExecutor"
    " cg=ThrowingTaskGroup ci+AsyncSequence cs=AsyncThrowingStream ct=UnsafeCurrentTask ";

/* After S and a number of times. */
void swift_take_known_type(struct swift *swift)
{
    bool has_number = swift_peek(swift) >= '0' && swift_peek(swift) <= '9';
    size_t n = has_number ? swift_take_number(swift) : 1;
    bool is_second = swift_take_if(swift, 'c');
    char letters[] = {' ', is_second ? 'c' : swift_take(swift), '\0', '\0'};
    size_t start = swift->text.size;
    struct swift_node type;
    const char *known;

    if (is_second)
        letters[2] = swift_take(swift);
    known = strstr(known_types, letters);
    if (known != NULL)
        known += strlen(letters);
    if (known == NULL || (*known != '=' && *known != '+') || n > SWIFT_NODES_MAX) {
        swift_fail(swift);
        return;
    }
    swift_add(swift, "Swift.");
    swift_add_bytes(swift, known + 1, strcspn(known, " ") - 1);
    type = swift_named(swift, SWIFT_TYPE, start);
    type.path = type.size;
    type.is_nominal = true;
    type.is_protocol = *known == '+';
    do
        swift_push(swift, type);
    while (n-- > 1);
}

/* A protocol can lack the letter that says so. */
void swift_pop_protocol(struct swift *swift)
{
    if (!swift_is_next(swift, SWIFT_TYPE)) {
        swift_pop_name(swift);
        swift_pop_context(swift);
    } else if (!swift_pop(swift, SWIFT_TYPE).is_protocol) {
        swift_fail(swift);
    }
}

struct swift_node swift_pop_function_type(struct swift *swift)
{
    struct swift_node type = {.kind = SWIFT_TYPE, .is_function = true};

    while (swift_pop_if(swift, SWIFT_EFFECT))
        continue;
    if (!swift_pop_if(swift, SWIFT_EMPTY))
        type.n_elements = swift_pop(swift, SWIFT_TYPE).n_elements;
    if (!swift_pop_if(swift, SWIFT_EMPTY))
        swift_pop(swift, SWIFT_TYPE);
    return type;
}

/* ---- Functions, variables and parts of them ---------------------------------------- */

void swift_take_function(struct swift *swift)
{
    struct swift_node type;
    struct swift_node name;
    struct labels labels;

    swift_pop_if(swift, SWIFT_SIGNATURE);
    type = swift_pop_function_type(swift);
    labels = pop_labels(swift, type);
    name = swift_pop_name(swift);
    swift_push(swift, name_member(swift, SWIFT_ENTITY, swift_pop_context(swift), name, "",
                                  &labels));
}

void swift_take_constructor(struct swift *swift, bool is_allocating)
{
    struct swift_node context;
    struct swift_node name;
    struct labels labels;

    swift_pop_if(swift, SWIFT_PRIVATE);
    labels = pop_labels(swift, swift_pop(swift, SWIFT_TYPE));
    context = swift_pop_context(swift);
    name = swift_name_literal(
        swift, is_allocating && context.is_class ? "__allocating_init" : "init");
    swift_push(swift, name_member(swift, SWIFT_ENTITY, context, name, "", &labels));
}

/* The letters after those of a variable or a subscript. */
static const char *take_accessor(struct swift *swift)
{
    static const char *const accessors[] = {
        "g.getter",  "G.getter", "s.setter",           "r.read", "M.modify", "p",
        "w.willset", "W.didset", "m.materializeForSet"};
    char c = swift_take(swift);

    if (c == 'a' && swift_take_if(swift, 'u'))
        return ".unsafeMutableAddressor";
    for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++) {
        if (c == accessors[i][0])
            return accessors[i] + 1;
    }
    swift_fail(swift);
    return "";
}

void swift_take_variable(struct swift *swift, bool is_subscript)
{
    struct swift_node name;

    if (is_subscript)
        swift_pop_if(swift, SWIFT_PRIVATE);
    pop_labels(swift, swift_pop(swift, SWIFT_TYPE));
    name = is_subscript ? swift_name_literal(swift, "subscript") : swift_pop_name(swift);
    swift_push(swift, name_member(swift, SWIFT_ENTITY, swift_pop_context(swift), name,
                                  take_accessor(swift), NULL));
}

/* Of one global variable. */
void swift_take_initializer(struct swift *swift)
{
    size_t start = swift->text.size;
    struct swift_node name;

    swift_add(swift, "one-time initialization function for ");
    swift_pop(swift, SWIFT_FIRST);
    name = swift_pop_name(swift);
    name_member(swift, SWIFT_ENTITY, swift_pop_context(swift), name, "", NULL);
    swift_push(swift, swift_named(swift, SWIFT_GLOBAL, start));
}

void swift_take_protocol_witness(struct swift *swift)
{
    struct swift_node entity = swift_pop(swift, SWIFT_ENTITY);
    size_t start = swift->text.size;

    swift_pop_if(swift, SWIFT_SIGNATURE);
    swift_pop_module(swift);
    swift_pop_protocol(swift);
    swift_add(swift, "protocol witness for ");
    swift_add_name(swift, entity);
    swift_add(swift, " in conformance ");
    swift_add_name(swift, swift_pop(swift, SWIFT_TYPE));
    swift_push(swift, swift_named(swift, SWIFT_GLOBAL, start));
}

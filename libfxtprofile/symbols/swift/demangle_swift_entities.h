/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal: what Swift declares, which has names: types, functions and variables. */
#ifndef FXTPROFILE_SYMBOLS_DEMANGLE_SWIFT_ENTITIES_H
#define FXTPROFILE_SYMBOLS_DEMANGLE_SWIFT_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "demangle_swift_nodes.h"

/* A node that is not on the stack. */
struct swift_node swift_name_literal(struct swift *swift, const char *string);

/* A member of a context, called "context.name". */
struct swift_node swift_name_plain_member(struct swift *swift, enum swift_kind kind,
                                          struct swift_node context,
                                          struct swift_node name);

struct swift_node swift_pop_module(struct swift *swift);
/* A declared type without arguments. */
struct swift_node swift_pop_nominal(struct swift *swift);
/* What has members. */
struct swift_node swift_pop_context(struct swift *swift);
void swift_pop_protocol(struct swift *swift);
/* The result, the parameters and effects. */
struct swift_node swift_pop_function_type(struct swift *swift);

/* Operators that take a name and a context, after their letters. */
void swift_take_nominal(struct swift *swift, char letter);
void swift_take_known_type(struct swift *swift);
void swift_take_function(struct swift *swift);
void swift_take_constructor(struct swift *swift, bool is_allocating);
void swift_take_variable(struct swift *swift, bool is_subscript);
void swift_take_initializer(struct swift *swift);
void swift_take_protocol_witness(struct swift *swift);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle.h. */
#include "demangle.h"

#include <setjmp.h>

#include <libiberty/demangle.h>

/* A mangled name can double a part by reference, again and again: the demangled name is
 * exponential in its size. */
enum { MANGLED_MAX = 1 << 14, DEMANGLED_MAX = 1 << 16 };

struct sink {
    struct text *text;
    size_t first;
    jmp_buf too_long;
};

/* There is no other way to stop a demangler than to leave it: it keeps nothing but what
 * is on the stack. */
static void take_piece(const char *data, size_t size, void *context)
{
    struct sink *sink = (struct sink *)context;

    if (size > DEMANGLED_MAX - (sink->text->size - sink->first))
        longjmp(sink->too_long, 1);
    text_add(sink->text, data, size);
}

/* Older Rust has C++'s way to mangle, and so comes first. */
static bool demangle_to_sink(struct sink *sink, const char *name)
{
    const int options = DMGL_PARAMS | DMGL_ANSI;

    if (rust_demangle_callback(name, options, take_piece, sink))
        return true;
    sink->text->size = sink->first;
    return cplus_demangle_v3_callback(name, options, take_piece, sink);
}

bool demangle(struct text *text, const char *name)
{
    struct sink sink = {.text = text, .first = text->size};

    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
        strlen(name) > MANGLED_MAX)
        return false;
    if (setjmp(sink.too_long) == 0 && demangle_to_sink(&sink, name))
        return true;
    text->size = sink.first;
    return false;
}

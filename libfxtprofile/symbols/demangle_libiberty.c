/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle.h: with libiberty. */

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "demangle.h"

/* A mangled name can repeatedly double a part by reference, so that the demangled name is
 * exponential in its size. */
enum { MANGLED_MAX = 1 << 14, DEMANGLED_MAX = 1 << 16 };

struct sink {
    struct text *text;
    size_t first;
    jmp_buf too_long;
};

/* The only way to stop a demangler is longjmp, which leaks nothing: its state is on the
 * stack. */
static void take_piece(const char *data, size_t size, void *context)
{
    struct sink *sink = (struct sink *)context;

    if (size > DEMANGLED_MAX - (sink->text->size - sink->first))
        longjmp(sink->too_long, 1);
    text_add(sink->text, data, size);
}

/* The legacy mangling of Rust is that of C++, and so is tried first. */
static bool demangle_to_sink(struct sink *sink, const char *name)
{
    const int options = DMGL_PARAMS | DMGL_ANSI;

    if (rust_demangle_callback(name, options, take_piece, sink))
        return true;
    sink->text->size = sink->first;
    return cplus_demangle_v3_callback(name, options, take_piece, sink);
}

/* What this demangler returns is allocated, and exponential in the number of references
 * to earlier parts. */
static bool demangle_d(struct text *text, const char *name)
{
    enum { D_MAX = 1 << 12, D_REFERENCES_MAX = 12 };
    size_t n = 0;
    char *demangled;
    bool ok;

    for (const char *at = name; *at != '\0'; at++)
        n += *at == 'Q';
    if (n > D_REFERENCES_MAX || strlen(name) > D_MAX)
        return false;
    demangled = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
    ok = demangled != NULL && strlen(demangled) <= DEMANGLED_MAX;
    if (ok)
        text_str(text, demangled);
    free(demangled);
    return ok;
}

bool demangle_mangled(struct text *text, const char *name)
{
    struct sink sink = {.text = text, .first = text->size};

    if (name[0] != '_' || strlen(name) > MANGLED_MAX)
        return false;
    if (name[1] == 'D')
        return demangle_d(text, name);
    if (name[1] != 'Z' && name[1] != 'R')
        return false;
    if (setjmp(sink.too_long) == 0 && demangle_to_sink(&sink, name))
        return true;
    text->size = sink.first;
    return false;
}

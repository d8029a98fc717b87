/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle.h. */
#include "demangle.h"

#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

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

static bool demangle_whole(struct text *text, const char *name)
{
    struct sink sink = {.text = text, .first = text->size};

    if (setjmp(sink.too_long) == 0 && demangle_to_sink(&sink, name))
        return true;
    text->size = sink.first;
    return false;
}

/* The stub for a function has its name and a suffix. */
bool demangle(struct text *text, const char *name)
{
    static const char stub[] = "@plt";
    size_t size;
    char *target;
    bool ok;

    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
        return false;
    size = strlen(name);
    if (size > MANGLED_MAX)
        return false;
    if (size < strlen(stub) || strcmp(name + size - strlen(stub), stub) != 0)
        return demangle_whole(text, name);
    target = memory_copy_string(name);
    target[size - strlen(stub)] = '\0';
    ok = demangle_whole(text, target);
    memory_release(target);
    if (ok)
        text_str(text, stub);
    return ok;
}

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

/* ---- D ----------------------------------------------------------------------------- */

/* What a reference at a Q is to, so many bytes before it: a number to the base of 26,
 * whose last digit is a small letter. The Q itself if it is not a reference. */
static size_t d_target(const char *name, size_t at)
{
    const char *digit = name + at + 1;
    size_t distance = 0;

    for (; *digit >= 'A' && *digit <= 'Z' && distance <= at; digit++)
        distance = distance * 26 + (size_t)(*digit - 'A');
    if (*digit < 'a' || *digit > 'z')
        return at;
    distance = distance * 26 + (size_t)(*digit - 'a');
    return distance <= at ? at - distance : at;
}

/* Whether not much is made of a name. Types that are referred to may have references of
 * their own, so that it can be exponential in their number; identifiers, which begin with
 * their length, have none. */
static bool is_short_in_d(const char *name, size_t size)
{
    enum { REFERENCES_MAX = 64, MADE_MAX = 1 << 20 };
    size_t places[REFERENCES_MAX];
    size_t made[REFERENCES_MAX];
    size_t all = size;
    size_t n = 0;

    for (size_t at = 0; at < size; at++) {
        size_t target;

        if (name[at] != 'Q')
            continue;
        if (n == REFERENCES_MAX)
            return false;
        target = d_target(name, at);
        places[n] = at;
        made[n] = size;
        if (name[target] < '0' || name[target] > '9') {
            for (size_t i = n; i > 0 && places[i - 1] >= target; i--)
                made[n] += made[i - 1];
        }
        all += made[n++];
        if (all > MADE_MAX)
            return false;
    }
    return true;
}

/* What this demangler returns is allocated. */
static bool demangle_d(struct text *text, const char *name)
{
    enum { D_MAX = 1 << 12 };
    size_t size = strlen(name);
    char *demangled;
    bool ok;

    if (size > D_MAX || !is_short_in_d(name, size))
        return false;
    demangled = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
    ok = demangled != NULL && strlen(demangled) <= DEMANGLED_MAX;
    if (ok)
        text_str(text, demangled);
    free(demangled);
    return ok;
}

/* ---- All --------------------------------------------------------------------------- */

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

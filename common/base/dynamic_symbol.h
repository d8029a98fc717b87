/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of libraries that are loaded when they are needed. */
#ifndef BASE_DYNAMIC_SYMBOL_H
#define BASE_DYNAMIC_SYMBOL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Stores a function of a library to a pointer to a function. C has no cast from what
 * dlsym returns. Returns false if the library does not have it. */
static inline bool dynamic_symbol_find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

#endif

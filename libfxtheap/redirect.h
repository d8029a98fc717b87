/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where this library was loaded into a running program, the calls of malloc and related
 * functions have been bound already. Each module has a word for each function that it
 * calls (in its global offset table, GOT); these are replaced, and put back later.
 *
 * Functions that a module has found in another way (dlsym, a pointer that was stored)
 * stay as they are. Modules that are loaded later are looked for whenever the program
 * calls dlsym, as it does after dlopen.
 */
#ifndef LIBFXTHEAP_REDIRECT_H
#define LIBFXTHEAP_REDIRECT_H

#include <stdint.h>

/* The function that the program calls by a name, as if it had no words for it, and this
 * library were not there; NULL if there is none. Unlike dlsym this does not return where
 * a program that is linked for fixed addresses has its word, by which it is called. */
void *redirect_find(const char *name);

/* Returns how many words lead to this library then. */
uint64_t redirect_start(void);

/* Puts back all that are as redirect_start has left them. Returns how many are not. */
uint64_t redirect_stop(void);

#endif

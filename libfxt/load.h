/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to a word of the input: a single load, of which the value is then judged
 * and used. A test that watches which words are loaded puts its own function here. */
#ifndef LIBFXT_LOAD_H
#define LIBFXT_LOAD_H

#include <fxt/compiler.h>

#ifndef LOAD_WORD
#define LOAD_WORD(address) fxt_load_once_(address)
#endif

#endif

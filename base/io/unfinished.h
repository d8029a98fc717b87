/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that a program is writing under a temporary name. If the program ends before
 * the file is whole, by exit() or by a signal that ends programs, it is removed.
 *
 * A program writes one such file at a time, since a signal handler has no context
 * argument; which is why there is no object.
 */
#ifndef BASE_IO_UNFINISHED_H
#define BASE_IO_UNFINISHED_H

/* Creates an empty file with a unique name: the six X at the end of `name` are replaced,
 * as by mkstemp. Returns a descriptor, or -1 with errno set. */
int unfinished_create(char *name);

/* The file was renamed or removed: nothing needs to be removed any more. */
void unfinished_done(void);

#endif

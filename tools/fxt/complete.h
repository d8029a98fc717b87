/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completes command lines of all programs, for any shell: what each program's --help
 * prints of its options says what there is, so that nothing here can be outdated.
 */
#ifndef FXT_COMPLETE_H
#define FXT_COMPLETE_H

#include <stdbool.h>

/* Prints on standard output how the last of these words of a command line may go on. The
 * first word is a program; the last one may be empty. The first line says what the shell
 * should offer as well: files, directories, commands or nothing. Each other line is a
 * word, and after a tab what it is, where that is known. Returns false if that cannot be
 * printed. */
bool complete_line(int n_words, char **words);

#endif

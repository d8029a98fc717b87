/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records and reports as text: a line each that says all there is, so that two readings
 * can be compared, and so that a test can write down what it expects.
 *
 *     number      field=123, field=0x12345678901 from 10^10 on
 *     string      field='inline', field=<of no reference>, field=#5'registered',
 *                 field=#5?
 *     thread      field=7/8, field=#5=7/8, field=#5?
 *     bytes       field=[616263]; more than 64 bytes as field=[SIZE hash HASH]
 *     words       field={1 2 0x12345678901}
 */
#ifndef TESTS_SUPPORT_SHOW_H
#define TESTS_SUPPORT_SHOW_H

#include <stddef.h>

#include "walk.h"

struct show {
    char *text;
    size_t size;
    size_t room;
};

void show_free(struct show *show);

/* The text so far, zero-terminated; the next text starts empty. Valid until something
 * else is shown. */
const char *show_take(struct show *show);

void show_format(struct show *show, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What the record says, without its place. */
void show_content(struct show *show, const struct fxt_record *record);
/* Its place, and what it says. */
void show_record(struct show *show, const struct fxt_record *record);
void show_error(struct show *show, const struct fxt_error *error);

/* What two texts have differently, for a failed check: the line in which they part. */
const char *show_difference(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every field of a record or a report, one after the other, with all that the fields
 * point to: to show them, to compare them, to touch every byte that they lead to.
 */
#ifndef TESTS_SUPPORT_WALK_H
#define TESTS_SUPPORT_WALK_H

#include <fxt/common.h>
#include <fxt/record.h>

/* What is called with the fields, or NULL for those to pass over. `field` is a word for
 * people. */
struct walker {
    void *context;
    void (*number)(void *context, const char *field, uint64_t value);
    void (*string)(void *context, const char *field, const struct fxt_string *string);
    void (*thread)(void *context, const char *field, const struct fxt_thread *thread);
    void (*bytes)(void *context, const char *field, const void *data, uint64_t size);
    void (*words)(void *context, const char *field, struct fxt_words words);
};

/* What the record says: its type and all after it. */
void walk_content(const struct walker *w, const struct fxt_record *record);

/* Where the record stands, its bytes, and its provider. */
void walk_frame(const struct walker *w, const struct fxt_record *record);

void walk_error(const struct walker *w, const struct fxt_error *error);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a line of text. Each but the columns begins with a space. A string is
 * printed as a bare word or in double quotes; `#40` is a reference to a string or thread
 * that was never registered, `(...)` and `<...>` are fxtdump's own words.
 */
#ifndef FXTDUMP_PLAIN_H
#define FXTDUMP_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "print.h"
#include "common/base/text.h"

/* Colours, which are SGR sequences: `plain_style` switches one on, if colours are wanted,
 * and `plain_style_end` all off. Padding goes outside of them. */
#define PLAIN_FAINT "\033[2m"
#define PLAIN_BOLD "\033[1m"
#define PLAIN_KIND "\033[36m"
#define PLAIN_ERROR "\033[1;31m"
#define PLAIN_END "\033[m"

static inline void plain_style(struct text *out, const struct print_context *context,
                               const char *style)
{
    if (context->color)
        text_str(out, style);
}

static inline void plain_style_end(struct text *out, const struct print_context *context)
{
    plain_style(out, context, PLAIN_END);
}

/* The columns that a record's line begins with: the offset; the time, where it has one;
 * the kind. */
void plain_start(struct text *out, const struct print_context *context,
                 const struct fxt_record *record);

/* The columns of something that is no record. */
void plain_start_fault(struct text *out, const struct print_context *context,
                       uint64_t offset);

/* The newline. */
void plain_end(struct text *out);

/* Seconds with nine decimals. */
void plain_ns(struct text *out, uint64_t ns);

/* The same, or ticks where the nanoseconds pass 64 bits. */
void plain_seconds(struct text *out, const struct fxt_record *record, uint64_t ticks);

/* " before N" */
void plain_u64(struct text *out, const char *before, uint64_t value);
/* " before 0xN" */
void plain_hex(struct text *out, const char *before, uint64_t value);
/* " N bytes" */
void plain_bytes(struct text *out, uint64_t size);

void plain_word(struct text *out, const struct fxt_string *string);
void plain_quoted(struct text *out, const struct fxt_string *string);

/* Without a space in front. */
void plain_name(struct text *out, const struct fxt_string *name);

/* "category:name", without a space in front and with one. */
void plain_key(struct text *out, const struct fxt_string *category,
               const struct fxt_string *name);
void plain_names(struct text *out, const struct print_context *context,
                 const struct fxt_string *category, const struct fxt_string *name);

/* "process/thread", and the process alone as "process N". */
void plain_thread(struct text *out, const struct fxt_thread *thread);
void plain_process(struct text *out, const struct fxt_thread *thread);

/* The PCs of a stack in hex, a space in front of each, and after those in functions of
 * the kernel whose names are known the function and the offset in it. */
void plain_pcs(struct text *out, const struct print_context *context,
               struct fxt_words pcs);

/* Each argument as "name=value", with the contents of blobs or only their size. */
void plain_args(struct text *out, const struct print_context *context,
                const struct fxt_record *record);

#endif

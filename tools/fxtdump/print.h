/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How records become lines. A format is a struct of functions, and nothing else of
 * fxtdump knows which one it is. They all add to a text and neither keep nor write
 * anything.
 */
#ifndef FXTDUMP_PRINT_H
#define FXTDUMP_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/text.h"
#include "kernel_functions.h"

/* What a line depends on besides the record. */
struct print_context {
    /* The region's number, which is shown only where there are several. */
    uint64_t region;
    bool several_regions;
    /* Print the contents of blobs. */
    bool payload;
    /* Strings among arguments are cut to about so many bytes; 0 for none. */
    size_t max_string_bytes;
    /* Formats for people may use colours. */
    bool color;
    /* The words of a record follow its line, so that it need not have all in it. */
    bool words_follow;
    /* The names of functions of the kernel; NULL for none. */
    const struct kernel_functions *kernel;
};

/* Something that could not be printed because it could not be read. */
struct fault {
    /* Where, from the start of the region, and how many bytes were skipped over it. */
    uint64_t offset;
    uint64_t size;
    /* A short, stable word, and a sentence that is as stable. */
    const char *code;
    const char *message;
    /* The library's report; NULL if the file could not be read. */
    const struct fxt_error *error;
    /* The first of those bytes, as many as are still in memory, and whether their byte
     * order is not this machine's. */
    const void *data;
    size_t n_data;
    bool swapped;
};

struct printer {
    /* A region or file begins, whose name this is; called only if there are several. */
    void (*region)(struct text *out, const struct print_context *context,
                   const char *name);
    void (*record)(struct text *out, const struct print_context *context,
                   const struct fxt_record *record);
    void (*fault)(struct text *out, const struct print_context *context,
                  const struct fault *fault);
};

/* One JSON object a line; fxtdump(1) lists the keys. */
extern const struct printer print_json;

/* For people: one line a record. */
extern const struct printer print_text;

/* The same, and below each line the record's words in hex. */
extern const struct printer print_hex;

/* The same, and below each line every word by its name, those that are made of bit fields
 * with all of them. */
extern const struct printer print_fields;

#endif

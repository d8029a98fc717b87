/* SPDX-License-Identifier: BSD-2-Clause */
/* The references to strings and threads that one record is written with. */
#ifndef LIBFXT_WRITER_ENCODE_REFS_H
#define LIBFXT_WRITER_ENCODE_REFS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

/*
 * The references of one record, as they are to be stored. One to an inline string has the
 * string's size; whether strings can be written at all (their data and size) was checked
 * when it was assigned.
 */
struct encode_refs {
    uint16_t category;
    uint16_t name;
    uint16_t arg_names[FXT_ARGS_MAX];
    uint16_t arg_strings[FXT_ARGS_MAX];
    uint8_t thread;
    /* Legacy context switches. */
    uint8_t incoming;
    /* All are as the record gives them, so that bits that may be references keep their
     * meaning. */
    bool as_given;
};

#endif

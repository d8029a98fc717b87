/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports of files with symbols that were found but cannot be used: each file once, and
 * only if no better file was found.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_FILE_REPORT_H
#define FXTPROFILE_SYMBOLS_DEBUG_FILE_REPORT_H

#include "binary.h"
#include "base/string_table.h"

/* All zero is none. Sentences, in the order in which they came. */
struct debug_file_report {
    struct string_table final;
    /* These may become final. */
    struct string_table pending;
};

/* It has another build id than the one that was asked for, or none. */
void refuse_build_id(struct debug_file_report *refusals, const struct binary *binary,
                     struct string build_id);

/* It has another CRC than the link to it. */
void refuse_crc(struct debug_file_report *refusals, const struct binary *of,
                const struct binary *debug, uint32_t crc);

/* It is no such file at all. */
void refuse_unreadable(struct debug_file_report *refusals, const char *name,
                       const struct text *why);

/* It may lack symbols, if it is damaged: it is used all the same, but a file for
 * debuggers is better. */
void refuse_damage(struct debug_file_report *refusals, const struct binary *binary);

/* Its lines could not be read in full, and there is no better file. */
void refuse_lines(struct debug_file_report *refusals, const struct binary *binary,
                  const struct text *why);

/* The file with what it shares with others is not there, and no better file either. */
void refuse_unshared(struct debug_file_report *refusals, const struct binary *binary);

/* A better file was found; or none was. */
void debug_file_report_forget(struct debug_file_report *refusals);
void debug_file_report_confirm(struct debug_file_report *refusals);

void debug_file_report_free(struct debug_file_report *refusals);

#endif

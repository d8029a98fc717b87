/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports of files with symbols that were found but cannot be used: each file once, and
 * only if no better file was found.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_FILE_REPORT_H
#define FXTPROFILE_SYMBOLS_DEBUG_FILE_REPORT_H

#include "binary.h"
#include "common/base/string_table.h"

/* All zero is an empty report. Sentences, in the order in which they were added. */
struct debug_file_report {
    struct string_table final;
    /* Become final when confirmed. */
    struct string_table pending;
    /* Final ones that were dropped, since a better file was found later. */
    struct string_table dropped;
};

/* The file has another build id than the requested one, or none. */
void debug_file_report_build_id(struct debug_file_report *report,
                                const struct binary *binary, struct string build_id);

/* The file has another CRC than the link to it. */
void debug_file_report_crc(struct debug_file_report *report, const struct binary *of,
                           const struct binary *debug, uint32_t crc);

/* The file cannot be read, or is not an ELF file. */
void debug_file_report_unreadable(struct debug_file_report *report, const char *name,
                                  const struct text *why);

/* The file is damaged, if it is, so that symbols may be missing: it is used unless a
 * separate debug file is found. */
void debug_file_report_damage(struct debug_file_report *report,
                              const struct binary *binary);

/* The lines of the file could not be read completely, and there is no better file. */
void debug_file_report_lines(struct debug_file_report *report,
                             const struct binary *binary, const struct text *why);

/* The file with its shared DWARF (.gnu_debugaltlink) was not found, and there is no
 * better file. */
void debug_file_report_unshared(struct debug_file_report *report,
                                const struct binary *binary);

/* Drops what is pending, since a better file was found; or makes it final, since none
 * was. */
void debug_file_report_forget(struct debug_file_report *report);
void debug_file_report_confirm(struct debug_file_report *report);

/* Drops the final sentences from `first` to `limit`, which is not one of them. */
void debug_file_report_drop(struct debug_file_report *report, uint32_t first,
                            uint32_t limit);
bool debug_file_report_is_dropped(const struct debug_file_report *report,
                                  struct string line);

void debug_file_report_free(struct debug_file_report *report);

#endif

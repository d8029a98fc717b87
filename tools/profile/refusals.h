/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said of files with symbols that were there and are of no use: each of them
 * once, and only if no better file was found.
 */
#ifndef TOOLS_REFUSALS_H
#define TOOLS_REFUSALS_H

#include "binary.h"
#include "string_set.h"

/* All zero is none. Sentences, in the order in which they came. */
struct refusals {
    struct strings final;
    /* These may become final. */
    struct strings pending;
};

/* It has another build id than the one that was asked for, or none. */
void refuse_build_id(struct refusals *refusals, const struct binary *binary,
                     struct string build_id);

/* It has another CRC than the link to it. */
void refuse_crc(struct refusals *refusals, const struct binary *of,
                const struct binary *debug, uint32_t crc);

/* It is no such file at all. */
void refuse_unreadable(struct refusals *refusals, const char *name,
                       const struct text *why);

/* It may lack symbols, if it is damaged: it is used all the same, but a file for
 * debuggers is better. */
void refuse_damage(struct refusals *refusals, const struct binary *binary);

/* Its lines could not be read in full, and there is no better file. */
void refuse_lines(struct refusals *refusals, const struct binary *binary,
                  const struct text *why);

/* The file with what it shares with others is not there, and no better file either. */
void refuse_unshared(struct refusals *refusals, const struct binary *binary);

/* A better file was found; or none was. */
void refusals_forget(struct refusals *refusals);
void refusals_confirm(struct refusals *refusals);

void refusals_free(struct refusals *refusals);

#endif

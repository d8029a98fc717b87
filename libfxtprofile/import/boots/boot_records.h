/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the processes and threads of different boots apart (boots.h). An archive is of
 * the boot that its event `recording` names, from there on; a region is of the boot of
 * the archive before it.
 */
#ifndef FXTPROFILE_IMPORT_BOOTS_BOOT_RECORDS_H
#define FXTPROFILE_IMPORT_BOOTS_BOOT_RECORDS_H

#include <stdint.h>

#include <fxt/record.h>

#include "libfxtprofile/profile/mappings/boots.h"

/* A copy of a record and of its arguments. */
struct boot_record {
    struct fxt_record record;
    struct fxt_arg args[15];
};

/* The boot after an event: that which it names, or `boot`. */
uint32_t boot_records_take(struct boots *boots, uint32_t boot,
                           const struct fxt_record *record);

/* Copies a record of a boot that is not the first: its processes and threads become the
 * numbers that stand for them. */
void boot_records_copy(struct boot_record *copy, struct boots *boots, uint32_t boot,
                       const struct fxt_record *record);

#endif

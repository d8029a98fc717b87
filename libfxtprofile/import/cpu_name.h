/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs from the names of providers and of files. */
#ifndef FXTPROFILE_IMPORT_CPU_NAME_H
#define FXTPROFILE_IMPORT_CPU_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"

/* The CPU of a name like cpu3; PROFILE_NO_CPU for any other. */
uint32_t cpu_of_name(const char *data, size_t size);

/*
 * If all files without a CPU from the user are called cpu0.bin, cpu1.bin and so on, with
 * different numbers, they are of these CPUs, in any order: a shell puts cpu10.bin before
 * cpu2.bin. Archives, which are called *.fxt, *.fxt.gz or *.fxt.zst unless the
 * user says that all files are regions, may be called anything.
 */
void cpus_of_files(struct import_file *files, size_t n, bool are_regions);

#endif

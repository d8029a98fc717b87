/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boots of machines that inputs were recorded in. An id of a process or a thread
 * means something else in each, and so does an address in the kernel.
 *
 * Koids of the first boot, and those of no known boot, are as they are. Those of other
 * boots are replaced by numbers that no process has: from BOOTS_FIRST_KOID on.
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_BOOTS_H
#define FXTPROFILE_PROFILE_MAPPINGS_BOOTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/table.h"

/* Neither an id that a system counts up to nor one of Zircon's with the highest bit. */
#define BOOTS_FIRST_KOID ((uint64_t)1 << 62)

#define BOOTS_NONE UINT32_MAX

/* The first boot is 0. */
struct boot_koid {
    uint64_t koid;
    uint32_t boot;
};

/* All zero is none. */
struct boots {
    struct string_table ids;
    struct boot_koid *koids;
    size_t n_koids;
    size_t capacity;
    struct table table;
};

/* The boot with this id, which is added if it is new. */
uint32_t boots_find(struct boots *boots, struct string id);

/* The number that stands for a koid of a boot. */
uint64_t boots_number(struct boots *boots, uint32_t boot, uint64_t koid);

/* What a number stands for. */
struct boot_koid boots_koid(const struct boots *boots, uint64_t number);

/* The boot of a thread, or of its process if the thread is not known. */
uint32_t boots_of(const struct boots *boots, uint64_t process, uint64_t thread);

/* The number that stands for process 0, the kernel, of the boot that a process is of;
 * UINT64_MAX if nothing is known of it. */
uint64_t boots_kernel(const struct boots *boots, uint64_t process);

#endif

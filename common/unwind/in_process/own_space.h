/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of this process, for walks of this process's stacks by signal handlers and
 * inside malloc.
 *
 * Modules are found in /proc/self/maps, and their tables are built from memory, when a
 * walk first needs them: by that walk, with system calls only. No lock is taken, nothing
 * is waited for, and no memory is the program's. What a walk uses is never changed: a
 * successor is published by one exchange of a pointer, and the old one is released when
 * no walk uses it any more.
 *
 * With glibc 2.35 or later the dynamic linker finds, without a lock, the module at an
 * address (_dl_find_object): so a module that took the place of another one is
 * noticed. With older ones it is not before /proc/self/maps is read again, for a PC that
 * is in no module. Other C libraries never unmap modules.
 */
#ifndef FXTUNWIND_OWN_SPACE_H
#define FXTUNWIND_OWN_SPACE_H

#include "common/unwind/unwind_walk.h"

/* All modules that are mapped now stay until the process ends, as those do that the
 * program was linked with. To be called at most once, before the first walk; without it,
 * any module may go. */
void own_space_keep_modules(void);

/* Builds the tables that all walks need: those of the program and of the C library. */
void own_space_prepare(void);

/* In a child of fork, before its first walk: the walks of other threads are not there. */
void own_space_forked(void);

/*
 * As unwind_walk, but the space and the cache of `start` are set here, and what reads
 * code if that is NULL. `now_ns` is any steady clock's: where code is not known,
 * /proc/self/maps is read again after a pause.
 */
uint32_t own_space_walk(struct unwind_start *start, uint64_t now_ns, uint64_t *pcs,
                        uint32_t max_pcs, struct unwind_result *result);

/* Changes when mappings were read again. */
uint32_t own_space_scans(void);

#endif

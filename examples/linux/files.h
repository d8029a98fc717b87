/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The module's files, in debugfs:
 *
 *     fxtsampler/cpu0 ...    what that CPU's ring has: reading takes it out; the file
 *                            ends where the ring is empty
 *     fxtsampler/running     1 or 0; writing it starts or stops a session
 *     fxtsampler/counts      a line for each CPU, of names and numbers
 *
 * What was ever read of a cpuN, concatenated, is a region.
 */
#ifndef LINUX_FILES_H
#define LINUX_FILES_H

/* Without debugfs the module can be loaded, but its samples cannot be read. */
void files_create(void);

/* When this returns the files are no longer in use. */
void files_remove(void);

#endif

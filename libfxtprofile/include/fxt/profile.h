/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtprofile: makes profiles of samples, spans and heap snapshots in FXT, and writes
 * them in the formats that viewers read.
 *
 *     struct fxt_profile_options options = {.size = sizeof(options)};
 *     struct fxt_profile_builder *builder;
 *     struct fxt_profile *profile;
 *
 *     if (fxt_profile_builder_create(&options, &builder) != FXT_OK) ...
 *     fxt_profile_builder_add_memory(builder, NULL, region, region_size);
 *     fxt_profile_builder_add_module_file(builder, "kernel.elf");
 *     if (fxt_profile_builder_finish(builder, &profile) != FXT_OK)
 *         fprintf(stderr, "%s\n", fxt_profile_builder_message(builder));
 *     fxt_profile_builder_destroy(builder);
 *     if (profile != NULL && fxt_profile_write(profile, NULL, fxt_file_write, file) ...
 *     fxt_profile_destroy(profile);
 *
 * A builder takes inputs, one after the other: files, memory, chunks of a stream, or the
 * records that a reader hands out. fxt_profile_builder_finish makes a profile of them,
 * which is immutable: it can be walked, and written in any format any number of times.
 * The profile does not depend on the order of the inputs, except that regions are
 * assigned to CPU 0, 1, 2 and so on in that order, unless the caller names their CPUs.
 *
 * Errors are sticky: once a call on a builder fails, all later calls do nothing and
 * return the same code, so that it is enough to check what fxt_profile_builder_finish
 * returns. Damaged input is not a failure: whatever can be read is in the profile, and
 * each fault is reported to on_report and counted. The library does not print, does not
 * exit, installs no signal handlers and has no global state.
 *
 * Memory for a builder and its profile comes from the C library's allocator and is
 * bounded by max_bytes. If that is used up, or an allocation fails, the call returns
 * FXT_E_NO_MEMORY, and everything is freed but the builder itself. What zlib and cJSON
 * allocate while they read an input is freed too, but not counted.
 *
 * Threads. An object must not be used from two threads at once; different objects are
 * independent, and a builder and the profile that it made are different objects. Several
 * threads may walk and write one profile. No thread is started unless n_threads requests
 * it.
 *
 * Processes. The debugging information of files is read in a sandboxed child process,
 * which has exited when the call returns, so that a damaged file costs names and no more.
 * A program that waits for any child may be notified of it.
 *
 * Strings are not validated: names from inputs, symbol tables and paths are passed on
 * unchanged, and may contain any bytes.
 */
#ifndef FXT_PROFILE_H
#define FXT_PROFILE_H
#include <fxt/profile_builder.h>
#include <fxt/profile_events.h>
#include <fxt/profile_format.h>
#include <fxt/profile_summary.h>
#include <fxt/profile_walk.h>
#include <fxt/profile_write.h>

#endif

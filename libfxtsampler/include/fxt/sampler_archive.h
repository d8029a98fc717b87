/* SPDX-License-Identifier: BSD-2-Clause */
/* Archives of a session of fxt/sampler.h, which has FXT_SAMPLER_ARCHIVE. */
#ifndef FXT_SAMPLER_ARCHIVE_H
#define FXT_SAMPLER_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/sampler_code.h>
#include <fxt/writer.h>

FXT_BEGIN_DECLS

struct fxt_sampler;

#define FXT_SAMPLER_STACKS_SIZE 512

/* What an archive has. Set `size` to sizeof(struct fxt_sampler_summary). */
struct fxt_sampler_summary {
    size_t size;
    /* Samples in the archive; without samples, in the regions. */
    uint64_t samples;
    /* Records that cannot be read, and regions that have another number of samples than
     * were written to them: memory or files were changed by others. */
    uint64_t damaged;
    /* The time that each sample stands for: the CPU time by the number of samples, or the
     * period of the configuration if the former is not known. */
    uint64_t period_ns;
    /* This process may not have more files open: some modules lack build ids. */
    bool lacks_files;
    /* A line of text: how many of the stacks are whole, and why most of the others are
     * not. Empty where that is not known, as with frame pointers. */
    char stacks[FXT_SAMPLER_STACKS_SIZE];
};

/* Set `size` to sizeof(struct fxt_sampler_archive) and members that you do not use to
 * zero; later versions add members at the end. */
struct fxt_sampler_archive {
    size_t size;
    /* The name of the provider that describes the recording: NULL is "libfxtsampler". */
    const char *recorder;
    /* The command line of the recorder, for users to read; NULL is none. Only its first
     * 16000 bytes are written. */
    const char *command_line;
    /* Leave out the samples, which are in the files of config.directory. */
    bool no_samples;
    /* fxt_sampler_write: if not NULL, it is filled in. */
    struct fxt_sampler_summary *summary;
};

/*
 * Writes an archive of a session that does not run, which needs nothing else to be
 * understood: an event with the method and the time of the recording; the names of the
 * processes and threads in samples; their modules, with build ids, and mappings, those of
 * the kernel as well if it is in samples and its addresses may be known; for each CPU the
 * samples, and what was dropped or lost; the names that JIT compilers have given to
 * functions in samples (docs/symbol-records.md); and an event with the time that each
 * sample stands for. `archive` may be NULL. What was sampled stays; the session may be
 * started again.
 *
 * `write` is called with consecutive parts, and returns 0, or anything else to end the
 * call; fxt/writer.h has functions for files and memory. It must not call any function of
 * fxt/sampler.h. Returns
 *
 *     FXT_SAMPLER_E_NO_SESSION, FXT_SAMPLER_E_RUNNING
 *     FXT_SAMPLER_E_CONFIG     `write` is NULL, or a size is not that of any version
 *     FXT_SAMPLER_E_ARCHIVE    the session was created without FXT_SAMPLER_ARCHIVE
 *     FXT_SAMPLER_E_SINK       `write` has failed
 *     FXT_SAMPLER_E_RESOURCES  there is not enough memory, or was not since the session
 *                              was created; the regions can still be read
 *
 * On failure part of the archive may have been written.
 */
FXT_API enum fxt_sampler_code fxt_sampler_write(struct fxt_sampler *sampler,
                                                const struct fxt_sampler_archive *archive,
                                                fxt_write_fn *write, void *context);

/*
 * The same archive, but written while the session runs, or between its runs:
 *
 *     fxt_sampler_open_archive(sampler, NULL, fxt_file_write, file);
 *     while (...)
 *         sleep(1), fxt_sampler_append(sampler);
 *     fxt_sampler_stop(sampler);
 *     fxt_sampler_append(sampler);
 *     fxt_sampler_close_archive(sampler, NULL);
 *
 * Opening writes the beginning; appending takes all samples out of the regions and writes
 * them after all that is needed to understand them; closing writes the end, without which
 * the archive can be read, too. A session may have one archive after the other: each
 * needs nothing else to be understood. Where samples are kept (fxt_sampler_keep), the
 * first call of fxt_sampler_append writes all of them, and there should be no other. If
 * the archive has no samples, they stay in the regions.
 *
 * `write` is called with consecutive parts, each of whole records and of some 16 KB,
 * unless a record is larger. If it fails, it is not called again until
 * fxt_sampler_close_archive, which tries to write the end; what it was called with then
 * does not continue the part that failed, of which nothing should stay in the file. It
 * must not call any function of fxt/sampler.h. `archive` may be NULL, and its `summary`
 * is not used; that of fxt_sampler_close_archive may be NULL. Return
 *
 *     FXT_SAMPLER_E_NO_SESSION
 *     FXT_SAMPLER_E_CONFIG     `write` is NULL, or a size is not that of any version
 *     FXT_SAMPLER_E_ARCHIVE    the session was created without FXT_SAMPLER_ARCHIVE
 *     FXT_SAMPLER_E_OPEN       an archive is open already; or, to be appended to or
 *                              closed, is not
 *     FXT_SAMPLER_E_SINK       `write` has failed, now or before
 *     FXT_SAMPLER_E_RESOURCES  there is not enough memory, or was not before
 *
 * After a failure to open an archive for FXT_SAMPLER_E_SINK it is open, and after any
 * failure to close it, closed.
 */
FXT_API enum fxt_sampler_code fxt_sampler_open_archive(
    struct fxt_sampler *sampler, const struct fxt_sampler_archive *archive,
    fxt_write_fn *write, void *context);
FXT_API enum fxt_sampler_code fxt_sampler_append(struct fxt_sampler *sampler);
FXT_API enum fxt_sampler_code fxt_sampler_close_archive(
    struct fxt_sampler *sampler, struct fxt_sampler_summary *summary);

FXT_END_DECLS

#endif

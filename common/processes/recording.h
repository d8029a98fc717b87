/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording: what is known of it and of the processes in it. Its samples come in blocks
 * of regions, and go to archives (archive_stream.h). */
#ifndef PROCESSES_RECORDING_H
#define PROCESSES_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "filled_regions.h"
#include "kernel_modules.h"
#include "kernel_names.h"
#include "process_records.h"
#include "process_table.h"
#include "stack_ends.h"

/* An event that was sampled, in the order of their numbers in samples: its unit is
 * "nanoseconds" or "count", and a sample stands for `period` of them, unless it says
 * otherwise. */
struct sampled_source {
    const char *name;
    const char *unit;
    uint64_t period;
    /* Once the recording ends: how many there were, and how many the samples stand for,
     * with those that were dropped or lost; both are 0 where that is not known. And how
     * many samples were lost. */
    uint64_t counted;
    uint64_t sampled;
    uint64_t lost;
};

/* All zero is one that has not begun. What it has, memory and open files, is left to the
 * pool in use. */
struct recording {
    struct process_table table;
    struct kernel_modules kernel;
    struct kernel_names kernel_names;
    /* The name of the first provider. */
    const char *recorder;
    /* The recorder's, quoted; NULL is none. */
    const char *command_line;
    /* The sampling method. */
    const char *method;
    /* Whose events took the samples; NULL where there are no events. */
    const char *events;
    /* Another machine was recorded, whose files are not known, and whose kernel is known
     * only if there are modules in `kernel`. */
    bool is_remote;
    struct clock_readings start;
    /* What was sampled; none is CPU time, or cycles. */
    const struct sampled_source *sources;
    uint32_t n_sources;
    /* The period that was requested; and that in cycles, if the samples are of cycles. */
    uint64_t asked_period_ns;
    uint64_t period_cycles;
    /* The CPU time that was sampled, 0 where it is not known; and how many samples are of
     * it, including those that were dropped or lost. */
    uint64_t cpu_ns;
    uint64_t n_of_cpu_ns;
    uint64_t n_throttled;

    /* What recording_add_block has found so far: samples, records that are damaged, and
     * how stacks ended. */
    uint64_t n_samples;
    uint64_t n_damaged;
    struct stack_ends ends;
    /* The kernel's modules were looked for, whether or not they may be known. */
    bool has_read_kernel;
    /* When recording_forget was last called. */
    uint64_t forgot_ns;
};

/* Takes the samples of a block: marks in the table whose they are, counts them, and reads
 * the files that processes have mapped. The regions get the size of their records, and
 * how many samples they have. */
void recording_add_block(struct recording *recording, struct filled_regions *block);

/* Reads where the kernel and its modules are, and their functions, which takes some
 * tenths of a second: best before there is anything to be late for. Else it is done when
 * the kernel is first sampled. */
void recording_read_kernel(struct recording *recording);

/* Another archive begins, which has nothing yet. */
void recording_start_archive(struct recording *recording);

/* Forgets what was taken, for a recording whose blocks are taken again. */
void recording_restart(struct recording *recording);

/* Reads the names that JIT compilers have given, and the kernel: those that are due, or
 * all. */
void recording_read_names(struct recording *recording, bool all);

/* Removes what is of no use for samples of the last `keep_ns`, if it is called again some
 * seconds later: so it can be called at any time. */
void recording_forget(struct recording *recording, uint64_t keep_ns);

/* The time that each sample stands for. */
uint64_t recording_period(const struct recording *recording);

/* Writes what is known when an archive begins: the event recording. */
void recording_write_start(struct fxt_writer *writer, const struct recording *recording);

/* What is known when it ends, in addition to what the recording has. */
struct recording_end {
    uint64_t n_samples;
    uint64_t n_unwritten;
    /* How the stacks in it ended, by enum fxt_stack_end. */
    uint64_t ends[STACK_ENDS];
};

/* Writes that: the events stack_ends, if any stack says how it ended, and
 * recording_end. */
void recording_write_end(struct fxt_writer *writer, const struct recording *recording,
                         const struct recording_end *end);

#endif

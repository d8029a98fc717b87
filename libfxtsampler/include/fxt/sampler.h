/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtsampler: stacks of running programs on Linux, as Zircon's kernel sampler takes
 * them (zx_sampler_create and related system calls).
 *
 *     struct fxt_sampler_config config = {.size = sizeof(config)};
 *
 *     config.period_ns = 1000000;
 *     config.buffer_size = 4 << 20;
 *     fxt_sampler_create(0, &config, &sampler);
 *     fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
 *     fxt_sampler_start(sampler);
 *     ...
 *     fxt_sampler_stop(sampler);
 *     for (i = 0; fxt_sampler_read(sampler, i, &region) == FXT_SAMPLER_OK; i++)
 *         fwrite(region.data, 1, region.size, file_of(region.cpu));
 *     fxt_sampler_destroy(sampler);
 *
 * With FXT_SAMPLER_ARCHIVE among config.flags, fxt_sampler_write writes all that in one
 * archive, with the names and modules that profilers need:
 *
 *     fxt_sampler_write(sampler, NULL, fxt_file_write, file);
 *
 * A session has a region of memory for each CPU. While the session runs, the stack of the
 * code that runs on a CPU is written to that CPU's region every period, until the session
 * is stopped or the region is full: then further samples are dropped and counted. A
 * region holds records as fxt/emit.h writes them; a header of zero ends its data.
 * Timestamps are nanoseconds of CLOCK_MONOTONIC, processes and threads have the kernel's
 * ids, and a stack has at most FXT_SAMPLER_DEPTH_MAX PCs. Where it is known how a stack
 * ended, the sample says so (fxt_emit_stack).
 *
 * There are two ways to sample.
 *
 * - *perf*: the kernel samples (perf_event_open, with a software clock on each CPU or its
 *   cycle counter): any process or all of them, user and kernel stacks, new threads and
 *   children included. A thread of the session takes the kernel's samples, with a copy of
 *   the user's stack, finds the callers by unwind tables, and writes PCs to the regions.
 *   The system may forbid it.
 * - *signal*: a timer for each thread, and a handler of SIGPROF that unwinds the code
 *   that it interrupted. Only for threads of this process, and only user stacks; needs no
 *   permission. A period of at least the kernel's tick (1 to 10 ms) is measured in the
 *   thread's CPU time, and a waiting thread is not interrupted. The kernel checks CPU
 *   time only at its ticks, so a shorter period is measured in wall-clock time as long as
 *   the thread is not found waiting: then a blocking system call may return EINTR once or
 *   twice. A signal that arrives late, since the thread waited for a CPU, makes no
 *   sample, and the next one stands for its time, too. The cost of the signals for a
 *   thread, including the kernel's part, is measured and limited to a quarter of its
 *   time: beyond that, the thread's period is stretched to several, and each stack makes
 *   as many samples, so that all samples stand for the same time. CPU time that a thread
 *   uses while it blocks SIGPROF is written when it is detached, or the session is
 *   stopped, as samples that have no stack (FXT_STACK_END_NOT_SAMPLED).
 *
 * Both unwind by the tables that programs have for exceptions. perf with
 * FXT_SAMPLER_FRAME_POINTERS needs code with frame pointers to see more than the
 * innermost function.
 *
 * A process can have one session at a time. All functions may be called from any thread;
 * none may be called from a signal handler, or from the session's on_event function.
 * After fork, a child must call fxt_sampler_forget before any other function.
 *
 * fxt/sampler_config.h has the configuration of sessions, fxt/sampler_archive.h writes
 * their archives, and fxt/sampler_code.h has the error codes: this header includes them.
 */
#ifndef FXT_SAMPLER_H
#define FXT_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fxt/compiler.h>
#include <fxt/sample.h>
#include <fxt/sampler_archive.h>
#include <fxt/sampler_code.h>
#include <fxt/sampler_config.h>

FXT_BEGIN_DECLS

struct fxt_sampler;

/* ---- The session ------------------------------------------------------------------- */

/*
 * Creates a session, which has no targets and does not run, and stores it in `*sampler`;
 * on failure stores NULL. `options` must be 0. Returns
 *
 *     FXT_SAMPLER_E_OPTIONS, FXT_SAMPLER_E_CONFIG, FXT_SAMPLER_E_PERIOD,
 *     FXT_SAMPLER_E_BUFFER_SIZE, FXT_SAMPLER_E_DISCIPLINE, FXT_SAMPLER_E_EXISTS
 *     FXT_SAMPLER_E_METHOD       kernel stacks, or cycles, by signals
 *     FXT_SAMPLER_E_PERMISSION   the system forbids the method, or the directory
 *     FXT_SAMPLER_E_SUPPORT      the system has no such method, or a CPU no cycle counter
 *                                that can trigger samples
 *     FXT_SAMPLER_E_EVENT        a source is not available; the reason names it
 *     FXT_SAMPLER_E_RESOURCES    there is no memory for the regions
 */
FXT_API enum fxt_sampler_code fxt_sampler_create(uint64_t options,
                                                 const struct fxt_sampler_config *config,
                                                 struct fxt_sampler **sampler);

/* Which method a session has; FXT_SAMPLER_AUTO only if there is no such session. */
FXT_API enum fxt_sampler_method fxt_sampler_method(const struct fxt_sampler *sampler);

/* Why the session does less than was requested: why its method is signal although perf is
 * preferred, or why there are no kernel stacks. Empty if it does not. Valid as long as
 * the session. With NULL, details of why the last fxt_sampler_create failed, if its code
 * does not say all; valid until the next one. */
FXT_API const char *fxt_sampler_reason(const struct fxt_sampler *sampler);

/* How many cycles of its CPU each sample stands for; 0 without FXT_SAMPLER_CYCLES, or
 * where there is no such session. */
FXT_API uint64_t fxt_sampler_cycles(const struct fxt_sampler *sampler);

/* How many thousandths of the time of what is sampled the samples take, as was measured
 * when the session was created. 0 for periods that are too long to cost much, a
 * millisecond by perf events, the kernel's tick by signals; and where there is no such
 * session. */
FXT_API uint32_t fxt_sampler_cost(const struct fxt_sampler *sampler);

enum fxt_sampler_target {
    /* One thread. */
    FXT_SAMPLER_THREAD = 1,
    /* A process, with the threads and children that it will have. With signals: without
     * children, and new threads are looked for every 10 ms, or up to 200 ms where there
     * are thousands; the CPU time of those that end before they are found is written as
     * samples of thread 0 that have no stack (FXT_STACK_END_NOT_SAMPLED). */
    FXT_SAMPLER_PROCESS = 2,
    /* Everything, but for idle CPUs; the id is 0. */
    FXT_SAMPLER_SYSTEM = 3,
    /* A control group, and those below it: the id is a descriptor of its directory, below
     * /sys/fs/cgroup or, with version 1, in the hierarchy perf_event. It may be closed
     * after the call. */
    FXT_SAMPLER_CGROUP = 4
};

/*
 * Adds a target, whether the session runs or not. Returns
 *
 *     FXT_SAMPLER_E_NO_SESSION
 *     FXT_SAMPLER_E_NO_TARGET   there is no such thread, process or control group
 *     FXT_SAMPLER_E_ATTACHED    it is already attached, or sampled with another target
 *     FXT_SAMPLER_E_METHOD      with signals, another process, a control group or the
 *                               system
 *     FXT_SAMPLER_E_PERMISSION  the caller may not observe the process
 *     FXT_SAMPLER_E_RESOURCES   out of files or timers, which each thread needs
 */
FXT_API enum fxt_sampler_code fxt_sampler_attach(struct fxt_sampler *sampler,
                                                 enum fxt_sampler_target target,
                                                 pid_t id);

/* Detaches a thread. With signals every thread should be detached before it ends, as its
 * timer would continue. Returns FXT_SAMPLER_E_NO_SESSION; FXT_SAMPLER_E_ATTACHED if the
 * thread was not attached individually. */
FXT_API enum fxt_sampler_code fxt_sampler_detach(struct fxt_sampler *sampler,
                                                 pid_t thread);

/* Starts sampling, or resumes it and appends to what was sampled before. Returns
 * FXT_SAMPLER_E_NO_SESSION, FXT_SAMPLER_E_RUNNING, FXT_SAMPLER_E_RESOURCES;
 * FXT_SAMPLER_E_FULL if a region is full, which fxt_sampler_drain or fxt_sampler_clear
 * empties. */
FXT_API enum fxt_sampler_code fxt_sampler_start(struct fxt_sampler *sampler);

/* Stops sampling, and returns when nothing writes to any region any more. Returns
 * FXT_SAMPLER_E_NO_SESSION, FXT_SAMPLER_E_NOT_RUNNING. */
FXT_API enum fxt_sampler_code fxt_sampler_stop(struct fxt_sampler *sampler);

/* Ends the session, which is stopped first if it runs, and frees all its memory; regions
 * that are files stay. Returns FXT_SAMPLER_E_NO_SESSION, also for NULL. */
FXT_API enum fxt_sampler_code fxt_sampler_destroy(struct fxt_sampler *sampler);

/* For a child of fork: releases the parent's session, if it had one. */
FXT_API void fxt_sampler_forget(void);

/* ---- What was sampled -------------------------------------------------------------- */

/* Counts since the start of the session. */
struct fxt_sampler_counts {
    /* Samples that were written to the regions, whether they are still there or not. */
    uint64_t samples;
    /* Samples dropped because a region was full, and their size in bytes. */
    uint64_t dropped;
    uint64_t dropped_bytes;
    /* perf: samples, or other records, that the kernel had no room for; by the events of
     * CPUs (by_cpus), those of other processes as well. */
    uint64_t lost;
    /* perf: how often the kernel throttled an event, since sampling took too much time.
     * signal: how often the period of a thread was stretched for that reason. */
    uint64_t throttled;
    /* signal: samples that were not written since another thread was writing to the
     * region. */
    uint64_t busy;
    /* signal: signals that made no sample, since they arrived late or the thread had not
     * run; and how many periods were merged with another one, since signals came
     * late, or were added by stretching: each of these makes a sample, with the same
     * stack. */
    uint64_t skipped;
    uint64_t merged;
    /* CPUs that were hot-added and removed since the session began. */
    uint64_t cpus_came;
    uint64_t cpus_went;
    /* The CPU time that the targets used while the session ran, in nanoseconds: what all
     * samples together stand for, including those that were dropped or lost. A kernel
     * whose timers run late takes fewer than one sample per period. 0 where it is not
     * known: for the whole system, for user or kernel stacks only, for sources, and for a
     * single region. With signals, the time of threads that ended without being detached
     * is missing. */
    uint64_t cpu_ns;
    /* FXT_SAMPLER_CYCLES: how much of that time, or of all CPUs' if they are the target,
     * made no samples, since the counters were in use by others: a CPU has few. 0 if less
     * than a twentieth, the precision of this value, and for a single region. */
    uint64_t uncounted_ns;
    /* perf: how many threads and processes have begun among the targets while these were
     * sampled by events of their own. Each of them had its first sample a whole period
     * after it had begun, or none. 0 for a single region. */
    uint64_t begun;
    /* perf: 1 if the targets are sampled by the events of CPUs, which have no such bias:
     * the system, control groups, and threads and processes from the time on that many
     * began. These events sample other processes as well, and such samples are dropped.
     * It needs the right to sample the whole system. Else 0. */
    uint64_t by_cpus;
    /* Records in the regions that are no samples: of scheduling; and those that were
     * dropped because a region was full. */
    uint64_t others;
    uint64_t others_dropped;
};

/* Sums up the counts of all CPUs. May be called at any time. Returns
 * FXT_SAMPLER_E_NO_SESSION. */
FXT_API enum fxt_sampler_code fxt_sampler_count(const struct fxt_sampler *sampler,
                                                struct fxt_sampler_counts *counts);

struct fxt_sampler_region {
    uint32_t cpu;
    /* The region, which is valid as long as the session, and its size in bytes. */
    const void *data;
    uint64_t size;
    /* How many bytes of records are in it. */
    uint64_t used;
    /* The counts of this CPU; the samples are those in the region. */
    struct fxt_sampler_counts counts;
    /* If anything was dropped or lost: the first and the last time. */
    uint64_t first_drop;
    uint64_t last_drop;
};

/* Describes region `index`, from 0 on: one for each CPU that was online when the session
 * began or was hot-added later. Returns FXT_SAMPLER_E_NO_SESSION, FXT_SAMPLER_E_RUNNING,
 * FXT_SAMPLER_E_REGION. */
FXT_API enum fxt_sampler_code fxt_sampler_read(const struct fxt_sampler *sampler,
                                               uint32_t index,
                                               struct fxt_sampler_region *region);

/* ---- While it runs ----------------------------------------------------------------- */

/*
 * These take records out of the regions, whether the session runs or not; their memory is
 * then used again. Each record is taken once, by whichever function comes first. A thread
 * that is writing to a region is waited for, up to 0.2 seconds; after that, the region is
 * left for the next call. With signals, samples of the microsecond in which a region is
 * set back are refused (`busy`).
 *
 * Functions of the caller get records in the thread that calls, one call at a time, and
 * all other functions of sessions wait for it, in other threads: they must not be
 * called from it.
 */

/* Takes whole records of a CPU, in the order of time: `size` bytes, valid until the
 * function returns. Returns 0; or anything else to end the call, and then the same
 * records come again. */
typedef int fxt_sampler_records_fn(void *context, uint32_t cpu, const void *records,
                                   size_t size);

/* Calls `take` with all records since the last call, CPU by CPU, up to about a megabyte
 * at a time. Returns FXT_SAMPLER_E_NO_SESSION; FXT_SAMPLER_E_CONFIG if `take` is NULL;
 * FXT_SAMPLER_E_SINK if it has failed. */
FXT_API enum fxt_sampler_code fxt_sampler_drain(struct fxt_sampler *sampler,
                                                fxt_sampler_records_fn *take,
                                                void *context);

/* Takes a sample, which is valid until the function returns. Returns 0, or anything else
 * to end the call. */
typedef int fxt_sampler_sample_fn(void *context, uint32_t cpu,
                                  const struct fxt_sample *sample);

/* The same, sample by sample. If `take` ends the call, the samples of that
 * megabyte come again. Also returns FXT_SAMPLER_E_RESOURCES. */
FXT_API enum fxt_sampler_code fxt_sampler_drain_samples(struct fxt_sampler *sampler,
                                                        fxt_sampler_sample_fn *take,
                                                        void *context);

/* Discards all samples, including those kept by fxt_sampler_keep. Returns
 * FXT_SAMPLER_E_NO_SESSION. */
FXT_API enum fxt_sampler_code fxt_sampler_clear(struct fxt_sampler *sampler);

/*
 * Moves all samples from the regions to other memory of the session, and discards those
 * that were taken more than `last_ns` ago: called every few milliseconds or seconds, it
 * makes the session a flight recorder. At most as many bytes as all regions have are
 * kept: beyond that, the oldest are discarded, too. From then on, archives have what is
 * kept, which stays. Returns FXT_SAMPLER_E_NO_SESSION, FXT_SAMPLER_E_CONFIG if `last_ns`
 * is 0, FXT_SAMPLER_E_RESOURCES.
 */
FXT_API enum fxt_sampler_code fxt_sampler_keep(struct fxt_sampler *sampler,
                                               uint64_t last_ns);

/*
 * Gives a thread another name in archives, from now on, such as what it is working on:
 * its samples so far have the name that it had. NULL ends that. Returns
 * FXT_SAMPLER_E_NO_SESSION, FXT_SAMPLER_E_RESOURCES; FXT_SAMPLER_E_ARCHIVE if the session
 * was created without FXT_SAMPLER_ARCHIVE; FXT_SAMPLER_E_NO_TARGET if there is no such
 * thread.
 */
FXT_API enum fxt_sampler_code fxt_sampler_label(struct fxt_sampler *sampler, pid_t thread,
                                                const char *label);

FXT_END_DECLS

#endif

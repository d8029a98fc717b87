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
 * sample, and the next one stands for its time, too. The cost of the signals for a
 * thread, including the kernel's part, is measured and limited to a quarter of its time:
 * beyond that, the thread's period is stretched to several, and each stack makes as many
 *   samples, so that all samples stand for the same time. CPU time that a thread uses
 *   while it blocks SIGPROF is written when it is detached, or the session is stopped, as
 *   samples that have no stack (FXT_STACK_END_NOT_SAMPLED).
 *
 * Both unwind by the tables that programs have for exceptions. perf with
 * FXT_SAMPLER_FRAME_POINTERS needs code with frame pointers to see more than the
 * innermost function.
 *
 * A process can have one session at a time. All functions may be called from any thread;
 * none may be called from a signal handler, or from the session's on_event function.
 * After fork, a child must call fxt_sampler_forget before any other function of this
 * header.
 */
#ifndef FXT_SAMPLER_H
#define FXT_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fxt/compiler.h>
#include <fxt/sample.h>
#include <fxt/writer.h>

FXT_BEGIN_DECLS

struct fxt_sampler;

/* ---- Errors ------------------------------------------------------------------------ */

/* What a function returns. The numbers are pinned. A call that returns an error has done
 * nothing. */
enum fxt_sampler_code {
    FXT_SAMPLER_OK = 0,
    /* fxt_sampler_create: the options are not 0. */
    FXT_SAMPLER_E_OPTIONS = 1,
    /* The configuration is NULL, its size is not that of any version, or it has a method,
     * a flag or a member that this version does not know. */
    FXT_SAMPLER_E_CONFIG = 2,
    /* The period is shorter than FXT_SAMPLER_PERIOD_MIN_NS, or longer than a day; or
     * signals cost so much on this machine that they would have to be more than 100 times
     * less frequent. */
    FXT_SAMPLER_E_PERIOD = 3,
    /* The buffer size is 0, or larger than FXT_SAMPLER_BUFFER_SIZE_MAX. */
    FXT_SAMPLER_E_BUFFER_SIZE = 4,
    /* The discipline is not FXT_SAMPLER_DISCIPLINE_NONE. */
    FXT_SAMPLER_E_DISCIPLINE = 5,
    /* This process has a session already. */
    FXT_SAMPLER_E_EXISTS = 6,
    /* There is no such session: it was not created, or it was destroyed. */
    FXT_SAMPLER_E_NO_SESSION = 7,
    /* The session runs: it cannot be started, nor its regions read. */
    FXT_SAMPLER_E_RUNNING = 8,
    /* The session does not run: it cannot be stopped. */
    FXT_SAMPLER_E_NOT_RUNNING = 9,
    /* There is no such process or thread. */
    FXT_SAMPLER_E_NO_TARGET = 10,
    /* The thread or process is attached already, or, to be detached, is not. */
    FXT_SAMPLER_E_ATTACHED = 11,
    /* The method cannot do this: by signals, other processes, kernel stacks or cycles. */
    FXT_SAMPLER_E_METHOD = 12,
    /* The system does not allow it. */
    FXT_SAMPLER_E_PERMISSION = 13,
    /* The system does not support it. */
    FXT_SAMPLER_E_SUPPORT = 14,
    /* There is no region with that index: it is not below their number. */
    FXT_SAMPLER_E_REGION = 15,
    /* Out of memory, or of another limited resource (files, timers, threads). */
    FXT_SAMPLER_E_RESOURCES = 16,
    /* fxt_sampler_write: the session was created without FXT_SAMPLER_ARCHIVE. */
    FXT_SAMPLER_E_ARCHIVE = 17,
    /* The caller's function, which was to write or take something, has failed. */
    FXT_SAMPLER_E_SINK = 18,
    /* A region is full: nothing more can be sampled on its CPU. */
    FXT_SAMPLER_E_FULL = 19,
    /* An archive is open already; or, to be appended to or closed, is not. */
    FXT_SAMPLER_E_OPEN = 20,
    /* This machine has no such event, or it cannot take samples. */
    FXT_SAMPLER_E_EVENT = 21
};

/* A short, stable word for a code, such as "not_running"; "unknown_code" for any other
 * number. The string is static. */
FXT_API const char *fxt_sampler_code_name(enum fxt_sampler_code code);

/* A human-readable message for a code, without a full stop. The string is static. */
FXT_API const char *fxt_sampler_code_message(enum fxt_sampler_code code);

/* ---- Configuration ----------------------------------------------------------------- */

enum fxt_sampler_method {
    /* perf, or signal where perf is not available. */
    FXT_SAMPLER_AUTO = 0,
    FXT_SAMPLER_PERF = 1,
    FXT_SAMPLER_SIGNAL = 2
};

/* Flags of a configuration. */
enum fxt_sampler_flag {
    /* Write profiler backtraces, as Zircon's sampler does since 2025, not large blobs. */
    FXT_SAMPLER_BACKTRACES = 1,
    /* Not the kernel: code that runs in it makes no sample. */
    FXT_SAMPLER_USER_ONLY = 2,
    /* Only the kernel: no user stacks, and code that runs outside of it makes no
     * sample. */
    FXT_SAMPLER_KERNEL_ONLY = 4,
    /*
     * perf: sample by each CPU's cycle counter, in place of the kernel's clock. Code that
     * runs with interrupts disabled is itself sampled if the counter's interrupt cannot
     * be masked (NMI), as on x86; with the clock, its time appears where interrupts are
     * enabled again. The counter's interrupt arrives some instructions late, so that with
     * FXT_SAMPLER_USER_ONLY or FXT_SAMPLER_KERNEL_ONLY a stack may be of the code that
     * ran next, in the kernel or outside of it.
     *
     * All samples stand for the same number of cycles (fxt_sampler_cycles): as many as
     * pass in the period on the CPU that creates the session, measured for 20 ms. A CPU
     * that runs slower than that takes fewer samples, one that runs faster more. Cycles
     * of KVM guests are not counted; where a CPU counts while it is idle, a session of
     * the whole system shows that as process 0.
     *
     * Without such counters no session is created: there is no fallback to the clock or,
     * with FXT_SAMPLER_AUTO, to signals.
     */
    FXT_SAMPLER_CYCLES = 8,
    /*
     * Keep what fxt_sampler_write needs: the names of the processes and threads that are
     * sampled, and what code they have mapped. It is read from /proc when a target is
     * attached, and followed by the kernel's events; with signals, which report none, it
     * is read again when the session stops. Files with code are kept open, so that their
     * build ids can be read even if they are deleted.
     *
     * A child of this process that has not called exec when it is attached is taken for
     * one that is about to: nothing is known of it until it does, or if it never does, it
     * is described like this process, of which it is a copy.
     */
    FXT_SAMPLER_ARCHIVE = 16,
    /*
     * perf: write scheduling records (docs/scheduling.md), too: context switches and,
     * where tracefs can be read, wakeups. A session of the whole system has those of all
     * CPUs. Of threads and processes it has those of these threads, in which thread 0
     * stands for all else that a CPU does. There are none of control groups.
     *
     * Threads and processes are sampled by events of their own then, however many begin.
     */
    FXT_SAMPLER_SCHEDULING = 32,
    /* The same, and the stack of each thread that is switched out, of which at most the
     * first 16384 bytes are unwound. It needs the right to sample the kernel. */
    FXT_SAMPLER_OFF_CPU = 64
};

enum fxt_sampler_call_graph {
    /* By unwind tables where this machine and its kernel support that, else by frame
     * pointers. */
    FXT_SAMPLER_CALL_GRAPH_AUTO = 0,
    /* By unwind tables, .eh_frame or .debug_frame, which nearly all programs have; and by
     * frame pointers where there are none, as in code made at run time. */
    FXT_SAMPLER_UNWIND_TABLES = 1,
    /* By the kernel, which follows frame pointers. */
    FXT_SAMPLER_FRAME_POINTERS = 2
};

/* How much the kernel can copy of a stack, and, by default, does. */
#define FXT_SAMPLER_STACK_SIZE_MAX 65528
#define FXT_SAMPLER_STACK_SIZE FXT_SAMPLER_STACK_SIZE_MAX
/* The most PCs that a sample has; one whose stack is deeper has those nearest the leaf.
 * By signals there are at most FXT_SAMPLER_PCS_MAX. */
#define FXT_SAMPLER_DEPTH_MAX 1024

#define FXT_SAMPLER_PERIOD_MIN_NS 10000
#define FXT_SAMPLER_PERIOD_MAX_NS UINT64_C(86400000000000)
#define FXT_SAMPLER_BUFFER_SIZE_MAX (UINT64_C(1) << 30)
#define FXT_SAMPLER_DISCIPLINE_NONE 0

/*
 * An event to sample: what counts, and takes a sample whenever so many have come. `type`
 * and the others are those of struct perf_event_attr; `name` is what archives call it, of
 * up to 63 printable characters without spaces.
 */
struct fxt_sampler_source {
    const char *name;
    uint32_t type;
    uint64_t config;
    uint64_t config1;
    uint64_t config2;
};

#define FXT_SAMPLER_SOURCES_MAX 16

/* Fills in the event that perf calls by a name such as "page-faults" or "cycles", of
 * those that do not depend on the machine. Returns false for any other name. This machine
 * may lack it all the same: fxt_sampler_create reports that. */
FXT_API bool fxt_sampler_find_source(const char *name, struct fxt_sampler_source *source);

/* What the kernel reports about processes while a session samples them. */
enum fxt_sampler_event_kind {
    /* A thread was given a name. */
    FXT_SAMPLER_NAMED = 1,
    /* The same, by exec: it is the name of the process, too. */
    FXT_SAMPLER_EXECUTED = 2,
    /* A thread was created: in a new process, which has its parent's mappings, if
     * `process` is not `parent`. */
    FXT_SAMPLER_FORKED = 3,
    /* Code was mapped. */
    FXT_SAMPLER_MAPPED = 4
};

struct fxt_sampler_event {
    enum fxt_sampler_event_kind kind;
    pid_t process;
    pid_t thread;
    /* Forks: the process and thread that created it. */
    pid_t parent;
    pid_t parent_thread;
    /* Names and mappings: the thread's name; the file's, as /proc/PID/maps has it. */
    const char *name;
    /* Mappings: the `length` bytes at address `start` map the file from `offset` on. The
     * flags are enum fxt_mapping_flag. */
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t flags;
    /* Mappings: the file's build id, if the kernel reports it: this is requested only
     * where all targets are children of this process. */
    const unsigned char *build_id;
    size_t build_id_size;
    /* Mappings without a build id: the file's device and inode number, and the generation
     * of that inode number. They distinguish files that had the same name one after the
     * other, or have it in several root directories. */
    uint32_t device_major;
    uint32_t device_minor;
    uint64_t inode;
    uint64_t inode_generation;
    /* When it happened: nanoseconds of CLOCK_MONOTONIC. */
    uint64_t time_ns;
};

/* Called from a thread of the session, one call at a time, between fxt_sampler_start and
 * the return of fxt_sampler_stop. The event is valid until the function returns. It must
 * not call any function of this header.
 *
 * With FXT_SAMPLER_SYSTEM it gets all events since fxt_sampler_attach, including those
 * before fxt_sampler_start. A caller that reads /proc in between misses no process that
 * is sampled. */
typedef void fxt_sampler_event_fn(void *context, const struct fxt_sampler_event *event);

/* Set `size` to sizeof(struct fxt_sampler_config) and members that you do not use to
 * zero; later versions add members at the end. */
struct fxt_sampler_config {
    size_t size;
    /* The time between two samples of a CPU; with FXT_SAMPLER_CYCLES, approximately. */
    uint64_t period_ns;
    /* The size of each region, in bytes; it is rounded up to whole pages. */
    uint64_t buffer_size;
    /* How reader and writer share a region: FXT_SAMPLER_DISCIPLINE_NONE. */
    uint64_t discipline;
    enum fxt_sampler_method method;
    /* enum fxt_sampler_flag */
    uint32_t flags;
    /* If not NULL, a directory: each region is a file there, cpu0.bin and so on, and its
     * contents remain even if the process is killed. */
    const char *directory;
    /* Called with each event that the kernel reports; NULL to ignore them. Signals report
     * none. */
    fxt_sampler_event_fn *on_event;
    void *context;
    /* FXT_SAMPLER_ARCHIVE: how many bytes of memory may be used for what is known of
     * processes, and for writing it; 0 means no bound. When they are used up, or
     * memory runs out, sampling continues, but fxt_sampler_write fails. */
    uint64_t max_bytes;
    /* perf: how the callers of user code are found. */
    enum fxt_sampler_call_graph call_graph;
    /* perf, by unwind tables: how many bytes of a stack are copied for each sample, a
     * multiple of 8, at most FXT_SAMPLER_STACK_SIZE_MAX; 0 for FXT_SAMPLER_STACK_SIZE, or
     * less, down to 4096, with a period below 170 us, or where this user may lock little
     * memory. */
    uint32_t stack_size;
    /*
     * perf: what is sampled, in place of the clock: `n_sources` different events. Clocks
     * (cpu-clock and task-clock) take samples every period_ns; of any other event a
     * sample is taken for every `source_count` of them, or, if that is 0, for as many as
     * makes one sample every period_ns, which the kernel adapts: then each of these
     * samples says how many it stands for. Archives declare the events
     * (docs/sampled-events.md).
     *
     * Not with FXT_SAMPLER_BACKTRACES, FXT_SAMPLER_CYCLES or `directory`, and context
     * switches not with FXT_SAMPLER_OFF_CPU, which samples them. By signals only
     * one clock, which is the default. Counters of the processor are few: the kernel
     * takes turns if there are too many, and then samples of them are missing.
     */
    const struct fxt_sampler_source *sources;
    uint32_t n_sources;
    uint64_t source_count;
};

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
 * all other functions of this header wait for it, in other threads: they must not be
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

/* ---- Archives ---------------------------------------------------------------------- */

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
 * this header. Returns
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
 * must not call any function of this header. `archive` may be NULL, and its `summary` is
 * not used; that of fxt_sampler_close_archive may be NULL. Return
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

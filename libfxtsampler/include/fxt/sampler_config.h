/* SPDX-License-Identifier: BSD-2-Clause */
/* How a session of fxt/sampler.h samples, and what it is to sample. */
#ifndef FXT_SAMPLER_CONFIG_H
#define FXT_SAMPLER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

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
 * not call any function of fxt/sampler.h.
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

FXT_END_DECLS

#endif

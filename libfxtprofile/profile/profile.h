/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished profile: how often each stack was seen, of which thread and on which CPU,
 * and what the addresses in it are. Outputs get it as `const struct profile *` and need
 * nothing else. Nothing in it refers to the input, to an output format, or to how it was
 * built: profile_builder.h builds it.
 */
#ifndef FXTPROFILE_PROFILE_PROFILE_H
#define FXTPROFILE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/types.h>

#include "common/base/arena.h"
#include "common/base/string_table.h"
#include "values/event_summary.h"
#include "koid_names.h"
#include "timeline.h"

/* What the numbers of a sample mean: such as {"samples", "count"}. */
struct profile_type {
    const char *type;
    const char *unit;
};

/* The most types while a profile is built, and the most events: see
 * values/event_values.h. */
enum { PROFILE_TYPES_MAX = 5, PROFILE_EVENTS_MAX = 16 };

/* What a sample has beside its stack and values. */
struct profile_labels {
    uint64_t process;
    uint64_t thread;
    /* Which of their names they had at that time: see struct koid_names_id. */
    uint32_t process_name;
    uint32_t thread_name;
    /* PROFILE_NO_CPU where it is not known. */
    uint32_t cpu;
    /* The tag of a heap's block, where blocks are separate samples; else 0. */
    uint32_t tag;
    /* Which event was sampled, by its number among the types; and, until samples have
     * values for events, and in a timeline, how many of them each sample stands for. Else
     * 0. */
    uint32_t event;
    uint64_t weight;
    /* In nanoseconds of the input's clock, if samples of different times are not merged;
     * else 0. */
    uint64_t time_ns;
};

/* A block of a heap. */
struct profile_tag {
    uint64_t address;
    uint64_t bytes;
};

#define PROFILE_NO_CPU UINT32_MAX

/* One stack in one process, which is that of all samples with the stack. There may be
 * millions: a field more is paid for by each. */
struct profile_stack {
    /* The numbers of its locations, leaf first. */
    uint32_t *frames;
    uint32_t n;
    /* The epoch of the process that its addresses belong to (see epochs.h); 0
     * where all epochs are alike. */
    uint32_t epoch : 28;
    /* How it ended: a number of enum fxt_stack_end, or one of those below. */
    uint32_t end : 4;
};

/* The most that an epoch can be. */
enum { PROFILE_EPOCH_MAX = (1 << 28) - 1 };

/* Reasons beside those of enum fxt_stack_end: there is no unwind table, since the file
 * was not found; and one that this version does not know. */
enum { PROFILE_END_NO_FILE = 14, PROFILE_END_OTHER = 15 };

#define PROFILE_NO_FILE UINT32_MAX

/* One stack with one set of labels, by their numbers. */
struct profile_sample {
    uint32_t stack;
    uint32_t labels;
};

/* A function; one with lines in several source files is several functions. */
struct profile_function {
    /* The demangled name, and that of the symbol table: numbers in `names`. */
    uint32_t name;
    uint32_t system_name;
    /* Its source file, a number in `files`, and the line there at which it begins; an
     * empty name, and 0, where they are not known. */
    uint32_t file;
    uint32_t start_line;
    /* The number in `files` of the file that declares the function, or of the source file
     * that its symbol is of; or else, of several of one name in a module, of where it
     * begins there, as in module+0x1234. PROFILE_NO_FILE where none is known. */
    uint32_t home;
    /* It is a part or a copy of a function, which need not be in that file only; or less
     * is known of it than of others. */
    bool is_vague;
};

/* A line of a function; 0 where it is not known. */
struct profile_line {
    uint32_t function;
    uint32_t line;
};

/* An address, its mapping, and its functions and lines. */
struct profile_location {
    /* Of a caller: an address inside the call instruction. */
    uint64_t address;
    /* PROFILE_NO_MAPPING for an address in no known mapping. */
    uint32_t mapping;
    /* lines[first_line] to lines[first_line + n_lines - 1], at least one: inlined
     * functions, innermost first, and last the function that contains the code. The next
     * location's lines follow. */
    uint32_t first_line;
    uint32_t n_lines;
    /* The names are from symbols; else the only one is made from an address: that of the
     * function, if it is known where that begins, or else that of the location. */
    bool symbolized;
    bool has_function;
    /* They were found in the mapping's file, and no record of symbols has them. */
    bool is_of_file;
    /* It is not in the program, but says why a stack is not whole: see stack_ends.h. */
    bool is_end;
};

#define PROFILE_NO_MAPPING UINT32_MAX

/* A range of addresses at which a part of a file is mapped. */
struct profile_mapping {
    uint64_t start;
    uint64_t limit;
    uint64_t file_offset;
    /* The address of its start as the file's headers have it. */
    uint64_t vaddr;
    /* Numbers in `files` and in `build_ids`, where build ids are lower-case hex. */
    uint32_t file;
    uint32_t build_id;
    /* The number in `files` of the name that the input has for the file: where the user
     * named a file, `file` is that. */
    uint32_t recorded_file;
    /* The build id is that of the file that was found: the input has none. */
    bool is_id_of_file;
    /* The lower, the likelier is the mapping the main program's. */
    uint32_t rank;
    /* It is from the input's mappings, and `process` is the lowest koid among the
     * processes that have it. */
    bool is_of_process;
    uint64_t process;
    /* It is no part of a file, but what a compiler made while the program ran, at the
     * address of a function that a record of symbols names. */
    bool is_jit;
    /* Its file was looked for, and not found; or is there without its symbols. */
    bool is_missing;
    bool is_stripped;
    /* Some of its locations have a function's name, a source file, a line number, more
     * than one line. */
    bool has_functions;
    bool has_filenames;
    bool has_line_numbers;
    bool has_inline_frames;
};

/* Samples whose stacks are not whole for the same reason, with the outermost PC in the
 * same file. */
struct profile_cut {
    uint32_t end;
    /* PROFILE_NO_FILE where there is none, or it has nothing to do with the reason. */
    uint32_t file;
    uint64_t n;
};

/* What a loss is about: see enum fxt_profile_loss_kind. */
enum profile_loss_kind {
    PROFILE_LOSS_OTHER,
    PROFILE_LOSS_SAMPLER,
    PROFILE_LOSS_KERNEL,
    PROFILE_LOSS_STACKS,
    PROFILE_LOSS_DAMAGE,
    PROFILE_LOSS_FILTERED
};

/* A sentence, and what it is about if it states a loss. */
struct profile_comment {
    char *sentence;
    enum profile_loss_kind kind;
};

/* What a stack has, or several: live, and allocated since recording began. */
struct heap_amounts {
    uint64_t objects;
    uint64_t bytes;
    uint64_t alloc_objects;
    uint64_t alloc_bytes;
    uint64_t temporary;
};

/* A point of a series of heaps: the sums over its processes. */
struct heap_point {
    uint64_t number;
    /* On the input's clock, and so long after the first of its processes began to be
     * recorded. */
    uint64_t time_ns;
    uint64_t since_start_ns;
    uint64_t n_processes;
    /* What is allocated is that of all processes that ever were. */
    struct heap_amounts amounts;
    /* The first one of an input. */
    bool is_first;
    /* It is the one that is shown. */
    bool is_shown;
};

struct profile {
    struct profile_type types[2 + PROFILE_EVENTS_MAX];
    uint32_t n_types;
    /* The type to show first. */
    uint32_t default_type;
    /* The samples are of events that were declared: after the number of samples there is
     * a type for each, and one of CPU time if there are samples of no event whose period
     * is known. */
    bool has_events;
    char *event_names[PROFILE_EVENTS_MAX];

    /* The samples are spans, or captures of stacks (see import.h): there are names
     * instead of PCs. The time of a captured sample is the number of its capture;
     * `n_captures` includes captures without samples. Captures that are folded have no
     * order. */
    bool is_of_spans;
    bool is_of_captures;
    bool is_folded;
    /* The samples were added with the names of their functions, and no PCs. */
    bool is_of_sums;
    uint64_t n_captures;
    /* The samples are times for which threads did not run, by PCs and names; if
     * is_of_wakeups, by names only. */
    bool is_of_waits;
    bool is_of_wakeups;
    /* They are such times, by PCs and names, and samples of running code, by PCs. */
    bool is_of_wall_clock;
    /* The samples are the contents of heaps: all PCs are return addresses. */
    bool is_of_heap;
    /* Heaps of several processes. */
    bool has_processes;
    /* The points of series of heaps, in the order of time of each series. */
    struct heap_point *heap_points;
    size_t n_heap_points;
    /* Samples have times, and are sorted by these first. */
    bool has_times;

    /* How many threads may work on it; 0 is one. */
    size_t n_threads;

    /* The distance between samples, and its unit; 0 where it is not known. */
    struct profile_type period_type;
    uint64_t period;
    /* The wall clock time (since the Unix epoch) of the first sample, and the time from
     * the first sample to the last, in nanoseconds; 0 where it is not known. */
    uint64_t start_ns;
    uint64_t duration_ns;
    /* When the first sample was taken, on the input's clock. */
    uint64_t first_ns;
    /* One time by the input's clock and by the wall clock, if that is known. */
    bool has_wall_clock;
    uint64_t clock_ns;
    uint64_t wall_ns;
    /* Sentences about the profile and what is missing from it. */
    struct profile_comment *comments;
    size_t n_comments;

    /* The samples; sample i has the values values[i * n_types] and so on. */
    struct profile_sample *samples;
    int64_t *values;
    size_t n_samples;
    struct profile_stack *stacks;
    size_t n_stacks;
    /* The memory of all stacks' frames. */
    struct arena frames;
    struct profile_labels *labels;
    size_t n_labels;
    /* It is for a timeline: there are moments, unless it is of heaps, and events. */
    bool is_timeline;
    struct profile_moment *moments;
    size_t n_moments;
    struct profile_events events;
    /* The same, and scheduling records, added up, if asked for. */
    struct event_summary summary;
    /* Those from 1 on; none where n_tags is 0. */
    struct profile_tag *tags;
    size_t n_tags;
    /* The names of processes and threads. */
    struct koid_names koid_names;

    /* If PCs are kept (see profile_builder.h), stack i has the PCs pcs[stack_pcs[i][0]]
     * and so on, whose memory is `kept`; else both are NULL. */
    uint64_t *pcs;
    uint32_t **stack_pcs;
    struct arena kept;

    struct profile_location *locations;
    size_t n_locations;
    struct profile_line *lines;
    size_t n_lines;
    struct profile_function *functions;
    size_t n_functions;
    struct profile_mapping *mappings;
    size_t n_mappings;
    struct string_table names;
    struct string_table files;
    struct string_table build_ids;
    /* The samples that say how their stacks ended, and those of them whose stack is
     * whole; and the others by reason, the most frequent first. */
    uint64_t n_ends;
    uint64_t n_whole;
    /* The samples that do not say it. */
    uint64_t n_unknown_ends;
    struct profile_cut *cuts;
    size_t n_cuts;
    /* The frames of all samples, and those that have a function's name. */
    uint64_t n_frames;
    uint64_t n_named_frames;
};

/* A sum that saturates. */
static inline int64_t profile_add_up(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

/* Finds a type by its name; returns false if there is none. */
bool profile_find_type(const struct profile *profile, const char *name, uint32_t *type);

/* Finds the first type that is a time. */
bool profile_find_time(const struct profile *profile, uint32_t *type);

/* Whether a value of a sample is not 0. */
bool profile_has_values(const struct profile *profile, size_t sample);

/* How often a sample was seen; in a difference, more often or less often. */
static inline uint64_t profile_count(const struct profile *profile, size_t sample)
{
    int64_t n = profile->values[sample * profile->n_types];

    return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* The process and the thread of a sample. */
static inline struct koid_names_id profile_process(const struct profile_labels *labels)
{
    return (struct koid_names_id){KOID_PROCESS, labels->process, labels->process_name};
}

static inline struct koid_names_id profile_thread(const struct profile_labels *labels)
{
    return (struct koid_names_id){KOID_THREAD, labels->thread, labels->thread_name};
}

/* Whether frames are names and have no address. */
static inline bool profile_is_of_names(const struct profile *p)
{
    return p->is_of_spans || p->is_of_captures || p->is_of_wakeups || p->is_of_sums;
}

/* Whether the values are a number and a time, of which the time matters most. */
static inline bool profile_is_of_times(const struct profile *p)
{
    return p->is_of_spans || p->is_of_waits;
}

/* Whether the samples are of running code. */
static inline bool profile_is_of_samples(const struct profile *p)
{
    return !profile_is_of_names(p) && !p->is_of_heap && !p->is_of_waits;
}

/* Whether an address is in the kernel's half of the address space. */
static inline bool profile_is_in_kernel(uint64_t address)
{
    return address >> 63 != 0;
}

/* A PC of a stack, counted from the leaf, in a profile that keeps PCs. */
uint64_t profile_pc(const struct profile *profile, const struct profile_stack *stack,
                    uint32_t i);

/* The name of a line's function. */
struct string profile_line_name(const struct profile *profile, uint32_t line);

/* Prefetches the frames of a stack, which has at least one. */
static FXT_ALWAYS_INLINE void profile_prefetch_frames(const uint32_t *frames, uint32_t n)
{
    enum { LINE = 16 };

    for (uint32_t i = 0; i < n; i += LINE)
        FXT_PREFETCH(&frames[i]);
    FXT_PREFETCH(&frames[n - 1]);
}

/* For loops over all samples, whose stacks and frames are scattered in memory: prefetches
 * those of samples that follow soon. */
static FXT_ALWAYS_INLINE void profile_prefetch(const struct profile *p, size_t sample)
{
    enum { AHEAD = 8 };
    const struct profile_stack *stack;

    if (sample + 2 * AHEAD >= p->n_samples)
        return;
    FXT_PREFETCH(&p->stacks[p->samples[sample + 2 * AHEAD].stack]);
    stack = &p->stacks[p->samples[sample + AHEAD].stack];
    profile_prefetch_frames(stack->frames, stack->n);
}

#endif

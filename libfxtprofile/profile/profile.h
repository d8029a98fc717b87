/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile: how often each stack was seen, of which thread and on which CPU. It is all
 * that an output gets to see, and it knows neither where samples come from nor what is
 * written of them.
 *
 * It is built in two steps. While the input is read, samples are added: a stack is a run
 * of addresses and no more, since what is mapped where may be told only at the end of a
 * recording. Equal samples are merged on the way, so memory grows with the different
 * stacks and not with the samples. Then profile_finish puts everything into an order that
 * does not depend on the input's, and locate.h finds out what the addresses are.
 */
#ifndef FXTPROFILE_PROFILE_PROFILE_H
#define FXTPROFILE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/types.h>

#include "fingerprint.h"
#include "pc_set.h"
#include "base/arena.h"
#include "stack_table.h"
#include "base/string_table.h"
#include "base/table.h"
#include "time_log.h"
#include "koid_names.h"

/* What the numbers of a sample mean: such as {"samples", "count"}. */
struct profile_type {
    const char *type;
    const char *unit;
};

enum { PROFILE_TYPES_MAX = 4 };

/* What a sample says beside its stack. */
struct profile_labels {
    uint64_t process;
    uint64_t thread;
    /* Which of their names these had then: see struct koid_names_id. */
    uint32_t process_name;
    uint32_t thread_name;
    /* PROFILE_NO_CPU where the input does not say. */
    uint32_t cpu;
    /* Of a heap's blocks, where each is by itself: which tag it has; else 0. */
    uint32_t tag;
    /* When it was, in nanoseconds of the input's clock, if samples of different times are
     * to stay apart; else 0. */
    uint64_t time_ns;
};

/* A block of a heap. */
struct profile_tag {
    uint64_t address;
    uint64_t bytes;
};

#define PROFILE_NO_CPU UINT32_MAX

enum { PROFILE_LAST_LABELS = 1024 };

/* One stack in one process. */
struct profile_stack {
    uint64_t process;
    /* The numbers of its PCs, leaf first; from locate.h on those of its locations. */
    uint32_t *frames;
    uint32_t n;
    /* Which of the process's epochs its addresses are of (see mapping_times.h); 0 where
     * that makes no difference. */
    uint32_t epoch;
};

/* A sample that was added and is still to be looked up, with some others at a time. */
struct waiting {
    /* Of its stack. */
    struct fingerprint print;
    /* Its PCs, at any address. */
    const unsigned char *pcs;
    uint32_t n;
    uint32_t epoch;
    uint32_t labels;
    /* It goes to the log, with this time. */
    bool is_logged;
    uint64_t time_ns;
    int64_t values[PROFILE_TYPES_MAX];
};

enum { PROFILE_WAITING_MAX = 32 };

/* One stack with one set of labels, by their numbers. */
struct profile_sample {
    uint32_t stack;
    uint32_t labels;
};

/* A function, so far as its lines are in one source file. */
struct profile_function {
    /* For people to read, and as a symbol table has it: numbers in `names`. They differ
     * where the latter is mangled. */
    uint32_t name;
    uint32_t system_name;
    /* Its source file, a number in `files`, and the line there at which it begins; an
     * empty name, and 0, where they are not known. */
    uint32_t file;
    uint32_t start_line;
};

/* A line of a function; 0 where it is not known. */
struct profile_line {
    uint32_t function;
    uint32_t line;
};

/* A place in the program: an address, what it is in, and what it is called. */
struct profile_location {
    /* Where to look things up: for a caller, an address inside the call instruction. */
    uint64_t address;
    /* PROFILE_NO_MAPPING for an address that nothing is known about. */
    uint32_t mapping;
    /* lines[first_line] to lines[first_line + n_lines - 1], of which there is at least
     * one: functions that the compiler put into one another, the innermost first and last
     * the one that has the code. The next location's lines follow. */
    uint32_t first_line;
    uint32_t n_lines;
    /* The names are functions'; else the only one is put together from the address. */
    bool symbolized;
};

#define PROFILE_NO_MAPPING UINT32_MAX

/* A range of addresses that shows a part of a file. */
struct profile_mapping {
    uint64_t start;
    uint64_t limit;
    uint64_t file_offset;
    /* The address of its start in the file's own terms. */
    uint64_t vaddr;
    /* Numbers in `files` and in `build_ids`, where build ids are lower-case hex. */
    uint32_t file;
    uint32_t build_id;
    /* Which mapping is the main program's: the lower, the more likely. */
    uint32_t rank;
    /* It is there although no location is in it: readers take the first mapping for that
     * of the main program. */
    bool is_main;
    /* The input says that processes have it mapped; and which is the one with the lowest
     * number. */
    bool is_of_process;
    uint64_t process;
    /* Some of its locations have a function's name, a source file, a line, more than one
     * line. */
    bool has_functions;
    bool has_filenames;
    bool has_line_numbers;
    bool has_inline_frames;
};

/* Some time, both ends included. */
struct time_window {
    uint64_t first_ns;
    uint64_t last_ns;
};

struct profile {
    struct profile_type types[PROFILE_TYPES_MAX];
    uint32_t n_types;
    /* The one to show first. */
    uint32_t default_type;
    /* The samples are spans, or captures of stacks (see import.h): what stands for PCs
     * are numbers in pc_names. The time of a sample is the number of its capture, of
     * which there are so many, those without a sample included. */
    bool is_of_spans;
    bool is_of_captures;
    uint64_t n_captures;
    struct string_table pc_names;
    /* The samples are what is in heaps: all PCs are return addresses, and the labels say
     * little but what the tags say. */
    bool is_of_heap;
    /* Heaps of several processes. */
    bool has_processes;
    /* Some stacks are of an epoch. */
    bool has_epochs;
    /* Samples may be equal once they are located: what they differed in has gone. */
    bool may_have_equals;
    /* Samples have times, and are sorted by these first. */
    bool has_times;
    /* Samples may stay in any order, since the output has its own; but for their labels,
     * if that makes it easier to locate them. */
    bool is_any_order;
    bool is_any_order_of_labels;
    /* How far one sample is from the next, and in what; 0 where it is not known. */
    struct profile_type period_type;
    uint64_t period;
    /* The wall clock time (since the Unix epoch) of the first sample, and the time from
     * the first sample to the last, in nanoseconds; 0 where it is not known. */
    uint64_t start_ns;
    uint64_t duration_ns;
    /* Sentences about the profile and what is not in it. */
    char **comments;
    size_t n_comments;
    size_t comment_capacity;

    /* The samples; sample i has the values values[i * n_types] and so on. */
    struct profile_sample *samples;
    int64_t *values;
    size_t n_samples;
    struct profile_stack *stacks;
    size_t n_stacks;
    /* The frames of all stacks, and how many they are. */
    struct arena frames;
    size_t n_frames_in_all;
    struct pc_set pcs;
    struct profile_labels *labels;
    size_t n_labels;
    /* Those from 1 on; none where n_tags is 0. */
    struct profile_tag *tags;
    size_t n_tags;
    /* The names of processes and threads. */
    struct koid_names who;
    /* When samples were seen, until it is known whether that matters. */
    struct time_log log;

    /* From here on it is locate.h that fills in. If it is said before that PCs are to be
     * kept, kept_pcs has the numbers of a stack's, by the stack's own. */
    bool keeps_pcs;
    /* The same if processes are to share mappings: see merge_mappings.h. */
    bool merges_mappings;
    uint32_t **kept_pcs;
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
    /* How many frames the stacks of all samples have, and how many have a name. */
    uint64_t n_frames;
    uint64_t n_named_frames;

    /* The rest is profile.c's own. */
    size_t sample_capacity;
    size_t value_capacity;
    size_t stack_capacity;
    size_t label_capacity;
    size_t tag_capacity;
    /* The samples that were not the first with their stack, and all stacks. */
    struct table sample_table;
    struct stack_table stack_table;
    struct table label_table;
    struct table tag_table;
    /* By thread, the labels that it had last, one higher; 0 for none. */
    uint32_t last_labels[PROFILE_LAST_LABELS];
    struct fingerprint_key key;
    struct waiting waiting[PROFILE_WAITING_MAX];
    uint32_t n_waiting;
    /* Those among them whose stacks are new and still need numbers for their PCs. */
    struct pc_run new_runs[PROFILE_WAITING_MAX];
    uint32_t n_new_runs;
    /* The table may have values that are to be added to samples. */
    bool has_unsettled;
    /* The PCs of those that wait, as far as nobody lends them. */
    uint64_t *copied_pcs;
    size_t n_copied_pcs;
    size_t copied_pc_capacity;
};

void profile_init(struct profile *profile);

/* Adds a kind of value. All are to be known before the first sample. */
void profile_add_type(struct profile *profile, const char *type, const char *unit);

/* Adds a sample, which shows at the latest after profile_settle or profile_finish; `pcs`
 * is leaf first, with at least one PC. There is a value for each type, which is below 0
 * only in a difference. Sums that would pass what 63 bits have stay there. */
void profile_add(struct profile *profile, const struct profile_labels *labels,
                 const struct fxt_words *pcs, const int64_t *values);

/* The same at less cost: the PCs stay where they are until profile_look_up or
 * profile_settle. */
void profile_lend(struct profile *profile, const struct profile_labels *labels,
                  const struct fxt_words *pcs, const int64_t *values);

/* The sample that was added last, just before, was of some time, which goes to the log.
 */
void profile_log_time(struct profile *profile, uint64_t time_ns);

/* Puts a mark with a number in the log, between the samples so far and those to come. */
void profile_log_mark(struct profile *profile, uint64_t number);

/* Adds to `profile` what a sample of `from`, which may be the same, has as its stack. */
void profile_add_again(struct profile *profile, const struct profile *from, size_t sample,
                       const struct profile_labels *labels, uint32_t epoch,
                       const int64_t *values);

/* Samples are looked up several at a time; this ends the waiting of those that were
 * added, whose PCs need not be there any more. */
void profile_look_up(struct profile *profile);

/* The same, after which the samples have their values. */
void profile_settle(struct profile *profile);

/* Takes the samples of a profile with the same types that was not finished; what is
 * left there is only to be freed. */
void profile_take(struct profile *profile, struct profile *from);

/* Takes `values`, which were added to a sample, from it, and adds them to one with other
 * labels, and in an epoch of their process. */
void profile_relabel(struct profile *profile, uint32_t sample,
                     const struct profile_labels *labels, uint32_t epoch,
                     const int64_t *values);

/* Adds a tag, and returns its number. */
uint32_t profile_add_tag(struct profile *profile, struct profile_tag tag);

/* Adds a copy of a sentence. */
void profile_comment(struct profile *profile, const char *sentence);

/*
 * Ends the adding. A sample of process 0 whose thread is known to belong to a process
 * goes to that process; the samples are sorted by labels and, unless that makes no
 * difference, PCs.
 */
void profile_finish(struct profile *profile);

/* The time from one sample to the next, for a profile that only counts so far: the number
 * of samples is CPU time, too, and that is what to show first. After profile_finish. */
void profile_set_period(struct profile *profile, uint64_t period_ns);

/* Which names processes and threads had when makes no difference any more. After
 * profile_finish. */
void profile_forget_names(struct profile *profile);

/* The order of samples: by time, process, thread, their names, CPU and tag. */
int profile_order_labels(const struct profile_labels *a, const struct profile_labels *b);

/* Puts a sample in the place of another one, at or before its own. */
void profile_move_sample(struct profile *profile, size_t from, size_t to);

/* A sum that stays where 63 bits end. */
static inline int64_t profile_add_up(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

/* Whether a value of a sample is not 0. */
bool profile_has_values(const struct profile *profile, size_t sample);

/* The sum of the values of one type. */
int64_t profile_total(const struct profile *profile, uint32_t type);

/* How often a sample was seen; in a difference, more often or less often. */
static inline uint64_t profile_count(const struct profile *profile, size_t sample)
{
    int64_t n = profile->values[sample * profile->n_types];

    return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* Counts the frames of all samples, and those that have a name, once all are located. */
void profile_count_frames(struct profile *profile);

/* Who the labels of a sample mean. */
static inline struct koid_names_id profile_process(const struct profile_labels *labels)
{
    return (struct koid_names_id){WHO_PROCESS, labels->process, labels->process_name};
}

static inline struct koid_names_id profile_thread(const struct profile_labels *labels)
{
    return (struct koid_names_id){WHO_THREAD, labels->thread, labels->thread_name};
}

/* Whether PCs are none, but numbers in pc_names. */
static inline bool profile_is_of_names(const struct profile *p)
{
    return p->is_of_spans || p->is_of_captures;
}

/* Whether the PCs are what a processor was found at, and not what allocated memory. */
static inline bool profile_is_of_samples(const struct profile *p)
{
    return !profile_is_of_names(p) && !p->is_of_heap;
}

/* Whether an address is in the kernel's half of them. */
static inline bool profile_is_in_kernel(uint64_t address)
{
    return address >> 63 != 0;
}

/* A PC of a stack, counted from the leaf; as long as there are PCs. */
uint64_t profile_pc(const struct profile *profile, const struct profile_stack *stack,
                    uint32_t i);

/* The name of a line's function. */
struct string profile_line_name(const struct profile *profile, uint32_t line);

/* Says that the frames of a stack, of which there is one at least, will be needed. */
static FXT_ALWAYS_INLINE void profile_prefetch_frames(const uint32_t *frames, uint32_t n)
{
    enum { LINE = 16 };

    for (uint32_t i = 0; i < n; i += LINE)
        FXT_PREFETCH(&frames[i]);
    FXT_PREFETCH(&frames[n - 1]);
}

/* For whoever goes through all samples, whose stacks and their frames are anywhere in
 * memory: says that those of samples that are not far ahead will be needed. */
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

/* Frees what only adding needs. */
void profile_forget(struct profile *profile);

void profile_free(struct profile *profile);

#endif

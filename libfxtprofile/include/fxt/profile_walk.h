/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a profile. fxt/profile.h describes errors, memory and threads, for all
 * of libfxtprofile.
 *
 * The parts of a profile have indices, from 0 on. A function that takes an index stores
 * the part and returns FXT_OK; if the index is too large it stores zeros and returns
 * FXT_E_INVALID. What is stored is valid until the profile is destroyed; strings are not
 * zero-terminated unless they are `const char *`.
 *
 * The structs do not change in later versions, which add functions for what is new.
 */
#ifndef FXT_PROFILE_WALK_H
#define FXT_PROFILE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/record.h>

FXT_BEGIN_DECLS

struct fxt_profile;

/* Frees a profile, and all that its functions returned; NULL is allowed. */
FXT_API void fxt_profile_destroy(struct fxt_profile *profile);

#define FXT_PROFILE_NONE UINT32_MAX

/* What a profile was made from. */
enum fxt_profile_kind {
    FXT_PROFILE_KIND_SAMPLES = 0,
    FXT_PROFILE_KIND_SPANS = 1,
    FXT_PROFILE_KIND_HEAPS = 2,
    /* A debugger's captures, which have names of functions and no addresses. */
    FXT_PROFILE_KIND_CAPTURES = 3,
    /* Times for which threads did not run: FXT_PROFILE_OFF_CPU or FXT_PROFILE_WAKEUPS. */
    FXT_PROFILE_KIND_WAITS = 4,
    /* FXT_PROFILE_WALL_CLOCK: these, and samples of running threads. */
    FXT_PROFILE_KIND_WALL_CLOCK = 5
};

FXT_API enum fxt_profile_kind fxt_profile_kind(const struct fxt_profile *profile);

/* What the values of a sample mean, such as "samples" in "count", or "cpu" in
 * "nanoseconds". There is at least one. */
struct fxt_profile_value_type {
    const char *type;
    const char *unit;
};

FXT_API size_t fxt_profile_n_value_types(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_value_type(const struct fxt_profile *profile,
                                                 size_t i,
                                                 struct fxt_profile_value_type *type);

/* One stack with one set of labels. Equal ones are merged. */
struct fxt_profile_sample {
    /* One for each type of value; negative only in a difference of heaps. */
    const int64_t *values;
    /* The index of its stack. */
    uint32_t stack;
    /* FXT_PROFILE_NONE if it is not known. */
    uint32_t cpu;
    /* 0 if not known; and the names at the time of the sample, empty if not known. */
    uint64_t process;
    uint64_t thread;
    struct fxt_string process_name;
    struct fxt_string thread_name;
    /* With options.keep_times, in nanoseconds of the input's clock (for captures, the
     * number of the capture); else 0. */
    uint64_t time_ns;
    /* With options.keep_blocks, the block of the heap; else 0. */
    uint64_t block_address;
    uint64_t block_size;
    /* The index of the type of value of the event that was sampled, whose value may be
     * rounded to 0; 0 where the recording does not declare events. */
    uint32_t event_type;
    /* The boot of its process and thread among those of the inputs, from 0: what has the
     * same numbers in another boot is something else. */
    uint32_t boot;
};

FXT_API size_t fxt_profile_n_samples(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_sample(const struct fxt_profile *profile, size_t i,
                                             struct fxt_profile_sample *sample);

/* How many events of the inputs (spans, instants, counters and the like) there are: see
 * fxt/profile_events.h. 0 if the profile was built neither with options.keep_events nor
 * for a timeline format, as the only one or with options.keep_times. */
FXT_API size_t fxt_profile_n_events(const struct fxt_profile *profile);

/* The indices of its locations, leaf first, at least one. There may be stacks that no
 * sample has. */
struct fxt_profile_stack {
    const uint32_t *locations;
    size_t n_locations;
};

FXT_API size_t fxt_profile_n_stacks(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_stack(const struct fxt_profile *profile, size_t i,
                                            struct fxt_profile_stack *stack);

/* How a stack ended: enum fxt_stack_end (fxt/format.h); FXT_STACK_END_UNKNOWN if its
 * sampler does not state it, or `i` is too large; or a larger number, for a reason that
 * this version does not know. Stacks that differ only in this are different stacks. */
FXT_API uint32_t fxt_profile_stack_end(const struct fxt_profile *profile, size_t i);

/* The samples whose stacks are incomplete for one reason. */
struct fxt_profile_cut {
    /* See fxt_profile_stack_end. */
    uint32_t end;
    /* The file with the code of the outermost frame, if the reason depends on it: for
     * FXT_STACK_END_NO_TABLE, the file that has no unwind table there. Else empty. */
    struct fxt_string file;
    uint64_t n_samples;
};

/* The most frequent first. Samples of threads without a stack (FXT_STACK_END_NO_STACK)
 * are not included. */
FXT_API size_t fxt_profile_n_cuts(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_cut(const struct fxt_profile *profile, size_t i,
                                          struct fxt_profile_cut *cut);

/* An address in a program, with the functions that it is in. */
struct fxt_profile_location {
    /* For a leaf the instruction, for a caller an address inside of the call instruction;
     * 0 for spans, captures and other names. */
    uint64_t address;
    /* An index, or FXT_PROFILE_NONE if it is not known. */
    uint32_t mapping;
    /* Lines first_line to first_line + n_lines - 1, at least one: inlined functions, the
     * innermost first, and last the function that they were inlined into. */
    uint32_t first_line;
    uint32_t n_lines;
    /* The names are those of functions. If not set, there is one name, which is made from
     * an address: if the function is known, but not its name, from where that begins, and
     * else from this one. */
    bool is_symbolized;
    bool has_function;
};

FXT_API size_t fxt_profile_n_locations(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_location(const struct fxt_profile *profile,
                                               size_t i,
                                               struct fxt_profile_location *location);

struct fxt_profile_line {
    uint32_t function;
    /* 0 if not known. */
    uint32_t line;
};

FXT_API size_t fxt_profile_n_lines(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_line(const struct fxt_profile *profile, size_t i,
                                           struct fxt_profile_line *line);

struct fxt_profile_function {
    /* Different functions of one name have their source file after it, where it is known:
     * "helper (a.c)"; or where they begin in their module: "helper (program+0x1234)". */
    struct fxt_string name;
    /* The name in the symbol table, which may be mangled; else the name alone. */
    struct fxt_string system_name;
    /* The source file, and the line at which the function begins; empty and 0 if not
     * known. */
    struct fxt_string file;
    uint32_t start_line;
};

FXT_API size_t fxt_profile_n_functions(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_function(const struct fxt_profile *profile,
                                               size_t i,
                                               struct fxt_profile_function *function);

/* A range of addresses, from `start` up to, but not including, `limit`, that map a
 * file; both are 0 with FXT_PROFILE_SUMS, of which only the file is known. */
struct fxt_profile_mapping {
    uint64_t start;
    uint64_t limit;
    uint64_t file_offset;
    struct fxt_string file;
    /* In lower-case hex; empty if not known. */
    struct fxt_string build_id;
};

FXT_API size_t fxt_profile_n_mappings(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_mapping(const struct fxt_profile *profile, size_t i,
                                              struct fxt_profile_mapping *mapping);

/* A point of a series of heap snapshots, whichever point the samples are of. The struct
 * does not change in later versions. */
struct fxt_profile_heap_point {
    uint64_t number;
    /* On the input's clock; and since the first process began to be recorded. */
    uint64_t time_ns;
    uint64_t since_start_ns;
    /* How many processes were there, or had ended since the point before; and the blocks
     * and bytes that they had, or had left. */
    uint64_t n_processes;
    uint64_t live_blocks;
    uint64_t live_bytes;
    /* All that was ever allocated, by processes that have ended, too. */
    uint64_t allocated_blocks;
    uint64_t allocated_bytes;
    /* The first point of an input; and the one that the samples are of. */
    bool is_first;
    bool is_shown;
};

/* In the order of time, one input after the other. FXT_E_INVALID if `i` is too large. */
FXT_API size_t fxt_profile_n_heap_points(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_heap_point(const struct fxt_profile *profile,
                                                 size_t i,
                                                 struct fxt_profile_heap_point *point);

/* How an input was recorded, as fxtrecord and libfxtsampler state it in their archives.
 * Strings are empty, and numbers 0, where it is not stated. */
struct fxt_profile_recording {
    /* The recorder's, quoted for a shell: "fxtrecord -F 99 ./program". */
    struct fxt_string command_line;
    /* The sampling method, and the version of the recorder. */
    struct fxt_string method;
    struct fxt_string version;
    /* When it began, since the Unix epoch; and the time between samples. */
    uint64_t start_ns;
    uint64_t period_ns;
    /* How often the kernel has suspended sampling since it took too much time. */
    uint64_t n_throttled;
};

/* In the order of the inputs; the first 16 are kept. */
FXT_API size_t fxt_profile_n_recordings(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_recording(const struct fxt_profile *profile,
                                                size_t i,
                                                struct fxt_profile_recording *recording);

/* Sentences: those of fxt_profile_builder_add_comment, and what the profile lacks. NULL
 * if `i` is too large. */
FXT_API size_t fxt_profile_n_comments(const struct fxt_profile *profile);
FXT_API const char *fxt_profile_comment(const struct fxt_profile *profile, size_t i);

/* The last of these comments, which state what the profile lacks: what was left out,
 * dropped, or lost to damage. */
FXT_API size_t fxt_profile_n_losses(const struct fxt_profile *profile);
FXT_API const char *fxt_profile_loss(const struct fxt_profile *profile, size_t i);

/* What a loss is about. */
enum fxt_profile_loss_kind {
    FXT_PROFILE_LOSS_OTHER = 0,
    /* Records that a sampler had no room for: fxt_profile_get_drops has their numbers. */
    FXT_PROFILE_LOSS_SAMPLER = 1,
    /* Samples that the kernel had no room for. */
    FXT_PROFILE_LOSS_KERNEL = 2,
    /* Stacks that are not whole: fxt_profile_get_cut has their numbers. */
    FXT_PROFILE_LOSS_STACKS = 3,
    /* Input that could not be read. */
    FXT_PROFILE_LOSS_DAMAGE = 4,
    /* What was left out on request. */
    FXT_PROFILE_LOSS_FILTERED = 5
};

/* The kind of fxt_profile_loss(profile, i); FXT_PROFILE_LOSS_OTHER if `i` is too
 * large. */
FXT_API enum fxt_profile_loss_kind fxt_profile_loss_kind(
    const struct fxt_profile *profile, size_t i);

/* The paths of the files with symbols or lines that were used: those that were added and
 * those that were found, without kallsyms. NULL if `i` is too large. */
FXT_API size_t fxt_profile_n_symbol_files(const struct fxt_profile *profile);
FXT_API const char *fxt_profile_symbol_file(const struct fxt_profile *profile, size_t i);

/* What the sampler had no room for, on one CPU. */
struct fxt_profile_drops {
    uint64_t n_records;
    uint64_t n_bytes;
};

FXT_API size_t fxt_profile_n_cpus(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_drops(const struct fxt_profile *profile, size_t cpu,
                                            struct fxt_profile_drops *drops);

/* What was read and what was left out. Set `size` to sizeof(struct
 * fxt_profile_statistics); later versions add members at the end. */
struct fxt_profile_statistics {
    size_t size;
    /* The time between samples, the wall clock time of the first, and the time from the
     * first to the last, in nanoseconds; 0 if not known. */
    uint64_t period_ns;
    uint64_t start_ns;
    uint64_t duration_ns;
    /* How many samples, spans, waits or objects were merged into those of the profile,
     * and how many of them may lack their outermost frames. */
    uint64_t n_samples;
    uint64_t n_maybe_cut;
    /* How many frames they have, and how many of these have a function's name. */
    uint64_t n_frames;
    uint64_t n_named_frames;
    /* Left out by the caller's filters. */
    uint64_t n_other_process;
    uint64_t n_other_thread;
    uint64_t n_other_cpu;
    uint64_t n_unknown_cpu;
    uint64_t n_other_time;
    uint64_t n_idle;
    uint64_t n_frames_above;
    uint64_t n_frames_below;
    uint64_t n_frames_recursive;
    /* Left out because they are of another kind than was requested; are raw stacks that
     * cannot be unwound; have no complete PC. */
    uint64_t n_other_kind;
    uint64_t n_not_unwound;
    uint64_t n_without_pcs;
    /* Events that begin a span, if samples were requested. */
    uint64_t n_ignored_spans;
    /* What the sampler dropped for lack of room. */
    uint64_t n_dropped_records;
    uint64_t n_dropped_bytes;
    /* Inputs that could not be used; records of the others that were lost to damage;
     * bytes that were not read, since the framing was lost or a region had ended. */
    uint64_t n_unusable_inputs;
    uint64_t n_errors;
    uint64_t n_unread_bytes;
    /* An input could not be read to its end. */
    bool is_cut_off;
    /* The recordings have different periods, so that samples have no CPU time. */
    bool periods_differ;
    /* The samples that state how their stacks ended, and those whose stack is complete;
     * see fxt_profile_get_cut for the others. */
    uint64_t n_stack_ends;
    uint64_t n_whole_stacks;
    /* Scheduling records, if samples or spans were requested; and waits shorter than
     * min_wait_ns. */
    uint64_t n_ignored_scheduling;
    uint64_t n_short_waits;
};

FXT_API enum fxt_code fxt_profile_get_statistics(
    const struct fxt_profile *profile, struct fxt_profile_statistics *statistics);

FXT_END_DECLS

#endif

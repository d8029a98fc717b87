/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of writing a profile as a trace of Perfetto: a list of packets, each of which
 * is written as soon as it is complete.
 *
 * All packets are of one sequence. What many of them refer to (strings, frames, stacks)
 * is interned: the first packet that refers to it also defines it, by an id that is its
 * number in the profile and 1.
 *
 * Perfetto sorts by time, but keeps the order of the file among equal times.
 */
#ifndef FXTPROFILE_OUTPUT_PERFETTO_H
#define FXTPROFILE_OUTPUT_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "common/spans/span_keys.h"
#include "libfxtprofile/output/timeline/open_slices.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/output/tracks.h"
#include "libfxtprofile/profile/profile.h"

#define PERFETTO_NONE UINT32_MAX

/* How many CPUs readers take scheduling of; they refuse a trace with others. */
enum { PERFETTO_CPUS_MAX = 1024 };

enum { PERFETTO_DEFINED = 4 };

/* A track beside those of processes and threads. */
struct perfetto_track {
    /* The uuid of the track that it is below. */
    uint64_t parent;
    uint64_t id;
    /* The name of its events. */
    uint32_t name;
    /* Of a counter, the name of the argument; else PERFETTO_NONE. */
    uint32_t arg;
    /* The innermost of its open slices. */
    uint32_t top;
};

struct perfetto {
    const struct profile *profile;
    const struct output_settings *settings;
    struct output *output;
    struct tracks tracks;
    /* The packet's parts: what it defines, and its main message. */
    struct text interned;
    struct text message;
    /* Packets that are not in the output yet. */
    struct text packets;
    /* Something in a message, a stack or what else has such things in it, and a string,
     * while they are made. */
    struct text entry;
    struct text stack;
    struct text name;
    /* By the numbers of the profile, whether they were defined. Of stacks it is
     * PERFETTO_DEFINED and the CPU's mode (enum perfetto_cpu_mode), or 0; of strings and
     * files one bit for each kind of definition. */
    unsigned char *stacks;
    unsigned char *lines;
    unsigned char *names;
    unsigned char *files;
    unsigned char *build_ids;
    unsigned char *mappings;
    unsigned char *strings;
    /* The innermost open slice of each thread's track, and all open slices. */
    uint32_t *tops;
    struct open_slices slices;
    struct perfetto_track *others;
    size_t n_others;
    size_t other_capacity;
    struct table other_table;
    /* Flows have their numbers here, plus 1, as ids. */
    struct async_groups flows;
};

/* ---- perfetto.c -------------------------------------------------------------------- */

/* Writes the packet with `message` as the given field, and what is interned. */
void perfetto_write(struct perfetto *perfetto, unsigned field);
void perfetto_write_at(struct perfetto *perfetto, uint64_t time_ns, unsigned field);

/* A time as it is written. Captures have numbers in place of times. */
uint64_t perfetto_time(const struct perfetto *perfetto, uint64_t time_ns);

/* Adds a field with a string, which becomes valid UTF-8. */
void perfetto_add_string(struct perfetto *perfetto, struct text *message, unsigned field,
                         struct string string);

/* Defines a string by its number, unless `bit` says that it was; returns its id. */
uint64_t perfetto_intern(struct perfetto *perfetto, unsigned char *defined,
                         unsigned char bit, unsigned field,
                         const struct string_table *strings, uint32_t number);

static inline uint64_t perfetto_process_uuid(uint32_t main_track)
{
    return 2 * (uint64_t)main_track + 1;
}

static inline uint64_t perfetto_thread_uuid(uint32_t track)
{
    return 2 * (uint64_t)track + 2;
}

/* ---- perfetto_tracks.c ------------------------------------------------------------- */

/* Writes the descriptors of all processes and threads. */
void perfetto_write_tracks(struct perfetto *perfetto);

/* The number in `others` of the track that is like `wanted`, whose descriptor is written
 * if it is new; and its uuid. */
uint32_t perfetto_find_track(struct perfetto *perfetto,
                             const struct perfetto_track *wanted);
uint64_t perfetto_other_uuid(const struct perfetto *perfetto, uint32_t number);

/* Writes the profile's comments, as an instant on a track that is of no process. */
void perfetto_write_comments(struct perfetto *perfetto, uint64_t time_ns);

/* ---- perfetto_stacks.c ------------------------------------------------------------- */

/* Defines a stack and all that it consists of. */
void perfetto_define_stack(struct perfetto *perfetto, uint32_t stack);

/* The same unless that was done; returns the stack's id. */
static inline uint64_t perfetto_intern_stack(struct perfetto *perfetto, uint32_t stack)
{
    if (perfetto->stacks[stack] == 0)
        perfetto_define_stack(perfetto, stack);
    return (uint64_t)stack + 1;
}

/* ---- perfetto_events.c ------------------------------------------------------------- */

void perfetto_write_events(struct perfetto *perfetto);

/* ---- perfetto_scheduling.c --------------------------------------------------------- */

void perfetto_write_scheduling(struct perfetto *perfetto);

/* How many times of CPUs that readers would refuse are left out. */
size_t perfetto_count_unreadable(const struct profile_scheduling *scheduling);

#endif

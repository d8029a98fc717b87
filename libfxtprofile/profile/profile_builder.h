/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a profile.
 *
 * While the input is read, samples are added: a stack is a run of addresses and no more,
 * since the records that say what is mapped where may come last. Equal samples are merged
 * at once, so memory grows with the number of different stacks and not of samples.
 * profile_builder_sort then sorts the samples, by an order that does not depend on the
 * input's; profile_locate (locate.h) turns addresses into locations; and
 * profile_builder_finish hands out the profile and frees everything else.
 */
#ifndef FXTPROFILE_PROFILE_PROFILE_BUILDER_H
#define FXTPROFILE_PROFILE_PROFILE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stacks/fingerprint.h"
#include "stacks/pc_set.h"
#include "moments.h"
#include "profile.h"
#include "sample_queue.h"
#include "stacks/stack_table.h"
#include "common/base/string_table.h"
#include "common/base/table.h"
#include "time_log.h"

enum { PROFILE_BUILDER_LAST_LABELS = 1024 };

struct profile_builder {
    /* What has been built so far. Until profile_locate, the frames of stacks are numbers
     * in `pcs`. */
    struct profile profile;

    /* The caller's choice, before the first sample: to keep each frame's PC; to merge
     * mappings that processes share (see merge_mappings.c). */
    bool keeps_pcs;
    bool merges_mappings;
    /* Stacks that are not whole get a root frame that says why. */
    bool shows_ends;
    /* Samples need not be sorted by PCs, since the output sorts them; nor by
     * labels, where locating does not need that. */
    bool is_any_order;
    bool is_any_order_of_labels;

    /* Some stacks have an epoch. */
    bool has_epochs;
    /* Some stacks say how they ended. */
    bool has_ends;
    /* By the number of a stack, that of the file in which it ended, plus one; 0 for none.
     * Once stack_ends_find_files has found them. */
    uint32_t *end_files;
    /* Samples that differ may become equal when they are located. */
    bool may_have_equals;
    /* The profile's mapping that is kept though it has no locations, since readers take
     * the first mapping for the main program's; PROFILE_NO_MAPPING if there is none. */
    uint32_t main_mapping;

    struct pc_set pcs;
    /* Of spans and captures: what stands for PCs are numbers of these. Of waits: the same
     * where profile_builder_is_name. */
    struct string_table pc_names;
    /* The times of samples, until it is known whether these matter; but not for a
     * timeline, which keeps all of them as moments. */
    struct time_log log;
    struct moments moments;
    /* The total length of all stacks. */
    size_t n_stack_frames;

    size_t comment_capacity;
    size_t sample_capacity;
    size_t value_capacity;
    size_t stack_capacity;
    size_t label_capacity;
    size_t tag_capacity;
    /* All stacks, each with its first sample; and all other samples. */
    struct stack_table stack_table;
    struct table sample_table;
    struct table label_table;
    struct table tag_table;
    /* By a hash of the thread, its last labels, plus one; 0 for none. */
    uint32_t last_labels[PROFILE_BUILDER_LAST_LABELS];
    const struct fingerprint_key *key;
    struct sample_queue queue;
    /* Counts in stack_table have still to be added to the samples' values. */
    bool has_unsettled;
};

/* Names in stacks of waits, which have PCs, too: they stand where no machine with 64 bits
 * has memory. */
#define PROFILE_BUILDER_FIRST_NAME ((uint64_t)0x7fff << 48)

static inline bool profile_builder_is_name(uint64_t pc)
{
    return pc - PROFILE_BUILDER_FIRST_NAME <= UINT32_MAX;
}

static inline uint64_t profile_builder_name(uint32_t number)
{
    return PROFILE_BUILDER_FIRST_NAME + number;
}

void profile_builder_init(struct profile_builder *builder);

/* Adds a kind of value. All must be added before the first sample. */
void profile_builder_add_type(struct profile_builder *builder, const char *type,
                              const char *unit);

/* Each adds a copy of a sentence. */
void profile_builder_add_comment(struct profile_builder *builder, const char *sentence);
void profile_builder_add_loss(struct profile_builder *builder,
                              enum profile_loss_kind kind, const char *sentence);

/* Adds a tag, and returns its number. */
uint32_t profile_builder_add_tag(struct profile_builder *builder, struct profile_tag tag);

/* ---- Samples ----------------------------------------------------------------------- */

/* Adds a sample, which is queued: it is in the profile after profile_builder_settle or
 * profile_builder_sort. `pcs` is leaf first, with at least one PC. There is a value for
 * each type, negative only in a difference. Sums saturate. */
void profile_builder_add(struct profile_builder *builder,
                         const struct profile_labels *labels, const struct fxt_words *pcs,
                         const int64_t *values);

/* The same in an epoch of the process (see struct profile_stack). */
void profile_builder_add_in_epoch(struct profile_builder *builder,
                                  const struct profile_labels *labels,
                                  const struct fxt_words *pcs, uint32_t epoch,
                                  const int64_t *values);

/* As profile_builder_add, without a copy of the PCs, which must stay in place until
 * profile_builder_look_up or profile_builder_settle. */
void profile_builder_lend(struct profile_builder *builder,
                          const struct profile_labels *labels,
                          const struct fxt_words *pcs, const int64_t *values);

/* Sets how the stack of the sample that was added last ended: see struct profile_stack.
 */
void profile_builder_set_end(struct profile_builder *builder, uint32_t end);

/* Logs the time of the sample that was added last; while samples are separated by the
 * log's times, for its moment. */
void profile_builder_log_time(struct profile_builder *builder, uint64_t time_ns);

/* Logs a mark with a number, between the samples so far and those that follow. */
void profile_builder_log_mark(struct profile_builder *builder, uint64_t number);

/* Adds a sample with the stack of a sample of `from`, which may be the same builder. */
void profile_builder_add_again(struct profile_builder *builder,
                               const struct profile_builder *from, size_t sample,
                               const struct profile_labels *labels, uint32_t epoch,
                               const int64_t *values);

/* Looks up all queued samples; lent PCs are not needed any more. */
void profile_builder_look_up(struct profile_builder *builder);

/* The same, and the samples of the profile have their values. */
void profile_builder_settle(struct profile_builder *builder);

/* Moves all samples of `from` here. It has the same types and no epochs, and is not
 * sorted; afterwards it can only be freed. */
void profile_builder_merge(struct profile_builder *builder, struct profile_builder *from);

/* Subtracts `values` from a sample to which they were added, and adds them to that with
 * other labels, in an epoch of their process. */
void profile_builder_relabel(struct profile_builder *builder, uint32_t sample,
                             const struct profile_labels *labels, uint32_t epoch,
                             const int64_t *values);

/* A PC of a stack before profile_locate, counted from the leaf. */
static inline uint64_t profile_builder_pc(const struct profile_builder *builder,
                                          const struct profile_stack *stack, uint32_t i)
{
    return builder->pcs.pcs[stack->frames[i]];
}

/* ---- After the last sample --------------------------------------------------------- */

/*
 * A sample of process 0 whose thread has a known process goes to that process; and the
 * samples are sorted by labels and, unless they may have any order, by PCs. Samples
 * cannot be added any more.
 */
void profile_builder_sort(struct profile_builder *builder);

/* Sets the time between samples of a profile that only counts them: with that, their
 * number is CPU time, too, which becomes the default type. */
void profile_builder_set_period(struct profile_builder *builder, uint64_t period_ns);

/* Each process and thread has its last name only. */
void profile_builder_forget_names(struct profile_builder *builder);

/* Keeps a sample, moved to a place at or before its own; after all that are kept were
 * moved, profile_builder_keep_first drops the others. */
void profile_builder_move_sample(struct profile_builder *builder, size_t from, size_t to);
void profile_builder_keep_first(struct profile_builder *builder, size_t n);

/* Drops samples whose values are all 0. Returns whether there were any. */
bool profile_builder_drop_empty(struct profile_builder *builder);

/* Counts the frames of all samples, and those that have a name. After profile_locate. */
void profile_builder_count_frames(struct profile_builder *builder);

/* The order of samples: by time, process, thread, their names, CPU, tag and event. */
int profile_builder_order_labels(const struct profile_labels *a,
                                 const struct profile_labels *b);

/* Stores the profile, which does not change any more, and frees all else. */
void profile_builder_finish(struct profile_builder *builder, struct profile *profile);

/* Frees what samples take in a builder that is finished, or merged into another one. What
 * else a profile can have is left to the pool. */
void profile_builder_free(struct profile_builder *builder);

#endif

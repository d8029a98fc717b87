/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: samples that the user has added up. */
#include "builder.h"
#include "common/base/binary.h"
#include "libfxt/options.h"
#include "libfxtprofile/profile/stacks/sum_frames.h"

/* ---- Processes and threads --------------------------------------------------------- */

/* The number of a process or thread, from 1 on, which has its name once it is new. */
static uint64_t number_of(struct koid_names *names, enum koid_names_kind kind,
                          struct string_table *known, struct string key,
                          struct string name)
{
    size_t n = known->n;
    uint64_t koid = (uint64_t)string_table_add(known, key.data, key.size) + 1;

    if (known->n > n)
        koid_names_add_name(names, kind, koid, name,
                            (struct koid_names_moment){NAME_SINCE_START, 0});
    return koid;
}

static struct string name_of(struct fxt_string name)
{
    return (struct string){name.data, name.size};
}

static uint64_t process_of(struct fxt_profile *p, const struct fxt_profile_sum *sum)
{
    struct string name = name_of(sum->process_name);

    if (name.size == 0)
        return 0;
    return number_of(&p->pipeline.builder.profile.koid_names, KOID_PROCESS,
                     &p->sums.processes, name, name);
}

static uint64_t thread_of(struct fxt_profile *p, const struct fxt_profile_sum *sum,
                          uint64_t process)
{
    struct koid_names *names = &p->pipeline.builder.profile.koid_names;
    struct string name = name_of(sum->thread_name);
    struct text *key = &p->sums.key;
    uint64_t thread;

    if (name.size == 0)
        return 0;
    key->size = 0;
    text_le(key, process, sizeof(process));
    text_add(key, name.data, name.size);
    thread = number_of(names, KOID_THREAD, &p->sums.threads,
                       (struct string){key->data, key->size}, name);
    koid_names_add_process(names, thread, process);
    return thread;
}

/* ---- Frames ------------------------------------------------------------------------ */

struct sum_frame_call {
    const struct fxt_profile_sum_frame *frame;
    uint32_t *number;
};

static enum fxt_code add_frame(struct fxt_profile_builder *b, void *context)
{
    const struct sum_frame_call *call = (const struct sum_frame_call *)context;
    struct fxt_profile *p = b->profile;
    struct text *key = &p->sums.key;
    struct fxt_profile_sum_frame frame;

    if (call->frame == NULL || call->number == NULL ||
        !options_copy(&frame, sizeof(frame), call->frame) ||
        p->options.source != FXT_PROFILE_SUMS)
        return FXT_E_INVALID;
    key->size = 0;
    sum_frames_add(key, &(struct sum_frame){.name = name_of(frame.name),
                                            .module = name_of(frame.module),
                                            .build_id = name_of(frame.build_id),
                                            .source_file = name_of(frame.source_file),
                                            .line = frame.line});
    text_char(key, frame.is_inlined);
    *call->number = string_table_add(&p->sums.frames, key->data, key->size);
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_add_sum_frame(struct fxt_profile_builder *b,
                                                const struct fxt_profile_sum_frame *frame,
                                                uint32_t *number)
{
    struct sum_frame_call call = {frame, number};

    return builder_call(b, add_frame, &call);
}

static struct string frame_of(const struct sum_names *s, uint32_t number)
{
    struct string frame = string_table_get(&s->frames, number);

    frame.size--;
    return frame;
}

static bool is_inlined(const struct sum_names *s, uint32_t number)
{
    struct string frame = frame_of(s, number);

    return frame.data[frame.size] != 0;
}

/* The name of frames that are one location. */
static uint32_t name_location(struct fxt_profile *p, const uint32_t *frames, size_t n)
{
    struct sum_names *s = &p->sums;
    uint32_t location =
        string_table_add(&s->locations, (const char *)frames, n * sizeof(*frames));

    if (location < s->n_names)
        return s->names[location];
    s->key.size = 0;
    for (size_t i = 0; i < n; i++) {
        struct string frame = frame_of(s, frames[i]);

        text_add(&s->key, frame.data, frame.size);
    }
    MEMORY_ADD(s->names, s->n_names, s->name_capacity,
               string_table_add(&p->pipeline.builder.pc_names, s->key.data, s->key.size));
    return s->names[location];
}

/* Each function is a location with those that were inlined into it. */
static void name_stack(struct fxt_profile *p, const struct fxt_profile_sum *sum)
{
    struct sum_names *s = &p->sums;
    size_t n;

    s->n_pcs = 0;
    for (size_t i = 0; i < sum->n_frames; i += n) {
        for (n = 1; i + n < sum->n_frames && is_inlined(s, sum->frames[i + n - 1]);)
            n++;
        MEMORY_ADD(s->pcs, s->n_pcs, s->pc_capacity,
                   name_location(p, sum->frames + i, n));
    }
}

/* ---- Samples ----------------------------------------------------------------------- */

static bool is_possible_sum(const struct fxt_profile *p,
                            const struct fxt_profile_sum *sum)
{
    if (sum->frames == NULL || sum->n_frames == 0 || sum->n_samples < 0 ||
        sum->cpu_ns < 0)
        return false;
    for (size_t i = 0; i < sum->n_frames; i++) {
        if (sum->frames[i] >= p->sums.frames.n)
            return false;
    }
    return true;
}

static enum fxt_code add_sum(struct fxt_profile_builder *b, void *context)
{
    struct fxt_profile *p = b->profile;
    struct profile_builder *to = &p->pipeline.builder;
    struct profile_labels labels = {.cpu = PROFILE_NO_CPU};
    struct fxt_profile_sum sum;

    if (context == NULL || !options_copy(&sum, sizeof(sum), context) ||
        !is_possible_sum(p, &sum) || p->options.source != FXT_PROFILE_SUMS)
        return FXT_E_INVALID;
    builder_start(b);
    name_stack(p, &sum);
    labels.process = process_of(p, &sum);
    labels.thread = thread_of(p, &sum, labels.process);
    profile_builder_add(to, &labels,
                        &(struct fxt_words){p->sums.pcs, p->sums.n_pcs, false},
                        (const int64_t[]){sum.n_samples, sum.cpu_ns});
    if (sum.end != FXT_STACK_END_UNKNOWN)
        profile_builder_set_end(
            to, sum.end <= FXT_STACK_END_NOT_SAMPLED ? sum.end : PROFILE_END_OTHER);
    p->pipeline.collect.tally.n_samples += (uint64_t)sum.n_samples;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_add_sum(struct fxt_profile_builder *b,
                                          const struct fxt_profile_sum *sum)
{
    return builder_call(b, add_sum, (void *)(uintptr_t)sum);
}

static enum fxt_code add_loss(struct fxt_profile_builder *b, void *context)
{
    const char *sentence = (const char *)context;

    if (sentence == NULL || b->profile->options.source != FXT_PROFILE_SUMS)
        return FXT_E_INVALID;
    string_table_add(&b->profile->pipeline.losses, sentence, strlen(sentence) + 1);
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_add_loss(struct fxt_profile_builder *b,
                                           const char *sentence)
{
    return builder_call(b, add_loss, (void *)(uintptr_t)sentence);
}

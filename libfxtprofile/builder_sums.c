/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: samples that the user has added up. */
#include "builder.h"
#include "common/base/binary.h"
#include "libfxt/options.h"

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
    struct text *key = &p->sums.thread;
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

static bool is_possible_sum(const struct fxt_profile_sum *sum)
{
    return sum->frames != NULL && sum->n_frames > 0 && sum->n_samples >= 0 &&
           sum->cpu_ns >= 0;
}

static enum fxt_code add_sum(struct fxt_profile_builder *b, void *context)
{
    struct fxt_profile *p = b->profile;
    struct profile_builder *to = &p->pipeline.builder;
    struct sum_names *s = &p->sums;
    struct profile_labels labels = {.cpu = PROFILE_NO_CPU};
    struct fxt_profile_sum sum;

    if (context == NULL || !options_copy(&sum, sizeof(sum), context) ||
        !is_possible_sum(&sum) || p->options.source != FXT_PROFILE_SUMS)
        return FXT_E_INVALID;
    builder_start(b);
    s->n_frames = 0;
    for (size_t i = 0; i < sum.n_frames; i++)
        MEMORY_ADD(
            s->frames, s->n_frames, s->frame_capacity,
            string_table_add(&to->pc_names, sum.frames[i].data, sum.frames[i].size));
    labels.process = process_of(p, &sum);
    labels.thread = thread_of(p, &sum, labels.process);
    profile_builder_add(to, &labels, &(struct fxt_words){s->frames, s->n_frames, false},
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

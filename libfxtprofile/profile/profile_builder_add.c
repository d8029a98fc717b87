/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile_builder.h: adding samples, and finding those that are equal. */
#include <assert.h>
#include <string.h>

#include <fxt/compiler.h>

#include "profile_builder.h"
#include "common/base/table_items.h"

/* How many PCs of queued samples are copied, unless one stack has more; and after how
 * many samples that went to another builder the rest shrinks. */
enum { COPIED_MAX = 4096, SHRINK_SAMPLES = 1 << 14 };

/* ---- Labels ------------------------------------------------------------------------ */

static bool same_labels(const struct profile_labels *a, const struct profile_labels *b)
{
    return a->thread == b->thread && a->process == b->process && a->cpu == b->cpu &&
           a->process_name == b->process_name && a->thread_name == b->thread_name &&
           a->tag == b->tag && a->time_ns == b->time_ns && a->event == b->event &&
           a->weight == b->weight;
}

static uint32_t find_labels(struct profile_builder *b,
                            const struct profile_labels *labels)
{
    struct profile *p = &b->profile;
    uint64_t hash =
        hash_word(hash_word(b->key->words[0], labels->process), labels->thread);
    struct table_probe probe;
    uint32_t number;

    hash = hash_word(hash_word(hash, labels->cpu), labels->time_ns);
    if (labels->tag > 0)
        hash = hash_word(hash, labels->tag);
    if (labels->event > 0)
        hash = hash_word(hash_word(hash, labels->event), labels->weight);
    if (labels->process_name > 0 || labels->thread_name > 0)
        hash = hash_word(hash_word(hash, labels->process_name), labels->thread_name);
    probe = table_probe(&b->label_table, hash);
    while (table_next(&b->label_table, &probe, &number)) {
        if (same_labels(&p->labels[number], labels))
            return number;
    }
    table_add(&b->label_table, hash, p->n_labels);
    MEMORY_ADD(p->labels, p->n_labels, b->label_capacity, *labels);
    return (uint32_t)(p->n_labels - 1);
}

/* The same, faster where these are the last labels of the thread. */
static FXT_ALWAYS_INLINE uint32_t
find_labels_of_thread(struct profile_builder *b, const struct profile_labels *labels)
{
    struct profile *p = &b->profile;
    uint32_t hash = table_hash(hash_word(b->key->words[0], labels->thread));
    uint32_t *last = &b->last_labels[hash % PROFILE_BUILDER_LAST_LABELS];

    if (*last == 0 || !same_labels(&p->labels[*last - 1], labels))
        *last = find_labels(b, labels) + 1;
    return *last - 1;
}

uint32_t profile_builder_add_tag(struct profile_builder *b, struct profile_tag tag)
{
    struct profile *p = &b->profile;

    if (p->n_tags == 0)
        p->n_tags = 1;
    return TABLE_PUT(&b->tag_table, p->tags, p->n_tags, b->tag_capacity, &tag, address,
                     bytes);
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* Makes room for the numbers of a stack's PCs, which they get when all queued samples
 * were looked up. */
static uint32_t *add_frames(struct profile_builder *b, const struct queued_sample *queued)
{
    /* One more may become the frame that says how the stack ended. */
    uint32_t *frames = arena_add(&b->profile.frames, queued->n + (queued->end > 0));

    b->queue.new_runs[b->queue.n_new_runs++] =
        (struct pc_run){queued->pcs, frames, queued->n};
    return frames;
}

static uint32_t add_stack(struct profile_builder *b, const struct queued_sample *queued,
                          uint32_t *frames)
{
    struct profile *p = &b->profile;

    p->stacks = (struct profile_stack *)memory_grow(
        p->stacks, p->n_stacks, &b->stack_capacity, sizeof(*p->stacks));
    p->stacks[p->n_stacks] =
        (struct profile_stack){frames, queued->n, queued->epoch, queued->end};
    b->n_stack_frames += queued->n;
    return (uint32_t)p->n_stacks++;
}

/* ---- Samples ----------------------------------------------------------------------- */

static void add_values(struct profile_builder *b, uint32_t sample, const int64_t *values)
{
    struct profile *p = &b->profile;
    int64_t *sums = p->values + (size_t)sample * p->n_types;

    for (uint32_t i = 0; i < p->n_types; i++)
        sums[i] = profile_add_up(sums[i], values[i]);
}

static uint32_t add_sample(struct profile_builder *b, uint32_t stack,
                           const struct queued_sample *queued)
{
    struct profile *p = &b->profile;

    p->samples = (struct profile_sample *)memory_grow(
        p->samples, p->n_samples, &b->sample_capacity, sizeof(*p->samples));
    p->samples[p->n_samples] = (struct profile_sample){stack, queued->labels};
    p->values = (int64_t *)memory_grow(p->values, p->n_samples, &b->value_capacity,
                                       p->n_types * sizeof(*p->values));
    for (uint32_t i = 0; i < p->n_types; i++)
        p->values[p->n_samples * p->n_types + i] = queued->values[i];
    return (uint32_t)p->n_samples++;
}

/* Counts a sample whose stack was first seen with other labels. */
static uint32_t count_relabelled(struct profile_builder *b, uint32_t stack,
                                 const struct queued_sample *queued)
{
    struct profile *p = &b->profile;
    uint64_t hash = hash_word(hash_word(b->key->words[0], stack), queued->labels);
    struct table_probe probe = table_probe(&b->sample_table, hash);
    uint32_t number;

    while (table_next(&b->sample_table, &probe, &number)) {
        if (p->samples[number].stack == stack &&
            p->samples[number].labels == queued->labels) {
            add_values(b, number, queued->values);
            return number;
        }
    }
    table_add(&b->sample_table, hash, p->n_samples);
    return add_sample(b, stack, queued);
}

static uint16_t short_labels(uint32_t labels)
{
    return labels < STACK_ENTRY_MAX ? (uint16_t)labels : STACK_ENTRY_MAX;
}

/* Whether the first sample of a stack has some labels. */
static bool has_labels(const struct profile_builder *b, const struct stack_entry *entry,
                       uint32_t labels)
{
    if (FXT_LIKELY(labels < STACK_ENTRY_MAX))
        return entry->labels == labels;
    return b->profile.samples[entry->sample].labels == labels;
}

/* Adds the entry's count to its sample. */
static void settle_entry(struct profile_builder *b, struct stack_entry *entry)
{
    struct profile *p = &b->profile;
    int64_t *sum = &p->values[(size_t)entry->sample * p->n_types];

    *sum = profile_add_up(*sum, entry->count);
    entry->count = 0;
}

/* Most samples count one, which the entry itself adds up. */
static void add_to_entry(struct profile_builder *b, struct stack_entry *entry,
                         const int64_t *values)
{
    if (FXT_UNLIKELY(values[0] != 1 || b->profile.n_types > 1)) {
        add_values(b, entry->sample, values);
        return;
    }
    entry->count++;
    if (FXT_UNLIKELY(entry->count == STACK_ENTRY_MAX))
        settle_entry(b, entry);
}

/* `frames` are the stack's if they have numbers already; else NULL. */
static FXT_ALWAYS_INLINE uint32_t count_sample(struct profile_builder *b,
                                               const struct queued_sample *queued,
                                               uint32_t *frames)
{
    size_t n_stacks = b->profile.n_stacks;
    uint32_t stack = stack_table_put(&b->stack_table, queued->print);
    struct stack_entry *entry = &b->stack_table.entries[stack];

    if (FXT_UNLIKELY(stack == n_stacks)) {
        if (frames == NULL)
            frames = add_frames(b, queued);
        entry->sample = add_sample(b, add_stack(b, queued, frames), queued);
        entry->labels = short_labels(queued->labels);
        return entry->sample;
    }
    if (!has_labels(b, entry, queued->labels))
        return count_relabelled(b, stack, queued);
    add_to_entry(b, entry, queued->values);
    return entry->sample;
}

/* ---- Queued samples ---------------------------------------------------------------- */

/* Adds a sample to the log of times, or to the moments. */
static void log_time(struct profile_builder *b, uint32_t sample, uint64_t time_ns)
{
    if (b->moments.is_kept)
        moments_add(&b->moments, sample, time_ns);
    else
        time_log_add(&b->log, sample, time_ns);
}

void profile_builder_look_up(struct profile_builder *b)
{
    b->has_unsettled |= b->queue.n > 0;
    for (uint32_t i = 0; i < b->queue.n; i++)
        stack_table_prefetch_entry(&b->stack_table, b->queue.samples[i].print);
    for (uint32_t i = 0; i < b->queue.n; i++) {
        const struct queued_sample *queued = &b->queue.samples[i];
        uint32_t sample = count_sample(b, queued, NULL);

        if (queued->is_logged)
            log_time(b, sample, queued->time_ns);
    }
    pc_set_number(&b->pcs, b->queue.new_runs, b->queue.n_new_runs);
    b->queue.n_new_runs = 0;
    b->queue.n = 0;
    b->queue.n_copied_pcs = 0;
}

void profile_builder_settle(struct profile_builder *b)
{
    profile_builder_look_up(b);
    for (size_t i = 0; i < b->stack_table.n && b->has_unsettled; i++)
        settle_entry(b, &b->stack_table.entries[i]);
    b->has_unsettled = false;
}

/* Queues a sample, and first empties a full queue. */
static void queue_sample(struct profile_builder *b, const struct profile_labels *labels,
                         const void *pcs, uint64_t n, uint32_t epoch,
                         const int64_t *values)
{
    struct profile *p = &b->profile;
    struct queued_sample *queued;

    assert(n > 0 && p->n_types > 0);
    if (b->queue.n == SAMPLE_QUEUE_MAX)
        profile_builder_look_up(b);
    queued = &b->queue.samples[b->queue.n++];
    queued->print = fingerprint_make(b->key, pcs, (uint32_t)n, labels->process, epoch);
    stack_table_prefetch(&b->stack_table, queued->print);
    queued->pcs = (const unsigned char *)pcs;
    queued->n = (uint32_t)n;
    queued->epoch = epoch;
    queued->end = 0;
    queued->labels = find_labels_of_thread(b, labels);
    queued->is_logged = false;
    for (uint32_t i = 0; i < p->n_types; i++)
        queued->values[i] = values[i];
}

/* Room for copies of PCs, until they are looked up. */
static uint64_t *make_room(struct profile_builder *b, uint64_t n)
{
    uint64_t *room;

    /* Copies do not move while they are queued, and are dropped when looked up. */
    if (b->queue.n == SAMPLE_QUEUE_MAX ||
        b->queue.copied_pc_capacity - b->queue.n_copied_pcs < n) {
        profile_builder_look_up(b);
        b->queue.copied_pcs = (uint64_t *)memory_make_room(
            b->queue.copied_pcs, 0, n > COPIED_MAX ? n : COPIED_MAX,
            &b->queue.copied_pc_capacity, sizeof(*b->queue.copied_pcs));
    }
    room = b->queue.copied_pcs + b->queue.n_copied_pcs;
    b->queue.n_copied_pcs += n;
    return room;
}

void profile_builder_lend(struct profile_builder *b, const struct profile_labels *labels,
                          const struct fxt_words *pcs, const int64_t *values)
{
    if (pcs->swapped)
        profile_builder_add(b, labels, pcs, values);
    else
        queue_sample(b, labels, pcs->data, pcs->count, 0, values);
}

void profile_builder_add_in_epoch(struct profile_builder *b,
                                  const struct profile_labels *labels,
                                  const struct fxt_words *pcs, uint32_t epoch,
                                  const int64_t *values)
{
    uint64_t *copy = make_room(b, pcs->count);

    if (epoch > PROFILE_EPOCH_MAX)
        table_too_many();
    for (uint64_t i = 0; i < pcs->count; i++)
        copy[i] = fxt_words_get(*pcs, i);
    b->has_epochs |= epoch > 0;
    queue_sample(b, labels, copy, pcs->count, epoch, values);
}

void profile_builder_add(struct profile_builder *b, const struct profile_labels *labels,
                         const struct fxt_words *pcs, const int64_t *values)
{
    profile_builder_add_in_epoch(b, labels, pcs, 0, values);
}

void profile_builder_set_end(struct profile_builder *b, uint32_t end)
{
    struct queued_sample *queued = &b->queue.samples[b->queue.n - 1];

    assert(b->queue.n > 0 && queued->end == 0 && end <= PROFILE_END_OTHER);
    queued->end = end;
    /* Stacks that differ in nothing else are different. The slot stays the one that was
     * prefetched. */
    queued->print.high ^= queued->end;
    b->has_ends |= end > 0;
}

void profile_builder_log_time(struct profile_builder *b, uint64_t time_ns)
{
    struct queued_sample *queued = &b->queue.samples[b->queue.n - 1];

    assert(b->queue.n > 0);
    queued->is_logged = true;
    queued->time_ns = time_ns;
}

void profile_builder_log_mark(struct profile_builder *b, uint64_t number)
{
    profile_builder_look_up(b);
    log_time(b, TIME_LOG_MARK, number);
}

/* ---- Samples of another builder ---------------------------------------------------- */

/* Moves the samples of `from`, and all by which they are found, to a builder without
 * any. */
static void move_samples(struct profile_builder *b, struct profile_builder *from)
{
    struct profile *to = &b->profile;
    struct profile *p = &from->profile;

    to->samples = p->samples;
    to->n_samples = p->n_samples;
    to->values = p->values;
    to->stacks = p->stacks;
    to->n_stacks = p->n_stacks;
    to->frames = p->frames;
    to->labels = p->labels;
    to->n_labels = p->n_labels;
    b->sample_capacity = from->sample_capacity;
    b->value_capacity = from->value_capacity;
    b->stack_capacity = from->stack_capacity;
    b->label_capacity = from->label_capacity;
    b->n_stack_frames = from->n_stack_frames;
    b->pcs = from->pcs;
    b->sample_table = from->sample_table;
    b->stack_table = from->stack_table;
    b->label_table = from->label_table;
    b->has_ends = from->has_ends;
    memcpy(b->last_labels, from->last_labels, sizeof(b->last_labels));
    memory_release(from->queue.copied_pcs);
    profile_builder_init(from);
}

void profile_builder_add_again(struct profile_builder *b,
                               const struct profile_builder *from, size_t sample,
                               const struct profile_labels *labels, uint32_t epoch,
                               const int64_t *values)
{
    /* A copy, since the stacks may move when others are looked up. */
    struct profile_stack stack =
        from->profile.stacks[from->profile.samples[sample].stack];
    uint64_t *pcs = make_room(b, stack.n);

    for (uint32_t i = 0; i < stack.n; i++)
        pcs[i] = profile_builder_pc(from, &stack, i);
    queue_sample(b, labels, pcs, stack.n, epoch, values);
    profile_builder_set_end(b, stack.end);
}

/* Gives the stacks of `from` the numbers that their PCs have in `b`, and frees its PCs.
 */
static void renumber_stacks(struct profile_builder *b, struct profile_builder *from)
{
    struct profile *p = &from->profile;
    uint32_t *numbers = pc_set_merge(&b->pcs, &from->pcs);

    for (size_t i = 0; i < p->n_stacks; i++) {
        uint32_t *frames = p->stacks[i].frames;

        for (uint32_t j = 0; j < p->stacks[i].n; j++)
            frames[j] = numbers[frames[j]];
    }
    memory_release(numbers);
    pc_set_free(&from->pcs);
}

/* Counts a sample of `from`, whose stack has the same fingerprint here. */
static void merge_sample(struct profile_builder *b, const struct profile_builder *from,
                         size_t sample)
{
    const struct profile *p = &from->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[sample].stack];
    struct queued_sample queued = {
        .print = from->stack_table.entries[p->samples[sample].stack].print,
        .n = stack->n,
        .end = stack->end,
        .labels = find_labels_of_thread(b, &p->labels[p->samples[sample].labels]),
    };

    memcpy(queued.values, p->values + sample * p->n_types,
           p->n_types * sizeof(*queued.values));
    count_sample(b, &queued, stack->frames);
}

/* The slots and entries of stacks are anywhere in memory. */
static void prefetch_merge(const struct profile_builder *b,
                           const struct profile_builder *from, size_t sample)
{
    enum { AHEAD = 16 };
    const struct profile *p = &from->profile;
    const struct stack_entry *entries = from->stack_table.entries;

    if (sample < 2 * AHEAD)
        return;
    stack_table_prefetch(&b->stack_table,
                         entries[p->samples[sample - 2 * AHEAD].stack].print);
    stack_table_prefetch_entry(&b->stack_table,
                               entries[p->samples[sample - AHEAD].stack].print);
}

/* Frees the memory of the samples from one on, and of the stacks first seen in these. */
static void shrink(struct profile_builder *b, size_t n_samples)
{
    struct profile *p = &b->profile;
    struct stack_table *table = &b->stack_table;

    while (table->n > 0 && table->entries[table->n - 1].sample >= n_samples)
        table->n--;
    p->n_samples = n_samples;
    p->n_stacks = table->n;
    p->samples = (struct profile_sample *)memory_reallocate(
        p->samples, n_samples * sizeof(*p->samples));
    p->values = (int64_t *)memory_reallocate(p->values,
                                             n_samples * p->n_types * sizeof(*p->values));
    p->stacks = (struct profile_stack *)memory_reallocate(
        p->stacks, p->n_stacks * sizeof(*p->stacks));
    table->entries = (struct stack_entry *)memory_reallocate(
        table->entries, table->n * sizeof(*table->entries));
}

/* Takes the frames of the stacks from one on, which are of `from`: all memory for frames,
 * unless most of it is of stacks that were there before. */
static void take_frames(struct profile_builder *b, struct profile_builder *from,
                        size_t first)
{
    struct profile *p = &b->profile;
    size_t n_new = 0;

    for (size_t i = first; i < p->n_stacks; i++)
        n_new += p->stacks[i].n;
    if (n_new >= from->n_stack_frames / 2) {
        arena_move(&p->frames, &from->profile.frames);
        return;
    }
    for (size_t i = first; i < p->n_stacks; i++) {
        struct profile_stack *stack = &p->stacks[i];
        uint32_t *frames = arena_add(&p->frames, stack->n + (stack->end > 0));

        memcpy(frames, stack->frames, stack->n * sizeof(*frames));
        stack->frames = frames;
    }
    arena_free(&from->profile.frames);
}

void profile_builder_merge(struct profile_builder *b, struct profile_builder *from)
{
    size_t n_before;

    assert(b != from && b->profile.n_types == from->profile.n_types && !from->has_epochs);
    profile_builder_settle(from);
    profile_builder_settle(b);
    if (b->profile.n_labels == 0) {
        move_samples(b, from);
        return;
    }
    n_before = b->profile.n_stacks;
    stack_table_forget(&from->stack_table);
    renumber_stacks(b, from);
    /* From the end on, where memory can be freed as this grows. */
    for (size_t i = from->profile.n_samples; i-- > 0;) {
        prefetch_merge(b, from, i);
        merge_sample(b, from, i);
        if (i % SHRINK_SAMPLES == 0)
            shrink(from, i);
    }
    take_frames(b, from, n_before);
    b->has_ends |= from->has_ends;
    b->has_unsettled = true;
    profile_builder_settle(b);
}

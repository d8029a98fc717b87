/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of processes, threads, frames, stacks and samples. */
#include "common/base/memory.h"
#include "producer.h"

/* ---- What samples refer to --------------------------------------------------------- */

void produce_processes(struct producer *p)
{
    for (size_t i = 0; i < p->threads.n_processes && !p->has_failed; i++) {
        const struct listed_process *process = &p->threads.processes[i];

        PRODUCE_ROW(p, SCHEMA_PROCESS, cell_id((uint32_t)i + 1), cell_uint(process->pid),
                    cell_name(p, process->name));
    }
}

void produce_threads(struct producer *p)
{
    for (size_t i = 0; i < p->threads.n_threads && !p->has_failed; i++) {
        const struct listed_thread *thread = &p->threads.threads[i];

        PRODUCE_ROW(p, SCHEMA_THREAD, cell_id((uint32_t)i + 1),
                    thread->tid != 0 ? cell_uint(thread->tid) : cell_null(),
                    cell_name(p, thread->name), cell_id(thread->upid));
    }
}

void produce_frames(struct producer *p)
{
    for (size_t i = 0; i < p->stacks.frames.n && !p->has_failed; i++) {
        const struct hashed_row *row = &p->stacks.frames.rows[i];
        struct frame_fields f;

        stack_ids_get_frame(&p->stacks, row, &f);
        PRODUCE_ROW(p, SCHEMA_FRAME, cell_hash(&row->hash), cell_string(p, f.name),
                    cell_name(p, f.module), cell_name(p, f.build_id),
                    cell_name(p, f.source_file),
                    f.line_number != 0 ? cell_int(f.line_number) : cell_null(),
                    cell_int(f.is_inlined));
    }
}

void produce_stacks(struct producer *p)
{
    for (size_t i = 0; i < p->stacks.stacks.n && !p->has_failed; i++) {
        const struct hashed_row *row = &p->stacks.stacks.rows[i];
        size_t n;
        const struct hash *frames = stack_ids_list(&p->stacks, row->of, &n);

        PRODUCE_ROW(
            p, SCHEMA_STACK, cell_hash(&row->hash),
            cell_bytes(frames, n * sizeof(*frames)),
            cell_word(stack_ids_ending(fxt_profile_stack_end(p->profile, row->of))));
    }
}

/* ---- Samples ----------------------------------------------------------------------- */

static struct cell stack_cell(const struct producer *p, uint32_t stack)
{
    return cell_hash(&p->stacks.stacks.rows[p->stacks.of_stacks[stack]].hash);
}

/* Which of the profile's values is that of a sample: that of its event, or CPU time; 0 if
 * there is none but the number of samples. */
static size_t find_value(const struct producer *p, const struct fxt_profile_sample *s)
{
    size_t n = fxt_profile_n_value_types(p->profile);

    if (s->event_type != 0)
        return s->event_type;
    for (size_t i = 1; i < n; i++) {
        if (s->values[i] != 0)
            return i;
    }
    return 0;
}

/* What the moments of a sample have in common, and what is left of its value after those
 * that had a row. */
struct moment_share {
    uint32_t cpu;
    uint32_t stack;
    size_t value_type;
    int64_t value;
    int64_t n;
};

static struct moment_share share_sample(const struct producer *p, size_t sample)
{
    struct fxt_profile_sample s;
    size_t value;

    fxt_profile_get_sample(p->profile, sample, &s);
    value = find_value(p, &s);
    return (struct moment_share){s.cpu, s.stack, value, s.values[value], s.values[0]};
}

static void produce_moment(struct producer *p, const struct fxt_profile_moment *moment,
                           struct moment_share *share)
{
    struct fxt_profile_value_type type;
    bool has_value;
    int64_t part = 0;

    if (share->n == 0)
        *share = share_sample(p, moment->sample);
    if (share->n > 0) {
        part = share->value / share->n;
        share->value -= part;
        share->n--;
    }
    has_value = share->value_type > 0;
    fxt_profile_get_value_type(p->profile, share->value_type, &type);
    PRODUCE_ROW(p, SCHEMA_SAMPLE, cell_time(p, moment->time_ns),
                cell_id(p->threads.of_samples[moment->sample]), cell_index(share->cpu),
                stack_cell(p, share->stack),
                has_value ? cell_word(type.type) : cell_null(),
                has_value ? cell_word(type.unit) : cell_null(), cell_int(1),
                has_value ? cell_int(part) : cell_null());
}

/* The samples of a profile with times: as many rows as there were moments. Those of equal
 * samples stand for equal values, but for rounding, so that sums are those of the
 * profile. */
static void produce_moments(struct producer *p)
{
    size_t n = fxt_profile_n_samples(p->profile);
    struct moment_share *shares =
        (struct moment_share *)memory_allocate(n * sizeof(*shares));
    struct fxt_profile_moment moment;

    for (size_t i = 0;
         !p->has_failed && fxt_profile_get_moment(p->profile, i, &moment) == FXT_OK; i++)
        produce_moment(p, &moment, &shares[moment.sample]);
    memory_release(shares);
}

/* The samples of folded stacks, which have no times: a row for each stack. */
static void produce_sums(struct producer *p)
{
    size_t n = fxt_profile_n_samples(p->profile);
    struct fxt_profile_sample s;

    for (size_t i = 0; i < n && !p->has_failed; i++) {
        fxt_profile_get_sample(p->profile, i, &s);
        PRODUCE_ROW(p, SCHEMA_SAMPLE, cell_null(), cell_id(p->threads.of_samples[i]),
                    cell_index(s.cpu), stack_cell(p, s.stack), cell_null(), cell_null(),
                    cell_int(s.values[0]), cell_null());
    }
}

/* A number of blocks, and if it is known their bytes. */
static void produce_block(struct producer *p, size_t sample, size_t number, size_t value)
{
    struct fxt_profile_value_type type;
    struct fxt_profile_sample s;

    fxt_profile_get_sample(p->profile, sample, &s);
    fxt_profile_get_value_type(p->profile, value, &type);
    if (s.values[number] == 0 && s.values[value] == 0)
        return;
    PRODUCE_ROW(p, SCHEMA_SAMPLE, cell_null(), cell_id(p->threads.of_samples[sample]),
                cell_index(s.cpu), stack_cell(p, s.stack), cell_word(type.type),
                cell_word(type.unit), cell_int(s.values[number]),
                cell_int(s.values[value]));
}

/* Heaps have pairs of values, and a last number alone. */
static void produce_blocks(struct producer *p)
{
    size_t n = fxt_profile_n_samples(p->profile);
    size_t n_types = fxt_profile_n_value_types(p->profile);

    for (size_t i = 0; i < n && !p->has_failed; i++) {
        for (size_t type = 0; type < n_types; type += 2)
            produce_block(p, i, type, type + 1 < n_types ? type + 1 : type);
    }
}

void produce_samples(struct producer *p)
{
    if (fxt_profile_kind(p->profile) == FXT_PROFILE_KIND_HEAPS)
        produce_blocks(p);
    else if (fxt_profile_n_moments(p->profile) > 0)
        produce_moments(p);
    else
        produce_sums(p);
}

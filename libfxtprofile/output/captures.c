/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as captures of stacks, the JSON that cargo-osdk writes and reads:
 *
 *     {"stack_traces":[{"0":["leaf","caller","root"],"1":["leaf","root"]},...]}
 *
 * A capture has at most one stack of each CPU. The samples are taken in the order of
 * time, and a new capture begins where a CPU is repeated. Captures from an input are
 * unchanged.
 */
#include <string.h>

#include "fold.h"
#include "common/base/parse.h"
#include "common/base/quote.h"

/* Stands for a CPU that is not known. */
enum { UNKNOWN_CPU = CPU_MAX + 1 };

struct captures {
    struct fold fold;
    struct output *output;
    struct text text;
    /* The capture that each CPU was in last, from 1 on; and how many there are. */
    uint64_t last[UNKNOWN_CPU + 1];
    uint64_t n;
    /* How many of those that were read are written. */
    uint64_t n_read;
    bool has_stacks;
};

static void start_capture(struct captures *c)
{
    text_str(&c->text, c->n == 0 ? "\n{" : "},\n{");
    c->n++;
    c->has_stacks = false;
}

/* Begins captures up to this one of those that were read, some of which may be empty. */
static void start_captures(struct captures *c, uint64_t n_read)
{
    for (; c->n_read < n_read && !output_failed(c->output); c->n_read++) {
        start_capture(c);
        output_text(c->output, &c->text);
    }
}

/* Begins a capture, or continues one. */
static void add_start(struct captures *c, size_t sample, uint32_t cpu)
{
    const struct profile *p = c->fold.profile;

    if (p->is_of_captures)
        start_captures(c, p->labels[p->samples[sample].labels].time_ns + 1);
    if (c->n == 0 || c->last[cpu] == c->n)
        start_capture(c);
    if (c->has_stacks)
        text_char(&c->text, ',');
    c->has_stacks = true;
    c->last[cpu] = c->n;
}

static void write_stack(struct captures *c, size_t sample)
{
    const struct profile *p = c->fold.profile;
    uint32_t cpu = p->labels[p->samples[sample].labels].cpu;
    uint32_t n;

    cpu = cpu <= CPU_MAX ? cpu : UNKNOWN_CPU;
    c->fold.n_frames = 0;
    n = fold_add_frames(&c->fold, sample);
    add_start(c, sample, cpu);
    text_printf(&c->text, "\"%u\":[", cpu);
    for (uint32_t i = n; i > 0; i--) {
        struct string name = string_table_get(&c->fold.names, c->fold.frames[i - 1]);

        quote_json(&c->text, name.data, name.size);
        text_char(&c->text, i > 1 ? ',' : ']');
    }
    output_text(c->output, &c->text);
}

static void write_captures(const struct profile *p,
                           const struct output_settings *settings, struct output *output)
{
    struct captures *c = memory_allocate(sizeof(*c));
    struct output_settings without_roots = *settings;

    c->output = output;
    without_roots.n_roots = 0;
    fold_start(&c->fold, p, &without_roots, true);
    text_str(&c->text, "{\"stack_traces\":[");
    for (size_t i = 0; i < p->n_samples && !output_failed(output); i++) {
        for (int64_t n = p->values[i * p->n_types]; n > 0 && !output_failed(output); n--)
            write_stack(c, i);
    }
    if (p->is_of_captures)
        start_captures(c, p->n_captures);
    text_str(&c->text, c->n > 0 ? "}]}\n" : "]}\n");
    output_text(output, &c->text);
}

const struct output_format output_json = {
    .description = "the captures of cargo-osdk, in JSON",
    .uses = FXT_PROFILE_USE_ANNOTATE | FXT_PROFILE_USE_LINES,
    .keeps_times = true,
    .heap_refusal = "this format is for samples, and cannot represent heaps",
    .write = write_captures,
};

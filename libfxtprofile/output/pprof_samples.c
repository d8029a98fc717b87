/* SPDX-License-Identifier: BSD-2-Clause */
/* See pprof_writer.h: the samples of a profile for pprof, which are most of a large
 * profile. */
#include "pprof_writer.h"

#include <string.h>

#include "pprof_fields.h"

/* The processor's mode, if known. */
enum mode { MODE_KERNEL, MODE_USER, MODE_UNKNOWN };

/* An encoded location, in one word so that it stays in a register: its id as a varint in
 * the first bytes, the processor's mode in the last byte but one, and the varint's size
 * in the last byte. If lines are locations, the id is not used. */
typedef uint64_t varint;

enum { VARINT_MODE = sizeof(varint) - 2, VARINT_SIZE = sizeof(varint) - 1 };

struct samples {
    struct pprof_writer *writer;
    /* The labels of the previous sample, which the next one often has too. */
    uint32_t last_labels;
    struct text labels;
    /* By the numbers of locations. */
    varint *varints;
    /* The labels of modes, once they are needed. */
    struct text modes[MODE_UNKNOWN];
};

/* ---- Labels ------------------------------------------------------------------------ */

static void add_string_label(struct pprof_writer *w, const char *key, struct string value)
{
    proto_number(&w->inner, LABEL_KEY, pprof_literal(w, key));
    proto_number(&w->inner, LABEL_STR, pprof_string(w, value));
    proto_text(&w->message, SAMPLE_LABEL, &w->inner);
}

static void add_number_label(struct pprof_writer *w, const char *key, uint64_t value,
                             const char *unit)
{
    proto_number(&w->inner, LABEL_KEY, pprof_literal(w, key));
    proto_number(&w->inner, LABEL_NUM, value);
    proto_number(&w->inner, LABEL_NUM_UNIT, pprof_literal(w, unit));
    proto_text(&w->message, SAMPLE_LABEL, &w->inner);
}

static void add_process_label(struct pprof_writer *w, const struct profile_labels *labels)
{
    struct boot_koid of = boots_koid(&w->profile->koid_names.boots, labels->process);

    add_number_label(w, "process_koid", of.koid, "koid");
    if (of.boot > 0)
        add_number_label(w, "boot", (uint64_t)of.boot + 1, "boot");
}

static void add_tid_label(struct pprof_writer *w, const struct profile_labels *labels)
{
    add_number_label(
        w, "tid", boots_koid(&w->profile->koid_names.boots, labels->thread).koid, "koid");
}

static void add_thread_label(struct pprof_writer *w, const struct profile_labels *labels)
{
    struct text thread = {NULL, 0, 0};

    koid_names_describe(&w->profile->koid_names, profile_thread(labels), &thread);
    add_string_label(w, "thread", (struct string){thread.data, thread.size});
    text_free(&thread);
}

static void add_process_labels(struct pprof_writer *w,
                               const struct profile_labels *labels)
{
    struct string name =
        koid_names_name(&w->profile->koid_names, profile_process(labels));

    if (name.size > 0 && !w->settings->wanted.raw_labels)
        add_string_label(w, "process_name", name);
    if (!w->profile->is_of_captures)
        add_process_label(w, labels);
}

/* The labels of a heap's sample: the process, and those of the block if there is one. */
static void add_heap_labels(struct pprof_writer *w, const struct profile_labels *labels)
{
    const struct profile_tag *tag;
    struct text address = {NULL, 0, 0};

    if (w->profile->has_processes)
        add_process_labels(w, labels);
    if (labels->tag == 0)
        return;
    tag = &w->profile->tags[labels->tag];
    text_str(&address, "0x");
    text_hex(&address, tag->address, 1);
    add_string_label(w, "address", (struct string){address.data, address.size});
    add_number_label(w, "bytes", tag->bytes, "bytes");
    add_number_label(w, "timestamp", labels->time_ns, "nanoseconds");
    if (w->settings->wanted.raw_labels)
        add_tid_label(w, labels);
    else
        add_thread_label(w, labels);
    text_free(&address);
}

static void add_labels(struct pprof_writer *w, const struct profile_labels *labels)
{
    if (w->profile->is_of_heap) {
        add_heap_labels(w, labels);
        return;
    }
    add_process_labels(w, labels);
    if (!w->profile->is_of_captures || labels->thread != 0) {
        if (!w->settings->wanted.raw_labels)
            add_thread_label(w, labels);
        add_tid_label(w, labels);
    }
    if (labels->cpu != PROFILE_NO_CPU)
        add_number_label(w, "cpu", labels->cpu, "cpu");
    if (w->profile->has_times)
        add_number_label(w, "timestamp_ns", labels->time_ns, "nanoseconds");
}

/* The same, faster if the previous sample had the same labels. */
static void add_labels_again(struct samples *s, uint32_t number)
{
    struct text *message = &s->writer->message;
    size_t start = message->size;

    if (s->labels.size > 0 && number == s->last_labels) {
        text_add(message, s->labels.data, s->labels.size);
        return;
    }
    add_labels(s->writer, &s->writer->profile->labels[number]);
    s->last_labels = number;
    s->labels.size = 0;
    text_add(&s->labels, message->data + start, message->size - start);
}

/* ---- Modes and locations ----------------------------------------------------------- */

static enum mode mode_of(const struct profile *p, const struct profile_location *leaf)
{
    if (!profile_is_of_samples(p))
        return MODE_UNKNOWN;
    if (profile_is_in_kernel(leaf->address))
        return MODE_KERNEL;
    if (leaf->mapping != PROFILE_NO_MAPPING && p->mappings[leaf->mapping].is_of_process)
        return MODE_USER;
    return MODE_UNKNOWN;
}

/* A byte of a word as it is in memory. */
static unsigned byte_of(varint word, unsigned i)
{
    return word >> 8 * (FXT_HOST_IS_BIG_ENDIAN ? sizeof(word) - 1 - i : i) & 0xff;
}

static void add_mode(struct samples *s, uint32_t leaf)
{
    static const char *const names[] = {"kernel", "user"};
    struct text *message = &s->writer->message;
    unsigned mode = byte_of(s->varints[leaf], VARINT_MODE);
    size_t start = message->size;

    if (mode == MODE_UNKNOWN || s->writer->settings->wanted.raw_labels)
        return;
    if (s->modes[mode].size > 0) {
        text_add(message, s->modes[mode].data, s->modes[mode].size);
        return;
    }
    add_string_label(s->writer, "execution_mode", string_from(names[mode]));
    text_add(&s->modes[mode], message->data + start, message->size - start);
}

/* The words of all locations. */
static varint *make_varints(const struct pprof_writer *w)
{
    const struct profile *p = w->profile;
    varint *varints = memory_allocate(p->n_locations * sizeof(*varints));

    for (size_t i = 0; i < p->n_locations; i++) {
        unsigned char bytes[VARINT_MAX] = {0};

        bytes[VARINT_SIZE] = (unsigned char)(store_varint(bytes, w->ids[i]) - bytes);
        bytes[VARINT_MODE] = (unsigned char)mode_of(p, &p->locations[i]);
        memcpy(&varints[i], bytes, sizeof(*varints));
    }
    return varints;
}

static void add_locations(struct samples *s, const uint32_t *frames, uint32_t n)
{
    const varint *varints = s->varints;
    struct text *message = &s->writer->message;
    char *start = text_room(message, n * sizeof(varint));
    char *to = start;

    for (uint32_t i = 0; i < n; i++) {
        varint id = varints[frames[i]];

        memcpy(to, &id, sizeof(id));
        to += byte_of(id, VARINT_SIZE);
    }
    message->size += (size_t)(to - start);
}

/* Each line is a separate location. */
static void add_lines(struct pprof_writer *w, const uint32_t *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct profile_location *location = &w->profile->locations[frames[i]];

        for (uint32_t j = 0; j < location->n_lines; j++)
            text_varint(&w->message, w->ids[location->first_line + j]);
    }
}

/* Stores a field's tag and length before its content, which extends from `start` to the
 * end of the message so far. Returns where the field starts. */
static size_t put_start(struct pprof_writer *w, unsigned field, size_t start)
{
    proto_start(&w->field, field, w->message.size - start);
    start -= w->field.size;
    memcpy(w->message.data + start, w->field.data, w->field.size);
    w->field.size = 0;
    return start;
}

/* A sample is encoded in place, after room for its tag and length, whose size depends on
 * the length. */
static void write_sample(struct samples *s, size_t i)
{
    enum { ROOM = 4 * VARINT_MAX };
    struct pprof_writer *w = s->writer;
    const struct profile *p = w->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
    size_t start;

    profile_prefetch(p, i);
    text_room(&w->message, ROOM);
    w->message.size = ROOM;
    if (w->settings->wanted.inlines_are_locations)
        add_lines(w, stack->frames, stack->n);
    else
        add_locations(s, stack->frames, stack->n);
    start = put_start(w, SAMPLE_LOCATION_ID, ROOM);
    for (uint32_t type = 0; type < p->n_types; type++)
        text_varint(&w->inner, (uint64_t)p->values[i * p->n_types + type]);
    proto_text(&w->message, SAMPLE_VALUE, &w->inner);
    add_labels_again(s, p->samples[i].labels);
    add_mode(s, stack->frames[0]);
    start = put_start(w, PROFILE_SAMPLE, start);
    output_write(w->output, w->message.data + start, w->message.size - start);
    w->message.size = 0;
}

void pprof_write_samples(struct pprof_writer *w)
{
    struct samples s = {.writer = w, .varints = make_varints(w)};

    for (size_t i = 0; i < w->profile->n_samples && !output_failed(w->output); i++)
        write_sample(&s, i);
}

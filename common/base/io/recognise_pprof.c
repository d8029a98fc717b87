/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See recognise.h. A message of protocol buffers has no magic number; but every byte of
 * it belongs to a field, whose number and type must be those that pprof's profile.proto
 * has there. The zeros that FXT is full of are no field.
 */
#include "recognise.h"

#include <stdint.h>

enum { VARINT = 0, LENGTH = 2 };

/* By message, which fields are numbers and which have a length, as bits. A repeated
 * number may be either. */
struct message {
    uint32_t numbers;
    uint32_t lengths;
};

#define FIELD(n) (1u << (n))
#define FIELDS(first, last) ((2u << (last)) - (1u << (first)))

static const struct message profile = {
    FIELDS(7, 10) | FIELDS(12, 15),
    FIELDS(1, 6) | FIELD(11) | FIELD(13),
};
static const struct message value_type = {FIELDS(1, 2), 0};
static const struct message sample = {FIELDS(1, 2), FIELDS(1, 3)};
static const struct message mapping = {FIELDS(1, 10), 0};
static const struct message location = {FIELDS(1, 3) | FIELD(5), FIELD(4)};
static const struct message function = {FIELDS(1, 5), 0};

/* What a field of a profile is. Strings are empty here. */
static const struct message *const parts[] = {
    [1] = &value_type, [2] = &sample,   [3] = &mapping,
    [4] = &location,   [5] = &function, [11] = &value_type,
};

enum { SAMPLE_TYPE = 1, STRING = 6, PERIOD_TYPE = 11, PARTS_END = 12 };

struct bytes {
    const unsigned char *at;
    size_t size;
    /* What follows them is not available. */
    bool is_cut;
};

struct field {
    uint64_t number;
    /* Of a length the bytes, as far as they are there. */
    struct bytes content;
};

enum step { STEP_FIELD, STEP_END, STEP_WRONG };

static enum step end_of(const struct bytes *b)
{
    return b->is_cut ? STEP_END : STEP_WRONG;
}

static enum step take_varint(struct bytes *b, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned char byte;

        if (b->size == 0)
            return end_of(b);
        byte = *b->at++;
        b->size--;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return STEP_FIELD;
    }
    return STEP_WRONG;
}

static enum step take_content(struct bytes *b, struct field *field)
{
    uint64_t size;
    enum step step = take_varint(b, &size);

    if (step != STEP_FIELD)
        return step;
    field->content = (struct bytes){b->at, (size_t)size, false};
    if (size > b->size) {
        if (!b->is_cut)
            return STEP_WRONG;
        field->content.size = b->size;
        field->content.is_cut = true;
    }
    b->at += field->content.size;
    b->size -= field->content.size;
    return STEP_FIELD;
}

static enum step take_field(struct bytes *b, const struct message *message,
                            struct field *field)
{
    uint64_t key;
    uint64_t value;
    enum step step;

    if (b->size == 0)
        return STEP_END;
    step = take_varint(b, &key);
    if (step != STEP_FIELD)
        return step;
    field->number = key >> 3;
    field->content = (struct bytes){b->at, 0, false};
    if (field->number == 0 || field->number >= 32)
        return STEP_WRONG;
    if ((key & 7) == VARINT && message->numbers >> field->number & 1)
        return take_varint(b, &value);
    if ((key & 7) == LENGTH && message->lengths >> field->number & 1)
        return take_content(b, field);
    return STEP_WRONG;
}

/* Whether all of a field's content is fields that its message has. */
static bool is_part(const struct field *field)
{
    const struct message *message =
        field->number < PARTS_END ? parts[field->number] : NULL;
    struct bytes b = field->content;
    struct field inner;
    enum step step = STEP_FIELD;

    while (message != NULL && step == STEP_FIELD)
        step = take_field(&b, message, &inner);
    return step != STEP_WRONG;
}

/* Says yes once there is a type of values and, if all of the profile is there, a table of
 * strings, which begins with the empty one. */
enum recognised recognise_pprof(const unsigned char *bytes, size_t size, bool is_all)
{
    struct bytes b = {bytes, size, !is_all};
    struct field field;
    size_t n_types = 0;
    size_t n_strings = 0;
    enum step step;

    while ((step = take_field(&b, &profile, &field)) == STEP_FIELD) {
        if (!is_part(&field))
            return RECOGNISED_NOT;
        if ((field.number == SAMPLE_TYPE || field.number == PERIOD_TYPE) &&
            field.content.size > 0)
            n_types++;
        if (field.number == STRING && n_strings++ == 0 && field.content.size > 0)
            return RECOGNISED_NOT;
    }
    if (step == STEP_WRONG)
        return RECOGNISED_NOT;
    return n_types > 0 && (n_strings > 0 || !is_all) ? RECOGNISED_YES : RECOGNISED_MAYBE;
}

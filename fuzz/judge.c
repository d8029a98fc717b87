/* SPDX-License-Identifier: BSD-2-Clause */
/* See judge.h. The field numbers are those of pprof's profile.proto. */
#include "judge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    const unsigned char *at;
    size_t size;
};

/* ---- UTF-8 ------------------------------------------------------------------------- */

/* The code point at the start, and how many bytes it takes; 0 where there is none. */
static size_t code_point(struct bytes b, uint32_t *point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = b.at[0];
    size_t n = first < 0x80   ? 1
               : first < 0xc0 ? 0
               : first < 0xe0 ? 2
               : first < 0xf0 ? 3
                              : 4;

    if (n == 0 || n > b.size || first > 0xf4)
        return 0;
    *point = n == 1 ? first : first & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (b.at[i] >> 6 != 2)
            return 0;
        *point = *point << 6 | (b.at[i] & 0x3fu);
    }
    if (*point < smallest[n] || *point > 0x10ffff || *point >> 11 == 0xd800 >> 11)
        return 0;
    return n;
}

static bool is_text(struct bytes b, bool (*allows)(uint32_t point))
{
    while (b.size > 0) {
        uint32_t point;
        size_t n = code_point(b, &point);

        if (n == 0 || !allows(point))
            return false;
        b.at += n;
        b.size -= n;
    }
    return true;
}

static bool any(uint32_t point)
{
    (void)point;
    return true;
}

static bool no_control(uint32_t point)
{
    return point == '\n' || (point >= 0x20 && (point < 0x7f || point > 0x9f));
}

/* The production Char of XML 1.0. */
static bool xml_char(uint32_t point)
{
    return point == '\t' || point == '\n' || point == '\r' ||
           (point >= 0x20 && point != 0xfffe && point != 0xffff);
}

/* ---- protobuf ---------------------------------------------------------------------- */

struct field {
    uint32_t number;
    bool is_message;
    uint64_t value;
    struct bytes message;
};

static bool take_varint(struct bytes *b, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && b->size > 0; shift += 7) {
        unsigned char byte = *b->at++;

        b->size--;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take_field(struct bytes *b, struct field *field)
{
    uint64_t key;

    if (!take_varint(b, &key) || !take_varint(b, &field->value))
        return false;
    field->number = (uint32_t)(key >> 3);
    field->is_message = (key & 7) == 2;
    if (!field->is_message)
        return (key & 7) == 0;
    if (field->value > b->size)
        return false;
    field->message = (struct bytes){b->at, (size_t)field->value};
    b->at += field->value;
    b->size -= (size_t)field->value;
    return true;
}

/* ---- pprof ------------------------------------------------------------------------- */

/* How many there are of what others refer to by number, the ids being 1, 2, 3; and the
 * largest number that is referred to. */
struct referred {
    uint64_t n;
    uint64_t largest;
};

struct pprof {
    struct referred mappings;
    struct referred locations;
    struct referred functions;
    uint64_t n_strings;
    uint64_t largest_string;
    uint64_t n_types;
    uint64_t total;
    const char *fault;
};

static void fail(struct pprof *p, const char *fault)
{
    if (p->fault == NULL)
        p->fault = fault;
}

static void refer(uint64_t *largest, uint64_t number)
{
    if (number > *largest)
        *largest = number;
}

static void is_next(struct pprof *p, struct referred *referred, uint64_t id)
{
    if (id != ++referred->n)
        fail(p, "ids are not 1, 2, 3");
}

static void judge_label(struct pprof *p, struct bytes message)
{
    struct field field;
    bool is_number = false;
    bool has_unit = false;

    while (message.size > 0) {
        if (!take_field(&message, &field)) {
            fail(p, "a label is no message");
            return;
        }
        is_number |= field.number == 3;
        has_unit |= field.number == 4;
        if (field.number != 3)
            refer(&p->largest_string, field.value);
    }
    if (is_number && !has_unit)
        fail(p, "a number without a unit");
}

static void judge_sample(struct pprof *p, struct bytes message)
{
    struct field field;
    uint64_t n_frames = 0;
    uint64_t n_values = 0;
    uint64_t number;

    while (message.size > 0) {
        if (!take_field(&message, &field) || !field.is_message) {
            fail(p, "a sample is no message");
            return;
        }
        if (field.number == 3)
            judge_label(p, field.message);
        while (field.number != 3 && take_varint(&field.message, &number)) {
            if (field.number == 1) {
                n_frames++;
                refer(&p->locations.largest, number);
                if (number == 0)
                    fail(p, "location 0");
            } else {
                n_values++;
                p->total += number;
            }
        }
    }
    if (n_frames == 0)
        fail(p, "a sample without a frame");
    if (n_values != p->n_types)
        fail(p, "too few or too many values");
}

static void judge_line(struct pprof *p, struct bytes message)
{
    struct field field;

    while (message.size > 0 && take_field(&message, &field)) {
        if (field.number == 1)
            refer(&p->functions.largest, field.value);
    }
}

/* Mappings, locations and functions: the id is field 1. */
static void judge_referred(struct pprof *p, uint32_t kind, struct bytes message)
{
    struct field field;

    while (message.size > 0) {
        if (!take_field(&message, &field)) {
            fail(p, "what is no message");
            return;
        }
        if (kind == 3 && field.number == 1)
            is_next(p, &p->mappings, field.value);
        if (kind == 4 && field.number == 1)
            is_next(p, &p->locations, field.value);
        if (kind == 5 && field.number == 1)
            is_next(p, &p->functions, field.value);
        if (kind == 4 && field.number == 2)
            refer(&p->mappings.largest, field.value);
        if (kind == 4 && field.number == 4)
            judge_line(p, field.message);
        if ((kind == 3 && (field.number == 5 || field.number == 6)) ||
            (kind == 5 && (field.number == 2 || field.number == 3)))
            refer(&p->largest_string, field.value);
    }
}

static void judge_field(struct pprof *p, const struct field *field)
{
    switch (field->number) {
    case 1:
        p->n_types++;
        break;
    case 2:
        judge_sample(p, field->message);
        break;
    case 3:
    case 4:
    case 5:
        judge_referred(p, field->number, field->message);
        break;
    case 6:
        if (p->n_strings++ == 0 && field->message.size > 0)
            fail(p, "the first string is not empty");
        if (!is_text(field->message, any))
            fail(p, "a string is not UTF-8");
        break;
    default:
        break;
    }
}

const char *judge_pprof(const char *data, size_t size, uint64_t total)
{
    struct bytes left = {(const unsigned char *)data, size};
    struct pprof p = {.fault = NULL};
    struct field field;

    while (left.size > 0 && p.fault == NULL) {
        if (!take_field(&left, &field))
            return "the profile is no message";
        judge_field(&p, &field);
    }
    if (p.mappings.largest > p.mappings.n || p.locations.largest > p.locations.n ||
        p.functions.largest > p.functions.n || p.largest_string >= p.n_strings)
        fail(&p, "what is referred to is not there");
    if (p.total != total)
        fail(&p, "the values are not those of the samples");
    return p.fault;
}

/* ---- Lines and documents ----------------------------------------------------------- */

const char *judge_folded(const char *data, size_t size, uint64_t total)
{
    struct bytes all = {(const unsigned char *)data, size};
    struct bytes last = {NULL, 0};
    uint64_t sum = 0;

    if (!is_text(all, no_control))
        return "control characters";
    while (all.size > 0) {
        const unsigned char *end = (const unsigned char *)memchr(all.at, '\n', all.size);
        struct bytes line = {all.at, end != NULL ? (size_t)(end - all.at) : all.size};
        size_t stack = line.size;
        size_t shorter;
        int order;

        if (end == NULL)
            return "the last line has no end";
        while (stack > 0 && line.at[stack - 1] != ' ')
            stack--;
        if (stack < 2)
            return "a line without a stack";
        sum += strtoull((const char *)line.at + stack, NULL, 10);
        shorter = stack < last.size ? stack : last.size;
        order = last.at != NULL ? memcmp(last.at, line.at, shorter) : -1;
        if (order > 0 || (order == 0 && last.size == stack))
            return "lines are not sorted, or two are of one stack";
        last = (struct bytes){line.at, stack};
        all.at = end + 1;
        all.size -= line.size + 1;
    }
    return sum == total ? NULL : "the counts are not those of the samples";
}

const char *judge_svg(const char *data, size_t size, uint64_t total)
{
    struct bytes all = {(const unsigned char *)data, size};

    (void)total;
    if (!is_text(all, xml_char))
        return "characters that XML cannot hold";
    return NULL;
}

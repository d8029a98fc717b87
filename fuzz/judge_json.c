/* SPDX-License-Identifier: BSD-2-Clause */
/* See judge.h: what is JSON. The parser knows no more than RFC 8259 and where it is. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "judge_text.h"

enum { DEPTH_MAX = 8 };

/* An object or an array, and the key that it stands under. */
struct level {
    char type;
    char key[16];
};

struct parser {
    struct bytes left;
    struct level levels[DEPTH_MAX];
    size_t depth;
    char key[16];
    const char *fault;

    /* What was found: numbers under "weights", stacks under "samples", the largest number
     * in them, objects in "frames", and arrays of strings in objects in an array. */
    uint64_t weights;
    uint64_t n_weights;
    uint64_t n_samples;
    uint64_t largest;
    bool has_largest;
    uint64_t n_frames;
    uint64_t n_stacks;
};

static void fail(struct parser *p, const char *fault)
{
    if (p->fault == NULL)
        p->fault = fault;
    p->left.size = 0;
}

static void skip_space(struct parser *p)
{
    while (p->left.size > 0 && strchr(" \n\r\t", p->left.at[0]) != NULL &&
           p->left.at[0] != '\0') {
        p->left.at++;
        p->left.size--;
    }
}

/* Takes a character if it is the next one. */
static bool take(struct parser *p, char c)
{
    skip_space(p);
    if (p->left.size == 0 || p->left.at[0] != (unsigned char)c)
        return false;
    p->left.at++;
    p->left.size--;
    return true;
}

static void need(struct parser *p, char c)
{
    if (!take(p, c))
        fail(p, "another character was expected");
}

static bool next(struct parser *p, unsigned char *c)
{
    if (p->left.size == 0)
        return false;
    *c = *p->left.at++;
    p->left.size--;
    return true;
}

/* A string, from after its opening quote; as much of it as fits is stored. */
static void parse_string(struct parser *p, char to[16])
{
    size_t n = 0;
    unsigned char c;

    for (;;) {
        if (!next(p, &c) || c < 0x20) {
            fail(p, "a string that does not end, or a control character in it");
            return;
        }
        if (c == '"')
            break;
        if (c == '\\' && (!next(p, &c) || strchr("\"\\/bfnrtu", c) == NULL))
            fail(p, "a backslash before something strange");
        if (n < 15)
            to[n++] = (char)c;
    }
    to[n] = '\0';
}

static const struct level *level(const struct parser *p, size_t up)
{
    static const struct level none = {0, ""};

    return p->depth > up ? &p->levels[p->depth - 1 - up] : &none;
}

static bool is_in(const struct parser *p, size_t up, const char *key)
{
    return level(p, up)->type == '[' && strcmp(level(p, up)->key, key) == 0;
}

static void parse_number(struct parser *p)
{
    uint64_t value = 0;
    size_t n = 0;

    while (p->left.size > 0 && isdigit(p->left.at[0])) {
        value = value * 10 + (uint64_t)(p->left.at[0] - '0');
        p->left.at++;
        p->left.size--;
        n++;
    }
    if (n == 0)
        fail(p, "no value");
    if (is_in(p, 0, "weights")) {
        p->weights = judge_add_up(p->weights, value);
        p->n_weights++;
    }
    if (is_in(p, 1, "samples")) {
        p->largest = value > p->largest ? value : p->largest;
        p->has_largest = true;
    }
}

static void enter(struct parser *p, char type)
{
    if (p->depth == DEPTH_MAX) {
        fail(p, "too deep");
        return;
    }
    p->n_frames += type == '{' && is_in(p, 0, "frames");
    p->n_samples += type == '[' && is_in(p, 0, "samples");
    p->n_stacks += type == '[' && is_in(p, 1, "stack_traces");
    p->levels[p->depth].type = type;
    memcpy(p->levels[p->depth++].key, p->key, sizeof(p->key));
    p->key[0] = '\0';
}

/* Everything up to where the next value begins, or to the end. */
static void parse_behind(struct parser *p)
{
    while (p->depth > 0 && p->fault == NULL) {
        if (take(p, level(p, 0)->type == '{' ? '}' : ']')) {
            p->depth--;
        } else {
            need(p, ',');
            return;
        }
    }
}

static void parse_key(struct parser *p)
{
    need(p, '"');
    parse_string(p, p->key);
    need(p, ':');
}

static void parse_value(struct parser *p)
{
    char ignored[16];

    p->key[0] = '\0';
    if (level(p, 0)->type == '{')
        parse_key(p);
    if (take(p, '{')) {
        enter(p, '{');
        if (take(p, '}'))
            p->depth--;
        else
            return;
    } else if (take(p, '[')) {
        enter(p, '[');
        if (take(p, ']'))
            p->depth--;
        else
            return;
    } else if (take(p, '"')) {
        parse_string(p, ignored);
    } else {
        parse_number(p);
    }
    parse_behind(p);
}

static void parse(struct parser *p, const char *data, size_t size)
{
    *p = (struct parser){.left = {(const unsigned char *)data, size}};
    if (!judge_is_text(p->left, judge_no_control))
        fail(p, "control characters, or no UTF-8");
    do
        parse_value(p);
    while (p->depth > 0 && p->fault == NULL);
    skip_space(p);
    if (p->left.size > 0)
        fail(p, "something after the end");
}

const char *judge_speedscope(const char *data, size_t size, uint64_t total)
{
    struct parser p;

    parse(&p, data, size);
    if (p.fault == NULL && p.has_largest && p.largest >= p.n_frames)
        return "a frame that is not there";
    if (p.fault == NULL && p.n_samples != p.n_weights)
        return "not a weight for each sample";
    if (p.fault == NULL && p.weights != total)
        return "the weights are not those of the samples";
    return p.fault;
}

const char *judge_captures(const char *data, size_t size, uint64_t total)
{
    struct parser p;

    parse(&p, data, size);
    if (p.fault == NULL && p.n_stacks != total)
        return "not as many stacks as samples";
    return p.fault;
}

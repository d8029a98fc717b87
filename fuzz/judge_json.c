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
    /* Numbers may be negative and have a fraction, and there may be null, true, false. */
    bool takes_all;

    /* What was found: numbers under "weights", stacks under "samples", the largest number
     * in them, objects in "frames", and arrays of strings in objects in an array. Weights
     * of stacks without frames may be gaps: they are only in `all_weights`. */
    uint64_t weights;
    uint64_t all_weights;
    uint64_t n_weights;
    uint64_t n_samples;
    bool *have_frames;
    size_t sample_capacity;
    /* Under "events": how many frames are open, and since when. */
    uint64_t n_open;
    uint64_t open_since;
    char event;
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

/* Takes a word if it is next. */
static bool take_word(struct parser *p, const char *word)
{
    size_t size = strlen(word);

    if (p->left.size < size || memcmp(p->left.at, word, size) != 0)
        return false;
    p->left.at += size;
    p->left.size -= size;
    return true;
}

static void skip_digits(struct parser *p)
{
    if (p->left.size == 0 || !isdigit(p->left.at[0]))
        fail(p, "no digit");
    while (p->left.size > 0 && isdigit(p->left.at[0])) {
        p->left.at++;
        p->left.size--;
    }
}

/* Any number, or one of the three names. */
static void parse_any(struct parser *p)
{
    if (take_word(p, "null") || take_word(p, "true") || take_word(p, "false"))
        return;
    take_word(p, "-");
    if (!take_word(p, "0"))
        skip_digits(p);
    if (take_word(p, "."))
        skip_digits(p);
    if (!take_word(p, "e") && !take_word(p, "E"))
        return;
    if (!take_word(p, "-"))
        take_word(p, "+");
    skip_digits(p);
}

static void take_weight(struct parser *p, uint64_t value)
{
    p->all_weights = judge_add_up(p->all_weights, value);
    if (p->n_weights < p->n_samples && p->have_frames[p->n_weights])
        p->weights = judge_add_up(p->weights, value);
    p->n_weights++;
}

/* The time since the event before it, if a frame was open. */
static void take_event(struct parser *p, uint64_t at)
{
    if (p->n_open > 0) {
        if (at < p->open_since)
            fail(p, "events that are not in the order of time");
        p->weights = judge_add_up(p->weights, at - p->open_since);
        p->all_weights = judge_add_up(p->all_weights, at - p->open_since);
    }
    p->open_since = at;
    if (p->event == 'C' && p->n_open == 0)
        fail(p, "a frame ends that has not begun");
    p->n_open = p->event == 'C' ? p->n_open - 1 : p->n_open + 1;
}

static void count_sample(struct parser *p)
{
    if (p->n_samples == p->sample_capacity) {
        p->sample_capacity = 2 * p->sample_capacity + 64;
        p->have_frames = (bool *)realloc(p->have_frames, p->sample_capacity);
        if (p->have_frames == NULL)
            abort();
    }
    p->have_frames[p->n_samples++] = false;
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
    if (is_in(p, 0, "weights"))
        take_weight(p, value);
    if (is_in(p, 1, "events") && strcmp(p->key, "at") == 0)
        take_event(p, value);
    if (is_in(p, 1, "samples"))
        p->have_frames[p->n_samples - 1] = true;
    if (is_in(p, 1, "samples") ||
        (is_in(p, 1, "events") && strcmp(p->key, "frame") == 0)) {
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
    if (type == '[' && is_in(p, 0, "samples"))
        count_sample(p);
    p->n_stacks += type == '[' && is_in(p, 1, "stack_traces");
    p->levels[p->depth].type = type;
    memcpy(p->levels[p->depth++].key, p->key, sizeof(p->key));
    p->key[0] = '\0';
}

/* Everything up to where the next value begins, or to the end. */
static void parse_after(struct parser *p)
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
    char string[16];

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
        parse_string(p, string);
        if (is_in(p, 1, "events") && strcmp(p->key, "type") == 0)
            p->event = string[0];
    } else if (p->takes_all) {
        skip_space(p);
        parse_any(p);
    } else {
        parse_number(p);
    }
    parse_after(p);
}

static void parse(struct parser *p, const char *data, size_t size)
{
    p->left = (struct bytes){(const unsigned char *)data, size};
    if (!judge_is_text(p->left, judge_no_control))
        fail(p, "control characters, or no UTF-8");
    do
        parse_value(p);
    while (p->depth > 0 && p->fault == NULL);
    skip_space(p);
    if (p->left.size > 0)
        fail(p, "something after the end");
    if (p->n_open > 0)
        fail(p, "frames that do not end");
    free(p->have_frames);
}

const char *judge_timeline(const char *data, size_t size, uint64_t total)
{
    struct parser p = {.takes_all = true};

    (void)total;
    parse(&p, data, size);
    return p.fault;
}

const char *judge_speedscope(const char *data, size_t size, uint64_t total)
{
    struct parser p = {.takes_all = false};

    parse(&p, data, size);
    if (p.fault == NULL && p.has_largest && p.largest >= p.n_frames)
        return "a frame that is not there";
    if (p.fault == NULL && p.n_samples != p.n_weights)
        return "not a weight for each sample";
    if (p.fault == NULL && (p.weights > total || p.all_weights < total))
        return "the weights are not those of the samples";
    return p.fault;
}

const char *judge_captures(const char *data, size_t size, uint64_t total)
{
    struct parser p = {.takes_all = false};

    parse(&p, data, size);
    if (p.fault == NULL && p.n_stacks != total)
        return "not as many stacks as samples";
    return p.fault;
}

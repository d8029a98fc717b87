/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ../import.h: captures as captures.c writes them, and cargo-osdk.
 *
 * cJSON parses one value at a time, such as one capture, so that memory is needed for one
 * only, and what precedes damage can be used. What cJSON would change or refuse is
 * escaped before: its strings end at a NUL, and half of a surrogate pair is an error. In
 * a string of the text that cJSON gets, ESCAPE and a byte stand for
 *
 *     ESCAPE_SELF       the byte that ESCAPE is
 *     ESCAPE_NUL        NUL
 *     ESCAPE_SURROGATE  half of a pair, which becomes U+FFFD
 *
 * ESCAPE is in no well-formed UTF-8, but in names that are not well-formed.
 */
#include <string.h>

#include <cjson/cJSON.h>

#include "libfxtprofile/import/import.h"

enum { ESCAPE = 0xff, ESCAPE_SELF = 'e', ESCAPE_NUL = '0', ESCAPE_SURROGATE = 's' };

struct document {
    struct import *import;
    /* What is left of the text, which ends in a NUL that is not part of it. */
    const char *at;
    const char *end;

    /* The capture that is being read, and the last one that each CPU was in. */
    uint64_t capture;
    uint64_t *last;
    size_t n_last;
    uint64_t *names;
    size_t n_names;
    size_t name_capacity;
    struct text name;
    /* The capture, which is cJSON's memory. */
    struct parsed {
        struct memory_cleanup cleanup;
        cJSON *value;
    } * parsed;
};

static void report_json_fault(struct document *d, const char *what)
{
    import_fault(d->import, "capture", d->capture, what);
}

/* ---- Text -------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of an escape \uNNNN, or -1. */
static int unicode_escape(const char *at, const char *end)
{
    int value = 0;

    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        if (hex_digit(at[i]) < 0)
            return -1;
        value = value << 4 | hex_digit(at[i]);
    }
    return value;
}

static void add_escape(struct text *text, char what)
{
    text_char(text, (char)ESCAPE);
    text_char(text, what);
}

/* Adds what stands at this place. Returns how many bytes that is. */
static size_t add_safely(struct text *text, const char *at, const char *end)
{
    int unicode = unicode_escape(at, end);
    bool is_high = unicode >= 0xd800 && unicode < 0xdc00;
    int second = is_high ? unicode_escape(at + 6, end) : -1;

    if (*at == '\0' || unicode == 0)
        add_escape(text, ESCAPE_NUL);
    else if ((unsigned char)*at == ESCAPE)
        add_escape(text, ESCAPE_SELF);
    else if (second >= 0xdc00 && second < 0xe000)
        text_add(text, at, 12);
    else if (unicode >= 0xd800 && unicode < 0xe000)
        add_escape(text, ESCAPE_SURROGATE);
    else
        text_add(text, at, unicode >= 0 ? 6 : (*at == '\\' && end - at > 1 ? 2 : 1));
    if (second >= 0xdc00 && second < 0xe000)
        return 12;
    return unicode >= 0 ? 6 : (*at == '\\' && end - at > 1 ? 2 : 1);
}

/* All of the input, as cJSON can hold it. */
static void read_text(struct input *input, struct text *text)
{
    const char *at;
    const char *end;

    while (input_want(input, input_size(input) + 1))
        continue;
    at = (const char *)input_data(input);
    end = at + input_size(input);
    while (at < end)
        at += add_safely(text, at, end);
    text_char(text, '\0');
    text->size--;
    input_consume(input, input_size(input));
}

/* The bytes that a string of cJSON's stands for. */
static struct string decode_string(struct document *d, const char *string)
{
    d->name.size = 0;
    for (; *string != '\0'; string++) {
        if ((unsigned char)*string != ESCAPE) {
            text_char(&d->name, *string);
            continue;
        }
        string++;
        if (*string == ESCAPE_SURROGATE)
            text_str(&d->name, "\xef\xbf\xbd");
        else
            text_char(&d->name, *string == ESCAPE_NUL ? '\0' : (char)ESCAPE);
    }
    return (struct string){d->name.data, d->name.size};
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void take_frame(struct document *d, const cJSON *frame)
{
    if (!cJSON_IsString(frame)) {
        report_json_fault(d, "a frame that is not a string");
        return;
    }
    MEMORY_ADD(d->names, d->n_names, d->name_capacity,
               import_name(d->import, decode_string(d, frame->valuestring)));
}

/* Whether this is the first stack of a CPU in the capture. */
static bool is_first(struct document *d, uint64_t cpu)
{
    bool is_first;

    if (d->n_last <= cpu) {
        size_t n = 2 * (size_t)cpu + 1;

        d->last = memory_reallocate(d->last, n * sizeof(*d->last));
        memset(d->last + d->n_last, 0, (n - d->n_last) * sizeof(*d->last));
        d->n_last = n;
    }
    is_first = d->last[cpu] != d->capture;
    d->last[cpu] = d->capture;
    return is_first;
}

static void take_stack(struct document *d, const cJSON *stack)
{
    const cJSON *frame;
    uint64_t cpu;

    if (!parse_u64(stack->string, &cpu) || cpu > IMPORT_UNKNOWN_CPU) {
        report_json_fault(d, "a stack whose key is not a CPU number");
        return;
    }
    if (!cJSON_IsArray(stack)) {
        report_json_fault(d, "a stack that is not an array");
        return;
    }
    if (!is_first(d, cpu)) {
        report_json_fault(d, "a second stack of the same CPU");
        return;
    }
    d->n_names = 0;
    cJSON_ArrayForEach(frame, stack) take_frame(d, frame);
    import_add(d->import, cpu <= CPU_MAX ? (uint32_t)cpu : PROFILE_NO_CPU, 0, d->names,
               d->n_names, 1);
}

static void take_capture(struct document *d, const cJSON *capture)
{
    const cJSON *stack;

    d->capture++;
    import_start_capture(d->import);
    if (!cJSON_IsObject(capture)) {
        report_json_fault(d, "not an object");
        return;
    }
    cJSON_ArrayForEach(stack, capture) take_stack(d, stack);
}

/* ---- The document ------------------------------------------------------------------ */

static void skip_blanks(struct document *d)
{
    while (d->at < d->end && memchr(" \t\r\n", *d->at, 4) != NULL)
        d->at++;
}

/* Whether this is the next character; if so, skips it and what may follow it. */
static bool take_char(struct document *d, char c)
{
    skip_blanks(d);
    if (d->at == d->end || *d->at != c)
        return false;
    d->at++;
    skip_blanks(d);
    return true;
}

/* The next value, for the caller to delete; or NULL. */
static cJSON *take_value(struct document *d)
{
    const char *rest = d->at;
    cJSON *value;

    if (d->at == d->end)
        return NULL;
    value = cJSON_ParseWithLengthOpts(d->at, (size_t)(d->end - d->at), &rest, false);
    d->at = rest;
    return value;
}

static void delete_parsed(void *context)
{
    struct parsed *parsed = (struct parsed *)context;

    cJSON_Delete(parsed->value);
    parsed->value = NULL;
}

static bool take_captures(struct document *d)
{
    if (!take_char(d, '['))
        return false;
    if (take_char(d, ']'))
        return true;
    do {
        d->parsed->value = take_value(d);
        if (d->parsed->value == NULL)
            return false;
        take_capture(d, d->parsed->value);
        delete_parsed(d->parsed);
    } while (take_char(d, ','));
    return take_char(d, ']');
}

static bool skip_value(struct document *d)
{
    cJSON *value = take_value(d);

    cJSON_Delete(value);
    return value != NULL;
}

/* Members other than captures are from other programs, and are counted. */
static bool take_member(struct document *d, bool *has_captures)
{
    cJSON *key = take_value(d);
    bool is_key = cJSON_IsString(key) && take_char(d, ':');
    bool is_captures = is_key && strcmp(key->valuestring, "stack_traces") == 0;

    cJSON_Delete(key);
    *has_captures |= is_captures;
    d->import->collect->tally.n_foreign_members += is_key && !is_captures;
    return is_key && (is_captures ? take_captures(d) : skip_value(d));
}

static bool take_document(struct document *d, bool *has_captures)
{
    if (!take_char(d, '{'))
        return false;
    if (take_char(d, '}'))
        return true;
    do {
        if (!take_member(d, has_captures))
            return false;
    } while (take_char(d, ','));
    return take_char(d, '}');
}

void import_json(struct import *im)
{
    struct document d = {.import = im};
    struct text text = {NULL, 0, 0};
    bool has_captures = false;

    d.parsed = memory_allocate(sizeof(*d.parsed));
    memory_cleanup_add(&d.parsed->cleanup, delete_parsed, d.parsed);
    read_text(im->input, &text);
    d.at = text.data;
    d.end = text.data + text.size;
    if (text.size >= 3 && memcmp(d.at, "\xef\xbb\xbf", 3) == 0)
        d.at += 3;
    if (!take_document(&d, &has_captures) || d.at < d.end)
        report_json_fault(&d, "the JSON after it is damaged or incomplete");
    else if (!has_captures)
        report_json_fault(&d, "there is no array named stack_traces");
    text_free(&text);
    text_free(&d.name);
    memory_release(d.last);
    memory_release(d.names);
    memory_cleanup_remove(&d.parsed->cleanup);
    memory_release(d.parsed);
}

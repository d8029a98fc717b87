/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that calls.c takes from a program, and what its model makes of them. */
#ifndef FUZZ_VALUES_H
#define FUZZ_VALUES_H

#include <string.h>

#include "calls.h"

/* All strings and payloads are part of this. */
enum { TEXT_SIZE = 70000 };

static char text[TEXT_SIZE];

static struct call call;

static const struct fxt_string empty = {"", 0, 0};

static void fill_text(void)
{
    uint32_t x = 1;

    for (size_t i = 0; text[0] == '\0' && i < TEXT_SIZE; i++) {
        x = x * 1664525 + 1013904223;
        text[TEXT_SIZE - 1 - i] = (char)(x >> 24 | (i == TEXT_SIZE - 1));
    }
}

/* ---- The model --------------------------------------------------------------------- */

static void must(bool possible)
{
    call.possible = call.possible && possible;
}

static void add_bytes(const void *data, uint64_t size, uint64_t max_size)
{
    must(size <= max_size && (data != NULL || size == 0));
    if (call.possible)
        call.n_words += (size + 7) / 8;
}

static void set_time(uint64_t time)
{
    call.has_time = true;
    call.time = time;
}

static void start(uint32_t type, uint32_t kind, uint64_t n_words)
{
    memset(&call, 0, sizeof(call));
    call.possible = true;
    call.n_words = n_words;
    call.record.type = type;
    call.record.kind = kind;
    call.record.args = call.args;
}

/* ---- Values ------------------------------------------------------------------------ */

/* A number below 2^16 mostly, at times any. */
static uint32_t take_number(struct calls *calls)
{
    uint32_t value = (uint32_t)calls_take(calls, 2);

    return (value & 0xff00) == 0xa500 ? (uint32_t)calls_take(calls, 4) : value;
}

/* A size: small mostly, at times any, or one at which something ends. */
static uint32_t take_size(struct calls *calls)
{
    static const uint32_t ends[] = {255,   256,   32735, 32736, 32744, 32000,
                                    32001, 32752, 32753, 32760, 32767, 32768};
    uint32_t value = (uint32_t)calls_take(calls, 1);

    if (value < 0xe0)
        return value % 48;
    if (value < 0xf0)
        return (uint32_t)calls_take(calls, 2);
    return value == 0xff ? (uint32_t)calls_take(calls, 4) : ends[value % 10];
}

/* Some text, which is not there at all if it would be impossible anyhow. */
static const char *take_text(struct calls *calls, uint64_t size)
{
    uint64_t place = calls_take(calls, 1);

    return size > TEXT_SIZE - 256 || place == 0xee ? NULL : text + place;
}

static struct fxt_string take_in_line(struct calls *calls)
{
    uint32_t size = take_size(calls);

    return fxt_string_at(take_text(calls, size), size);
}

/* A string that is to be inline or registered; `*read` is what must be read. */
static struct fxt_string take_string(struct calls *calls, struct fxt_string *read)
{
    uint64_t choice = calls_take(calls, 1);
    struct fxt_string string;

    if (choice < N_INDICES && calls->strings[choice].data != NULL) {
        *read = calls->strings[choice];
        return fxt_string_ref(read->ref);
    }
    string = take_in_line(calls);
    add_bytes(string.data, string.size, 32000);
    *read = string.size > 0 ? string : empty;
    read->ref = string.size > 0 ? (uint16_t)(0x8000 | string.size) : 0;
    return string;
}

static struct fxt_thread take_thread(struct calls *calls, struct fxt_thread *read)
{
    uint64_t choice = calls_take(calls, 1);

    if (choice < N_INDICES && calls->threads[choice].known) {
        *read = calls->threads[choice];
        return fxt_thread_ref(read->ref);
    }
    call.n_words += 2;
    *read = fxt_thread_from(calls_take(calls, 4), calls_take(calls, 8));
    return *read;
}

static struct fxt_thread in_process(uint64_t process, uint64_t thread)
{
    return (struct fxt_thread){process, thread, 0, true};
}

static struct fxt_arg take_arg(struct calls *calls, struct fxt_arg *read)
{
    struct fxt_string name = take_string(calls, &read->name);
    struct fxt_arg arg = {.name = name, .type = (uint32_t)calls_take(calls, 1) % 12};

    call.n_words++;
    must(arg.type < 11);
    if (arg.type == FXT_ARG_STRING) {
        read->type = arg.type;
        arg.value.string = take_string(calls, &read->value.string);
        return arg;
    }
    if (arg.type == FXT_ARG_BLOB) {
        arg.value.blob.size = take_size(calls);
        arg.value.blob.data = take_text(calls, arg.value.blob.size);
        add_bytes(arg.value.blob.data, arg.value.blob.size, UINT32_MAX);
    } else if (arg.type == FXT_ARG_BOOL) {
        arg.value.boolean = calls_take(calls, 1) & 1;
    } else if (arg.type == FXT_ARG_INT32 || arg.type == FXT_ARG_UINT32) {
        arg.value.uint32 = (uint32_t)calls_take(calls, 4);
    } else if (arg.type != FXT_ARG_NULL) {
        arg.value.uint64 = calls_take(calls, 8);
        call.n_words++;
    }
    read->type = arg.type;
    read->value = arg.value;
    return arg;
}

static uint32_t take_args(struct calls *calls, struct fxt_arg *args)
{
    uint32_t n = (uint32_t)calls_take(calls, 1);

    n = n >= 0xf0 ? n - 0xf0 + 1 : n % 4;
    must(n <= FXT_ARGS_MAX);
    for (uint32_t i = 0; i < n; i++)
        args[i] = take_arg(calls, &call.args[i]);
    call.record.n_args = n;
    return n;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* See plain.h. */
#include "plain.h"

#include "tools/common/kinds.h"
#include "common/base/quote.h"

/* Offsets of up to 4 GiB, times of up to a day in ticks of a nanosecond, and all kinds
 * but one fit their columns; what does not pushes the rest of its line to the right. */
enum { OFFSET_COLUMN = 10, TIME_COLUMN = 16, KIND_COLUMN = 17 };

#define NS_PER_SECOND ((uint64_t)1000000000)

/* ---- Columns ----------------------------------------------------------------------- */

static void add_spaces(struct text *out, size_t n)
{
    memset(text_room(out, n), ' ', n);
    out->size += n;
}

/* Fills up a column of which so much is used. */
static void pad_column(struct text *out, size_t used, size_t width)
{
    if (used < width)
        add_spaces(out, width - used);
}

/* The same with the spaces in front of what began at `start`. */
static void pad_front(struct text *out, size_t start, size_t width)
{
    size_t used = out->size - start;

    if (used >= width)
        return;
    add_spaces(out, width - used);
    memmove(out->data + start + width - used, out->data + start, used);
    memset(out->data + start, ' ', width - used);
}

static void add_offset(struct text *out, const struct print_context *context,
                       uint64_t offset)
{
    size_t start;
    size_t used;

    plain_style(out, context, PLAIN_FAINT);
    start = out->size;
    text_str(out, "0x");
    text_hex(out, offset, 1);
    used = out->size - start;
    plain_style_end(out, context);
    pad_column(out, used, OFFSET_COLUMN);
}

/* Nine digits. */
static void add_decimals(struct text *out, uint64_t ns)
{
    char *to = text_room(out, 9) + 9;

    for (int i = 0; i < 9; i++) {
        *--to = (char)('0' + ns % 10);
        ns /= 10;
    }
    out->size += 9;
}

void plain_ns(struct text *out, uint64_t ns)
{
    text_u64(out, ns / NS_PER_SECOND);
    text_char(out, '.');
    add_decimals(out, ns % NS_PER_SECOND);
}

void plain_seconds(struct text *out, const struct fxt_record *record, uint64_t ticks)
{
    uint64_t ns;

    if (!fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns)) {
        text_u64(out, ticks);
        text_str(out, " ticks");
        return;
    }
    plain_ns(out, ns);
}

static void add_time(struct text *out, const struct fxt_record *record)
{
    size_t start = out->size;
    uint64_t ticks;

    if (fxt_record_time(record, &ticks))
        plain_seconds(out, record, ticks);
    else
        text_char(out, '-');
    pad_front(out, start, TIME_COLUMN);
}

/* By its name or, where it has none, by its type's name and number. */
static void add_kind(struct text *out, const struct fxt_record *record)
{
    unsigned kind = kind_of(record);
    const char *name = kind_name(kind);

    if (name != NULL)
        text_str(out, name);
    else
        text_printf(out, "%s %u", kind_type(kind), kind_number(kind));
}

void plain_start(struct text *out, const struct print_context *context,
                 const struct fxt_record *record)
{
    size_t start;
    size_t used;

    add_offset(out, context, record->offset);
    add_time(out, record);
    text_str(out, "  ");
    plain_style(out, context, PLAIN_KIND);
    start = out->size;
    add_kind(out, record);
    used = out->size - start;
    plain_style_end(out, context);
    pad_column(out, used, KIND_COLUMN);
}

void plain_start_fault(struct text *out, const struct print_context *context,
                       uint64_t offset)
{
    static const char kind[] = "error";

    add_offset(out, context, offset);
    add_spaces(out, TIME_COLUMN - 1);
    text_str(out, "-  ");
    plain_style(out, context, PLAIN_ERROR);
    text_str(out, kind);
    plain_style_end(out, context);
    pad_column(out, sizeof(kind) - 1, KIND_COLUMN);
}

void plain_end(struct text *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->size--;
    text_char(out, '\n');
}

/* ---- Values ------------------------------------------------------------------------ */

static void add_before(struct text *out, const char *before)
{
    text_char(out, ' ');
    if (*before != '\0') {
        text_str(out, before);
        text_char(out, ' ');
    }
}

void plain_u64(struct text *out, const char *before, uint64_t value)
{
    add_before(out, before);
    text_u64(out, value);
}

static void add_hex(struct text *out, uint64_t value)
{
    text_str(out, "0x");
    text_hex(out, value, 1);
}

void plain_hex(struct text *out, const char *before, uint64_t value)
{
    add_before(out, before);
    add_hex(out, value);
}

static void add_size(struct text *out, uint64_t size)
{
    text_count(out, size, "byte");
}

void plain_bytes(struct text *out, uint64_t size)
{
    text_char(out, ' ');
    add_size(out, size);
}

static void add_ref(struct text *out, uint64_t ref)
{
    text_char(out, '#');
    text_u64(out, ref);
}

static void add_word(struct text *out, const struct fxt_string *string)
{
    if (string->data != NULL)
        quote_word(out, string->data, string->size);
    else
        add_ref(out, string->ref);
}

void plain_word(struct text *out, const struct fxt_string *string)
{
    text_char(out, ' ');
    add_word(out, string);
}

static void add_quoted(struct text *out, const struct fxt_string *string)
{
    if (string->data != NULL)
        quote_quoted(out, string->data, string->size);
    else
        add_ref(out, string->ref);
}

void plain_quoted(struct text *out, const struct fxt_string *string)
{
    text_char(out, ' ');
    add_quoted(out, string);
}

void plain_name(struct text *out, const struct fxt_string *name)
{
    add_word(out, name);
}

void plain_key(struct text *out, const struct fxt_string *category,
               const struct fxt_string *name)
{
    add_word(out, category);
    text_char(out, ':');
    add_word(out, name);
}

void plain_names(struct text *out, const struct print_context *context,
                 const struct fxt_string *category, const struct fxt_string *name)
{
    text_char(out, ' ');
    plain_style(out, context, PLAIN_BOLD);
    plain_key(out, category, name);
    plain_style_end(out, context);
}

void plain_thread(struct text *out, const struct fxt_thread *thread)
{
    text_char(out, ' ');
    if (!thread->known) {
        add_ref(out, thread->ref);
        return;
    }
    text_u64(out, thread->process);
    text_char(out, '/');
    text_u64(out, thread->thread);
}

void plain_process(struct text *out, const struct fxt_thread *thread)
{
    text_str(out, " process ");
    if (thread->known)
        text_u64(out, thread->process);
    else
        add_ref(out, thread->ref);
}

/* Adds <function+0xoffset>. What returns to an address was called from a byte before. */
static void add_function(struct text *out, const struct kernel_functions *kernel,
                         uint64_t pc, bool is_caller)
{
    const struct kernel_function *function =
        kernel_functions_find(kernel, pc - (is_caller ? 1 : 0));
    struct string name;

    if (function == NULL)
        return;
    name = kernel_functions_name(kernel, function);
    text_str(out, " <");
    quote_text(out, name.data, name.size);
    text_str(out, "+0x");
    text_hex(out, pc - function->start, 1);
    text_char(out, '>');
}

void plain_pcs(struct text *out, const struct print_context *context,
               struct fxt_words pcs)
{
    for (uint64_t i = 0; i < pcs.count; i++) {
        uint64_t pc = fxt_words_get(pcs, i);

        plain_hex(out, "", pc);
        if (context->kernel != NULL)
            add_function(out, context->kernel, pc, i > 0);
    }
}

/* ---- Arguments --------------------------------------------------------------------- */

static void add_blob(struct text *out, struct fxt_bytes bytes, bool payload)
{
    text_char(out, '<');
    add_size(out, bytes.size);
    if (payload && bytes.size > 0) {
        text_str(out, ": ");
        text_hex_bytes(out, bytes.data, (size_t)bytes.size);
    }
    text_char(out, '>');
}

static void add_unknown(struct text *out, const struct fxt_arg *arg)
{
    text_str(out, "<type ");
    text_u64(out, arg->type);
    text_str(out, ", ");
    add_size(out, arg->value.unknown.count * FXT_WORD_BYTES);
    text_char(out, '>');
}

static void add_double(struct text *out, double value)
{
    if (value - value == 0)
        text_double(out, value);
    else
        text_printf(out, "%g", value);
}

/* How many bytes of a string are printed: whole characters, if it is UTF-8. */
static size_t shown_bytes(const struct fxt_string *string, size_t max)
{
    size_t n = max;

    if (string->data == NULL || max == 0 || string->size <= max)
        return string->size;
    while (n > max - 3 && ((unsigned char)string->data[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static void add_shown(struct text *out, const struct print_context *context,
                      const struct fxt_string *string,
                      void (*add)(struct text *out, const struct fxt_string *string))
{
    struct fxt_string shown = *string;

    shown.size = shown_bytes(string, context->max_string_bytes);
    add(out, &shown);
    if (shown.size < string->size)
        text_str(out, "...");
}

static void add_value(struct text *out, const struct print_context *context,
                      const struct fxt_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_NULL:
        text_str(out, "null");
        break;
    case FXT_ARG_INT32:
        text_i64(out, arg->value.int32);
        break;
    case FXT_ARG_UINT32:
        text_u64(out, arg->value.uint32);
        break;
    case FXT_ARG_INT64:
        text_i64(out, arg->value.int64);
        break;
    case FXT_ARG_UINT64:
        text_u64(out, arg->value.uint64);
        break;
    case FXT_ARG_DOUBLE:
        add_double(out, arg->value.float64);
        break;
    case FXT_ARG_STRING:
        add_shown(out, context, &arg->value.string, add_quoted);
        break;
    case FXT_ARG_POINTER:
        add_hex(out, arg->value.pointer);
        break;
    case FXT_ARG_KOID:
        text_u64(out, arg->value.koid);
        break;
    case FXT_ARG_BOOL:
        text_str(out, arg->value.boolean ? "true" : "false");
        break;
    case FXT_ARG_BLOB:
        add_blob(out, arg->value.blob, context->payload);
        break;
    default:
        add_unknown(out, arg);
    }
}

void plain_args(struct text *out, const struct print_context *context,
                const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        text_char(out, ' ');
        add_shown(out, context, &record->args[i].name, add_word);
        text_char(out, '=');
        add_value(out, context, &record->args[i]);
    }
}

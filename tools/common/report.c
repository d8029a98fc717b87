/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "report.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fxt/format.h>

#include "enum_names.h"
#include "common/base/io/progress.h"
#include "common/base/quote.h"

void report_hold_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 &&
            open("/dev/null", modes[stream] | O_CLOEXEC) != stream)
            return;
    }
}

const char *report_severity(enum fxt_severity severity)
{
    static const char *const words[] = {
        [FXT_NOTE] = "note",
        [FXT_WARNING] = "warning",
        [FXT_ERROR] = "error",
        [FXT_FATAL] = "error",
    };

    return words[severity];
}

/* "fxtdump: cpu0.bin" */
static void add_place(struct text *line, const char *program, const char *input)
{
    text_str(line, program);
    if (input != NULL) {
        text_str(line, ": ");
        quote_text(line, input, strlen(input));
    }
}

static void print_line(struct text *line)
{
    text_char(line, '\n');
    progress_hide();
    fwrite(line->data, 1, line->size, stderr);
    text_free(line);
}

static void add_record_type(struct text *line, uint64_t header)
{
    uint64_t type = FXT_GET(header, RECORD_TYPE);
    const char *name = name_record_type(type);

    if (name == NULL) {
        text_printf(line, "record of type %u", (unsigned)type);
        return;
    }
    for (; *name != '\0'; name++)
        text_char(line, *name == '_' ? ' ' : *name);
    text_str(line, " record");
}

/* The number that a report is about, where the message alone leaves it open. */
static void add_value(struct text *line, const struct fxt_error *error)
{
    switch (error->code) {
    case FXT_E_TRUNCATED:
        if (error->value > 0)
            text_printf(line, " (%llu byte%s of %llu)", (unsigned long long)error->byte,
                        text_plural(error->byte), (unsigned long long)error->value);
        break;
    case FXT_E_TOO_LARGE:
        text_printf(line, " (%llu byte%s)", (unsigned long long)error->value,
                    text_plural(error->value));
        break;
    case FXT_E_ZERO_WORDS:
        text_printf(line, " (%llu of them)",
                    (unsigned long long)(error->skipped / FXT_WORD_BYTES));
        break;
    case FXT_E_STRING_UNKNOWN:
    case FXT_E_THREAD_UNKNOWN:
        text_printf(line, " (index %llu)", (unsigned long long)error->value);
        break;
    case FXT_E_SAMPLE_SIZE:
        text_printf(line, " (%llu byte%s left over)", (unsigned long long)error->value,
                    text_plural(error->value));
        break;
    case FXT_E_PROVIDER_UNKNOWN:
        text_printf(line, " (id %llu)", (unsigned long long)error->value);
        break;
    default:
        if (error->code >= FXT_E_UNKNOWN_RECORD &&
            error->code <= FXT_E_UNKNOWN_BLOB_FORMAT)
            text_printf(line, " (%llu)", (unsigned long long)error->value);
        else if (error->byte > 0)
            text_printf(line, " (byte %llu)", (unsigned long long)error->byte);
    }
}

void report_sentence(struct text *text, const struct fxt_error *error)
{
    if (error->header != 0) {
        add_record_type(text, error->header);
        text_str(text, ": ");
    }
    if (error->severity < FXT_ERROR)
        text_printf(text, "%s: ", report_severity(error->severity));
    text_str(text, error->message);
    add_value(text, error);
}

void report_error(struct report *report, const char *input, const struct fxt_error *error)
{
    struct text line = {NULL, 0, 0};
    enum fxt_severity severity =
        error->severity == FXT_FATAL ? FXT_ERROR : error->severity;

    if (report->counts[severity]++ >= report->max_lines)
        return;
    add_place(&line, report->program, input);
    text_str(&line, ":0x");
    text_hex(&line, error->offset, 1);
    text_str(&line, ": ");
    report_sentence(&line, error);
    print_line(&line);
}

void report_rest(const struct report *report)
{
    for (int severity = FXT_NOTE; severity <= FXT_ERROR; severity++) {
        if (report->max_lines > 0 && report->counts[severity] > report->max_lines)
            complain(report->program, report->input, "%llu more of severity %s",
                     (unsigned long long)(report->counts[severity] - report->max_lines),
                     report_severity((enum fxt_severity)severity));
    }
}

bool report_is_bad(const struct report *report)
{
    return report->counts[FXT_ERROR] > 0;
}

void report_remedies(const char *program, const struct text *lines)
{
    if (lines->size == 0)
        return;
    complain(program, NULL, "this may bring the symbols:");
    fwrite(lines->data, 1, lines->size, stderr);
}

bool complain(const char *program, const char *input, const char *format, ...)
{
    struct text line = {NULL, 0, 0};
    char message[512];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    add_place(&line, program, input);
    text_str(&line, ": ");
    text_str(&line, message);
    print_line(&line);
    return false;
}

void complain_of_value(const char *program, const char *option, const char *value,
                       const char *why, size_t why_size)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "--%s cannot be '", option);
    quote_text(&line, value, strlen(value));
    text_char(&line, '\'');
    if (why_size > 0)
        text_str(&line, ": ");
    text_add(&line, why, why_size);
    complain_text(program, NULL, &line);
}

bool complain_text(const char *program, const char *input, struct text *why)
{
    complain(program, input, "%.*s", (int)why->size, why->data);
    text_free(why);
    return false;
}

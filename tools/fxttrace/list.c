/* SPDX-License-Identifier: BSD-2-Clause */
/* See actions.h: which programs use fxt/trace.h, and what they trace. */
#include "actions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/quote.h"
#include "common/processes/proc_read.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "traced.h"

/* ---- One process ------------------------------------------------------------------- */

static const char *describe_state(const struct traced *traced)
{
    if (traced->session > 1)
        return "on";
    return traced->control.is_used != 0 ? "off" : "not yet";
}

static void add_size(struct text *line, uint64_t bytes)
{
    if (bytes < 10 << 20)
        text_printf(line, "%" PRIu64 "K", bytes >> 10);
    else
        text_printf(line, "%" PRIu64 "M", bytes >> 20);
}

/* The file's name as it is now, or the one that was asked for. */
static void add_file_name(struct text *line, const struct target *target,
                          const struct traced *traced)
{
    char link[64];
    char name[4096];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/%ld/fd/%d", (long)target->process,
             traced->file.descriptor.fd);
    n = readlink(link, name, sizeof(name));
    if (n > 0 && traced->file.descriptor.fd >= 0)
        quote_text(line, name, (size_t)n);
    else
        quote_text(line, traced->path, strlen(traced->path));
}

/* The number of events that were dropped, as the file's header has it. */
static uint64_t count_drops(const struct target *target, const struct traced *traced)
{
    uint64_t words =
        FXT_TRACE_HEADER_WORDS_ - FXT_TRACE_DROPS_WORDS_ + FXT_TRACE_DROPS_RECORDS_;
    uint64_t n = 0;

    if (traced->file.has_drops == 0 ||
        !target_read(target, traced_address(traced->file.words) + words * FXT_WORD_BYTES,
                     &n, sizeof(n)))
        return 0;
    return n;
}

static void add_session(struct text *line, const struct target *target,
                        const struct traced *traced)
{
    uint64_t n_dropped;

    if (!traced->has_file || (!traced->file.is_open && traced->session <= 1))
        return;
    if (traced->path[0] == '\0')
        text_str(line, "memory");
    else
        add_file_name(line, target, traced);
    text_str(line, ", ");
    add_size(line, traced_bytes(traced));
    text_str(line, " of ");
    add_size(line, traced->file.size);
    text_str(line, traced->file.keeps_last ? ", keeps the last" : "");
    text_str(line, traced->file.streams ? " before it is streamed" : "");
    n_dropped = count_drops(target, traced);
    if (n_dropped > 0)
        text_printf(line, ", %" PRIu64 " dropped", n_dropped);
}

static void add_process(struct text *text, const struct target *target,
                        const struct traced *traced)
{
    char name[PROC_READ_NAME_SIZE] = "";
    struct text quoted = {NULL, 0, 0};

    proc_read_name(target->process, target->process, name);
    quote_text(&quoted, name, strlen(name));
    text_char(&quoted, '\0');
    text_printf(text, "%7ld  %-15s  %-7s  ", (long)target->process, quoted.data,
                describe_state(traced));
    add_session(text, target, traced);
    while (text->data[text->size - 1] == ' ')
        text->size--;
    text_char(text, '\n');
}

enum fxttrace_status list_one(const struct target *target, const char *name)
{
    struct traced traced;
    struct text text = {NULL, 0, 0};
    enum traced_result result = traced_find(&traced, target);

    if (result != TRACED_FOUND) {
        complain(FXTTRACE_PROGRAM, name, "%s", traced_reason(result));
        return FXTTRACE_BAD;
    }
    add_process(&text, target, &traced);
    if (traced.control.state != NULL) {
        text_str(&text, "categories: ");
        categories_list(target, &traced, &text);
        text_char(&text, '\n');
    }
    return program_print(FXTTRACE_PROGRAM, &text) ? FXTTRACE_GOOD : FXTTRACE_BAD;
}

/* ---- All --------------------------------------------------------------------------- */

struct listing {
    struct text text;
    size_t n_refused;
    size_t n_other;
};

static void list_process(struct listing *l, pid_t process)
{
    struct target target;
    struct traced traced;

    if (!target_open_process(&target, process, false)) {
        l->n_refused += errno == EACCES || errno == EPERM;
        return;
    }
    switch (traced_find(&traced, &target)) {
    case TRACED_FOUND:
        add_process(&l->text, &target, &traced);
        break;
    case TRACED_OTHER:
        l->n_other++;
        break;
    case TRACED_NONE:
    case TRACED_UNREADABLE:
        break;
    }
    target_close(&target);
}

static void report_left_out(const struct listing *l)
{
    if (l->n_refused > 0)
        complain(FXTTRACE_PROGRAM, NULL,
                 "%zu process%s may only be looked at by root or, where "
                 "kernel.yama.ptrace_scope is 0, by the user that they belong to",
                 l->n_refused, l->n_refused == 1 ? "" : "es");
    if (l->n_other > 0)
        complain(FXTTRACE_PROGRAM, NULL, "%zu process%s another version of fxt/trace.h",
                 l->n_other, l->n_other == 1 ? " uses" : "es use");
}

enum fxttrace_status list_all(const struct fxttrace_options *o)
{
    struct listing l = {.text = {NULL, 0, 0}};
    pid_t *processes;
    size_t n = proc_read_list(&processes);

    text_printf(&l.text, "%7s  %-15s  %-7s  %s\n", "process", "program", "traces", "to");
    for (size_t i = 0; i < n; i++) {
        if (processes[i] != getpid())
            list_process(&l, processes[i]);
    }
    if (!o->quiet)
        report_left_out(&l);
    return program_print(FXTTRACE_PROGRAM, &l.text) ? FXTTRACE_GOOD : FXTTRACE_BAD;
}

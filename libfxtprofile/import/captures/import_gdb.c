/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ../import.h: a log of "thread apply all backtrace", again and again.
 *
 *     Thread 2 (Thread 1.2 (CPU#1 [running])):
 *     #0 0xffffffff8826b3e0 in ostd::task::scheduler::yield_now::{closure#0} (...)
 *     #1 aster_nix::thread::Thread::yield_now ()
 *
 * A capture begins where a CPU is repeated, and after a line that marks a new capture.
 * Threads that are not CPUs are identified by the kernel's number, or else by gdb's.
 *
 * A log may be cut anywhere, and other output may be between its lines. Missing frames
 * are found by their numbers: a stack without its thread line is ignored, since its
 * thread is not known; of a stack with missing frames, the inner ones are kept.
 */
#include <string.h>

#include "common/base/table_items.h"
#include "gdb_frame.h"
#include "import_lines.h"
#include "libfxtprofile/import/import.h"

static const char round_end[] = "-<!OSDK_PROF_BT_ROUND!>-";

/* Bytes of a line after this many are ignored. */
enum { LINE_MAX_BYTES = 1 << 20 };

/* Which CPU or thread it is, and the capture that it was in last. */
struct key {
    uint64_t number;
    bool is_cpu;
    uint64_t capture;
};

struct log {
    struct import *import;
    uint64_t line;

    /* Whether there is a thread that frames belong to, its place among the keys, and the
     * number that its next frame should have. */
    bool has_thread;
    size_t key;
    uint64_t next_frame;
    uint64_t *names;
    size_t n_names;
    size_t name_capacity;
    bool has_gap;

    /* A new capture begins with the next thread. */
    bool capture_is_over;
    struct key *keys;
    size_t n_keys;
    size_t key_capacity;
    struct table key_table;

    struct gdb_brackets brackets;
    struct text name;
};

static void report_log_fault(struct log *l, const char *what)
{
    import_fault(l->import, "line", l->line, what);
}

/* ---- Threads ----------------------------------------------------------------------- */

static size_t find_key(struct log *l, bool is_cpu, uint64_t number)
{
    struct key key = {.number = number, .is_cpu = is_cpu};

    return TABLE_PUT(&l->key_table, l->keys, l->n_keys, l->key_capacity, &key, number,
                     is_cpu);
}

/* Ends the current stack. */
static void end_stack(struct log *l)
{
    const struct key *key;

    if (l->has_thread && l->n_names > 0) {
        key = &l->keys[l->key];
        import_add(l->import, key->is_cpu ? (uint32_t)key->number : PROFILE_NO_CPU,
                   key->is_cpu ? 0 : key->number, l->names, l->n_names, 1);
        l->import->collect->tally.n_gaps += l->has_gap;
    }
    l->has_thread = false;
    l->n_names = 0;
}

static void start_stack(struct log *l, bool is_cpu, uint64_t number)
{
    const struct profile *p = &l->import->collect->builder->profile;

    l->key = find_key(l, is_cpu, number);
    if (l->capture_is_over || l->keys[l->key].capture == p->n_captures)
        import_start_capture(l->import);
    l->capture_is_over = false;
    l->has_thread = true;
    l->has_gap = false;
    l->next_frame = 0;
}

/* Reads the digits at a place of the line. Returns false if there are none, or too many.
 */
static bool read_number(const char *at, const char *end, uint64_t *number)
{
    uint64_t value = 0;
    const char *start = at;

    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (value > UINT32_MAX)
            return false;
        value = 10 * value + (uint64_t)(*at - '0');
    }
    *number = value;
    return at > start;
}

/* The position after `what` in the line; or NULL. */
static const char *find_after(const char *at, const char *end, const char *what)
{
    size_t size = strlen(what);

    for (; (size_t)(end - at) >= size; at++) {
        if (memcmp(at, what, size) == 0)
            return at + size;
    }
    return NULL;
}

/* "Thread 2 (Thread 1.2 (CPU#1 [running])):", whose rest is after the first bracket; or
 * with "LWP 1234" in it. */
static void take_thread(struct log *l, uint64_t gdb_number, const char *rest,
                        const char *end)
{
    const char *cpu = find_after(rest, end, "CPU#");
    const char *lwp = find_after(rest, end, "LWP ");
    uint64_t number;

    end_stack(l);
    if (cpu == NULL) {
        if (lwp == NULL || !read_number(lwp, end, &number))
            number = gdb_number;
        start_stack(l, false, number);
    } else if (read_number(cpu, end, &number) && number <= CPU_MAX) {
        start_stack(l, true, number);
    } else {
        report_log_fault(l, "a thread whose CPU number is missing or too large");
    }
}

/* Whether a stack follows the line: it has a number, of which the part after a dot
 * counts, and a bracket. */
static bool is_thread(const char *at, const char *end, uint64_t *number,
                      const char **rest)
{
    const char *dot;

    if ((size_t)(end - at) < strlen("Thread ") ||
        memcmp(at, "Thread ", strlen("Thread ")) != 0)
        return false;
    at += strlen("Thread ");
    for (dot = at; at < end && ((*at >= '0' && *at <= '9') || *at == '.'); at++) {
        if (*at == '.')
            dot = at + 1;
    }
    if (!read_number(dot, at, number) || end - at < 2 || memcmp(at, " (", 2) != 0)
        return false;
    *rest = at + 2;
    return true;
}

/* ---- Frames ------------------------------------------------------------------------ */

static void add_frame(struct log *l, struct string name)
{
    const struct profile *p = &l->import->collect->builder->profile;

    l->name.size = 0;
    if (l->import->settings->full_names)
        text_add(&l->name, name.data, name.size);
    else
        gdb_frame_clean(&l->brackets, &l->name, name);
    MEMORY_ADD(l->names, l->n_names, l->name_capacity,
               import_name(l->import, (struct string){l->name.data, l->name.size}));
    l->keys[l->key].capture = p->n_captures;
}

static void take_frame(struct log *l, const char *at, const char *end)
{
    struct gdb_frame frame;

    if (!gdb_frame_parse(&l->brackets, at, (size_t)(end - at), &frame)) {
        report_log_fault(l, "a frame that cannot be parsed");
        return;
    }
    /* Another stack, whose thread line is lost. */
    if (frame.number == 0 && l->next_frame > 0)
        end_stack(l);
    if (!l->has_thread) {
        report_log_fault(l, "a frame outside of any thread");
        return;
    }
    if (frame.number < l->next_frame) {
        report_log_fault(l, "a frame that follows its callers");
        return;
    }
    l->has_gap = l->has_gap || frame.number > l->next_frame;
    l->next_frame = frame.number + 1;
    add_frame(l, frame.name);
}

/* ---- Lines ------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Takes a terminal's colours out, in place. Returns the end. An empty line may be at no
 * address at all. */
static char *remove_colours(char *line, size_t size)
{
    const char *end = size > 0 ? line + size : line;
    char *to = line;

    for (const char *from = line; from < end;) {
        if (end - from >= 2 && from[0] == '\x1b' && from[1] == '[') {
            from += 2;
            while (from < end && (*from < '@' || *from > '~'))
                from++;
            from += from < end;
        } else {
            *to++ = *from++;
        }
    }
    return to;
}

static void take_line(struct log *l, char *line, size_t size)
{
    const char *end = remove_colours(line, size);
    const char *at;
    const char *rest;
    uint64_t number;

    while (end > line && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
        end--;
    at = skip_blanks(line, end);
    l->line++;
    if (at == end)
        return;
    if (end - at >= 2 && at[0] == '#' && at[1] >= '0' && at[1] <= '9') {
        take_frame(l, at, end);
    } else if (is_thread(at, end, &number, &rest)) {
        take_thread(l, number, rest, end);
    } else if ((size_t)(end - at) == strlen(round_end) &&
               memcmp(at, round_end, strlen(round_end)) == 0) {
        end_stack(l);
        l->capture_is_over = true;
    } else {
        l->import->collect->tally.n_foreign_lines++;
    }
}

void import_gdb(struct import *im)
{
    struct import_lines lines = {.input = im->input, .max_bytes = LINE_MAX_BYTES};
    struct log l = {.import = im, .capture_is_over = true};

    while (import_lines_next(&lines)) {
        take_line(&l, lines.text.data, lines.text.size);
        if (lines.is_cut)
            report_log_fault(&l, "a line that is too long: only its beginning was read");
    }
    end_stack(&l);
    memory_release(l.names);
    memory_release(l.keys);
    table_free(&l.key_table);
    gdb_brackets_free(&l.brackets);
    text_free(&l.name);
    import_lines_free(&lines);
}

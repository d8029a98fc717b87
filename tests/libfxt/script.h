/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader, and what it says in a few words each:
 *
 *     record TYPE @OFFSET+SIZE; SEVERITY CODE @OFFSET+SKIPPED;
 *
 * for tests of what comes when; or in others:
 *
 *     PROVIDER named NAME rate RATE: NAME OF A BLOB; THREAD OF A LOG;
 *
 * for tests of what things mean then.
 */
#ifndef TESTS_LIBFXT_SCRIPT_H
#define TESTS_LIBFXT_SCRIPT_H

#include <string.h>

#include <fxt/fxt.h>

#include "tests/support/harness.h"
#include "tests/support/items.h"
#include "tests/support/show.h"

/* Registrations at index 1, and a blob and a log that refer to them. */
#define STRING_1 H(2 | AT(16, 1) | AT(32, 3)), S("abc")
#define THREAD_1 H(3 | AT(16, 1)), W(8), W(9)
#define USE H(5 | AT(16, 1)), H(9 | AT(32, 1)), W(1)

/* The callbacks get this by a pointer, so that a script can be returned and moved.
 */
struct script_log {
    struct show show;
    /* Callbacks ask to stop. */
    bool stop;
    /* Blobs and logs are shown by what they refer to, other records not at all. */
    bool meaning;
};

struct script {
    struct fxt_reader *reader;
    struct script_log *log;
    /* What was presented last: what the reader left of it comes first the next time. */
    struct words words;
    struct fxt_chunk chunk;
};

static inline void script_show_meaning(struct show *show, const struct fxt_record *r)
{
    const struct fxt_provider *p = r->provider;
    const struct fxt_string *s = &r->blob.name;

    show_format(show, "%u named %.*s rate %llu: ", p->id, (int)p->name.size, p->name.data,
                (unsigned long long)p->ticks_per_second);
    if (r->type == FXT_RECORD_LOG)
        show_format(show, r->log.thread.known ? "%llu/%llu; " : "?; ",
                    (unsigned long long)r->log.thread.process,
                    (unsigned long long)r->log.thread.thread);
    else
        show_format(show, "%.*s; ", s->data != NULL ? (int)s->size : 1,
                    s->data != NULL ? s->data : "?");
}

static inline int script_on_record(void *context, const struct fxt_record *r)
{
    struct script_log *log = (struct script_log *)context;

    if (!log->meaning)
        show_format(&log->show, "record %u @%llu+%llu; ", r->type,
                    (unsigned long long)r->offset, (unsigned long long)r->size);
    else if (r->type == FXT_RECORD_BLOB || r->type == FXT_RECORD_LOG)
        script_show_meaning(&log->show, r);
    return log->stop;
}

static inline int script_on_error(void *context, const struct fxt_error *e)
{
    static const char *const severities[] = {"?", "note", "warning", "error", "fatal"};
    struct script_log *log = (struct script_log *)context;

    show_format(&log->show, "%s %s @%llu", severities[e->severity],
                fxt_code_name(e->code), (unsigned long long)e->offset);
    if (e->skipped > 0)
        show_format(&log->show, "+%llu", (unsigned long long)e->skipped);
    show_format(&log->show, "; ");
    return log->stop;
}

/* Starts a reader; the size of the options and the callbacks are filled in. */
static inline struct script script_start(struct fxt_reader_options options)
{
    struct script s = {.log = (struct script_log *)calloc(1, sizeof(*s.log))};

    options.size = sizeof(options);
    options.on_record = script_on_record;
    options.on_error = script_on_error;
    options.context = s.log;
    CHECK(fxt_reader_create(&options, &s.reader) == FXT_OK, "no reader");
    return s;
}

/* Presents what is left and these bytes after it. */
static inline enum fxt_code script_push(struct script *s, const struct words *more)
{
    struct words all = {.big = more->big};
    enum fxt_code code;

    if (s->chunk.pos < s->words.size)
        put_raw(&all, s->words.bytes + s->chunk.pos, s->words.size - s->chunk.pos);
    put_raw(&all, more->bytes, more->size);
    words_free(&s->words);
    s->words = all;
    s->chunk = (struct fxt_chunk){all.bytes, all.size, 0};
    code = fxt_reader_read(s->reader, &s->chunk);
    return code;
}

static inline enum fxt_code script_read(struct script *s, const struct item *items)
{
    struct words w = {0};
    enum fxt_code code;

    put_items(&w, items);
    code = script_push(s, &w);
    words_free(&w);
    return code;
}

/* Starts another stream; what is left of this one is gone. */
static inline void script_reset(struct script *s)
{
    words_free(&s->words);
    s->chunk = (struct fxt_chunk){NULL, 0, 0};
    CHECK(fxt_reader_reset(s->reader) == FXT_OK, "no reset");
}

static inline enum fxt_code script_finish(struct script *s)
{
    return fxt_reader_finish(s->reader, &s->chunk);
}

/* Checks what was reported since the last check. */
static inline void script_check(struct script *s, const char *expected)
{
    const char *said = show_take(&s->log->show);

    CHECK(strcmp(said, expected) == 0, "\n  %s\nis not\n  %s", said, expected);
}

static inline void script_drop(struct script *s)
{
    fxt_reader_destroy(s->reader);
    words_free(&s->words);
    show_free(&s->log->show);
    free(s->log);
}

/* Checks, and ends everything. */
static inline void script_end(struct script *s, const char *expected)
{
    script_check(s, expected);
    script_drop(s);
}

#endif

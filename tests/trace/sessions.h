/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions of fxt/trace.h within one test: files in a directory of its process, what is
 * in them afterwards, and events. For tests that have included harness.h.
 */
#ifndef TESTS_TRACE_SESSIONS_H
#define TESTS_TRACE_SESSIONS_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/fxt.h>
#include <fxt/trace.h>

/* ---- What is in a file ------------------------------------------------------------- */

struct seen {
    /* Each event as "KIND CATEGORY NAME ARGUMENT=VALUE ...;", but those that the session
     * writes itself. */
    char text[16384];
    size_t size;
    uint64_t n_events;
    uint64_t n_dropped;
    uint64_t n_errors;
    uint64_t n_backwards;
    uint64_t last_ticks;
    uint64_t n_named; /* threads of the name that is asked for */
    const char *thread_name;
};

static inline void add(struct seen *seen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void add(struct seen *seen, const char *format, ...)
{
    size_t room = sizeof(seen->text) - seen->size;
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(seen->text + seen->size, room, format, arguments);
    va_end(arguments);
    seen->size += (size_t)n < room ? (size_t)n : room - 1;
}

static inline bool is_text(struct fxt_string string, const char *text)
{
    return string.size == strlen(text) && memcmp(string.data, text, string.size) == 0;
}

static inline void add_arg(struct seen *seen, const struct fxt_arg *arg)
{
    add(seen, " %.*s=", (int)arg->name.size, arg->name.data);
    switch (arg->type) {
    case FXT_ARG_INT32:
        add(seen, "%" PRId32, arg->value.int32);
        break;
    case FXT_ARG_UINT32:
        add(seen, "%" PRIu32 "u", arg->value.uint32);
        break;
    case FXT_ARG_INT64:
        add(seen, "%" PRId64 "l", arg->value.int64);
        break;
    case FXT_ARG_UINT64:
        add(seen, "%" PRIu64 "ul", arg->value.uint64);
        break;
    case FXT_ARG_DOUBLE:
        add(seen, "%g", arg->value.float64);
        break;
    case FXT_ARG_STRING:
        add(seen, "'%.*s'", (int)arg->value.string.size, arg->value.string.data);
        break;
    case FXT_ARG_POINTER:
        add(seen, "0x%" PRIx64, arg->value.pointer);
        break;
    case FXT_ARG_BOOL:
        add(seen, "%s", arg->value.boolean ? "true" : "false");
        break;
    default:
        add(seen, "?");
    }
}

static inline void add_event(struct seen *seen, const struct fxt_record *record)
{
    static const char *const kinds[] = {"instant",       "counter",   "begin",
                                        "end",           "complete",  "async_begin",
                                        "async_instant", "async_end", "flow_begin",
                                        "flow_step",     "flow_end"};
    const struct fxt_event *event = &record->event;

    seen->n_events++;
    if (record->kind != FXT_EVENT_DURATION_COMPLETE) {
        seen->n_backwards += event->timestamp < seen->last_ticks;
        seen->last_ticks = event->timestamp;
    }
    add(seen, "%s %.*s %.*s", kinds[record->kind], (int)event->category.size,
        event->category.data, (int)event->name.size, event->name.data);
    if (event->id != 0)
        add(seen, " #%" PRIu64, event->id);
    for (uint32_t i = 0; i < record->n_args; i++)
        add_arg(seen, &record->args[i]);
    add(seen, ";");
}

static inline int on_record(void *context, const struct fxt_record *record)
{
    struct seen *seen = (struct seen *)context;
    struct fxt_sample sample;

    if (record->type == FXT_RECORD_KERNEL_OBJECT && seen->thread_name != NULL &&
        record->kernel_object.type == FXT_OBJECT_THREAD)
        seen->n_named += is_text(record->kernel_object.name, seen->thread_name);
    if (record->type != FXT_RECORD_EVENT || is_text(record->event.category, "fxtrecord"))
        return 0;
    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_DROPS)
        seen->n_dropped += sample.dropped_records;
    else
        add_event(seen, record);
    return 0;
}

static inline int on_error(void *context, const struct fxt_error *error)
{
    (void)error;
    ((struct seen *)context)->n_errors++;
    return 0;
}

static inline void count(struct seen *seen, const char *path, const char *thread_name)
{
    struct fxt_reader_options options = {.size = sizeof(options)};
    enum fxt_code code;

    memset(seen, 0, sizeof(*seen));
    seen->thread_name = thread_name;
    options.on_record = on_record;
    options.on_error = on_error;
    options.context = seen;
    code = fxt_read_path(&options, path);
    CHECK(code == FXT_OK, "%s: %s", path, fxt_code_name(code));
}

static inline void look_for(struct seen *seen, const char *path, const char *thread_name)
{
    count(seen, path, thread_name);
    CHECK(seen->n_errors == 0, "%s: %" PRIu64 " errors", path, seen->n_errors);
}

static inline void look(struct seen *seen, const char *path)
{
    look_for(seen, path, NULL);
}

static inline void assert_text(const struct seen *seen, const char *expected)
{
    CHECK(strcmp(seen->text, expected) == 0, "%s", seen->text);
}

/* ---- Sessions ---------------------------------------------------------------------- */

static char directory[64];

/* A path in a directory of this process. */
static const char *path_of(const char *name)
{
    static char path[256];

    if (directory[0] == '\0') {
        strcpy(directory, "/tmp/fxt-trace-XXXXXX");
        CHECK(mkdtemp(directory) != NULL, "%s", strerror(errno));
    }
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

static inline void forget(const char *name)
{
    CHECK(unlink(path_of(name)) == 0, "%s: %s", name, strerror(errno));
    if (rmdir(directory) == 0)
        directory[0] = '\0';
}

static inline struct fxt_trace_options options_for(const char *path)
{
    struct fxt_trace_options options = {.size = sizeof(options), .path = path};

    return options;
}

static inline void start(const struct fxt_trace_options *options)
{
    CHECK(fxt_trace_start(options) == 0, "%s", strerror(errno));
}

static inline void assert_refused(const struct fxt_trace_options *options, int error)
{
    errno = 0;
    CHECK(fxt_trace_start(options) == -1, "it starts");
    CHECK(errno == error, "%s, not %s", strerror(errno), strerror(error));
}

/* Closes what is open of a file, as a program does that becomes a daemon, and has another
 * file take its number; returns that. */
static inline int replace_descriptor(const char *path, const char *other)
{
    struct stat wanted = {.st_ino = 0};
    struct stat found = {.st_ino = 0};
    int fd = 3;

    CHECK(stat(path, &wanted) == 0, "%s: %s", path, strerror(errno));
    while (fd < 1024 && (fstat(fd, &found) != 0 || found.st_ino != wanted.st_ino ||
                         found.st_dev != wanted.st_dev))
        fd++;
    CHECK(fd < 1024, "%s is not open", path);
    CHECK(dup2(open(other, O_RDWR | O_CREAT | O_TRUNC, 0666), fd) == fd, "%s: %s", other,
          strerror(errno));
    return fd;
}

static inline void assert_untouched(int fd)
{
    struct stat info = {.st_size = -1};

    CHECK(fstat(fd, &info) == 0, "it is closed");
    CHECK(info.st_size == 0, "it has %ld bytes", (long)info.st_size);
}

/* ---- Events ------------------------------------------------------------------------ */

enum { N_EVENTS = 20000 };

static inline void write_many(void)
{
    for (int i = 0; i < N_EVENTS; i++)
        FXT_INSTANT("many", "event", "i", i);
}

static inline void *trace_thread(void *name)
{
    if (name != NULL)
        fxt_trace_name_thread((const char *)name);
    for (int i = 0; i < 50; i++) {
        FXT_SCOPE("thread", "work", "i", i);
    }
    return NULL;
}

#endif

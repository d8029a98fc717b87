/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams read in one call, or by asking for each record, give the records and reports of
 * fxt_reader_read, from memory, files and pipes of any pace; and copies of records say
 * what the records said.
 */
#include "tests/support/harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "tests/support/golden.h"
#include "tests/support/show.h"

struct seen {
    struct show show;
    struct fxt_record *kept[1024];
    size_t n_kept;
    uint64_t n_records;
    uint64_t stop_after;
};

static int on_record(void *context, const struct fxt_record *record)
{
    struct seen *seen = (struct seen *)context;

    show_record(&seen->show, record);
    return ++seen->n_records == seen->stop_after;
}

static int on_error(void *context, const struct fxt_error *error)
{
    show_error(&((struct seen *)context)->show, error);
    return 0;
}

static struct fxt_reader_options options_for(size_t golden, bool big, struct seen *seen)
{
    struct fxt_reader_options options = golden_options(&goldens[golden], big);

    options.size = sizeof(options);
    options.on_record = on_record;
    options.on_error = on_error;
    options.context = seen;
    return options;
}

/* The reference: one chunk. */
static const char *read_plainly(const struct words *w, struct fxt_reader_options options)
{
    struct seen *seen = (struct seen *)options.context;
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    return show_take(&seen->show);
}

/* A pipe whose other end writes pieces of some bytes. */
static FILE *open_pipe(const struct words *w, size_t piece)
{
    int ends[2];
    pid_t child;

    CHECK(pipe(ends) == 0, "no pipe");
    child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < w->size; at += piece) {
            size_t n = w->size - at < piece ? w->size - at : piece;

            if (write(ends[1], w->bytes + at, n) != (ssize_t)n)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    return fdopen(ends[0], "rb");
}

static const char *read_pipe(const struct words *w, struct fxt_reader_options options,
                             size_t piece, bool by_fd)
{
    struct seen *seen = (struct seen *)options.context;
    FILE *file = open_pipe(w, piece);

    options.stable_input = true;
    CHECK(by_fd ? fxt_read_fd(&options, fileno(file)) >= FXT_OK
                : fxt_read_file(&options, file) >= FXT_OK,
          "not read");
    fclose(file);
    wait(NULL);
    return show_take(&seen->show);
}

/* Its name is in `name`, which ends in six X. */
static void write_file(const struct words *w, char *name)
{
    int fd = mkstemp(name);

    CHECK(fd >= 0 && write(fd, w->bytes, w->size) == (ssize_t)w->size, "no file");
    close(fd);
}

static const char *read_path(const struct words *w, struct fxt_reader_options options)
{
    struct seen *seen = (struct seen *)options.context;
    char name[] = "/tmp/test_read.XXXXXX";

    write_file(w, name);
    fxt_read_path(&options, name);
    unlink(name);
    return show_take(&seen->show);
}

/* Returns what the last call did. */
static enum fxt_code ask_all(struct fxt_reader *reader, struct show *show)
{
    const struct fxt_record *record;
    enum fxt_code code;

    while ((code = fxt_reader_next(reader, NULL, &record)) == FXT_OK && record != NULL)
        show_record(show, record);
    return code;
}

static const char *ask_file(const struct words *w, struct fxt_reader_options options)
{
    struct seen *seen = (struct seen *)options.context;
    char name[] = "/tmp/test_read.XXXXXX";
    struct fxt_reader *reader;

    write_file(w, name);
    CHECK(fxt_reader_open(&options, name, &reader) == FXT_OK, "no reader");
    unlink(name);
    ask_all(reader, &seen->show);
    fxt_reader_destroy(reader);
    return show_take(&seen->show);
}

static const char *ask(const struct words *w, struct fxt_reader_options options)
{
    struct seen *seen = (struct seen *)options.context;
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    const struct fxt_record *record;
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    while (fxt_reader_next(reader, &chunk, &record) == FXT_OK && record != NULL)
        show_record(&seen->show, record);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    return show_take(&seen->show);
}

static void check_same(size_t golden, bool big, const char *way, const char *is,
                       const char *expected)
{
    CHECK(strcmp(is, expected) == 0, "%s, big-endian %d, %s: %s", goldens[golden].name,
          big, way, show_difference(is, expected));
}

static void check_golden(size_t golden, bool big)
{
    struct words w = {.big = big};
    struct seen plain = {0};
    struct seen other = {0};
    struct fxt_reader_options options = options_for(golden, big, &other);
    const char *expected;

    goldens[golden].put(&w);
    expected = read_plainly(&w, options_for(golden, big, &plain));
    CHECK(fxt_read_memory(&options, w.bytes, w.size) >= FXT_OK, "not read");
    check_same(golden, big, "memory", show_take(&other.show), expected);
    check_same(golden, big, "path", read_path(&w, options), expected);
    check_same(golden, big, "pipe", read_pipe(&w, options, 7, true), expected);
    check_same(golden, big, "FILE", read_pipe(&w, options, 1000, false), expected);
    check_same(golden, big, "asked for each", ask(&w, options), expected);
    check_same(golden, big, "asked of a file", ask_file(&w, options), expected);
    words_free(&w);
    show_free(&plain.show);
    show_free(&other.show);
}

TEST(read, every_way_gives_the_same_records_and_reports)
{
    for (size_t i = 0; i < 2 * n_goldens; i++)
        check_golden(i / 2, i % 2);
}

/* Larger than the first buffer, and cut in the middle. */
TEST(read, a_record_may_be_of_any_size)
{
    enum { PAYLOAD_WORDS = 200000 };
    struct words w = {0};
    struct seen seen = {0};
    struct fxt_reader_options options = {.size = sizeof(options)};

    put(&w, FXT_RECORD_LARGE | FXT_PUT(LARGE_BLOB_FORMAT, FXT_LARGE_BLOB_NO_METADATA) |
                FXT_PUT(LARGE_WORDS, 3 + PAYLOAD_WORDS));
    put(&w, 0);
    put(&w, PAYLOAD_WORDS * 8);
    for (uint64_t i = 0; i < PAYLOAD_WORDS; i++)
        put(&w, i);
    options.on_record = on_record;
    options.on_error = on_error;
    options.context = &seen;
    options.stream = FXT_STREAM_REGION;
    read_pipe(&w, options, 4096, true);
    CHECK(seen.n_records == 1, "%d records", (int)seen.n_records);
    w.size -= 8;
    CHECK(strstr(read_pipe(&w, options, 4096, true), "truncated") != NULL,
          "it is not reported that the record is cut");
    words_free(&w);
    show_free(&seen.show);
}

TEST(read, what_goes_wrong_is_returned)
{
    struct words w = {0};
    struct seen seen = {.stop_after = 1};
    struct fxt_reader_options options = options_for(0, false, &seen);

    goldens[0].put(&w);
    CHECK(fxt_read_memory(&options, w.bytes, w.size) == FXT_STOPPED, "it did not stop");
    CHECK(seen.n_records == 1, "%d records", (int)seen.n_records);
    errno = 0;
    CHECK(fxt_read_path(&options, "/nonexistent/trace.fxt") == FXT_E_FILE &&
              errno == ENOENT,
          "errno is %d", errno);
    CHECK(fxt_read_path(&options, "/") == FXT_E_FILE && errno == EISDIR, "errno is %d",
          errno);
    options.size = 1;
    CHECK(fxt_read_memory(&options, w.bytes, w.size) == FXT_E_INVALID, "not refused");
    CHECK(fxt_read_fd(&options, 0) == FXT_E_INVALID, "not refused");
    words_free(&w);
    show_free(&seen.show);
}

static int keep_error(void *context, const struct fxt_error *error)
{
    *(struct fxt_error *)context = *error;
    return 0;
}

static void *no_memory_for_buffers(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size >= 256 << 10)
        return NULL;
    if (size > 0)
        return realloc(old, size);
    free(old);
    return NULL;
}

TEST(read, what_ends_a_stream_early_is_reported)
{
    struct fxt_error error = {0};
    struct fxt_reader_options options = {.size = sizeof(options)};
    const char *path = "/nonexistent/trace.fxt";

    options.on_error = keep_error;
    options.context = &error;
    fxt_read_path(&options, path);
    CHECK(error.code == FXT_E_FILE && error.severity == FXT_FATAL && error.path == path,
          "code %d, severity %d", error.code, error.severity);
    fxt_read_fd(&options, -1);
    CHECK(error.code == FXT_E_FILE && error.path == NULL, "code %d", error.code);
    options.resize = no_memory_for_buffers;
    CHECK(fxt_read_fd(&options, 0) == FXT_E_NO_MEMORY, "there was memory");
    CHECK(error.code == FXT_E_NO_MEMORY && error.severity == FXT_FATAL, "code %d",
          error.code);
}

TEST(read, a_file_is_asked_for_its_records)
{
    struct fxt_error error = {0};
    struct fxt_reader_options options = {
        .size = sizeof(options), .on_error = keep_error, .context = &error};
    struct fxt_chunk damaged = {"cut", 3, 0};
    struct show show = {0};
    const struct fxt_record *record;
    struct fxt_reader *reader;

    errno = 0;
    CHECK(fxt_reader_open(NULL, "/nonexistent/trace.fxt", &reader) == FXT_E_FILE &&
              errno == ENOENT && reader == NULL,
          "errno is %d", errno);
    CHECK(fxt_reader_open(&options, "/", &reader) == FXT_OK, "not opened");
    for (int i = 0; i < 2; i++)
        CHECK(ask_all(reader, &show) == FXT_E_FILE && error.code == FXT_E_FILE, "code %d",
              error.code);
    CHECK(strcmp(error.path, "/") == 0 && error.severity == FXT_FATAL, "another report");
    fxt_reader_reset(reader);
    CHECK(fxt_reader_next(reader, NULL, &record) == FXT_E_INVALID && record == NULL,
          "there is a file");
    CHECK(fxt_reader_read(reader, &damaged) == FXT_NEED_MORE &&
              fxt_reader_finish(reader, &damaged) == FXT_OK,
          "damage does not end a stream");
    CHECK(error.code == FXT_E_TRUNCATED && error.path == NULL, "code %d, path %s",
          error.code, error.path);
    fxt_reader_destroy(reader);
    options.resize = no_memory_for_buffers;
    CHECK(fxt_reader_open(&options, "/dev/null", &reader) == FXT_OK, "not opened");
    CHECK(ask_all(reader, &show) == FXT_E_NO_MEMORY, "there was memory");
    fxt_reader_destroy(reader);
    CHECK(fxt_reader_open(NULL, "/dev/null", &reader) == FXT_OK, "not opened");
    CHECK(ask_all(reader, &show) == FXT_OK && ask_all(reader, &show) == FXT_OK, "no end");
    fxt_reader_destroy(reader);
    options.size = 1;
    CHECK(fxt_reader_open(&options, "/dev/null", &reader) == FXT_E_INVALID,
          "not refused");
    show_free(&show);
}

/* What a function prints to standard error. */
static const char *printed_of(const struct fxt_reader_options *options, const char *path,
                              char *text, size_t size)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    size_t n;

    CHECK(file != NULL && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0, "no file");
    fxt_read_path(options, path);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

TEST(read, reports_are_printed_with_their_path_offset_and_message)
{
    struct fxt_reader_options options = {.size = sizeof(options)};
    char name[] = "/tmp/test_read.XXXXXX";
    char text[256];
    char expected[256];
    struct words w = {0};
    int fd = mkstemp(name);

    put(&w, 2 | AT(4, 1)); /* a string, at index 0 */
    put(&w, 4 | AT(4, 2)); /* an event, cut */
    CHECK(fd >= 0 && write(fd, w.bytes, w.size) == (ssize_t)w.size, "no file");
    close(fd);
    options.on_error = fxt_error_print;
    options.context = &options; /* not looked at */
    snprintf(expected, sizeof(expected),
             "%s:0: a registration at index 0 is ignored\n"
             "%s:0x8: the input ends inside a record\n",
             name, name);
    CHECK(strcmp(printed_of(&options, name, text, sizeof(text)), expected) == 0, "%s",
          text);
    unlink(name);
    CHECK(
        strcmp(printed_of(&options, "/nonexistent", text, sizeof(text)),
               "/nonexistent:0: the file cannot be used: No such file or directory\n") ==
            0,
        "%s", text);
    words_free(&w);
}

/* ---- Records ----------------------------------------------------------------------- */

/* A copy in memory that is just enough is that which fxt_record_copy makes; in less,
 * nothing is past the end. */
static void check_room(const struct fxt_record *record, const struct fxt_record *copy)
{
    static max_align_t room[1 << 14];
    unsigned char *bytes = (unsigned char *)room;
    size_t needed = fxt_record_copy_to(record, NULL, 0);
    size_t step = needed > 1024 ? needed / 16 : 8;
    struct show shown = {0}, expected = {0};

    CHECK(needed < sizeof(room), "%zu bytes", needed);
    for (size_t size = 0; size < needed; size += step) {
        memset(room, 0x5a, needed + 1);
        CHECK(fxt_record_copy_to(record, room, size) == needed, "less for %zu", size);
        for (size_t i = size; i <= needed; i++)
            CHECK(bytes[i] == 0x5a, "byte %zu of %zu", i, size);
    }
    CHECK(fxt_record_copy_to(record, room, needed) == needed, "another size");
    CHECK(bytes[needed] == 0x5a, "a byte past the end");
    show_content(&shown, (const struct fxt_record *)room);
    show_content(&expected, copy);
    CHECK(strcmp(show_take(&shown), show_take(&expected)) == 0, "another record");
    show_free(&shown);
    show_free(&expected);
}

static int keep_record(void *context, const struct fxt_record *record)
{
    struct seen *seen = (struct seen *)context;

    show_content(&seen->show, record);
    if (seen->n_kept == sizeof(seen->kept) / sizeof(seen->kept[0]))
        return 1;
    seen->kept[seen->n_kept] = fxt_record_copy(record);
    CHECK(seen->kept[seen->n_kept++] != NULL, "no memory");
    check_room(record, seen->kept[seen->n_kept - 1]);
    return 0;
}

/* The input is overwritten, and the reader's tables are freed, before the copies are
 * looked at. */
static void check_copies(size_t golden, bool big)
{
    struct words w = {.big = big};
    struct seen seen = {0};
    struct fxt_reader_options options = options_for(golden, big, &seen);
    struct show copies = {0};

    goldens[golden].put(&w);
    options.on_record = keep_record;
    options.on_error = NULL;
    fxt_read_memory(&options, w.bytes, w.size);
    memset(w.bytes, 0xa5, w.size);
    CHECK(seen.n_kept > 0, "%s: no records", goldens[golden].name);
    for (size_t i = 0; i < seen.n_kept; i++) {
        show_content(&copies, seen.kept[i]);
        free(seen.kept[i]);
    }
    check_same(golden, big, "copies", show_take(&copies), show_take(&seen.show));
    words_free(&w);
    show_free(&seen.show);
    show_free(&copies);
}

TEST(read, a_copy_of_a_record_says_what_the_record_said)
{
    for (size_t i = 0; i < 2 * n_goldens; i++)
        check_copies(i / 2, i % 2);
}

TEST(read, a_record_has_a_time_an_end_a_thread_and_arguments_by_name)
{
    static const struct fxt_arg args[] = {
        {.name = {NULL, 0, 7}, .type = FXT_ARG_UINT32, .value = {.uint32 = 1}},
        {.name = {"bytes", 5, 0}, .type = FXT_ARG_DOUBLE, .value = {.float64 = 0.5}},
        {.name = {"bytes", 5, 0}, .type = FXT_ARG_NULL},
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT,
                                .kind = FXT_EVENT_DURATION_COMPLETE,
                                .n_args = 3,
                                .args = args};
    uint64_t ticks = 0;

    record.event.timestamp = 5;
    record.event.end_timestamp = 9;
    record.event.thread = fxt_thread_from(1, 2);
    CHECK(fxt_record_time(&record, &ticks) && ticks == 5, "time %d", (int)ticks);
    CHECK(fxt_record_end(&record, &ticks) && ticks == 9, "end %d", (int)ticks);
    CHECK(fxt_record_thread(&record)->process == 1, "another process");
    CHECK(fxt_record_arg(&record, "bytes") == &args[1], "another argument");
    CHECK(fxt_record_arg(&record, "byte") == NULL, "an argument of no such name");
    CHECK(!fxt_string_equals(args[0].name, args[0].name), "unknown strings are equal");
    CHECK(fxt_string_equals(args[1].name, args[2].name), "equal strings are not");
    record.kind = FXT_EVENT_INSTANT;
    CHECK(fxt_record_end(&record, &ticks) && ticks == 5, "end %d", (int)ticks);
    record.type = FXT_RECORD_LOG;
    record.log.timestamp = 11;
    CHECK(fxt_record_end(&record, &ticks) && ticks == 11, "end %d", (int)ticks);
    record.type = FXT_RECORD_STRING;
    CHECK(!fxt_record_time(&record, &ticks) && fxt_record_thread(&record) == NULL,
          "a registration has a time or a thread");
}

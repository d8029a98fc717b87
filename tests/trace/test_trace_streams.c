/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of fxt/trace.h within one process: to files, full ones, and pipes. Programs
 * that are killed, and what is recovered, are test_stream.py's subject.
 */
#include "tests/support/harness.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "sessions.h"

static struct fxt_trace_options options_for_stream(const char *path)
{
    struct fxt_trace_options options = options_for(path);

    options.mode = FXT_TRACE_STREAM;
    return options;
}

static bool has_rings(void)
{
    return access(path_of("t.fxt.rings"), F_OK) == 0;
}

TEST(trace_streams, a_stream_has_the_events_of_all_threads)
{
    struct fxt_trace_options options = options_for_stream(path_of("t.fxt"));
    pthread_t threads[4];
    struct seen seen;

    start(&options);
    CHECK(has_rings(), "there are no rings");
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, trace_thread, NULL) == 0, "no thread");
    write_many();
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(fxt_trace_save(path_of("s.fxt")) == -1 && errno == ENOTSUP, "%s",
          strerror(errno));
    fxt_trace_stop();
    CHECK(!has_rings(), "the rings are left");
    look(&seen, path_of("t.fxt"));
    CHECK(seen.n_events == 4 * 100 + N_EVENTS && seen.n_dropped == 0, "%" PRIu64,
          seen.n_events);
    forget("t.fxt");
}

TEST(trace_streams, what_the_program_closes_is_not_written_to)
{
    struct fxt_trace_options options;
    char other[256];
    char rings[256];
    int fds[2];

    snprintf(other, sizeof(other), "%s", path_of("other"));
    snprintf(rings, sizeof(rings), "%s", path_of("t.fxt.rings"));
    options = options_for_stream(path_of("t.fxt"));
    start(&options);
    FXT_INSTANT("many", "first");
    fds[0] = replace_descriptor(path_of("t.fxt"), other);
    fds[1] = replace_descriptor(rings, other);
    write_many();
    fxt_trace_stop();
    assert_untouched(fds[0]);
    assert_untouched(fds[1]);
    forget("t.fxt");
    forget("t.fxt.rings");
    forget("other");
}

TEST(trace_streams, a_stream_counts_what_its_rings_have_no_room_for)
{
    struct fxt_trace_options options = options_for_stream(path_of("t.fxt"));
    struct seen seen;

    options.max_bytes = 200000;
    start(&options);
    for (int i = 0; i < 20; i++)
        write_many();
    fxt_trace_stop();
    look(&seen, path_of("t.fxt"));
    CHECK(seen.n_dropped > 0 && seen.n_events + seen.n_dropped == 20 * N_EVENTS,
          "%" PRIu64 " + %" PRIu64, seen.n_events, seen.n_dropped);
    forget("t.fxt");
}

TEST(trace_streams, what_a_full_file_does_not_take_stays_in_the_rings)
{
    struct fxt_trace_options options = options_for_stream(path_of("t.fxt"));
    struct rlimit before;
    struct rlimit limit;
    struct seen seen;
    struct seen rest;

    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 150000;
    setrlimit(RLIMIT_FSIZE, &limit);
    start(&options);
    for (int i = 0; i < 5; i++) {
        write_many();
        usleep(20000);
    }
    fxt_trace_stop();
    setrlimit(RLIMIT_FSIZE, &before);
    look(&seen, path_of("t.fxt"));
    /* What it refers to may be in the file already. */
    count(&rest, path_of("t.fxt.rings"), NULL);
    CHECK(seen.n_events > 1000 && rest.n_events > 1000, "%" PRIu64 ", %" PRIu64,
          seen.n_events, rest.n_events);
    CHECK(seen.n_events + seen.n_dropped + rest.n_events + rest.n_dropped == 5 * N_EVENTS,
          "%" PRIu64 " + %" PRIu64 ", %" PRIu64 " + %" PRIu64, seen.n_events,
          seen.n_dropped, rest.n_events, rest.n_dropped);
    forget("t.fxt.rings");
    forget("t.fxt");
}

/* A thread that copies a pipe to a file, once some time has passed, or its first bytes.
 */
struct pipe_reader {
    pthread_t thread;
    char from[256];
    char to[256];
    useconds_t delay_us;
    size_t most;
};

static void *read_pipe(void *of_reader)
{
    struct pipe_reader *r = (struct pipe_reader *)of_reader;
    FILE *from;
    FILE *to = fopen(r->to, "wb");
    int byte;

    usleep(r->delay_us);
    from = fopen(r->from, "rb");
    while (r->most-- > 0 && (byte = getc(from)) != EOF)
        putc(byte, to);
    fclose(from);
    fclose(to);
    return NULL;
}

static void stream_to_pipe(struct pipe_reader *r)
{
    struct fxt_trace_options options;
    bool ends_early = r->most != SIZE_MAX;

    snprintf(r->to, sizeof(r->to), "%s", path_of("t.fxt"));
    snprintf(r->from, sizeof(r->from), "%s", path_of("pipe"));
    CHECK(mkfifo(r->from, 0600) == 0, "%s", strerror(errno));
    CHECK(pthread_create(&r->thread, NULL, read_pipe, r) == 0, "no thread");
    options = options_for_stream(r->from);
    start(&options);
    write_many();
    /* Its own thread sees that the reader is gone. */
    usleep(ends_early ? 300000 : 0);
    fxt_trace_stop();
    pthread_join(r->thread, NULL);
}

TEST(trace_streams, a_pipe_may_get_its_reader_later)
{
    static const useconds_t delays_us[] = {0, 300000};

    for (int i = 0; i < 2; i++) {
        struct pipe_reader reader = {.delay_us = delays_us[i], .most = SIZE_MAX};
        struct seen seen;

        stream_to_pipe(&reader);
        look(&seen, path_of("t.fxt"));
        CHECK(seen.n_events == N_EVENTS && seen.n_dropped == 0, "%" PRIu64 " + %" PRIu64,
              seen.n_events, seen.n_dropped);
        forget("pipe");
        forget("t.fxt");
    }
}

TEST(trace_streams, a_pipe_whose_reader_is_gone_ends_the_trace)
{
    struct pipe_reader reader = {.most = 100000};
    struct stat info = {.st_size = 0};

    stream_to_pipe(&reader);
    CHECK(stat(path_of("t.fxt"), &info) == 0 && info.st_size == 100000, "%ld bytes",
          (long)info.st_size);
    forget("pipe");
    forget("t.fxt");
}

TEST(trace_streams, a_stream_that_cannot_begin_is_refused)
{
    struct fxt_trace_options options = options_for_stream(NULL);

    assert_refused(&options, EINVAL);
    options = options_for_stream("/nonexistent/t.fxt");
    assert_refused(&options, ENOENT);
    options = options_for_stream("/tmp");
    assert_refused(&options, EISDIR);
}

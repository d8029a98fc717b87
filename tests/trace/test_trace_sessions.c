/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions of fxt/trace.h within one process: what its calls return, and what a file or
 * memory has afterwards. Whole programs, and how they end, are test_trace.py's subject.
 */
#include "tests/support/harness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sessions.h"

static void write_all_kinds(void)
{
    char text[] = "some text";
    char longer[FXT_TRACE_STRING_MAX + 10];
    uint64_t begin = fxt_trace_now();

    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    {
        FXT_SCOPE("net", "receive", "bytes", 7, "file", text);
        FXT_INSTANT("net", "moment", "b", (bool)1, "i", -5, "u", 5u, "l", -6000000000L,
                    "ul", 6000000000UL, "d", 1.5, "f", 2.5f, "p", (void *)0x1234, "c",
                    (char)3, "none", (const char *)NULL, "empty", "");
    }
    FXT_BEGIN("db", "query", "n", (short)-3, "m", (unsigned char)9);
    FXT_END("db", "query");
    FXT_COMPLETE(begin, fxt_trace_now(), "db", "whole", "n", 1LL);
    FXT_COUNTER(3, "mem", "heap", "used", 100, "free", 200);
    FXT_ASYNC_BEGIN(17, "io", "read");
    FXT_ASYNC_INSTANT(17, "io", "read");
    FXT_ASYNC_END(17, "io", "read");
    FXT_FLOW_BEGIN(1ull << 60, "io", "request");
    FXT_FLOW_STEP(1ull << 60, "io", "request");
    FXT_FLOW_END(1ull << 60, "io", "request");
    FXT_INSTANT("long", "string", "length", longer);
}

static const char all_kinds[] =
    "begin net receive bytes=7 file='some text';"
    "instant net moment b=true i=-5 u=5u l=-6000000000l ul=6000000000ul d=1.5 f=2.5 "
    "p=0x1234 c=3 none='' empty='';"
    "end net receive;begin db query n=-3 m=9u;end db query;complete db whole n=1l;"
    "counter mem heap #3 used=100 free=200;"
    "async_begin io read #17;async_instant io read #17;async_end io read #17;"
    "flow_begin io request #1152921504606846976;flow_step io request "
    "#1152921504606846976;"
    "flow_end io request #1152921504606846976;instant long string length='";

TEST(trace_sessions, a_file_has_all_kinds_of_events_and_values)
{
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    struct seen seen;
    size_t n = strlen(all_kinds);

    for (int clock = 0; clock < 2; clock++) {
        options.monotonic_clock = clock == 1;
        start(&options);
        write_all_kinds();
        fxt_trace_stop();
        write_all_kinds(); /* to nowhere */
        look(&seen, options.path);
        CHECK(strncmp(seen.text, all_kinds, n) == 0, "%s", seen.text);
        CHECK(seen.size == n + FXT_TRACE_STRING_MAX + 2, "%s", seen.text + n);
        CHECK(seen.n_backwards == 0 && seen.n_dropped == 0, "%s", seen.text);
    }
    forget("t.fxt");
}

TEST(trace_sessions, what_cannot_start_is_refused_with_its_reason)
{
    struct {
        struct fxt_trace_options known;
        char more[8];
    } newer = {.known = {.size = sizeof(newer)}};
    struct fxt_trace_options options = options_for(NULL);
    char longest[5000];

    assert_refused(&(struct fxt_trace_options){.size = 4}, EINVAL);
    newer.more[7] = 1;
    assert_refused(&newer.known, EINVAL);
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    options.path = longest;
    assert_refused(&options, ENAMETOOLONG);
    options.path = path_of("none/t.fxt");
    assert_refused(&options, ENOENT);
    options.path = directory;
    assert_refused(&options, EISDIR);
    options = options_for(NULL);
    options.max_bytes = 10000;
    assert_refused(&options, EFBIG);
    options.path = path_of("t.fxt");
    assert_refused(&options, EFBIG);
    errno = 0;
    CHECK(fxt_trace_save(path_of("s.fxt")) == -1 && errno == ENOENT, "%s",
          strerror(errno));

    /* None of these is in the way of one that can. */
    newer.more[7] = 0;
    start(&newer.known);
    assert_refused(&newer.known, EBUSY);
    errno = 0;
    CHECK(fxt_trace_save(path_of("none/s.fxt")) == -1 && errno == ENOENT, "%s",
          strerror(errno));
    CHECK(fxt_trace_save(longest) == -1 && errno == ENAMETOOLONG, "%s", strerror(errno));
    fxt_trace_stop();
    forget("t.fxt");
}

TEST(trace_sessions, categories_are_chosen_by_patterns_at_any_time)
{
    static const struct {
        const char *patterns;
        const char *expected;
    } rows[] = {
        {NULL, "instant alpha a;instant beta b;instant alphabet c;"},
        {"", "instant alpha a;instant beta b;instant alphabet c;"},
        {"alpha", "instant alpha a;"},
        {"alpha*", "instant alpha a;instant alphabet c;"},
        {"-alpha", "instant beta b;instant alphabet c;"},
        {"*bet*,-beta", "instant alphabet c;"},
        {"-beta,b*", "instant beta b;"},
        {",,b*a,", "instant beta b;"},
        {"none", ""},
    };
    struct fxt_trace_options options = options_for(NULL);
    struct seen seen;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* At the start, and while it runs. */
        for (int at_start = 0; at_start < 2; at_start++) {
            options.categories = at_start ? rows[i].patterns : "other";
            start(&options);
            if (!at_start)
                fxt_trace_set_categories(rows[i].patterns);
            else if (rows[i].patterns == NULL)
                fxt_trace_set_categories(NULL);
            FXT_INSTANT("alpha", "a");
            FXT_INSTANT("beta", "b");
            FXT_INSTANT("alphabet", "c");
            CHECK(fxt_trace_save(path_of("t.fxt")) == 0, "%s", strerror(errno));
            fxt_trace_stop();
            look(&seen, path_of("t.fxt"));
            assert_text(&seen, rows[i].expected);
        }
    }
    fxt_trace_set_categories(NULL);
    forget("t.fxt");
}

/* ---- Files that are full ----------------------------------------------------------- */

TEST(trace_sessions, what_does_not_fit_is_counted)
{
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    struct seen seen;

    options.max_bytes = 100000;
    start(&options);
    write_many();
    fxt_trace_stop();
    look(&seen, options.path);
    CHECK(strncmp(seen.text, "instant many event i=0;instant many event i=1;", 46) == 0,
          "%s", seen.text);
    CHECK(seen.n_events > 1000 && seen.n_dropped > 1000 &&
              seen.n_events + seen.n_dropped == N_EVENTS,
          "%" PRIu64 " + %" PRIu64, seen.n_events, seen.n_dropped);
    forget("t.fxt");
}

struct spans {
    int depth;
    int n_unopened;
    int n_ended;
};

static int follow_spans(void *context, const struct fxt_record *record)
{
    struct spans *spans = (struct spans *)context;

    if (record->type != FXT_RECORD_EVENT)
        return 0;
    if (record->kind == FXT_EVENT_DURATION_BEGIN)
        spans->depth++;
    if (record->kind == FXT_EVENT_DURATION_END) {
        spans->n_unopened += spans->depth == 0;
        spans->depth -= spans->depth > 0;
        spans->n_ended++;
    }
    return 0;
}

/* An end is smaller than its begin, which has arguments. */
TEST(trace_sessions, spans_that_do_not_fit_do_not_end)
{
    for (uint64_t n_before = 0; n_before < 8; n_before++) {
        struct fxt_trace_options options = options_for(path_of("t.fxt"));
        struct fxt_reader_options reading = {.size = sizeof(reading)};
        struct spans spans = {0};

        options.max_bytes = 100000;
        start(&options);
        for (uint64_t i = 0; i < n_before; i++)
            FXT_INSTANT("many", "before");
        for (uint64_t i = 0; i < N_EVENTS; i++) {
            FXT_SCOPE("many", "span", "i", i, "j", i);
        }
        fxt_trace_stop();
        reading.on_record = follow_spans;
        reading.context = &spans;
        CHECK(fxt_read_path(&reading, options.path) == FXT_OK, "not read");
        CHECK(spans.n_ended > 500 && spans.n_unopened == 0, "%d ended, %d had not begun",
              spans.n_ended, spans.n_unopened);
        forget("t.fxt");
    }
}

TEST(trace_sessions, the_last_events_are_kept_in_order)
{
    struct fxt_trace_options options = options_for(NULL);
    char last[64];
    struct seen seen;

    options.mode = FXT_TRACE_KEEP_LAST;
    options.max_bytes = 200000;
    start(&options);
    write_many();
    CHECK(fxt_trace_save(path_of("t.fxt")) == 0, "%s", strerror(errno));
    fxt_trace_stop();
    look(&seen, path_of("t.fxt"));
    CHECK(seen.n_events > 2000 && seen.n_backwards == 0 && seen.n_dropped == 0,
          "%" PRIu64 ", %" PRIu64 " backwards, %" PRIu64 " dropped", seen.n_events,
          seen.n_backwards, seen.n_dropped);
    snprintf(last, sizeof(last), "instant many event i=%" PRIu64 ";",
             N_EVENTS - seen.n_events);
    CHECK(strncmp(seen.text, last, strlen(last)) == 0, "%.60s, not %s", seen.text, last);
    forget("t.fxt");
}

TEST(trace_sessions, a_limit_on_the_size_of_files_is_no_signal)
{
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    struct rlimit before;
    struct rlimit limit;
    struct seen seen;
    struct stat info = {.st_size = 0};

    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 150000;
    setrlimit(RLIMIT_FSIZE, &limit);
    start(&options);
    write_many();
    fxt_trace_stop();
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(stat(options.path, &info) == 0 && info.st_size <= 150000, "%ld bytes",
          (long)info.st_size);
    look(&seen, options.path);
    CHECK(seen.n_events > 2000 && seen.n_events + seen.n_dropped == N_EVENTS,
          "%" PRIu64 " + %" PRIu64, seen.n_events, seen.n_dropped);
    forget("t.fxt");
}

TEST(trace_sessions, what_the_program_closes_is_not_written_to)
{
    struct fxt_trace_options options;
    char other[256];
    struct seen seen;
    int fd;

    snprintf(other, sizeof(other), "%s", path_of("other"));
    options = options_for(path_of("t.fxt"));
    start(&options);
    FXT_INSTANT("many", "first");
    fd = replace_descriptor(path_of("t.fxt"), other);
    write_many();
    fxt_trace_stop();
    assert_untouched(fd);
    look(&seen, path_of("t.fxt"));
    CHECK(seen.n_events > 500 && seen.n_events + seen.n_dropped == 1 + N_EVENTS,
          "%" PRIu64 " + %" PRIu64, seen.n_events, seen.n_dropped);
    forget("t.fxt");
    forget("other");
}

TEST(trace_sessions, a_limit_that_is_set_later_is_no_signal)
{
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    struct rlimit before;
    struct rlimit limit;
    struct seen seen;

    start(&options);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 150000;
    setrlimit(RLIMIT_FSIZE, &limit);
    write_many();
    fxt_trace_stop();
    setrlimit(RLIMIT_FSIZE, &before);
    look(&seen, path_of("t.fxt"));
    CHECK(seen.n_events > 2000 && seen.n_events + seen.n_dropped == N_EVENTS,
          "%" PRIu64 " + %" PRIu64, seen.n_events, seen.n_dropped);
    forget("t.fxt");
}

/* ---- Threads, signals, children ---------------------------------------------------- */

TEST(trace_sessions, threads_have_names_and_hand_over_their_chunks)
{
    enum { N_THREADS = 300 };
    char name[] = "worker";
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    struct seen seen;
    struct stat info = {.st_size = 0};

    start(&options);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_t thread;

        CHECK(pthread_create(&thread, NULL, trace_thread, name) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    trace_thread(NULL);
    fxt_trace_name_thread("renamed");
    trace_thread(NULL);
    fxt_trace_stop();
    look_for(&seen, options.path, "worker");
    CHECK(seen.n_events == 2 * 50 * (N_THREADS + 2) && seen.n_dropped == 0, "%" PRIu64,
          seen.n_events);
    CHECK(seen.n_named >= N_THREADS, "%" PRIu64, seen.n_named);
    look_for(&seen, options.path, "renamed");
    CHECK(seen.n_named >= 1, "%" PRIu64, seen.n_named);
    stat(options.path, &info);
    CHECK(info.st_size < 2 * 1000 * 1000, "%ld bytes", (long)info.st_size);
    forget("t.fxt");
}

static volatile sig_atomic_t depth;

/* Interrupts itself while it has a place among the writers. */
static void interrupt(int number)
{
    if (++depth <= 12) {
        FXT_INSTANT("signal", "handled", "raised", raise(number));
    }
}

TEST(trace_sessions, signals_that_nest_too_deep_are_counted)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_NODEFER};
    struct sigaction before;
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    struct seen seen;

    depth = 0;
    sigaction(SIGUSR1, &action, &before);
    start(&options);
    raise(SIGUSR1);
    fxt_trace_stop();
    sigaction(SIGUSR1, &before, NULL);
    look(&seen, options.path);
    CHECK(depth == 13 && seen.n_events + seen.n_dropped == 12,
          "%d: %" PRIu64 " + %" PRIu64, (int)depth, seen.n_events, seen.n_dropped);
    forget("t.fxt");
}

static void toggle(int number)
{
    (void)number;
    fxt_trace_toggle();
}

TEST(trace_sessions, a_signal_handler_stops_and_starts_with_the_last_options)
{
    struct sigaction action = {.sa_handler = toggle};
    struct sigaction before;
    struct fxt_trace_options options = options_for(path_of("%n.fxt"));
    struct seen seen;

    sigaction(SIGUSR1, &action, &before);
    start(&options);
    FXT_INSTANT("toggled", "first");
    raise(SIGUSR1);
    FXT_INSTANT("toggled", "not");
    raise(SIGUSR1);
    FXT_INSTANT("toggled", "second");
    /* What has not begun does not. */
    raise(SIGUSR1);
    raise(SIGUSR1);
    raise(SIGUSR1);
    FXT_INSTANT("toggled", "neither");
    /* A call takes precedence over what a signal has asked for. */
    raise(SIGUSR1);
    options.path = path_of("3.fxt");
    start(&options);
    FXT_INSTANT("toggled", "third");
    fxt_trace_stop();
    sigaction(SIGUSR1, &before, NULL);
    look(&seen, path_of("1.fxt"));
    assert_text(&seen, "instant toggled first;");
    look(&seen, path_of("2.fxt"));
    assert_text(&seen, "instant toggled second;");
    look(&seen, path_of("3.fxt"));
    assert_text(&seen, "instant toggled third;");
    forget("1.fxt");
    forget("2.fxt");
    forget("3.fxt");
}

/* Traces one event in a child, whose id is returned once it has ended. */
static pid_t trace_in_child(void)
{
    pid_t child = fork();
    int status = -1;

    CHECK(child >= 0, "%s", strerror(errno));
    if (child == 0) {
        FXT_INSTANT("child", "event");
        _exit(0);
    }
    waitpid(child, &status, 0);
    CHECK(status == 0, "the child ended with %d", status);
    return child;
}

TEST(trace_sessions, a_child_has_a_file_of_its_own_or_none)
{
    struct fxt_trace_options options = options_for(path_of("t.fxt"));
    char pattern[256];
    struct seen seen;

    start(&options);
    FXT_INSTANT("parent", "before");
    trace_in_child();
    FXT_INSTANT("parent", "after");
    fxt_trace_stop();
    look(&seen, path_of("t.fxt"));
    assert_text(&seen, "instant parent before;instant parent after;");
    forget("t.fxt");

    snprintf(pattern, sizeof(pattern), "%s", path_of("%p.fxt"));
    options.path = pattern;
    start(&options);
    FXT_INSTANT("parent", "before");
    for (int i = 0; i < 2; i++) {
        char name[32];

        snprintf(name, sizeof(name), "%ld.fxt", (long)trace_in_child());
        look(&seen, path_of(name));
        assert_text(&seen, "instant child event;");
        unlink(path_of(name));
    }
    fxt_trace_stop();
    snprintf(pattern, sizeof(pattern), "%ld.fxt", (long)getpid());
    look(&seen, path_of(pattern));
    assert_text(&seen, "instant parent before;");
    forget(pattern);
}

/* ---- The environment --------------------------------------------------------------- */

#ifndef TEST_PLAIN /* the first event of a process is what asks for it */

TEST(trace_sessions, the_environment_starts_a_session)
{
    struct seen seen;
    struct stat info = {.st_size = 0};

    setenv("FXT_TRACE_FILE", path_of("t.fxt"), 1);
    setenv("FXT_TRACE", "-db", 1);
    setenv("FXT_TRACE_SIZE", "64K", 1);
    setenv("FXT_TRACE_MODE", "keep-last", 1);
    setenv("FXT_TRACE_CLOCK", "monotonic", 1);
    FXT_BEGIN("db", "query");
    FXT_INSTANT("net", "first");
    write_many();
    FXT_INSTANT("net", "last");
    CHECK(fxt_trace_save(path_of("s.fxt")) == 0, "%s", strerror(errno));
    fxt_trace_stop();
    look(&seen, path_of("s.fxt"));
    CHECK(strcmp(seen.text + seen.size - 17, "instant net last;") == 0 ||
              seen.size == sizeof(seen.text) - 1,
          "%s", seen.text);
    CHECK(seen.n_events > 500 && seen.n_events < N_EVENTS, "%" PRIu64, seen.n_events);
    stat(path_of("t.fxt"), &info);
    CHECK(info.st_size <= 64 << 10, "%ld bytes", (long)info.st_size);
    forget("s.fxt");
    forget("t.fxt");
}

TEST(trace_sessions, before_a_signal_nothing_is_traced)
{
    struct seen seen;

    setenv("FXT_TRACE_FILE", path_of("t.fxt"), 1);
    setenv("FXT_TRACE_SIGNAL", "USR2", 1);
    FXT_INSTANT("net", "before");
    fxt_trace_toggle();
    FXT_INSTANT("net", "first");
    fxt_trace_stop();
    look(&seen, path_of("t.fxt"));
    assert_text(&seen, "instant net first;");
    forget("t.fxt");
}

TEST(trace_sessions, without_the_environment_nothing_is_traced)
{
    unsetenv("FXT_TRACE_FILE");
    unsetenv("FXT_TRACE");
    FXT_INSTANT("net", "first");
    errno = 0;
    CHECK(fxt_trace_save("/dev/null") == -1 && errno == ENOENT, "%s", strerror(errno));
}

TEST(trace_sessions, a_file_that_cannot_be_created_is_one_line)
{
    char line[256] = "";
    int ends[2];

    setenv("FXT_TRACE_FILE", path_of("none/t.fxt"), 1);
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0, "%s", strerror(errno));
    FXT_INSTANT("net", "first");
    FXT_INSTANT("net", "second");
    CHECK(write(STDERR_FILENO, ".", 1) == 1, "%s", strerror(errno));
    CHECK(read(ends[0], line, sizeof(line) - 1) > 0, "%s", strerror(errno));
    CHECK(strncmp(line, "fxt/trace.h: ", 13) == 0 &&
              strstr(line, "none/t.fxt: No such file or directory\n.") != NULL,
          "%s", line);
    rmdir(directory);
}

TEST(trace_sessions, values_that_make_no_sense_are_a_line_each)
{
    char lines[512] = "";
    int ends[2];

    setenv("FXT_TRACE_FILE", path_of("t.fxt.gz"), 1);
    setenv("FXT_TRACE_SIZE", "1T", 1);
    setenv("FXT_TRACE_MODE", "first", 1);
    setenv("FXT_TRACE_CLOCK", "utc", 1);
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0, "%s", strerror(errno));
    FXT_INSTANT("net", "first");
    fxt_trace_stop();
    CHECK(read(ends[0], lines, sizeof(lines) - 1) > 0, "%s", strerror(errno));
    CHECK(
        strstr(lines, "FXT_TRACE_SIZE=1T: ") && strstr(lines, "FXT_TRACE_MODE=first: ") &&
            strstr(lines, "FXT_TRACE_CLOCK=utc: ") && strstr(lines, "t.fxt.gz: despite"),
        "%s", lines);
    forget("t.fxt.gz");
}

#endif

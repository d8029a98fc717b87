/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtsampler: sessions by both methods, and every error that its table has. Where perf
 * events are forbidden, what needs them says so and is left out.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fxt/fxt.h>
#include <fxt/sampler.h>

#include "harness.h"

enum { MS = 1000000 };

static struct fxt_sampler_config config_of(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = {.size = sizeof(config)};

    config.period_ns = 1 * MS;
    config.buffer_size = 1 << 20;
    config.method = method;
    return config;
}

static struct fxt_sampler *create(const struct fxt_sampler_config *config)
{
    struct fxt_sampler *sampler;
    enum fxt_sampler_code code = fxt_sampler_create(0, config, &sampler);

    if (config->method == FXT_SAMPLER_PERF &&
        (code == FXT_SAMPLER_E_PERMISSION || code == FXT_SAMPLER_E_SUPPORT)) {
        printf("# skipped: perf events: %s\n", fxt_sampler_code_message(code));
        return NULL;
    }
    CHECK(code == FXT_SAMPLER_OK, "%s", fxt_sampler_code_message(code));
    return sampler;
}

static void expect(enum fxt_sampler_code code, enum fxt_sampler_code expected,
                   const char *what)
{
    CHECK(code == expected, "%s: %s, and not %s", what, fxt_sampler_code_name(code),
          fxt_sampler_code_name(expected));
}

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void spin(uint64_t ns)
{
    uint64_t end = cpu_ns() + ns;
    volatile unsigned sum = 0;

    while (cpu_ns() < end) {
        for (unsigned i = 0; i < 10000; i++)
            sum = sum + i;
    }
}

/* ---- What is in a region ----------------------------------------------------------- */

struct seen {
    uint64_t n_samples;
    uint64_t n_errors;
    uint64_t last_time;
    bool backtraces;
    uint64_t thread;
    uint64_t max_pcs;
};

static int take_record(void *context, const struct fxt_record *record)
{
    struct seen *seen = context;
    struct fxt_sample sample;

    CHECK(fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK, "no sample");
    CHECK(sample.timestamp >= seen->last_time, "samples are not in order");
    seen->last_time = sample.timestamp;
    seen->backtraces = record->type == FXT_RECORD_PROFILER;
    seen->n_samples++;
    seen->thread = sample.thread.thread;
    if (sample.pcs.count > seen->max_pcs)
        seen->max_pcs = sample.pcs.count;
    return 0;
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct seen *seen = context;

    printf("# %s at %llu\n", error->message, (unsigned long long)error->offset);
    seen->n_errors++;
    return 0;
}

/* Reads a whole region, which must have samples, then a zero header, and nothing else. */
static void read_region(const struct fxt_sampler_region *region, struct seen *seen)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_record,
                                         .on_error = take_error,
                                         .context = seen,
                                         .stream = FXT_STREAM_REGION};
    struct fxt_chunk chunk = {region->data, region->size, 0};
    struct fxt_reader *reader;
    uint64_t before = seen->n_samples;
    uint64_t word;

    seen->last_time = 0;
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "reader");
    CHECK(fxt_reader_read(reader, &chunk) == FXT_END, "no zero header ends the region");
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    memcpy(&word, (const char *)region->data + region->used, sizeof(word));
    CHECK(word == 0, "no zero where the records end");
    CHECK(seen->n_errors == 0, "the region is damaged");
    CHECK(seen->n_samples - before == region->counts.samples,
          "%llu samples counted, %llu there", (unsigned long long)region->counts.samples,
          (unsigned long long)(seen->n_samples - before));
}

static struct seen read_all(struct fxt_sampler *sampler)
{
    struct seen seen = {0};
    struct fxt_sampler_region region;
    uint32_t i = 0;

    while (fxt_sampler_read(sampler, i, &region) == FXT_SAMPLER_OK) {
        read_region(&region, &seen);
        i++;
    }
    CHECK(i > 0, "no regions");
    return seen;
}

/* ---- Errors ------------------------------------------------------------------------ */

static enum fxt_sampler_code try_config(struct fxt_sampler_config config)
{
    struct fxt_sampler *sampler = (struct fxt_sampler *)&config;
    enum fxt_sampler_code code = fxt_sampler_create(0, &config, &sampler);

    CHECK(sampler == NULL, "a session in spite of %s", fxt_sampler_code_name(code));
    return code;
}

TEST(sampler, each_bad_configuration_has_its_code)
{
    struct fxt_sampler_config good = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler_config bad = good;
    struct fxt_sampler *sampler;

    expect(fxt_sampler_create(1, &good, &sampler), FXT_SAMPLER_E_OPTIONS, "options 1");
    expect(fxt_sampler_create(0, NULL, &sampler), FXT_SAMPLER_E_CONFIG, "no config");
    bad.size--;
    expect(try_config(bad), FXT_SAMPLER_E_CONFIG, "another size");
    bad = good;
    bad.method = (enum fxt_sampler_method)3;
    expect(try_config(bad), FXT_SAMPLER_E_CONFIG, "another method");
    bad = good;
    bad.flags = 8;
    expect(try_config(bad), FXT_SAMPLER_E_CONFIG, "another flag");
    bad.flags = FXT_SAMPLER_USER_ONLY | FXT_SAMPLER_KERNEL_ONLY;
    expect(try_config(bad), FXT_SAMPLER_E_CONFIG, "neither user nor kernel");
    bad = good;
    bad.period_ns = FXT_SAMPLER_PERIOD_MIN_NS - 1;
    expect(try_config(bad), FXT_SAMPLER_E_PERIOD, "a short period");
    bad.period_ns = FXT_SAMPLER_PERIOD_MAX_NS + 1;
    expect(try_config(bad), FXT_SAMPLER_E_PERIOD, "a long period");
    bad = good;
    bad.buffer_size = 0;
    expect(try_config(bad), FXT_SAMPLER_E_BUFFER_SIZE, "no buffer");
    bad.buffer_size = FXT_SAMPLER_BUFFER_SIZE_MAX + 1;
    expect(try_config(bad), FXT_SAMPLER_E_BUFFER_SIZE, "a large buffer");
    bad = good;
    bad.discipline = 1;
    expect(try_config(bad), FXT_SAMPLER_E_DISCIPLINE, "discipline 1");
    bad = good;
    bad.directory = "/nonexistent";
    expect(try_config(bad), FXT_SAMPLER_E_PERMISSION, "no directory");
    bad = good;
    bad.flags = FXT_SAMPLER_KERNEL_ONLY;
    expect(try_config(bad), FXT_SAMPLER_E_METHOD, "the kernel by signals");
}

TEST(sampler, the_limits_of_a_configuration_are_allowed)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler_region region;
    struct fxt_sampler *sampler;

    config.period_ns = FXT_SAMPLER_PERIOD_MIN_NS;
    config.buffer_size = FXT_SAMPLER_BUFFER_SIZE_MAX;
    sampler = create(&config);
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_OK, "destroy");
    config.period_ns = FXT_SAMPLER_PERIOD_MAX_NS;
    config.buffer_size = 1;
    sampler = create(&config);
    expect(fxt_sampler_read(sampler, 0, &region), FXT_SAMPLER_OK, "read");
    CHECK(region.size == (uint64_t)sysconf(_SC_PAGESIZE), "not rounded up to a page");
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_OK, "destroy");
}

static void try_calls(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = NULL;
    struct fxt_sampler *other;
    struct fxt_sampler_region region;
    struct fxt_sampler_counts counts;

    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()),
           FXT_SAMPLER_E_NO_SESSION, "attach before create");
    sampler = create(&config);
    if (sampler == NULL)
        return;
    CHECK(fxt_sampler_method(sampler) == method, "another method");
    expect(fxt_sampler_create(0, &config, &other), FXT_SAMPLER_E_EXISTS, "a second");
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_E_NOT_RUNNING, "stop before start");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, 0x7ffffff0),
           FXT_SAMPLER_E_NO_TARGET, "no such thread");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, 0x7ffffff0),
           FXT_SAMPLER_E_NO_TARGET, "no such process");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, -1), FXT_SAMPLER_E_NO_TARGET,
           "thread -1");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_SYSTEM, 5), FXT_SAMPLER_E_NO_TARGET,
           "system 5");
    expect(fxt_sampler_attach(sampler, (enum fxt_sampler_target)9, 5),
           FXT_SAMPLER_E_NO_TARGET, "target 9");
    if (method == FXT_SAMPLER_SIGNAL) {
        expect(fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getppid()),
               FXT_SAMPLER_E_METHOD, "another process by signals");
        expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, getppid()),
               FXT_SAMPLER_E_METHOD, "another's thread by signals");
        expect(fxt_sampler_attach(sampler, FXT_SAMPLER_SYSTEM, 0), FXT_SAMPLER_E_METHOD,
               "the system by signals");
    }
    expect(fxt_sampler_detach(sampler, gettid()), FXT_SAMPLER_E_ATTACHED, "detach early");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()),
           FXT_SAMPLER_E_ATTACHED, "attach twice");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_E_RUNNING, "start twice");
    expect(fxt_sampler_read(sampler, 0, &region), FXT_SAMPLER_E_RUNNING, "read early");
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_E_NOT_RUNNING, "stop twice");
    expect(fxt_sampler_read(sampler, 70000, &region), FXT_SAMPLER_E_REGION, "region");
    expect(fxt_sampler_detach(sampler, gettid()), FXT_SAMPLER_OK, "detach");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start again");
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_OK, "destroy while it runs");
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_E_NO_SESSION, "destroy twice");
    expect(fxt_sampler_destroy(NULL), FXT_SAMPLER_E_NO_SESSION, "destroy nothing");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_E_NO_SESSION, "start a ghost");
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_E_NO_SESSION, "stop a ghost");
    expect(fxt_sampler_detach(sampler, 1), FXT_SAMPLER_E_NO_SESSION, "detach of a ghost");
    expect(fxt_sampler_read(sampler, 0, &region), FXT_SAMPLER_E_NO_SESSION, "read one");
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_E_NO_SESSION, "count one");
    CHECK(fxt_sampler_method(sampler) == FXT_SAMPLER_AUTO, "a ghost with a method");
    CHECK(fxt_sampler_reason(sampler)[0] == '\0', "a ghost with a reason");
}

TEST(sampler, each_call_out_of_order_has_its_code_by_signals)
{
    try_calls(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, each_call_out_of_order_has_its_code_by_perf)
{
    try_calls(FXT_SAMPLER_PERF);
}

TEST(sampler, every_code_has_a_word_and_a_sentence)
{
    for (unsigned code = 0; code <= FXT_SAMPLER_E_RESOURCES; code++) {
        enum fxt_sampler_code as_code = (enum fxt_sampler_code)code;

        CHECK(strcmp(fxt_sampler_code_name(as_code), "unknown_code") != 0, "%u", code);
        for (unsigned other = 0; other < code; other++)
            CHECK(strcmp(fxt_sampler_code_name(as_code),
                         fxt_sampler_code_name((enum fxt_sampler_code)other)) != 0,
                  "%u is called as %u", code, other);
    }
    CHECK(strcmp(fxt_sampler_code_name((enum fxt_sampler_code)99), "unknown_code") == 0,
          "99 has a name");
}

/* ---- Sampling ---------------------------------------------------------------------- */

static void sample_own_thread(enum fxt_sampler_method method, uint32_t flags)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;
    struct fxt_sampler_counts counts;
    struct seen seen;

    config.flags = flags;
    sampler = create(&config);
    if (sampler == NULL)
        return;
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    spin(100 * MS);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    seen = read_all(sampler);
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    CHECK(counts.samples == seen.n_samples && counts.dropped == 0, "wrong counts");
    CHECK(seen.n_samples >= 10 && seen.n_samples < 200, "%llu samples of 100",
          (unsigned long long)seen.n_samples);
    CHECK(seen.thread == (uint64_t)gettid(), "another thread");
    CHECK(seen.max_pcs >= 2, "no callers");
    CHECK(seen.backtraces == ((flags & FXT_SAMPLER_BACKTRACES) != 0), "other records");
    fxt_sampler_destroy(sampler);
}

TEST(sampler, a_thread_is_sampled_by_signals)
{
    sample_own_thread(FXT_SAMPLER_SIGNAL, 0);
    sample_own_thread(FXT_SAMPLER_SIGNAL, FXT_SAMPLER_BACKTRACES);
}

TEST(sampler, a_thread_is_sampled_by_perf)
{
    sample_own_thread(FXT_SAMPLER_PERF, 0);
    sample_own_thread(FXT_SAMPLER_PERF, FXT_SAMPLER_BACKTRACES | FXT_SAMPLER_USER_ONLY);
}

static void fill_buffer(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;
    struct fxt_sampler_counts counts;

    config.period_ns = 100000;
    config.buffer_size = 1;
    sampler = create(&config);
    if (sampler == NULL)
        return;
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    do {
        spin(20 * MS);
        expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    } while (counts.dropped < 20);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    read_all(sampler);
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    CHECK(counts.dropped_bytes >= counts.dropped * 56, "too few bytes dropped");
    CHECK(counts.samples > 0, "no samples");
    fxt_sampler_destroy(sampler);
}

TEST(sampler, a_full_region_takes_no_more_and_counts_by_signals)
{
    fill_buffer(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, a_full_region_takes_no_more_and_counts_by_perf)
{
    fill_buffer(FXT_SAMPLER_PERF);
}

/* ---- Stopping ---------------------------------------------------------------------- */

enum { N_SPINNERS = 4, N_ROUNDS = 1000 };

struct spinner {
    pthread_t thread;
    atomic_int id;
    atomic_bool *quit;
};

static void *run_spinner(void *context)
{
    struct spinner *spinner = context;

    atomic_store(&spinner->id, gettid());
    while (!atomic_load(spinner->quit))
        spin(1 * MS);
    return NULL;
}

/* Threads on all CPUs are sampled while the session is started and stopped, and what it
 * has is read in between: a write after a stop would be a race. */
static void start_and_stop(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct spinner spinners[N_SPINNERS];
    struct fxt_sampler *sampler;
    struct fxt_sampler_region region;
    atomic_bool quit = false;

    config.period_ns = 50000;
    config.buffer_size = 1 << 16;
    sampler = create(&config);
    if (sampler == NULL)
        return;
    for (unsigned i = 0; i < N_SPINNERS; i++) {
        spinners[i].quit = &quit;
        atomic_init(&spinners[i].id, 0);
        CHECK(pthread_create(&spinners[i].thread, NULL, run_spinner, &spinners[i]) == 0,
              "no thread");
        while (atomic_load(&spinners[i].id) == 0)
            sched_yield();
        expect(
            fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, atomic_load(&spinners[i].id)),
            FXT_SAMPLER_OK, "attach");
    }
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
        if (round % 10 == 0)
            usleep(300);
        expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
        expect(fxt_sampler_read(sampler, round % 2, &region),
               sysconf(_SC_NPROCESSORS_ONLN) > (long)(round % 2) ? FXT_SAMPLER_OK
                                                                 : FXT_SAMPLER_E_REGION,
               "read");
    }
    CHECK(read_all(sampler).n_samples > 0, "no samples");
    atomic_store(&quit, true);
    for (unsigned i = 0; i < N_SPINNERS; i++)
        pthread_join(spinners[i].thread, NULL);
    fxt_sampler_destroy(sampler);
}

TEST(sampler, starts_and_stops_a_thousand_times_by_signals)
{
    start_and_stop(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, starts_and_stops_a_thousand_times_by_perf)
{
    start_and_stop(FXT_SAMPLER_PERF);
}

/* ---- Threads that come and go ------------------------------------------------------ */

struct visitor {
    struct fxt_sampler *sampler;
    bool attaches;
};

static void *run_visitor(void *context)
{
    const struct visitor *visitor = context;

    if (visitor->attaches)
        expect(fxt_sampler_attach(visitor->sampler, FXT_SAMPLER_THREAD, gettid()),
               FXT_SAMPLER_OK, "attach in a thread");
    spin(10 * MS);
    if (visitor->attaches)
        expect(fxt_sampler_detach(visitor->sampler, gettid()), FXT_SAMPLER_OK,
               "detach in a thread");
    return NULL;
}

static void run_visitors(struct visitor *visitor)
{
    for (unsigned i = 0; i < 10; i++) {
        pthread_t threads[4];

        for (unsigned j = 0; j < 4; j++)
            CHECK(pthread_create(&threads[j], NULL, run_visitor, visitor) == 0,
                  "no thread");
        for (unsigned j = 0; j < 4; j++)
            pthread_join(threads[j], NULL);
    }
}

static void sample_visitors(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct visitor visitor = {.attaches = method == FXT_SAMPLER_SIGNAL};
    uint64_t n;

    visitor.sampler = create(&config);
    if (visitor.sampler == NULL)
        return;
    if (!visitor.attaches)
        expect(fxt_sampler_attach(visitor.sampler, FXT_SAMPLER_PROCESS, getpid()),
               FXT_SAMPLER_OK, "attach");
    expect(fxt_sampler_start(visitor.sampler), FXT_SAMPLER_OK, "start");
    run_visitors(&visitor);
    expect(fxt_sampler_stop(visitor.sampler), FXT_SAMPLER_OK, "stop");
    n = read_all(visitor.sampler).n_samples;
    CHECK(n > 50, "%llu samples of 400 ms", (unsigned long long)n);
    fxt_sampler_destroy(visitor.sampler);
}

TEST(sampler, threads_that_come_and_go_are_sampled_by_signals)
{
    sample_visitors(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, threads_that_come_and_go_are_sampled_by_perf)
{
    sample_visitors(FXT_SAMPLER_PERF);
}

TEST(sampler, a_thread_that_waits_is_left_alone_by_signals_of_cpu_time)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler *sampler;
    struct fxt_sampler_counts counts;
    struct timespec rest = {.tv_nsec = 200 * MS};

    config.period_ns = 10 * MS;
    sampler = create(&config);
    fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getpid());
    fxt_sampler_start(sampler);
    CHECK(nanosleep(&rest, NULL) == 0, "the sleep was interrupted");
    fxt_sampler_stop(sampler);
    fxt_sampler_count(sampler, &counts);
    CHECK(counts.samples <= 1, "%llu samples", (unsigned long long)counts.samples);
    fxt_sampler_destroy(sampler);
}

/* ---- Code that has other uses of the frame pointer --------------------------------- */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEEPS_SIGNALS_BACK 1
#endif
#endif

#if defined(__x86_64__) && !defined(KEEPS_SIGNALS_BACK)
static __attribute__((noinline)) void spin_with_frame(uint64_t frame)
{
    for (unsigned i = 0; i < 400; i++)
        __asm__ volatile("push %%rbp\n\t"
                         "mov %0, %%rbp\n\t"
                         "mov $100000, %%ecx\n"
                         "1:\tdec %%ecx\n\t"
                         "jnz 1b\n\t"
                         "pop %%rbp"
                         :
                         : "r"(frame)
                         : "rcx", "cc", "memory");
}

TEST(sampler, a_fault_while_walking_ends_the_stack_and_not_the_program)
{
    static const uint64_t frames[] = {8, 0xdeadbeefcafe0000, 0x7ffffffff000, 1, ~0ull};
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    uint64_t here = (uint64_t)(uintptr_t)&config / 8 * 8;

    for (unsigned i = 0; i < 8; i++) {
        struct fxt_sampler *sampler;

        config.period_ns = 200000;
        sampler = create(&config);
        fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
        fxt_sampler_start(sampler);
        /* The last ones lead upwards, out of the stack or into what is no frame. */
        spin_with_frame(i < 5 ? frames[i] : here + ((uint64_t)1 << (10 + 5 * (i - 5))));
        fxt_sampler_stop(sampler);
        CHECK(read_all(sampler).n_samples > 0, "no samples");
        fxt_sampler_destroy(sampler);
    }
}
#endif

/* The sleep is for the thread sanitizer, which keeps signals back until a call waits. */
static void spin_until_sampled(struct fxt_sampler *sampler)
{
    struct fxt_sampler_counts counts;

    do {
        spin(20 * MS);
        usleep(1000);
        fxt_sampler_count(sampler, &counts);
    } while (counts.samples == 0);
}

/* ---- Regions that are files, and fork ---------------------------------------------- */

TEST(sampler, regions_in_a_directory_outlive_the_process)
{
    char directory[] = "/tmp/fxt-sampler-XXXXXX";
    char path[64];
    uint64_t n_used = 0;
    pid_t child;

    CHECK(mkdtemp(directory) != NULL, "no directory");
    child = fork();
    if (child == 0) {
        struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
        struct fxt_sampler *sampler;

        config.directory = directory;
        if (fxt_sampler_create(0, &config, &sampler) != FXT_SAMPLER_OK)
            _exit(1);
        fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
        fxt_sampler_start(sampler);
        spin_until_sampled(sampler);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    for (unsigned cpu = 0;; cpu++) {
        FILE *file;
        uint64_t word = 0;

        snprintf(path, sizeof(path), "%s/cpu%u.bin", directory, cpu);
        file = fopen(path, "rb");
        if (file == NULL)
            break;
        CHECK(fread(&word, sizeof(word), 1, file) == 1, "an empty file");
        n_used += word != 0;
        fclose(file);
        unlink(path);
    }
    rmdir(directory);
    CHECK(n_used > 0, "nothing was left");
}

TEST(sampler, a_child_forgets_its_parents_session_and_has_its_own)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler *sampler = create(&config);
    int status = 0;
    pid_t child;

    fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
    fxt_sampler_start(sampler);
    child = fork();
    if (child == 0) {
        fxt_sampler_forget();
        sample_own_thread(FXT_SAMPLER_SIGNAL, 0);
        _exit(42);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42, "the child ended with %d",
          status);
    spin_until_sampled(sampler);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    CHECK(read_all(sampler).n_samples > 0, "no samples of the parent");
    fxt_sampler_destroy(sampler);
}

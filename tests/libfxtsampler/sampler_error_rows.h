/* SPDX-License-Identifier: BSD-2-Clause */
/* Each error of libfxtsampler in each way to provoke it. Some change what the process is
 * allowed to do, so that each is to be tried in a separate process. */
#ifndef TESTS_LIBFXTSAMPLER_SAMPLER_ERROR_ROWS_H
#define TESTS_LIBFXTSAMPLER_SAMPLER_ERROR_ROWS_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "sampled.h"
#include "sampler_error_creating.h"

/* ---- Calls ------------------------------------------------------------------------- */

static int fail_to_write(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 1;
}

static int take_none(void *context, uint32_t cpu, const void *records, size_t size)
{
    (void)context;
    (void)cpu;
    (void)records;
    (void)size;
    return 0;
}

/* A session that was destroyed, with which every function is tried. */
static enum fxt_sampler_code ghost(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);
    struct fxt_sampler_region region;
    struct fxt_sampler_counts counts;
    enum fxt_sampler_code code;

    fxt_sampler_destroy(sampler);
    code = fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
    CHECK(fxt_sampler_detach(sampler, 1) == code, "detach");
    CHECK(fxt_sampler_start(sampler) == code, "start");
    CHECK(fxt_sampler_stop(sampler) == code, "stop");
    CHECK(fxt_sampler_read(sampler, 0, &region) == code, "read");
    CHECK(fxt_sampler_drain(sampler, take_none, NULL) == code, "drain");
    CHECK(fxt_sampler_clear(sampler) == code, "clear");
    CHECK(fxt_sampler_keep(sampler, 1) == code, "keep");
    CHECK(fxt_sampler_label(sampler, gettid(), "x") == code, "label");
    CHECK(fxt_sampler_open_archive(sampler, NULL, fail_to_write, NULL) == code, "open");
    CHECK(fxt_sampler_append(sampler) == code, "append");
    CHECK(fxt_sampler_close_archive(sampler, NULL) == code, "close");
    CHECK(fxt_sampler_count(sampler, &counts) == code, "count");
    CHECK(fxt_sampler_destroy(sampler) == code, "destroy twice");
    CHECK(fxt_sampler_destroy(NULL) == code, "destroy nothing");
    CHECK(fxt_sampler_method(sampler) == FXT_SAMPLER_AUTO, "a ghost with a method");
    CHECK(fxt_sampler_reason(sampler)[0] == '\0', "a ghost with a reason");
    return code;
}

static enum fxt_sampler_code before_create(enum fxt_sampler_method method)
{
    (void)method;
    return fxt_sampler_attach(NULL, FXT_SAMPLER_THREAD, gettid());
}

static struct fxt_sampler *running(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);

    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    return sampler;
}

static enum fxt_sampler_code start_twice(enum fxt_sampler_method method)
{
    return fxt_sampler_start(running(method));
}

static enum fxt_sampler_code read_early(enum fxt_sampler_method method)
{
    struct fxt_sampler_region region;

    return fxt_sampler_read(running(method), 0, &region);
}

static enum fxt_sampler_code stop_early(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    return fxt_sampler_stop(create(&config));
}

static enum fxt_sampler_code stop_twice(enum fxt_sampler_method method)
{
    struct fxt_sampler *sampler = running(method);

    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    return fxt_sampler_stop(sampler);
}

static enum fxt_sampler_code read_on(enum fxt_sampler_method method)
{
    struct fxt_sampler *sampler = running(method);
    struct fxt_sampler_region region;
    uint32_t i = 0;

    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    while (fxt_sampler_read(sampler, i, &region) == FXT_SAMPLER_OK)
        i++;
    CHECK(i > 0, "no regions");
    return fxt_sampler_read(sampler, i, &region);
}

/* ---- Targets ----------------------------------------------------------------------- */

static enum fxt_sampler_code attach(enum fxt_sampler_method method,
                                    enum fxt_sampler_target target, pid_t id)
{
    struct fxt_sampler_config config = config_of(method);

    return fxt_sampler_attach(create(&config), target, id);
}

static enum fxt_sampler_code no_thread(enum fxt_sampler_method method)
{
    return attach(method, FXT_SAMPLER_THREAD, 0x7ffffff0);
}

static enum fxt_sampler_code no_process(enum fxt_sampler_method method)
{
    return attach(method, FXT_SAMPLER_PROCESS, 0x7ffffff0);
}

static enum fxt_sampler_code thread_below_zero(enum fxt_sampler_method method)
{
    return attach(method, FXT_SAMPLER_THREAD, -1);
}

static enum fxt_sampler_code system_five(enum fxt_sampler_method method)
{
    return attach(method, FXT_SAMPLER_SYSTEM, 5);
}

static enum fxt_sampler_code target_nine(enum fxt_sampler_method method)
{
    return attach(method, (enum fxt_sampler_target)9, 5);
}

static enum fxt_sampler_code attach_twice(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);

    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    return fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
}

static enum fxt_sampler_code detach_early(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    return fxt_sampler_detach(create(&config), gettid());
}

static enum fxt_sampler_code others_by_signals(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler *sampler = create(&config);
    enum fxt_sampler_code code =
        fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getppid());

    (void)method;
    CHECK(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, getppid()) == code,
          "another's thread");
    CHECK(fxt_sampler_attach(sampler, FXT_SAMPLER_SYSTEM, 0) == code, "the system");
    return code;
}

/* ---- What the system does ---------------------------------------------------------- */

/* From here on perf_event_open fails. */
static void forbid_perf(uint32_t error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
          "no filter: %s", strerror(errno));
}

static enum fxt_sampler_code create_forbidden(struct fxt_sampler_config config, int error,
                                              const char *reason)
{
    enum fxt_sampler_code code;

    forbid_perf(error);
    code = try_config(config);
    CHECK(strstr(fxt_sampler_reason(NULL), reason) != NULL, "the reason is '%s'",
          fxt_sampler_reason(NULL));
    return code;
}

static enum fxt_sampler_code forbidden(enum fxt_sampler_method method)
{
    (void)method;
    return create_forbidden(config_of(FXT_SAMPLER_PERF), EPERM,
                            "perf events are forbidden");
}

/* Signals do not stand in for what they cannot do. */
static enum fxt_sampler_code cycles_forbidden(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_AUTO);

    (void)method;
    config.flags = FXT_SAMPLER_CYCLES;
    return create_forbidden(config, EPERM, "perf events are forbidden");
}

static enum fxt_sampler_code no_counters(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_AUTO);

    (void)method;
    config.flags = FXT_SAMPLER_CYCLES;
    return create_forbidden(config, ENOENT, "there is no counter");
}

static enum fxt_sampler_code not_there(enum fxt_sampler_method method)
{
    (void)method;
    forbid_perf(ENOSYS);
    return try_config(config_of(FXT_SAMPLER_PERF));
}

/* Where perf events are forbidden, signals are used, and the reason is reported. */
static enum fxt_sampler_code other_way(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_AUTO);
    struct fxt_sampler *sampler;
    enum fxt_sampler_code code;

    (void)method;
    forbid_perf(EPERM);
    code = fxt_sampler_create(0, &config, &sampler);
    CHECK(fxt_sampler_method(sampler) == FXT_SAMPLER_SIGNAL, "another method");
    CHECK(strstr(fxt_sampler_reason(sampler), "perf events are forbidden") != NULL,
          "the reason is '%s'", fxt_sampler_reason(sampler));
    return code;
}

static enum fxt_sampler_code used_up(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);
    struct rlimit none = {0, 0};

    /* Perf events are files; the signal of a timer is reserved when it is made. */
    CHECK(setrlimit(method == FXT_SAMPLER_PERF ? RLIMIT_NOFILE : RLIMIT_SIGPENDING,
                    &none) == 0,
          "no limit");
    return fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
}

/* ---- Archives ---------------------------------------------------------------------- */

static enum fxt_sampler_code write_session(enum fxt_sampler_method method, uint32_t flags,
                                           fxt_write_fn *write)
{
    struct fxt_sampler_config config = config_of(method);

    config.flags = flags;
    return fxt_sampler_write(create(&config), NULL, write, NULL);
}

static enum fxt_sampler_code untracked(enum fxt_sampler_method method)
{
    return write_session(method, 0, fail_to_write);
}

static enum fxt_sampler_code bad_sink(enum fxt_sampler_method method)
{
    return write_session(method, FXT_SAMPLER_ARCHIVE, fail_to_write);
}

static enum fxt_sampler_code no_sink(enum fxt_sampler_method method)
{
    return write_session(method, FXT_SAMPLER_ARCHIVE, NULL);
}

static enum fxt_sampler_code other_archive(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler_summary summary = {.size = sizeof(summary) + 8};
    struct fxt_sampler_archive archive = {.size = sizeof(archive), .summary = &summary};
    struct fxt_sampler *sampler;

    config.flags = FXT_SAMPLER_ARCHIVE;
    sampler = create(&config);
    CHECK(fxt_sampler_write(sampler, &archive, fail_to_write, NULL) ==
              FXT_SAMPLER_E_CONFIG,
          "a summary of another size");
    archive.summary = NULL;
    archive.size = 1;
    return fxt_sampler_write(sampler, &archive, fail_to_write, NULL);
}

static enum fxt_sampler_code write_early(enum fxt_sampler_method method)
{
    return fxt_sampler_write(running(method), NULL, fail_to_write, NULL);
}

/* The first page of a region holds some samples. */
static enum fxt_sampler_code start_full(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler_counts counts = {0};
    struct fxt_sampler *sampler;

    config.buffer_size = 1;
    sampler = create(&config);
    fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
    fxt_sampler_start(sampler);
    while (counts.dropped == 0) {
        spin(10 * MS);
        fxt_sampler_count(sampler, &counts);
    }
    fxt_sampler_stop(sampler);
    return fxt_sampler_start(sampler);
}

static enum fxt_sampler_code open_twice(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_buffer buffer = {0};
    struct fxt_sampler *sampler;

    config.flags = FXT_SAMPLER_ARCHIVE;
    sampler = create(&config);
    CHECK(fxt_sampler_append(sampler) == FXT_SAMPLER_E_OPEN, "append to none");
    CHECK(fxt_sampler_close_archive(sampler, NULL) == FXT_SAMPLER_E_OPEN, "close none");
    CHECK(fxt_sampler_open_archive(sampler, NULL, fxt_buffer_write, &buffer) ==
              FXT_SAMPLER_OK,
          "open");
    return fxt_sampler_open_archive(sampler, NULL, fxt_buffer_write, &buffer);
}

static enum fxt_sampler_code open_untracked(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);

    CHECK(fxt_sampler_label(sampler, gettid(), "x") == FXT_SAMPLER_E_ARCHIVE, "label");
    return fxt_sampler_open_archive(sampler, NULL, fail_to_write, NULL);
}

static enum fxt_sampler_code open_bad_sink(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.flags = FXT_SAMPLER_ARCHIVE;
    return fxt_sampler_open_archive(create(&config), NULL, fail_to_write, NULL);
}

static enum fxt_sampler_code drain_nowhere(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);

    CHECK(fxt_sampler_drain(sampler, NULL, NULL) == FXT_SAMPLER_E_CONFIG, "drain");
    CHECK(fxt_sampler_keep(sampler, 0) == FXT_SAMPLER_E_CONFIG, "keep nothing");
    return fxt_sampler_drain_samples(sampler, NULL, NULL);
}

static enum fxt_sampler_code label_no_target(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.flags = FXT_SAMPLER_ARCHIVE;
    return fxt_sampler_label(create(&config), 0x7ffffff0, "x");
}

static enum fxt_sampler_code write_nothing(enum fxt_sampler_method method)
{
    (void)method;
    return fxt_sampler_write(NULL, NULL, fail_to_write, NULL);
}

/* Faults, and the same once more. */
static const struct fxt_sampler_source sources[] = {
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0},
};

static enum fxt_sampler_code try_sources(struct fxt_sampler_config config, uint32_t n)
{
    config.sources = sources;
    config.n_sources = n;
    return try_config(config);
}

static enum fxt_sampler_code other_sources(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    const struct fxt_sampler_source nameless = {.type = PERF_TYPE_SOFTWARE};

    config.source_count = 1;
    CHECK(try_config(config) == FXT_SAMPLER_E_CONFIG, "a count without sources");
    config.source_count = 0;
    config.flags = FXT_SAMPLER_BACKTRACES;
    CHECK(try_sources(config, 1) == FXT_SAMPLER_E_CONFIG, "backtraces");
    config.flags = FXT_SAMPLER_CYCLES;
    CHECK(try_sources(config, 1) == FXT_SAMPLER_E_CONFIG, "cycles");
    config.flags = 0;
    CHECK(try_sources(config, FXT_SAMPLER_SOURCES_MAX + 1) == FXT_SAMPLER_E_CONFIG,
          "many");
    config.directory = "/tmp";
    CHECK(try_sources(config, 1) == FXT_SAMPLER_E_CONFIG, "files of regions");
    config.directory = NULL;
    config.sources = &nameless;
    config.n_sources = 1;
    CHECK(try_config(config) == FXT_SAMPLER_E_CONFIG, "no name");
    return try_sources(config, 2);
}

static enum fxt_sampler_code sources_by_signals(enum fxt_sampler_method method)
{
    (void)method;
    return try_sources(config_of(FXT_SAMPLER_SIGNAL), 1);
}

static enum fxt_sampler_code no_event(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_PERF);
    const struct fxt_sampler_source none = {"none", PERF_TYPE_SOFTWARE, 9999, 0, 0};
    enum fxt_sampler_code code;

    (void)method;
    config.sources = &none;
    config.n_sources = 1;
    code = try_config(config);
    CHECK(code != FXT_SAMPLER_E_EVENT ||
              strcmp(fxt_sampler_reason(NULL), "none: this machine has no such event") ==
                  0,
          "the reason is '%s'", fxt_sampler_reason(NULL));
    /* Where there are no perf events, it is not known which ones there are. */
    return code == FXT_SAMPLER_E_PERMISSION || code == FXT_SAMPLER_E_SUPPORT
               ? FXT_SAMPLER_E_EVENT
               : code;
}

/* ---- The table --------------------------------------------------------------------- */

struct row {
    enum fxt_sampler_code code;
    const char *name;
    provoke_function *provoke;
};

#define ROW(code, provoke)                                                               \
    {                                                                                    \
        FXT_SAMPLER_##code, "FXT_SAMPLER_" #code, provoke                                \
    }

static const struct row rows[] = {
    ROW(OK, other_way),
    ROW(E_CONFIG, other_sources),
    ROW(E_METHOD, sources_by_signals),
    ROW(E_EVENT, no_event),
    ROW(E_OPTIONS, options),
    ROW(E_CONFIG, no_config),
    ROW(E_CONFIG, other_size),
    ROW(E_CONFIG, other_method),
    ROW(E_CONFIG, other_flag),
    ROW(E_CONFIG, no_sink),
    ROW(E_CONFIG, other_archive),
    ROW(E_PERIOD, short_period),
    ROW(E_PERIOD, long_period),
    ROW(E_BUFFER_SIZE, no_buffer),
    ROW(E_BUFFER_SIZE, large_buffer),
    ROW(E_DISCIPLINE, discipline),
    ROW(E_EXISTS, second_session),
    ROW(E_NO_SESSION, before_create),
    ROW(E_NO_SESSION, ghost),
    ROW(E_NO_SESSION, write_nothing),
    ROW(E_RUNNING, write_early),
    ROW(E_ARCHIVE, untracked),
    ROW(E_SINK, bad_sink),
    ROW(E_SINK, open_bad_sink),
    ROW(E_FULL, start_full),
    ROW(E_OPEN, open_twice),
    ROW(E_ARCHIVE, open_untracked),
    ROW(E_CONFIG, drain_nowhere),
    ROW(E_NO_TARGET, label_no_target),
    ROW(E_RUNNING, start_twice),
    ROW(E_RUNNING, read_early),
    ROW(E_NOT_RUNNING, stop_early),
    ROW(E_NOT_RUNNING, stop_twice),
    ROW(E_NO_TARGET, no_thread),
    ROW(E_NO_TARGET, no_process),
    ROW(E_NO_TARGET, thread_below_zero),
    ROW(E_NO_TARGET, system_five),
    ROW(E_NO_TARGET, target_nine),
    ROW(E_ATTACHED, attach_twice),
    ROW(E_ATTACHED, detach_early),
    ROW(E_METHOD, kernel_by_signals),
    ROW(E_METHOD, others_by_signals),
    ROW(E_METHOD, cycles_by_signals),
    ROW(E_PERMISSION, no_directory),
    ROW(E_PERMISSION, forbidden),
    ROW(E_PERMISSION, cycles_forbidden),
    ROW(E_SUPPORT, not_there),
    ROW(E_SUPPORT, no_counters),
    ROW(E_REGION, read_on),
    ROW(E_RESOURCES, used_up),
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

#endif

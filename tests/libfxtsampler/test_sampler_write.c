/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: the archive of a session, with all that is needed to understand it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "sampled.h"

/* What an archive has. */
struct archive_seen {
    unsigned n_records;
    uint64_t n_samples;
    uint64_t period_ns;
    char recorder[32];
    char command_line[64];
    char method[16];
    /* The names of the process `id` and of its first thread, one after the other. */
    pid_t id;
    char process_names[64];
    char thread_names[64];
    /* This program's module has a build id, and the vdso's is there. */
    bool has_program;
    bool has_vdso;
    bool is_program;
    /* A mapping of this program has its functions. */
    bool has_code;
};

static void copy(char *to, size_t size, struct fxt_string from)
{
    snprintf(to, size, "%.*s", (int)from.size, from.data);
}

static void add_name(char *names, size_t size, const struct fxt_record *record)
{
    size_t used = strlen(names);

    snprintf(names + used, size - used, "%.*s;", (int)record->kernel_object.name.size,
             record->kernel_object.name.data);
}

static void see_event(struct archive_seen *seen, const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];
        char name[32];

        copy(name, sizeof(name), arg->name);
        if (strcmp(name, "period_ns") == 0)
            seen->period_ns = arg->value.uint64;
        else if (strcmp(name, "method") == 0)
            copy(seen->method, sizeof(seen->method), arg->value.string);
        else if (strcmp(name, "command_line") == 0)
            copy(seen->command_line, sizeof(seen->command_line), arg->value.string);
    }
}

static void see_profiler(struct archive_seen *seen, const struct fxt_record *record)
{
    uint64_t code = (uint64_t)(uintptr_t)&see_event;
    char name[512];
    char program[512];
    ssize_t size;

    if (record->kind == FXT_PROFILER_MODULE) {
        size = readlink("/proc/self/exe", program, sizeof(program) - 1);
        program[size > 0 ? size : 0] = '\0';
        copy(name, sizeof(name), record->profiler.name);
        seen->is_program = strcmp(name, program) == 0;
        seen->has_program |= seen->is_program && record->profiler.build_id.size > 0;
        seen->has_vdso |= strcmp(name, "[vdso]") == 0;
    } else if (record->kind == FXT_PROFILER_MAPPING && seen->is_program) {
        seen->has_code |= code - record->profiler.start < record->profiler.length;
    }
}

static int see_record(void *context, const struct fxt_record *record)
{
    struct archive_seen *seen = context;
    struct fxt_sample sample;

    seen->n_records++;
    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK) {
        seen->n_samples++;
        CHECK(record->provider->name.size >= 4 &&
                  memcmp(record->provider->name.data, "cpu", 3) == 0,
              "a sample that is of no CPU");
    } else if (record->type == FXT_RECORD_METADATA &&
               record->kind == FXT_METADATA_PROVIDER_INFO &&
               record->metadata.provider_id == 1) {
        copy(seen->recorder, sizeof(seen->recorder), record->metadata.name);
    } else if (record->type == FXT_RECORD_EVENT && record->kind == FXT_EVENT_INSTANT) {
        see_event(seen, record);
    } else if (record->type == FXT_RECORD_PROFILER) {
        see_profiler(seen, record);
    } else if (record->type == FXT_RECORD_KERNEL_OBJECT &&
               record->kernel_object.koid == (uint64_t)seen->id) {
        if (record->kernel_object.type == FXT_OBJECT_PROCESS)
            add_name(seen->process_names, sizeof(seen->process_names), record);
        else
            add_name(seen->thread_names, sizeof(seen->thread_names), record);
    }
    return 0;
}

static struct archive_seen read_archive(const struct fxt_buffer *archive, pid_t id)
{
    struct archive_seen seen = {.id = id};

    CHECK(read_stream(FXT_STREAM_ARCHIVE, archive->data, archive->size, see_record,
                      &seen) == FXT_OK,
          "the archive cannot be read");
    return seen;
}

static struct fxt_buffer write_archive(struct fxt_sampler *sampler)
{
    struct fxt_buffer buffer = {0};

    expect(fxt_sampler_write(sampler, NULL, fxt_buffer_write, &buffer), FXT_SAMPLER_OK,
           "write");
    return buffer;
}

/* A session that has sampled this process, and stopped; NULL where it cannot. */
static struct fxt_sampler *sample_self(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;

    config.flags = FXT_SAMPLER_ARCHIVE;
    sampler = create(&config);
    if (sampler == NULL)
        return NULL;
    start_with(sampler, FXT_SAMPLER_PROCESS, getpid());
    spin_until_sampled(sampler);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    return sampler;
}

/* ---- What is in it ----------------------------------------------------------------- */

static void check_self(enum fxt_sampler_method method, const char *name)
{
    struct fxt_sampler *sampler = sample_self(method);
    struct fxt_sampler_counts counts;
    struct archive_seen seen;
    struct fxt_buffer archive;

    if (sampler == NULL)
        return;
    fxt_sampler_count(sampler, &counts);
    archive = write_archive(sampler);
    seen = read_archive(&archive, getpid());
    CHECK(seen.n_samples == counts.samples && seen.n_samples > 0,
          "%llu samples of %llu are in the archive", (unsigned long long)seen.n_samples,
          (unsigned long long)counts.samples);
    CHECK(strcmp(seen.recorder, "libfxtsampler") == 0, "by %s", seen.recorder);
    CHECK(strcmp(seen.method, name) == 0, "method %s", seen.method);
    CHECK(seen.period_ns >= 100000, "a period of %llu ns",
          (unsigned long long)seen.period_ns);
    CHECK(seen.process_names[0] != '\0' && seen.thread_names[0] != '\0', "no names");
    CHECK(seen.has_program, "this program's module is not there, or has no build id");
    CHECK(seen.has_code, "no mapping has this program's functions");
    CHECK(seen.has_vdso, "the vdso is not there");
    free(archive.data);
    fxt_sampler_destroy(sampler);
}

TEST(sampler_write, this_process_is_described_by_signals)
{
    check_self(FXT_SAMPLER_SIGNAL, "signal");
}

TEST(sampler_write, this_process_is_described_by_perf)
{
    check_self(FXT_SAMPLER_PERF, "perf");
}

TEST(sampler_write, what_the_caller_adds_is_written_and_what_was_found_returned)
{
    struct fxt_sampler *sampler = sample_self(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler_summary summary = {.size = sizeof(summary)};
    struct fxt_sampler_archive archive = {.size = sizeof(archive),
                                          .recorder = "test",
                                          .command_line = "test --all",
                                          .no_samples = true,
                                          .summary = &summary};
    struct fxt_sampler_counts counts;
    struct fxt_buffer buffer = {0};
    struct archive_seen seen;

    fxt_sampler_count(sampler, &counts);
    expect(fxt_sampler_write(sampler, &archive, fxt_buffer_write, &buffer),
           FXT_SAMPLER_OK, "write");
    seen = read_archive(&buffer, getpid());
    CHECK(strcmp(seen.recorder, "test") == 0, "by %s", seen.recorder);
    CHECK(strcmp(seen.command_line, "test --all") == 0, "by %s", seen.command_line);
    CHECK(seen.n_samples == 0 && seen.has_program, "samples, or no module");
    CHECK(summary.samples == counts.samples && summary.damaged == 0, "another summary");
    CHECK(summary.period_ns == seen.period_ns, "another period");
    free(buffer.data);
    fxt_sampler_destroy(sampler);
}

TEST(sampler_write, a_session_is_written_again_and_continues)
{
    struct fxt_sampler *sampler = sample_self(FXT_SAMPLER_SIGNAL);
    struct fxt_buffer first = write_archive(sampler);
    struct fxt_buffer again = write_archive(sampler);
    struct fxt_sampler_counts counts;
    struct archive_seen seen;
    struct archive_seen later;
    unsigned others;
    unsigned others_before;

    CHECK(first.size == again.size && memcmp(first.data, again.data, first.size) == 0,
          "the archives differ");
    free(again.data);
    fxt_sampler_count(sampler, &counts);
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    for (uint64_t n = counts.samples; counts.samples == n;)
        spin_until_sampled(sampler), fxt_sampler_count(sampler, &counts);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    again = write_archive(sampler);
    seen = read_archive(&first, getpid());
    later = read_archive(&again, getpid());
    CHECK(later.n_samples > seen.n_samples, "no more samples");
    others = later.n_records - (unsigned)later.n_samples;
    others_before = seen.n_records - (unsigned)seen.n_samples;
    /* What was written before is not written twice; later samples may be in other files.
     */
    CHECK(others >= others_before && others < others_before * 3 / 2,
          "%u records that are no samples, and %u before", others, others_before);
    CHECK(later.has_program, "the build id is gone");
    free(first.data);
    free(again.data);
    fxt_sampler_destroy(sampler);
}

/* ---- Children ---------------------------------------------------------------------- */

/* A child that waits for a byte, and then takes CPU time: as another program, or for long
 * enough to be sampled. */
static pid_t fork_child(bool calls_exec, int *go)
{
    int ends[2];
    char byte;
    pid_t child;

    CHECK(pipe(ends) == 0, "pipe");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        fxt_sampler_forget();
        if (read(ends[0], &byte, 1) == 1 && calls_exec)
            execl("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL);
        for (;;)
            spin(10 * MS);
    }
    close(ends[0]);
    *go = ends[1];
    return child;
}

/* What the archive has of a child, which does not run any more when it is written. */
static struct archive_seen record_child(bool calls_exec)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_PERF);
    struct fxt_sampler *sampler;
    struct archive_seen seen = {0};
    struct fxt_buffer archive;
    pid_t child;
    int go;

    config.flags = FXT_SAMPLER_ARCHIVE | FXT_SAMPLER_USER_ONLY;
    sampler = create(&config);
    if (sampler == NULL)
        return seen;
    child = fork_child(calls_exec, &go);
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, child), FXT_SAMPLER_OK,
           "attach");
    CHECK(write(go, "", 1) == 1, "write");
    spin_until_sampled(sampler);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    archive = write_archive(sampler);
    seen = read_archive(&archive, child);
    free(archive.data);
    fxt_sampler_destroy(sampler);
    return seen;
}

TEST(sampler_write, a_child_that_calls_exec_has_no_names_of_its_parent)
{
    struct archive_seen seen = record_child(true);

    if (seen.n_records == 0)
        return;
    CHECK(strcmp(seen.process_names, "sh;") == 0, "%s", seen.process_names);
    CHECK(strcmp(seen.thread_names, "sh;") == 0, "%s", seen.thread_names);
    CHECK(!seen.has_program, "the parent's program is mapped");
}

TEST(sampler_write, a_child_that_never_calls_exec_is_like_its_parent)
{
    struct archive_seen seen = record_child(false);

    if (seen.n_records == 0)
        return;
    CHECK(strncmp(seen.process_names, "test_sampler_wr", 15) == 0, "%s",
          seen.process_names);
    CHECK(seen.thread_names[0] != '\0', "the thread has no name");
    CHECK(seen.has_program && seen.has_code, "the parent's program is not mapped");
}

/* ---- What fails -------------------------------------------------------------------- */

struct limited_sink {
    unsigned n_calls;
    size_t left;
};

static int write_limited(void *context, const void *data, size_t size)
{
    struct limited_sink *sink = context;

    (void)data;
    sink->n_calls++;
    if (size > sink->left)
        return 1;
    sink->left -= size;
    return 0;
}

TEST(sampler_write, a_sink_that_fails_is_not_called_again_and_nothing_is_lost)
{
    struct fxt_sampler *sampler = sample_self(FXT_SAMPLER_SIGNAL);
    struct fxt_buffer archive = write_archive(sampler);
    struct fxt_buffer again;
    struct limited_sink sink = {0, 0};

    expect(fxt_sampler_write(sampler, NULL, write_limited, &sink), FXT_SAMPLER_E_SINK,
           "write");
    CHECK(sink.n_calls == 1, "%u calls", sink.n_calls);
    again = write_archive(sampler);
    CHECK(archive.size == again.size && memcmp(archive.data, again.data, again.size) == 0,
          "the archives differ");
    free(archive.data);
    free(again.data);
    fxt_sampler_destroy(sampler);
}

/* Each amount of memory up to enough either gives the whole archive, or an error. */
TEST(sampler_write, memory_is_bounded_and_samples_are_not_lost_with_it)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    unsigned n_failed = 0;
    bool is_enough = false;

    config.flags = FXT_SAMPLER_ARCHIVE;
    config.buffer_size = 1 << 16;
    for (config.max_bytes = 64; !is_enough; config.max_bytes += config.max_bytes / 4) {
        struct fxt_sampler *sampler = create(&config);
        struct fxt_buffer buffer = {0};
        enum fxt_sampler_code code;

        CHECK(config.max_bytes < 1 << 30, "no amount is enough");
        start_with(sampler, FXT_SAMPLER_PROCESS, getpid());
        spin_until_sampled(sampler);
        expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
        code = fxt_sampler_write(sampler, NULL, fxt_buffer_write, &buffer);
        is_enough = code == FXT_SAMPLER_OK;
        n_failed += !is_enough;
        if (is_enough)
            CHECK(read_archive(&buffer, getpid()).has_program, "no module");
        else
            expect(code, FXT_SAMPLER_E_RESOURCES, "write");
        CHECK(read_all(sampler).n_samples > 0, "no samples");
        free(buffer.data);
        fxt_sampler_destroy(sampler);
    }
    CHECK(n_failed > 5, "%u amounts were too small", n_failed);
}

TEST(sampler_write, a_configuration_of_the_first_version_is_known)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler *sampler;

    config.size = offsetof(struct fxt_sampler_config, max_bytes);
    config.max_bytes = 1;
    config.flags = FXT_SAMPLER_ARCHIVE;
    sampler = create(&config);
    start_with(sampler, FXT_SAMPLER_THREAD, gettid());
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    free(write_archive(sampler).data);
    fxt_sampler_destroy(sampler);
}

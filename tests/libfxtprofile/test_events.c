/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a profile (fxt/profile_events.h), of a trace worked out by hand. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include <fxt/format.h>
#include <fxt/profile.h>
#include <fxt/writer.h>

enum { PROCESS = 10, THREAD = 11 };

static struct fxt_record event_of(uint32_t kind, uint64_t time, const char *name)
{
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = kind};

    record.event.timestamp = time;
    record.event.thread = fxt_thread_from(PROCESS, THREAD);
    record.event.category = fxt_string_from("test");
    record.event.name = fxt_string_from(name);
    return record;
}

static void put(struct fxt_writer *writer, uint32_t kind, uint64_t time, const char *name)
{
    struct fxt_record record = event_of(kind, time, name);

    cr_assert_eq(fxt_writer_write(writer, &record), FXT_OK);
}

static void put_complete(struct fxt_writer *writer, uint64_t from, uint64_t to,
                         const char *name)
{
    struct fxt_record record = event_of(FXT_EVENT_DURATION_COMPLETE, from, name);

    record.event.end_timestamp = to;
    cr_assert_eq(fxt_writer_write(writer, &record), FXT_OK);
}

static void put_value(struct fxt_writer *writer, uint64_t time)
{
    struct fxt_record record = event_of(FXT_EVENT_COUNTER, time, "queue");
    struct fxt_arg args[2] = {{.type = FXT_ARG_INT32}, {.type = FXT_ARG_STRING}};

    args[0].name = fxt_string_from("length");
    args[0].value.int32 = -3;
    args[1].name = fxt_string_from("of");
    args[1].value.string = fxt_string_from("disk");
    record.event.id = 7;
    record.args = args;
    record.n_args = 2;
    cr_assert_eq(fxt_writer_write(writer, &record), FXT_OK);
}

/* Events in the order in which they end, as many writers have them. In brackets what is
 * open; "a" has the ends of both "b" and "c" in it, and "d" goes on after "a". */
static struct fxt_buffer make_trace(void)
{
    struct fxt_buffer trace = {.data = NULL};
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = fxt_buffer_write, .context = &trace};
    struct fxt_writer *writer;

    cr_assert_eq(fxt_writer_create(&options, &writer), FXT_OK);
    cr_assert_eq(fxt_writer_start_archive(writer, 1000000000), FXT_OK);
    put(writer, FXT_EVENT_DURATION_BEGIN, 120, "b");
    put(writer, FXT_EVENT_DURATION_END, 130, "ignored");
    put_complete(writer, 140, 150, "c");
    put_complete(writer, 180, 220, "d");
    put_complete(writer, 100, 200, "a");
    put_value(writer, 160);
    put(writer, FXT_EVENT_DURATION_BEGIN, 210, "never");
    put(writer, FXT_EVENT_DURATION_END, 90, "no begin");
    cr_assert_eq(fxt_writer_finish(writer), FXT_OK);
    fxt_writer_destroy(writer);
    return trace;
}

static struct fxt_profile *read_trace(struct fxt_buffer trace, uint64_t first,
                                      uint64_t last)
{
    struct fxt_profile_options options = {.size = sizeof(options), .keep_events = true};
    struct fxt_profile_builder *builder;
    struct fxt_profile *profile;

    cr_assert_eq(fxt_profile_builder_create(&options, &builder), FXT_OK);
    fxt_profile_builder_want_time(builder, first, last);
    fxt_profile_builder_add_memory(builder, NULL, trace.data, trace.size);
    cr_assert_eq(fxt_profile_builder_finish(builder, &profile), FXT_OK);
    fxt_profile_builder_destroy(builder);
    free(trace.data);
    return profile;
}

static void require_span(const struct fxt_profile *profile, size_t i, const char *name,
                         uint64_t from, uint64_t to, uint32_t parent, uint32_t depth,
                         uint64_t self)
{
    struct fxt_profile_event event;
    struct fxt_profile_nesting nesting;

    cr_assert_eq(fxt_profile_get_event(profile, i, &event), FXT_OK);
    cr_expect(event.name.size == strlen(name) &&
                  memcmp(event.name.data, name, strlen(name)) == 0,
              "%zu", i);
    cr_expect_eq(event.kind, FXT_PROFILE_EVENT_SPAN);
    cr_expect_eq(event.time_ns, from, "%s", name);
    cr_expect_eq(event.end_ns, to, "%s", name);
    cr_assert_eq(fxt_profile_get_nesting(profile, i, &nesting), FXT_OK);
    cr_expect_eq(nesting.parent, parent, "%s: %u", name, nesting.parent);
    cr_expect_eq(nesting.depth, depth, "%s: %u", name, nesting.depth);
    cr_expect_eq(nesting.self_ns, self, "%s: %llu", name,
                 (unsigned long long)nesting.self_ns);
}

Test(events, spans_are_nested_in_the_innermost_one_that_is_open)
{
    struct fxt_profile *profile = read_trace(make_trace(), 0, UINT64_MAX);
    struct fxt_profile_event event;

    cr_assert_eq(fxt_profile_n_events(profile), 6);
    require_span(profile, 0, "a", 100, 200, FXT_PROFILE_NONE, 0, 60);
    require_span(profile, 1, "b", 120, 130, 0, 1, 10);
    require_span(profile, 2, "c", 140, 150, 0, 1, 10);
    require_span(profile, 4, "d", 180, 220, 0, 1, 30);
    require_span(profile, 5, "never", 210, 220, 4, 2, 10);
    cr_assert_eq(fxt_profile_get_event(profile, 4, &event), FXT_OK);
    cr_expect(!event.is_unfinished);
    cr_assert_eq(fxt_profile_get_event(profile, 5, &event), FXT_OK);
    cr_expect(event.is_unfinished);
    fxt_profile_destroy(profile);
}

Test(events, without_a_wall_clock_and_scheduling_there_is_neither)
{
    struct fxt_profile *profile = read_trace(make_trace(), 0, UINT64_MAX);
    struct fxt_profile_run run = {.cpu = 1};
    uint64_t clock_ns = 1;
    uint64_t wall_ns = 1;

    cr_expect(!fxt_profile_wall_clock(profile, &clock_ns, &wall_ns));
    cr_expect(clock_ns == 0 && wall_ns == 0);
    cr_expect_eq(fxt_profile_n_runs(profile), 0);
    cr_expect_eq(fxt_profile_get_run(profile, 0, &run), FXT_E_INVALID);
    cr_expect_eq(run.cpu, 0);
    fxt_profile_destroy(profile);
}

Test(events, arguments_and_threads_are_those_of_the_record)
{
    struct fxt_profile *profile = read_trace(make_trace(), 0, UINT64_MAX);
    struct fxt_profile_event_thread thread;
    struct fxt_profile_event event;
    struct fxt_profile_event_arg arg;
    struct fxt_profile_nesting nesting;

    cr_assert_eq(fxt_profile_get_event(profile, 3, &event), FXT_OK);
    cr_expect_eq(event.kind, FXT_PROFILE_EVENT_COUNTER);
    cr_expect_eq(event.id, 7);
    cr_expect_eq(event.end_ns, event.time_ns);
    cr_assert_eq(event.n_args, 2);
    cr_assert_eq(fxt_profile_get_event_arg(profile, 3, 0, &arg), FXT_OK);
    cr_expect_eq(arg.type, FXT_ARG_INT32);
    cr_expect_eq((int64_t)arg.number, -3);
    cr_assert_eq(fxt_profile_get_event_arg(profile, 3, 1, &arg), FXT_OK);
    cr_expect(arg.string.size == 4 && memcmp(arg.string.data, "disk", 4) == 0);
    cr_expect_eq(fxt_profile_get_event_arg(profile, 3, 2, &arg), FXT_E_INVALID);
    cr_expect_eq(fxt_profile_get_nesting(profile, 3, &nesting), FXT_E_INVALID);
    cr_assert_eq(fxt_profile_n_event_threads(profile), 1);
    cr_assert_eq(fxt_profile_get_event_thread(profile, event.thread, &thread), FXT_OK);
    cr_expect_eq(thread.process, PROCESS);
    cr_expect_eq(thread.thread, THREAD);
    cr_expect_eq(fxt_profile_get_event(profile, 6, &event), FXT_E_INVALID);
    fxt_profile_destroy(profile);
}

/* Another operation has no end. */
static struct fxt_buffer make_operations(void)
{
    struct fxt_buffer trace = {.data = NULL};
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = fxt_buffer_write, .context = &trace};
    struct fxt_record end = event_of(FXT_EVENT_ASYNC_END, 50, "read");
    struct fxt_writer *writer;

    end.event.thread = fxt_thread_from(PROCESS, THREAD + 1);
    cr_assert_eq(fxt_writer_create(&options, &writer), FXT_OK);
    cr_assert_eq(fxt_writer_start_archive(writer, 1000000000), FXT_OK);
    put(writer, FXT_EVENT_ASYNC_BEGIN, 20, "other");
    put(writer, FXT_EVENT_ASYNC_BEGIN, 10, "read");
    cr_assert_eq(fxt_writer_write(writer, &end), FXT_OK);
    cr_assert_eq(fxt_writer_finish(writer), FXT_OK);
    fxt_writer_destroy(writer);
    return trace;
}

Test(events, operations_may_end_on_another_thread)
{
    struct fxt_profile *profile = read_trace(make_operations(), 0, UINT64_MAX);
    struct fxt_profile_event_thread thread;
    struct fxt_profile_event event;

    cr_assert_eq(fxt_profile_n_events(profile), 2);
    cr_assert_eq(fxt_profile_get_event(profile, 0, &event), FXT_OK);
    cr_expect_eq(event.kind, FXT_PROFILE_EVENT_ASYNC);
    cr_expect_eq(event.end_ns, 50);
    cr_assert_eq(fxt_profile_get_event_thread(profile, event.thread, &thread), FXT_OK);
    cr_expect_eq(thread.thread, THREAD);
    cr_assert_eq(fxt_profile_get_event_thread(profile, event.end_thread, &thread),
                 FXT_OK);
    cr_expect_eq(thread.thread, THREAD + 1);
    cr_assert_eq(fxt_profile_get_event(profile, 1, &event), FXT_OK);
    cr_expect(event.is_unfinished);
    cr_expect_eq(event.end_thread, event.thread);
    fxt_profile_destroy(profile);
}

Test(events, what_a_filter_leaves_out_changes_no_self_time)
{
    struct fxt_profile *profile = read_trace(make_trace(), 205, UINT64_MAX);

    cr_assert_eq(fxt_profile_n_events(profile), 2);
    require_span(profile, 0, "d", 180, 220, FXT_PROFILE_NONE, 1, 30);
    require_span(profile, 1, "never", 210, 220, 0, 2, 10);
    fxt_profile_destroy(profile);
}

Test(events, are_there_only_if_they_were_asked_for)
{
    struct fxt_profile_options options = {
        .size = sizeof(options), .source = FXT_PROFILE_SPANS, .keep_events = true};
    struct fxt_profile_builder *builder;

    cr_expect_eq(fxt_profile_builder_create(&options, &builder), FXT_E_INVALID);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* See calls.h. */
#include "calls.h"

#include "values.h"

uint64_t calls_take(struct calls *calls, unsigned n_bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n_bytes && calls->pos < calls->size; i++)
        value |= (uint64_t)calls->data[calls->pos++] << 8 * i;
    return value;
}

/* ---- Calls ------------------------------------------------------------------------- */

static void make_initialization(struct calls *calls)
{
    uint64_t rate = calls_take(calls, 3);

    start(FXT_RECORD_INITIALIZATION, 0, 2);
    must(rate > 0);
    call.record.initialization.ticks_per_second = rate;
    call.written = fxt_emit_initialization(calls->emit, rate);
}

/* The last of the few indices that are used is the last that there is. */
static uint32_t take_index(struct calls *calls, uint32_t last)
{
    uint32_t index = (uint32_t)calls_take(calls, 1) % (N_INDICES + 2);

    return index < N_INDICES - 1 ? index : last - (N_INDICES - 1) + index;
}

static void make_string(struct calls *calls)
{
    uint32_t index = take_index(calls, FXT_STRING_INDEX_MAX);
    struct fxt_string string = take_in_line(calls);

    start(FXT_RECORD_STRING, 0, 1);
    must(index > 0 && index <= FXT_STRING_INDEX_MAX);
    add_bytes(string.data, string.size, 0x7fff);
    if (string.size == 0)
        string.data = "";
    call.record.string.index = index;
    call.record.string.value = string;
    call.written = fxt_emit_string(calls->emit, index, string);
    if (!call.written)
        return;
    string.ref = (uint16_t)index;
    calls->strings[index < N_INDICES ? index : N_INDICES - 1] = string;
}

static void make_thread(struct calls *calls)
{
    uint32_t index = take_index(calls, FXT_THREAD_INDEX_MAX);
    struct fxt_thread thread = {calls_take(calls, 2), calls_take(calls, 8), 0, true};

    start(FXT_RECORD_THREAD, 0, 3);
    must(index > 0 && index <= FXT_THREAD_INDEX_MAX);
    call.record.thread =
        (struct fxt_thread_registration){index, thread.process, thread.thread};
    call.written = fxt_emit_thread(calls->emit, index, thread.process, thread.thread);
    if (!call.written)
        return;
    thread.ref = (uint8_t)index;
    calls->threads[index < N_INDICES ? index : N_INDICES - 1] = thread;
}

/* What of an event's last members is read back, by its kind. */
static void expect_event(uint32_t kind, const struct fxt_event *event)
{
    struct fxt_event *read = &call.record.event;
    bool has_id = kind == FXT_EVENT_COUNTER || kind >= FXT_EVENT_ASYNC_BEGIN;
    bool has_end = kind == FXT_EVENT_DURATION_COMPLETE;
    bool has_scope = kind == FXT_EVENT_INSTANT;

    read->timestamp = event->timestamp;
    read->id = has_id ? event->id : 0;
    read->end_timestamp = has_end ? event->end_timestamp : 0;
    read->scope = has_scope ? event->scope : 0;
    call.n_words += has_id + has_end + (has_scope && event->scope != 0);
    set_time(has_end ? event->end_timestamp : event->timestamp);
}

static void make_event(struct calls *calls)
{
    uint32_t kind = (uint32_t)calls_take(calls, 1) % 13;
    struct fxt_arg args[FXT_ARGS_MAX + 1];
    struct fxt_event event = {.timestamp = calls_take(calls, 4)};
    uint32_t n_args;

    start(FXT_RECORD_EVENT, kind, 2);
    must(kind <= 10);
    event.thread = take_thread(calls, &call.record.event.thread);
    event.category = take_string(calls, &call.record.event.category);
    event.name = take_string(calls, &call.record.event.name);
    event.id = calls_take(calls, 8);
    event.end_timestamp = calls_take(calls, 4);
    event.scope = calls_take(calls, 1) % 4;
    n_args = take_args(calls, args);
    expect_event(kind, &event);
    call.written = fxt_emit_event(calls->emit, kind, &event, args, n_args);
}

static void make_kernel_object(struct calls *calls)
{
    uint32_t type = take_number(calls);
    uint64_t koid = calls_take(calls, 8);
    struct fxt_arg args[FXT_ARGS_MAX + 1];
    struct fxt_string name;
    uint32_t n_args;

    start(FXT_RECORD_KERNEL_OBJECT, 0, 2);
    must(type <= 255);
    call.record.kernel_object.type = type;
    call.record.kernel_object.koid = koid;
    name = take_string(calls, &call.record.kernel_object.name);
    n_args = take_args(calls, args);
    call.written = fxt_emit_kernel_object(calls->emit, type, koid, name, args, n_args);
}

static void make_context_switch(struct calls *calls)
{
    struct fxt_scheduling s = {.timestamp = calls_take(calls, 4),
                               .cpu = take_number(calls),
                               .outgoing_state = (uint32_t)calls_take(calls, 1) % 18,
                               .outgoing = in_process(0, calls_take(calls, 8)),
                               .incoming = in_process(0, calls_take(calls, 8))};
    struct fxt_arg args[FXT_ARGS_MAX + 1];
    uint32_t n_args;

    start(FXT_RECORD_SCHEDULING, FXT_SCHEDULING_CONTEXT_SWITCH, 4);
    must(s.cpu <= 65535 && s.outgoing_state <= 15);
    set_time(s.timestamp);
    call.record.scheduling = s;
    n_args = take_args(calls, args);
    call.written =
        fxt_emit_context_switch(calls->emit, s.timestamp, s.cpu, s.outgoing_state,
                                s.outgoing.thread, s.incoming.thread, args, n_args);
}

static void make_wakeup(struct calls *calls)
{
    struct fxt_scheduling s = {.timestamp = calls_take(calls, 4),
                               .cpu = take_number(calls),
                               .waking_thread = calls_take(calls, 8)};
    struct fxt_arg args[FXT_ARGS_MAX + 1];
    uint32_t n_args;

    start(FXT_RECORD_SCHEDULING, FXT_SCHEDULING_THREAD_WAKEUP, 3);
    must(s.cpu <= 65535);
    set_time(s.timestamp);
    call.record.scheduling = s;
    n_args = take_args(calls, args);
    call.written =
        fxt_emit_wakeup(calls->emit, s.timestamp, s.cpu, s.waking_thread, args, n_args);
}

static void make_log(struct calls *calls)
{
    uint64_t timestamp = calls_take(calls, 4);
    struct fxt_string message = take_in_line(calls);
    struct fxt_thread thread;

    start(FXT_RECORD_LOG, 0, 2);
    set_time(timestamp);
    thread = take_thread(calls, &call.record.log.thread);
    add_bytes(message.data, message.size, 0x7fff);
    call.record.log.timestamp = timestamp;
    call.record.log.message = message.size > 0 ? message : empty;
    call.written = fxt_emit_log(calls->emit, timestamp, thread, message);
}

static void make_blob(struct calls *calls)
{
    uint32_t type = take_number(calls);
    struct fxt_string payload = take_in_line(calls);
    struct fxt_string name;

    start(FXT_RECORD_BLOB, 0, 1);
    must(type <= 255);
    name = take_string(calls, &call.record.blob.name);
    add_bytes(payload.data, payload.size, 0x7fff);
    call.record.blob.type = type;
    call.record.blob.payload = (struct fxt_bytes){payload.data, payload.size};
    call.written = fxt_emit_blob(calls->emit, type, name, payload.data, payload.size);
}

static void make_module(struct calls *calls)
{
    struct fxt_profiler p = {.timestamp = calls_take(calls, 4),
                             .thread = in_process(calls_take(calls, 2), 0),
                             .module_id = take_number(calls)};
    struct fxt_string build_id = take_in_line(calls);

    start(FXT_RECORD_PROFILER, FXT_PROFILER_MODULE, 4);
    must(p.module_id <= 65535);
    set_time(p.timestamp);
    p.name = take_in_line(calls);
    add_bytes(p.name.data, p.name.size, 255);
    add_bytes(build_id.data, build_id.size, 255);
    call.written = fxt_emit_module(calls->emit, p.timestamp, p.thread.process,
                                   p.module_id, p.name, build_id.data, build_id.size);
    p.name = p.name.size > 0 ? p.name : empty;
    p.build_id = (struct fxt_bytes){build_id.data, build_id.size};
    call.record.profiler = p;
}

static void make_mapping(struct calls *calls)
{
    struct fxt_profiler p = {.timestamp = calls_take(calls, 4),
                             .thread = in_process(calls_take(calls, 2), 0),
                             .module_id = take_number(calls),
                             .name = empty,
                             .start = calls_take(calls, 8),
                             .length = calls_take(calls, 8),
                             .vaddr = calls_take(calls, 8),
                             .flags = (uint32_t)calls_take(calls, 1) % 10};

    start(FXT_RECORD_PROFILER, FXT_PROFILER_MAPPING, 7);
    must(p.module_id <= 65535 && p.flags <= 7);
    set_time(p.timestamp);
    call.record.profiler = p;
    call.written = fxt_emit_mapping(calls->emit, p.timestamp, p.thread.process,
                                    p.module_id, p.start, p.length, p.vaddr, p.flags);
}

/* ---- Samples ----------------------------------------------------------------------- */

static void make_sample(struct calls *calls, bool as_backtrace)
{
    static uint64_t pcs[300];
    uint64_t timestamp = calls_take(calls, 4);
    struct fxt_thread thread = in_process(calls_take(calls, 2), calls_take(calls, 8));
    uint64_t n = calls_take(calls, 1);

    n = n >= 0xf0 ? 242 + n - 0xf0 : n % 70;
    for (uint64_t i = 0; i < n; i++)
        pcs[i] = timestamp * (i + 1);
    start(as_backtrace ? FXT_RECORD_PROFILER : FXT_RECORD_LARGE,
          as_backtrace ? FXT_PROFILER_BACKTRACE : FXT_LARGE_BLOB, as_backtrace ? 4 : 6);
    must(n > 0 && (!as_backtrace || n <= 255));
    set_time(timestamp);
    call.n_words += n;
    if (as_backtrace) {
        call.record.profiler = (struct fxt_profiler){.timestamp = timestamp,
                                                     .thread = thread,
                                                     .name = empty,
                                                     .pcs = {pcs, n, false}};
        call.written = fxt_emit_backtrace(calls->emit, timestamp, thread.process,
                                          thread.thread, pcs, n);
    } else {
        call.record.large_blob = (struct fxt_large_blob){.timestamp = timestamp,
                                                         .thread = thread,
                                                         .category = empty,
                                                         .name = empty,
                                                         .payload = {pcs, n * 8}};
        call.written = fxt_emit_sample(calls->emit, timestamp, thread.process,
                                       thread.thread, pcs, n);
    }
}

const struct call *calls_make(struct calls *calls)
{
    static void (*const makers[])(struct calls * calls) = {
        make_initialization, make_string,         make_thread,  make_event,
        make_kernel_object,  make_context_switch, make_wakeup,  make_log,
        make_blob,           make_module,         make_mapping,
    };
    enum { N_MAKERS = sizeof(makers) / sizeof(makers[0]) };
    uint64_t choice = calls_take(calls, 1) % (N_MAKERS + 2);

    fill_text();
    if (choice < N_MAKERS)
        makers[choice](calls);
    else
        make_sample(calls, choice == N_MAKERS);
    must(call.n_words <= 4095);
    return &call;
}

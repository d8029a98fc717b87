/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records other than samples that an emitter writes, for a kernel's tracer.
 *
 *     struct fxt_event fault = {0};
 *     struct fxt_arg args[] = {fxt_arg_pointer(FXT_TEXT("address"), address)};
 *
 *     fault.timestamp = begin;
 *     fault.end_timestamp = now;
 *     fault.thread = fxt_thread_from(process, thread);
 *     fault.category = FXT_TEXT("vm");
 *     fault.name = FXT_TEXT("fault");
 *     fxt_emit_event(&emit, FXT_EVENT_DURATION_COMPLETE, &fault, args, 1);
 *
 * The return values and counts of all these functions are documented in fxt/emit.h.
 *
 * Strings are inline in the record (FXT_TEXT, fxt_string_at), or are registered once by
 * fxt_emit_string and then referred to by an index of 16 bits (fxt_string_ref). The same
 * holds for threads (fxt_thread_from, fxt_emit_thread, fxt_thread_ref). A registration
 * applies to the records that follow in the same region or ring. If it was dropped, later
 * references are unresolved, or refer to what was registered at the index before: check
 * that it returned true, or use fxt_emit_name, which repeats it.
 *
 * Arguments are an array of `n_args`, at most FXT_ARGS_MAX; it may be NULL if there are
 * none. They are written with the type that they have; a number that fits in 32 bits
 * takes one word less with a 32-bit type.
 *
 * All sizes and all fields are checked before anything is written. Memory that is pointed
 * to must not change during a call.
 */
#ifndef FXT_EMIT_RECORDS_H
#define FXT_EMIT_RECORDS_H

#include <fxt/arg.h>
#include <fxt/compiler.h>
#include <fxt/emit.h>
#include <fxt/format.h>
#include <fxt/pack.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

/* Reserves room for a record of any type but large, and returns its address; NULL if the
 * format cannot represent it or it does not fit, which is counted. */
FXT_INLINE uint64_t *fxt_emit_begin_(struct fxt_emit *emit, uint64_t n_words,
                                     uint64_t time)
{
    if (FXT_UNLIKELY(n_words > FXT_RECORD_WORDS_MAX)) {
        emit->invalid_records++;
        return 0;
    }
    emit->time = time;
    return fxt_emit_reserve_(emit, n_words);
}

/* Publishes a record of a type, with further `bits` in its header. Returns true. */
FXT_INLINE bool fxt_emit_end_(struct fxt_emit *emit, enum fxt_record_type type,
                              uint64_t n_words, uint64_t bits)
{
    fxt_emit_publish_(emit, n_words,
                      FXT_PUT(RECORD_TYPE, type) | FXT_PUT(RECORD_WORDS, n_words) | bits);
    return true;
}

/* ---- What later records refer to --------------------------------------------------- */

/* Sets the tick rate of all timestamps that follow; it must not be 0. */
FXT_INLINE bool fxt_emit_initialization(struct fxt_emit *emit, uint64_t ticks_per_second)
{
    uint64_t n_words = ticks_per_second > 0 ? 2 : FXT_PACK_IMPOSSIBLE_;
    uint64_t *record = fxt_emit_begin_(emit, n_words, emit->time);

    if (!record)
        return false;
    record[1] = ticks_per_second;
    return fxt_emit_end_(emit, FXT_RECORD_INITIALIZATION, n_words, 0);
}

FXT_INLINE uint64_t fxt_emit_string_words_(uint32_t index, struct fxt_string value)
{
    return 1 + fxt_pack_text_words_(value, FXT_STRING_SIZE_CAP) +
           (index > 0 ? FXT_PACK_CHECK_(STRING_INDEX, index) : FXT_PACK_IMPOSSIBLE_);
}

/*
 * Registers a string, of at most FXT_STRING_SIZE_CAP bytes, at an index from 1 to
 * FXT_STRING_INDEX_MAX. It replaces what was registered there before.
 */
FXT_INLINE bool fxt_emit_string(struct fxt_emit *emit, uint32_t index,
                                struct fxt_string value)
{
    uint64_t n_words = fxt_emit_string_words_(index, value);
    uint64_t *record = fxt_emit_begin_(emit, n_words, emit->time);

    if (!record)
        return false;
    fxt_pack_bytes_(record + 1, value.data, value.size);
    return fxt_emit_end_(emit, FXT_RECORD_STRING, n_words,
                         FXT_PUT(STRING_INDEX, index) | FXT_PUT(STRING_SIZE, value.size));
}

/* Registers a thread at an index from 1 to FXT_THREAD_INDEX_MAX, likewise. */
FXT_INLINE bool fxt_emit_thread(struct fxt_emit *emit, uint32_t index, uint64_t process,
                                uint64_t thread)
{
    uint64_t n_words =
        index > 0 && index <= FXT_THREAD_INDEX_MAX ? 3 : FXT_PACK_IMPOSSIBLE_;
    uint64_t *record = fxt_emit_begin_(emit, n_words, emit->time);

    if (!record)
        return false;
    record[1] = process;
    record[2] = thread;
    return fxt_emit_end_(emit, FXT_RECORD_THREAD, n_words, FXT_PUT(THREAD_INDEX, index));
}

/* A string that records of one emitter refer to. `text` must stay in place; `index` is as
 * for fxt_emit_string. Set the last member to false. */
struct fxt_name {
    struct fxt_string text;
    uint16_t index;
    bool is_registered;
};

/*
 * Returns what a record that is written next has to have as a string: a reference to the
 * name, which is registered first unless it has been; or the text itself, as long as
 * there was no room to register it. So no reference is unresolved, however much a ring
 * drops. A registration that did not fit is not counted; one of what cannot be registered
 * is, each time, as invalid.
 */
FXT_INLINE struct fxt_string fxt_emit_name(struct fxt_emit *emit, struct fxt_name *name)
{
    uint64_t n_words = fxt_emit_string_words_(name->index, name->text);

    if (!name->is_registered &&
        (n_words > FXT_RECORD_WORDS_MAX || fxt_emit_has_room_(emit, n_words)))
        name->is_registered = fxt_emit_string(emit, name->index, name->text);
    return name->is_registered ? fxt_string_ref(name->index) : name->text;
}

/* ---- Events ------------------------------------------------------------------------ */

/* Whether an event has a word after its arguments, and which. */
FXT_INLINE bool fxt_emit_event_word_(uint32_t type, const struct fxt_event *event,
                                     uint64_t *word)
{
    switch (type) {
    case FXT_EVENT_INSTANT:
        *word = event->scope;
        return event->scope != FXT_SCOPE_THREAD;
    case FXT_EVENT_DURATION_COMPLETE:
        *word = event->end_timestamp;
        return true;
    case FXT_EVENT_COUNTER:
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_INSTANT:
    case FXT_EVENT_ASYNC_END:
    case FXT_EVENT_FLOW_BEGIN:
    case FXT_EVENT_FLOW_STEP:
    case FXT_EVENT_FLOW_END:
        *word = event->id;
        return true;
    default:
        return false;
    }
}

/*
 * Writes an event. `type` must be one of enum fxt_event_type, and determines which of the
 * event's last three members is used. The values of a counter are its arguments.
 */
FXT_INLINE bool fxt_emit_event(struct fxt_emit *emit, uint32_t type,
                               const struct fxt_event *event, const struct fxt_arg *args,
                               uint32_t n_args)
{
    uint64_t word = 0;
    bool has_word = fxt_emit_event_word_(type, event, &word);
    uint64_t n_words = 2 + fxt_pack_thread_words_(event->thread) +
                       fxt_pack_string_words_(event->category) +
                       fxt_pack_string_words_(event->name) +
                       fxt_pack_args_words_(args, n_args) + has_word +
                       (type <= FXT_EVENT_FLOW_END ? 0 : FXT_PACK_IMPOSSIBLE_);
    uint64_t time =
        type == FXT_EVENT_DURATION_COMPLETE ? event->end_timestamp : event->timestamp;
    uint64_t *record = fxt_emit_begin_(emit, n_words, time);
    uint64_t *at;

    if (!record)
        return false;
    record[1] = event->timestamp;
    at = fxt_pack_thread_(record + 2, event->thread);
    at = fxt_pack_string_(at, event->category);
    at = fxt_pack_string_(at, event->name);
    at = fxt_pack_args_(at, args, n_args);
    if (has_word)
        *at = word;
    return fxt_emit_end_(emit, FXT_RECORD_EVENT, n_words,
                         FXT_PUT(EVENT_TYPE, type) | FXT_PUT(EVENT_ARGS, n_args) |
                             FXT_PUT(EVENT_THREAD, event->thread.ref) |
                             FXT_PUT(EVENT_CATEGORY, fxt_pack_ref_(event->category)) |
                             FXT_PUT(EVENT_NAME, fxt_pack_ref_(event->name)));
}

/* ---- The kernel's objects and its scheduler ---------------------------------------- */

/*
 * Names a kernel object: `type` is enum fxt_object_type or another number below 256, the
 * name any bytes. A thread's process is given by an argument "process" of type koid,
 * which some readers require.
 */
FXT_INLINE bool fxt_emit_kernel_object(struct fxt_emit *emit, uint32_t type,
                                       uint64_t koid, struct fxt_string name,
                                       const struct fxt_arg *args, uint32_t n_args)
{
    uint64_t n_words = 2 + FXT_PACK_CHECK_(KERNEL_OBJECT_TYPE, type) +
                       fxt_pack_string_words_(name) + fxt_pack_args_words_(args, n_args);
    uint64_t *record = fxt_emit_begin_(emit, n_words, emit->time);

    if (!record)
        return false;
    record[1] = koid;
    fxt_pack_args_(fxt_pack_string_(record + 2, name), args, n_args);
    return fxt_emit_end_(emit, FXT_RECORD_KERNEL_OBJECT, n_words,
                         FXT_PUT(KERNEL_OBJECT_TYPE, type) |
                             FXT_PUT(KERNEL_OBJECT_NAME, fxt_pack_ref_(name)) |
                             FXT_PUT(KERNEL_OBJECT_ARGS, n_args));
}

/*
 * Writes a context switch on a CPU, whose number must be below 65,536; threads are
 * identified by their own koids. `outgoing_state` is the state in which the outgoing
 * thread is left: enum fxt_thread_state, or another number below 16.
 */
FXT_INLINE bool fxt_emit_context_switch(struct fxt_emit *emit, uint64_t timestamp,
                                        uint32_t cpu, uint32_t outgoing_state,
                                        uint64_t outgoing_thread,
                                        uint64_t incoming_thread,
                                        const struct fxt_arg *args, uint32_t n_args)
{
    uint64_t n_words = 4 + FXT_PACK_CHECK_(CONTEXT_SWITCH_CPU, cpu) +
                       FXT_PACK_CHECK_(CONTEXT_SWITCH_STATE, outgoing_state) +
                       fxt_pack_args_words_(args, n_args);
    uint64_t *record = fxt_emit_begin_(emit, n_words, timestamp);

    if (!record)
        return false;
    record[1] = timestamp;
    record[2] = outgoing_thread;
    record[3] = incoming_thread;
    fxt_pack_args_(record + 4, args, n_args);
    return fxt_emit_end_(emit, FXT_RECORD_SCHEDULING, n_words,
                         FXT_PUT(SCHEDULING_TYPE, FXT_SCHEDULING_CONTEXT_SWITCH) |
                             FXT_PUT(CONTEXT_SWITCH_ARGS, n_args) |
                             FXT_PUT(CONTEXT_SWITCH_CPU, cpu) |
                             FXT_PUT(CONTEXT_SWITCH_STATE, outgoing_state));
}

/* Writes a wakeup: a thread became runnable, on a CPU whose number must be below
 * 65,536. */
FXT_INLINE bool fxt_emit_wakeup(struct fxt_emit *emit, uint64_t timestamp, uint32_t cpu,
                                uint64_t waking_thread, const struct fxt_arg *args,
                                uint32_t n_args)
{
    uint64_t n_words =
        3 + FXT_PACK_CHECK_(THREAD_WAKEUP_CPU, cpu) + fxt_pack_args_words_(args, n_args);
    uint64_t *record = fxt_emit_begin_(emit, n_words, timestamp);

    if (!record)
        return false;
    record[1] = timestamp;
    record[2] = waking_thread;
    fxt_pack_args_(record + 3, args, n_args);
    return fxt_emit_end_(emit, FXT_RECORD_SCHEDULING, n_words,
                         FXT_PUT(SCHEDULING_TYPE, FXT_SCHEDULING_THREAD_WAKEUP) |
                             FXT_PUT(THREAD_WAKEUP_ARGS, n_args) |
                             FXT_PUT(THREAD_WAKEUP_CPU, cpu));
}

/* ---- Text and bytes ---------------------------------------------------------------- */

/* Writes a log message, of at most FXT_STRING_SIZE_CAP bytes; it is always inline. */
FXT_INLINE bool fxt_emit_log(struct fxt_emit *emit, uint64_t timestamp,
                             struct fxt_thread thread, struct fxt_string message)
{
    uint64_t n_words = 2 + fxt_pack_thread_words_(thread) +
                       fxt_pack_text_words_(message, FXT_STRING_SIZE_CAP);
    uint64_t *record = fxt_emit_begin_(emit, n_words, timestamp);

    if (!record)
        return false;
    record[1] = timestamp;
    fxt_pack_bytes_(fxt_pack_thread_(record + 2, thread), message.data, message.size);
    return fxt_emit_end_(emit, FXT_RECORD_LOG, n_words,
                         FXT_PUT(LOG_SIZE, message.size) |
                             FXT_PUT(LOG_THREAD, thread.ref));
}

/* Writes a blob of `size` bytes at `data`, fewer than 32,768: one piece of the data
 * stream of that name. `type` is enum fxt_blob_type, or another number below 256. */
FXT_INLINE bool fxt_emit_blob(struct fxt_emit *emit, uint32_t type,
                              struct fxt_string name, const void *data, uint64_t size)
{
    uint64_t n_words = 1 + FXT_PACK_CHECK_(BLOB_TYPE, type) +
                       fxt_pack_string_words_(name) +
                       fxt_pack_bytes_words_(data, size, FXT_MAX(BLOB_SIZE));
    uint64_t *record = fxt_emit_begin_(emit, n_words, emit->time);

    if (!record)
        return false;
    fxt_pack_bytes_(fxt_pack_string_(record + 1, name), data, size);
    return fxt_emit_end_(emit, FXT_RECORD_BLOB, n_words,
                         FXT_PUT(BLOB_NAME, fxt_pack_ref_(name)) |
                             FXT_PUT(BLOB_SIZE, size) | FXT_PUT(BLOB_TYPE, type));
}

/* ---- What the addresses in samples belong to --------------------------------------- */

/*
 * Writes a module of a process: a file that is mapped in its memory. The mappings that
 * follow refer to it by the id, below 65,536. The name has at most 255 bytes; the build
 * id is raw bytes, at most 255. Both are always inline.
 */
FXT_INLINE bool fxt_emit_module(struct fxt_emit *emit, uint64_t timestamp,
                                uint64_t process, uint32_t module_id,
                                struct fxt_string name, const void *build_id,
                                uint64_t build_id_size)
{
    uint64_t n_words =
        4 + FXT_PACK_CHECK_(MODULE_ID, module_id) +
        fxt_pack_text_words_(name, FXT_MAX(MODULE_NAME_SIZE)) +
        fxt_pack_bytes_words_(build_id, build_id_size, FXT_MAX(MODULE_BUILD_ID_SIZE));
    uint64_t *record = fxt_emit_begin_(emit, n_words, timestamp);

    if (!record)
        return false;
    record[1] = timestamp;
    record[2] = process;
    record[3] = 0;
    fxt_pack_bytes_(fxt_pack_bytes_(record + 4, name.data, name.size), build_id,
                    build_id_size);
    return fxt_emit_end_(emit, FXT_RECORD_PROFILER, n_words,
                         FXT_PUT(PROFILER_TYPE, FXT_PROFILER_MODULE) |
                             FXT_PUT(PROFILER_THREAD, FXT_THREAD_REF_INLINE) |
                             FXT_PUT(MODULE_ID, module_id) |
                             FXT_PUT(MODULE_NAME_SIZE, name.size) |
                             FXT_PUT(MODULE_BUILD_ID_SIZE, build_id_size));
}

/*
 * Writes a mapping: the `length` bytes of a process's memory at address `start` map a
 * module, from the module's own address `vaddr` on. `flags` are enum fxt_mapping_flag,
 * ORed.
 */
FXT_INLINE bool fxt_emit_mapping(struct fxt_emit *emit, uint64_t timestamp,
                                 uint64_t process, uint32_t module_id, uint64_t start,
                                 uint64_t length, uint64_t vaddr, uint32_t flags)
{
    uint64_t n_words = 7 + FXT_PACK_CHECK_(MAPPING_MODULE_ID, module_id) +
                       FXT_PACK_CHECK_(MAPPING_FLAGS, flags);
    uint64_t *record = fxt_emit_begin_(emit, n_words, timestamp);

    if (!record)
        return false;
    record[1] = timestamp;
    record[2] = process;
    record[3] = 0;
    record[4] = start;
    record[5] = length;
    record[6] = vaddr;
    return fxt_emit_end_(emit, FXT_RECORD_PROFILER, n_words,
                         FXT_PUT(PROFILER_TYPE, FXT_PROFILER_MAPPING) |
                             FXT_PUT(PROFILER_THREAD, FXT_THREAD_REF_INLINE) |
                             FXT_PUT(MAPPING_MODULE_ID, module_id) |
                             FXT_PUT(MAPPING_FLAGS, flags));
}

FXT_END_DECLS

#endif

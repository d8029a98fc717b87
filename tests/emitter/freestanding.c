/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes code of all that the freestanding headers have inline, as C and as C++, for
 * headers.sh to see what it needs. It is not run. What is large comes from outside, so
 * that the stack that the functions use is that of the headers. */
#include <fxt/arg.h>
#include <fxt/emit.h>
#include <fxt/emit_records.h>
#include <fxt/gate.h>
#include <fxt/ring.h>
#include <fxt/types.h>
#include <fxt/unwind.h>

FXT_BEGIN_DECLS

bool user_start(struct fxt_emit *emit, void *memory, uint64_t size);
bool user_sample(struct fxt_emit *emit, const struct fxt_unwind *from, uint64_t *pcs);
bool user_registrations(struct fxt_emit *emit);
bool user_events(struct fxt_emit *emit, const struct fxt_event *event,
                 const struct fxt_arg *args, uint32_t n_args);
void user_small_args(struct fxt_arg *args);
void user_number_args(struct fxt_arg *args);
void user_other_args(struct fxt_arg *args, const void *data, uint32_t size);
bool user_wakeup(struct fxt_emit *emit, const struct fxt_arg *args, uint32_t n_args);
bool user_kernel(struct fxt_emit *emit, const struct fxt_arg *args, uint32_t n_args);
bool user_bytes(struct fxt_emit *emit, const char *data, uint32_t size);
bool user_modules(struct fxt_emit *emit, const char *data, uint32_t size);
uint64_t user_drain(void *memory, void *to, uint64_t size);
uint64_t user_drain_nothing(void *memory, uint64_t size);
bool user_gate(struct fxt_gate *gate);
bool user_stop(struct fxt_gate *gate);
uint64_t user_walk(const struct fxt_unwind *from, uint64_t *pcs, uint64_t n);
uint64_t user_word(struct fxt_words words, uint64_t index);

bool user_start(struct fxt_emit *emit, void *memory, uint64_t size)
{
    return fxt_emit_init(emit, memory, size) || fxt_emit_init_ring(emit, memory, size, 1);
}

bool user_sample(struct fxt_emit *emit, const struct fxt_unwind *from, uint64_t *pcs)
{
    uint64_t n_pcs = fxt_unwind_walk(from, pcs, FXT_SAMPLER_PCS_MAX);

    return fxt_emit_sample(emit, 1, 2, 3, pcs, n_pcs) &&
           fxt_emit_stack(emit, 1, 2, 3, pcs, n_pcs, FXT_STACK_END_OUTERMOST) &&
           fxt_emit_event_stack(emit, 1, 2, 3, pcs, n_pcs, FXT_STACK_END_OUTERMOST, 1,
                                9) &&
           fxt_emit_backtrace(emit, 1, 2, 3, pcs, n_pcs) && fxt_emit_drops(emit);
}

bool user_registrations(struct fxt_emit *emit)
{
    return fxt_emit_initialization(emit, 1000) &&
           fxt_emit_string(emit, 1, FXT_TEXT("text")) && fxt_emit_thread(emit, 1, 2, 3);
}

bool user_events(struct fxt_emit *emit, const struct fxt_event *event,
                 const struct fxt_arg *args, uint32_t n_args)
{
    return fxt_emit_event(emit, n_args, event, args, n_args);
}

static const struct fxt_string name = FXT_TEXT_INIT("name");

void user_small_args(struct fxt_arg *args)
{
    args[0] = fxt_arg_null(name);
    args[1] = fxt_arg_int32(name, -1);
    args[2] = fxt_arg_uint32(name, 1);
    args[3] = fxt_arg_bool(name, true);
}

void user_number_args(struct fxt_arg *args)
{
    args[0] = fxt_arg_int64(name, -1);
    args[1] = fxt_arg_uint64(name, 1);
    args[2] = fxt_arg_double_bits(name, 1);
    args[3] = fxt_arg_pointer(name, 1);
}

void user_other_args(struct fxt_arg *args, const void *data, uint32_t size)
{
    args[0] = fxt_arg_string(name, fxt_string_ref(1));
    args[1] = fxt_arg_koid(name, 1);
    args[2] = fxt_arg_blob(name, data, size);
}

bool user_wakeup(struct fxt_emit *emit, const struct fxt_arg *args, uint32_t n_args)
{
    return fxt_emit_wakeup(emit, 1, 2, 3, args, n_args);
}

bool user_kernel(struct fxt_emit *emit, const struct fxt_arg *args, uint32_t n_args)
{
    return fxt_emit_kernel_object(emit, FXT_OBJECT_THREAD, 1, FXT_TEXT("idle"), args,
                                  n_args) &&
           fxt_emit_context_switch(emit, 1, 2, 3, 4, 5, args, n_args);
}

bool user_bytes(struct fxt_emit *emit, const char *data, uint32_t size)
{
    return fxt_emit_log(emit, 1, fxt_thread_from(2, 3), fxt_string_at(data, size)) &&
           fxt_emit_log(emit, 1, fxt_thread_ref(2), fxt_string_at(data, size)) &&
           fxt_emit_blob(emit, FXT_BLOB_DATA, FXT_TEXT("blob"), data, size);
}

bool user_modules(struct fxt_emit *emit, const char *data, uint32_t size)
{
    return fxt_emit_module(emit, 1, 2, 3, fxt_string_at(data, size), data, size) &&
           fxt_emit_mapping(emit, 1, 2, 3, 4, 5, 6, FXT_MAPPING_EXECUTE);
}

uint64_t user_drain(void *memory, void *to, uint64_t size)
{
    const uint64_t *words;
    struct fxt_ring ring;

    if (!fxt_ring_open(&ring, memory, size))
        return 0;
    fxt_ring_consume(&ring, fxt_ring_peek(&ring, &words));
    return fxt_ring_read(&ring, to, size);
}

/* Compilers know that there is no room here, and GCC 14 looks what that leads to. */
uint64_t user_drain_nothing(void *memory, uint64_t size)
{
    struct fxt_ring ring;
    uint64_t buffer[20];

    return fxt_ring_open(&ring, memory, size) ? fxt_ring_read(&ring, buffer, 0) : 0;
}

bool user_gate(struct fxt_gate *gate)
{
    fxt_gate_init(gate);
    fxt_gate_enable(gate);
    if (fxt_gate_is_enabled(gate) && fxt_gate_enter(gate))
        fxt_gate_leave(gate);
    return fxt_gate_arm(gate);
}

bool user_stop(struct fxt_gate *gate)
{
    fxt_gate_disable(gate);
    fxt_gate_disarm(gate);
    return fxt_gate_is_quiet(gate);
}

uint64_t user_walk(const struct fxt_unwind *from, uint64_t *pcs, uint64_t n)
{
    enum fxt_unwind_stop why;
    uint64_t n_pcs = fxt_unwind_walk_why(from, pcs, n, &why);

    return n_pcs + (uint64_t)why + fxt_unwind_walk_here(from, pcs, n);
}

uint64_t user_word(struct fxt_words words, uint64_t index)
{
    return fxt_words_get(words, index);
}

FXT_END_DECLS

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the crate's tests compare with:
 *
 *     in_c layout     the types of the headers, by their names in src/sys.rs
 *     in_c records    the region that tests/records.rs writes, in C
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <fxt/emit_records.h>
#include <fxt/gate.h>
#include <fxt/ring.h>
#include <fxt/unwind.h>

#define TYPE(type, name) printf("%s %zu %zu\n", name, sizeof(type), _Alignof(type))
#define MEMBER(type, name, member, member_name)                                          \
    printf("%s.%s %zu %zu\n", name, member_name, offsetof(type, member),                 \
           sizeof(((type *)0)->member))
#define SAME(type, name, member) MEMBER(type, name, member, #member)

static void print_emit(void)
{
    TYPE(struct fxt_emit, "Emit");
    SAME(struct fxt_emit, "Emit", words);
    SAME(struct fxt_emit, "Emit", pos);
    SAME(struct fxt_emit, "Emit", limit);
    SAME(struct fxt_emit, "Emit", control);
    SAME(struct fxt_emit, "Emit", time);
    SAME(struct fxt_emit, "Emit", n_words);
    SAME(struct fxt_emit, "Emit", dropped_records);
    SAME(struct fxt_emit, "Emit", dropped_bytes);
    SAME(struct fxt_emit, "Emit", invalid_records);
    SAME(struct fxt_emit, "Emit", full);
    SAME(struct fxt_emit, "Emit", cpu);
    SAME(struct fxt_emit, "Emit", unreported_records);
    SAME(struct fxt_emit, "Emit", unreported_bytes);
    SAME(struct fxt_emit, "Emit", unreported_first);
    SAME(struct fxt_emit, "Emit", unreported_last);
    SAME(struct fxt_emit, "Emit", faults);
}

static void print_ring_and_gate(void)
{
    TYPE(struct fxt_ring, "Ring");
    SAME(struct fxt_ring, "Ring", control);
    SAME(struct fxt_ring, "Ring", words);
    SAME(struct fxt_ring, "Ring", n_words);
    SAME(struct fxt_ring, "Ring", tail);
    SAME(struct fxt_ring, "Ring", shown);
    SAME(struct fxt_ring, "Ring", faults);
    SAME(struct fxt_ring, "Ring", skipped_bytes);
    TYPE(struct fxt_gate, "Gate");
    SAME(struct fxt_gate, "Gate", state);
}

static void print_values(void)
{
    TYPE(struct fxt_string, "String");
    SAME(struct fxt_string, "String", data);
    SAME(struct fxt_string, "String", size);
    MEMBER(struct fxt_string, "String", ref, "reference");
    TYPE(struct fxt_bytes, "Bytes");
    SAME(struct fxt_bytes, "Bytes", data);
    SAME(struct fxt_bytes, "Bytes", size);
    TYPE(struct fxt_words, "Words");
    SAME(struct fxt_words, "Words", data);
    SAME(struct fxt_words, "Words", count);
    SAME(struct fxt_words, "Words", swapped);
    TYPE(struct fxt_thread, "Thread");
    SAME(struct fxt_thread, "Thread", process);
    SAME(struct fxt_thread, "Thread", thread);
    MEMBER(struct fxt_thread, "Thread", ref, "reference");
    SAME(struct fxt_thread, "Thread", known);
}

static void print_events(void)
{
    TYPE(struct fxt_arg, "Arg");
    SAME(struct fxt_arg, "Arg", name);
    MEMBER(struct fxt_arg, "Arg", type, "kind");
    SAME(struct fxt_arg, "Arg", unknown_bits);
    SAME(struct fxt_arg, "Arg", value);
    TYPE(struct fxt_event, "Event");
    SAME(struct fxt_event, "Event", timestamp);
    SAME(struct fxt_event, "Event", thread);
    SAME(struct fxt_event, "Event", category);
    SAME(struct fxt_event, "Event", name);
    SAME(struct fxt_event, "Event", id);
    SAME(struct fxt_event, "Event", end_timestamp);
    SAME(struct fxt_event, "Event", scope);
}

static void print_unwind(void)
{
    TYPE(struct fxt_unwind, "Unwind");
    SAME(struct fxt_unwind, "Unwind", pc);
    SAME(struct fxt_unwind, "Unwind", frame);
    SAME(struct fxt_unwind, "Unwind", stack_low);
    SAME(struct fxt_unwind, "Unwind", stack_high);
    SAME(struct fxt_unwind, "Unwind", stacks);
    SAME(struct fxt_unwind, "Unwind", n_stacks);
    SAME(struct fxt_unwind, "Unwind", skip);
    SAME(struct fxt_unwind, "Unwind", link);
    SAME(struct fxt_unwind, "Unwind", is_code);
    SAME(struct fxt_unwind, "Unwind", read);
    SAME(struct fxt_unwind, "Unwind", context);
    SAME(struct fxt_unwind, "Unwind", signature_bits);
    TYPE(struct fxt_unwind_range, "StackRange");
    SAME(struct fxt_unwind_range, "StackRange", low);
    SAME(struct fxt_unwind_range, "StackRange", high);
}

static void write_samples(struct fxt_emit *emit)
{
    uint64_t pcs[] = {10, 11, 12};

    fxt_emit_sample(emit, 1, 2, 3, pcs, 3);
    fxt_emit_stack(emit, 4, 5, 6, pcs, 3, FXT_STACK_END_NO_PROGRESS);
    fxt_emit_backtrace(emit, 7, 8, 9, pcs, 2);
}

static void write_events(struct fxt_emit *emit)
{
    struct fxt_arg args[] = {
        fxt_arg_null(FXT_TEXT("null")),
        fxt_arg_int32(FXT_TEXT("int32"), -32),
        fxt_arg_uint32(FXT_TEXT("uint32"), 32),
        fxt_arg_int64(FXT_TEXT("int64"), -64),
        fxt_arg_uint64(FXT_TEXT("uint64"), 64),
        fxt_arg_double_bits(FXT_TEXT("double"), 0x3ff0000000000000),
        fxt_arg_string(FXT_TEXT("string"), fxt_string_ref(7)),
        fxt_arg_pointer(FXT_TEXT("pointer"), 0xffffffff80100000),
        fxt_arg_koid(FXT_TEXT("koid"), 99),
        fxt_arg_bool(FXT_TEXT("bool"), true),
        fxt_arg_blob(FXT_TEXT("blob"), "abc", 3),
    };
    struct fxt_event event = {.timestamp = 100,
                              .thread = fxt_thread_ref(5),
                              .category = FXT_TEXT("category"),
                              .name = fxt_string_ref(7)};

    for (uint32_t type = 0; type <= FXT_EVENT_FLOW_END; type++) {
        event.scope = FXT_SCOPE_PROCESS;
        event.end_timestamp = 200 + type;
        event.id = 300 + type;
        fxt_emit_event(emit, type, &event, args, type);
    }
    fxt_emit_log(emit, 400, fxt_thread_from(20, 30), FXT_TEXT("message"));
    fxt_emit_kernel_object(emit, 2, 30, FXT_TEXT("idle"), args, 11);
    fxt_emit_context_switch(emit, 500, 3, 4, 30, 31, args, 2);
    fxt_emit_wakeup(emit, 600, 3, 31, args, 1);
}

static void write_records(struct fxt_emit *emit)
{
    fxt_emit_initialization(emit, 1000);
    fxt_emit_string(emit, 7, FXT_TEXT("registered"));
    fxt_emit_thread(emit, 5, 50, 51);
    write_samples(emit);
    write_events(emit);
    fxt_emit_blob(emit, 1, FXT_TEXT("stream"), "bytes", 5);
    fxt_emit_module(emit, 700, 1, 2, FXT_TEXT("vmlinux"), "\1\2\3", 3);
    fxt_emit_mapping(emit, 800, 1, 2, 3, 4, 5, FXT_MAPPING_READ | FXT_MAPPING_EXECUTE);
}

int main(int argc, char **argv)
{
    static uint64_t region[1024];
    struct fxt_emit emit;

    if (argc == 2 && strcmp(argv[1], "layout") == 0) {
        print_emit();
        print_ring_and_gate();
        print_values();
        print_events();
        print_unwind();
        return 0;
    }
    fxt_emit_init(&emit, region, sizeof(region));
    write_records(&emit);
    return fwrite(region, sizeof(*region), emit.pos, stdout) != emit.pos;
}

// SPDX-License-Identifier: BSD-2-Clause
//! libfxtemit as C has it. `layout.rs` compares these types with the headers.

use core::ffi::c_void;

#[repr(C)]
pub struct Emit {
    pub words: *mut u64,
    pub pos: u64,
    pub limit: u64,
    pub control: *mut c_void,
    pub time: u64,
    pub n_words: u64,
    pub dropped_records: u64,
    pub dropped_bytes: u64,
    pub invalid_records: u64,
    pub full: bool,
    pub cpu: u32,
    pub unreported_records: u64,
    pub unreported_bytes: u64,
    pub unreported_first: u64,
    pub unreported_last: u64,
    pub faults: u64,
}

#[repr(C)]
pub struct Ring {
    pub control: *mut c_void,
    pub words: *const u64,
    pub n_words: u64,
    pub tail: u64,
    pub shown: u64,
    pub faults: u64,
    pub skipped_bytes: u64,
}

#[repr(C)]
pub struct Gate {
    pub state: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct String {
    pub data: *const u8,
    pub size: u32,
    pub reference: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    pub data: *const c_void,
    pub size: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Words {
    pub data: *const c_void,
    pub count: u64,
    pub swapped: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Thread {
    pub process: u64,
    pub thread: u64,
    pub reference: u8,
    pub known: bool,
}

/// C has a double among these, which kernels pass as its bits.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Value {
    pub int32: i32,
    pub uint32: u32,
    pub int64: i64,
    pub uint64: u64,
    pub string: String,
    pub boolean: bool,
    pub blob: Bytes,
    pub unknown: Words,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Arg {
    pub name: String,
    pub kind: u32,
    pub unknown_bits: u32,
    pub value: Value,
}

#[repr(C)]
pub struct Event {
    pub timestamp: u64,
    pub thread: Thread,
    pub category: String,
    pub name: String,
    pub id: u64,
    pub end_timestamp: u64,
    pub scope: u64,
}

pub type IsCode = unsafe extern "C" fn(context: *mut c_void, pc: usize) -> bool;
pub type Read =
    unsafe extern "C" fn(context: *mut c_void, address: usize, words: *mut usize) -> bool;

#[repr(C)]
pub struct Unwind {
    pub pc: usize,
    pub frame: usize,
    pub stack_low: usize,
    pub stack_high: usize,
    pub stacks: *const c_void,
    pub n_stacks: u32,
    pub skip: u32,
    pub link: usize,
    pub is_code: Option<IsCode>,
    pub read: Option<Read>,
    pub context: *mut c_void,
    pub signature_bits: usize,
}

extern "C" {
    pub fn fxt_emit_init(emit: *mut Emit, region: *mut c_void, size: u64) -> bool;
    pub fn fxt_emit_init_ring(
        emit: *mut Emit,
        memory: *mut c_void,
        size: u64,
        cpu: u32,
    ) -> bool;
    pub fn fxt_emit_drops(emit: *mut Emit) -> bool;
    pub fn fxt_emit_sample(
        emit: *mut Emit,
        timestamp: u64,
        process: u64,
        thread: u64,
        pcs: *const u64,
        n_pcs: u64,
    ) -> bool;
    pub fn fxt_emit_stack(
        emit: *mut Emit,
        timestamp: u64,
        process: u64,
        thread: u64,
        pcs: *const u64,
        n_pcs: u64,
        end: u32,
    ) -> bool;
    pub fn fxt_emit_backtrace(
        emit: *mut Emit,
        timestamp: u64,
        process: u64,
        thread: u64,
        pcs: *const u64,
        n_pcs: u64,
    ) -> bool;
    pub fn fxt_emit_initialization(emit: *mut Emit, ticks_per_second: u64) -> bool;
    pub fn fxt_emit_string(emit: *mut Emit, index: u32, value: String) -> bool;
    pub fn fxt_emit_thread(
        emit: *mut Emit,
        index: u32,
        process: u64,
        thread: u64,
    ) -> bool;
    pub fn fxt_emit_event(
        emit: *mut Emit,
        kind: u32,
        event: *const Event,
        args: *const Arg,
        n_args: u32,
    ) -> bool;
    pub fn fxt_emit_kernel_object(
        emit: *mut Emit,
        kind: u32,
        koid: u64,
        name: String,
        args: *const Arg,
        n_args: u32,
    ) -> bool;
    pub fn fxt_emit_context_switch(
        emit: *mut Emit,
        timestamp: u64,
        cpu: u32,
        outgoing_state: u32,
        outgoing_thread: u64,
        incoming_thread: u64,
        args: *const Arg,
        n_args: u32,
    ) -> bool;
    pub fn fxt_emit_wakeup(
        emit: *mut Emit,
        timestamp: u64,
        cpu: u32,
        waking_thread: u64,
        args: *const Arg,
        n_args: u32,
    ) -> bool;
    pub fn fxt_emit_log(
        emit: *mut Emit,
        timestamp: u64,
        thread: Thread,
        message: String,
    ) -> bool;
    pub fn fxt_emit_blob(
        emit: *mut Emit,
        kind: u32,
        name: String,
        data: *const c_void,
        size: u64,
    ) -> bool;
    pub fn fxt_emit_module(
        emit: *mut Emit,
        timestamp: u64,
        process: u64,
        module_id: u32,
        name: String,
        build_id: *const c_void,
        build_id_size: u64,
    ) -> bool;
    pub fn fxt_emit_mapping(
        emit: *mut Emit,
        timestamp: u64,
        process: u64,
        module_id: u32,
        start: u64,
        length: u64,
        vaddr: u64,
        flags: u32,
    ) -> bool;

    pub fn fxt_ring_open(ring: *mut Ring, memory: *mut c_void, size: u64) -> bool;
    pub fn fxt_ring_peek(ring: *mut Ring, words: *mut *const u64) -> u64;
    pub fn fxt_ring_consume(ring: *mut Ring, n_words: u64);
    pub fn fxt_ring_read(ring: *mut Ring, to: *mut c_void, size: u64) -> u64;

    pub fn fxt_gate_enable(gate: *mut Gate);
    pub fn fxt_gate_disable(gate: *mut Gate);
    pub fn fxt_gate_is_enabled(gate: *const Gate) -> bool;
    pub fn fxt_gate_enter(gate: *mut Gate) -> bool;
    pub fn fxt_gate_leave(gate: *mut Gate);
    pub fn fxt_gate_arm(gate: *mut Gate) -> bool;
    pub fn fxt_gate_disarm(gate: *mut Gate);
    pub fn fxt_gate_is_quiet(gate: *const Gate) -> bool;

    pub fn fxt_unwind_walk_why(
        from: *const Unwind,
        pcs: *mut u64,
        max_pcs: u64,
        why: *mut u32,
    ) -> u64;
    pub fn fxt_unwind_walk_here(how: *const Unwind, pcs: *mut u64, max_pcs: u64) -> u64;
}

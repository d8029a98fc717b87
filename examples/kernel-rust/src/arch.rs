// SPDX-License-Identifier: BSD-2-Clause
//! The border to the machine's part: `examples/kernel/arch.h` in Rust.

use core::arch::global_asm;
use core::ops::Range;
use core::ptr::addr_of;

use crate::{main, report, sampler};

/// As in `layout.h`: two CPUs, of which one is started, with three stacks each.
const STACK_BYTES: usize = 16384;
const STACKS_BYTES: usize = 2 * 3 * STACK_BYTES;

/// The nanoseconds of qemu's clock.
pub const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// What an interrupt saves: `struct trap_frame` in `machine.h`.
#[repr(C)]
pub struct TrapFrame {
    /// A frame record, as if the interrupted function had called the handler, and another
    /// one if it has none yet: `arch_link_frames` has made them.
    records: [usize; 4],
    registers: [usize; 16],
    rip: usize,
    others: [usize; 4],
}

impl TrapFrame {
    /// The interrupted instruction.
    pub fn pc(&self) -> usize {
        self.rip
    }

    /// The frame pointer that leads to all callers.
    pub fn frame(&self) -> usize {
        self.records[0]
    }
}

#[repr(C, align(16384))]
struct Stacks([u8; STACKS_BYTES]);

#[export_name = "stacks"]
static mut STACKS: Stacks = Stacks([0; STACKS_BYTES]);

/// What the first CPU's thread runs on.
pub fn thread_stack() -> Range<usize> {
    let low = unsafe { addr_of!(STACKS) } as usize;

    low..low + STACK_BYTES
}

/// What interrupts it.
pub fn tick_stack() -> Range<usize> {
    let low = thread_stack().end;

    low..low + STACK_BYTES
}

extern "C" {
    fn arch_init_cpu();
    fn arch_set_tick(ns: u32);
    fn arch_cancel_tick() -> bool;
    fn arch_exit() -> !;
    static text_start: u8;
    static text_end: u8;
}

/// The kernel's text.
pub fn text() -> Range<usize> {
    unsafe { addr_of!(text_start) as usize..addr_of!(text_end) as usize }
}

/// Sets off one tick, so many nanoseconds from now.
pub fn set_tick(ns: u32) {
    unsafe { arch_set_tick(ns) }
}

/// Takes it back. False if it is too late, and the handler will run.
pub fn cancel_tick() -> bool {
    unsafe { arch_cancel_tick() }
}

/// The time, in ticks of the clock.
pub fn ticks() -> u64 {
    unsafe { core::arch::x86_64::_rdtsc() }
}

pub fn relax() {
    core::hint::spin_loop();
}

/// Turns the machine off.
pub fn exit() -> ! {
    unsafe { arch_exit() }
}

// The target's code uses SSE: it is switched on, and saved where code is interrupted. The
// outermost frame has no caller.
global_asm!(
    ".text",
    ".global kernel_main",
    ".type kernel_main, @function",
    "kernel_main:",
    "mov rax, cr4",
    "or rax, 0x600", // OSFXSR, OSXMMEXCPT
    "mov cr4, rax",
    "push 0",
    "push 0",
    "push 0",
    "mov rbp, rsp",
    "call kernel_begin",
    "ud2",
    ".size kernel_main, . - kernel_main",
    ".global kernel_tick",
    ".type kernel_tick, @function",
    "kernel_tick:",
    "push rbp",
    "mov rbp, rsp",
    "sub rsp, 512",
    "and rsp, -16",
    "fxsave64 [rsp]",
    "call kernel_take",
    "fxrstor64 [rsp]",
    "leave",
    "ret",
    ".size kernel_tick, . - kernel_tick",
);

#[no_mangle]
extern "C" fn kernel_begin() -> ! {
    unsafe { arch_init_cpu() };
    main();
    report::finish();
    exit()
}

#[no_mangle]
extern "C" fn kernel_take(trap: &TrapFrame) {
    sampler::take(trap);
}

// What is not used here: other CPUs, and a watchdog, which the last CPU starts.

#[no_mangle]
extern "C" fn kernel_secondary() -> ! {
    kernel_panic(core::ptr::null(), 0)
}

#[no_mangle]
extern "C" fn kernel_watchdog(_: &TrapFrame) {
    kernel_panic(core::ptr::null(), 0)
}

#[no_mangle]
extern "C" fn kernel_panic(_why: *const u8, pc: usize) -> ! {
    report::fail(b"an exception", pc);
    exit()
}

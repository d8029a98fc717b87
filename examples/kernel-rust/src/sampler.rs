// SPDX-License-Identifier: BSD-2-Clause
//! The sampler: starts and stops a session, and takes a stack in each tick in between.

use core::ptr::{addr_of, addr_of_mut};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use fxt_emit::emit::SAMPLER_PCS_MAX;
use fxt_emit::unwind::{StackRange, Walk};
use fxt_emit::{Emitter, Gated};

use crate::arch::{self, TrapFrame};
use crate::report::{self, Row};

/// The process and the thread that run on this CPU.
const PROCESS: u64 = 1;
const THREAD: u64 = 100;

/// Between ticks, on average.
const TICK_NS: u32 = 300_000;

const REGION_WORDS: usize = 1 << 15;
static mut REGION: [u64; REGION_WORDS] = [0; REGION_WORDS];

/// Of this CPU: only the writer inside the gate gets to the emitter.
static EMITTER: Gated<Option<Emitter<'static>>> = Gated::new(None);

/// How many samples were taken, whether there was room for them or not.
static N_TAKEN: AtomicU64 = AtomicU64::new(0);

pub fn n_taken() -> u64 {
    N_TAKEN.load(Ordering::Relaxed)
}

/// Starts a session; none may be running.
pub fn start() {
    // SAFETY: the gate is not enabled yet, and no session before this one uses the
    // region.
    let (emitter, region) =
        unsafe { (EMITTER.stopped().unwrap(), &mut *addr_of_mut!(REGION)) };

    emitter
        .insert(Emitter::region(region))
        .kernel_object(1, PROCESS, "kernel", &[]);
    EMITTER.gate().enable();
    set_tick();
}

/// Stops it: from here on nothing is written.
pub fn stop() {
    let gate = EMITTER.gate();

    gate.disable();
    if arch::cancel_tick() {
        gate.disarm();
    }
    while !gate.is_quiet() {
        arch::relax();
    }
}

/// Reports a session that was stopped.
pub fn report_samples() {
    // SAFETY: the session was stopped, and no other is started.
    if let Some(Some(emitter)) = unsafe { EMITTER.stopped() } {
        report::set(Row {
            session: 0,
            cpu: 0,
            source: 0,
            address: unsafe { addr_of!(REGION) } as u64,
            size: (REGION_WORDS * 8) as u64,
            n_taken: n_taken(),
            n_dropped: emitter.dropped_records(),
            n_invalid: emitter.invalid_records(),
        });
    }
}

/// What the timer's handler calls.
pub fn take(trap: &TrapFrame) {
    if EMITTER.gate().is_enabled() {
        take_stack(trap);
    }
    set_tick();
}

/// The tick has its own stack: the walk goes from there, or directly, to the thread's.
fn take_stack(trap: &TrapFrame) {
    let mut pcs = [0; SAMPLER_PCS_MAX];
    let text = arch::text();
    let thread_stack = arch::thread_stack();
    let stacks = [StackRange {
        low: thread_stack.start,
        high: thread_stack.end,
    }];
    let walk = Walk::new(trap.pc(), trap.frame(), arch::tick_stack());
    // SAFETY: both stacks are this CPU's, and always mapped.
    let found = unsafe { walk.stacks(&stacks).code(&text).walk(&mut pcs) };

    if let Some(mut inside) = EMITTER.enter() {
        if let Some(emitter) = inside.as_mut() {
            let (now, end) = (arch::ticks(), found.stop.into());

            N_TAKEN.fetch_add(1, Ordering::Relaxed);
            emitter.stack(now, PROCESS, THREAD, found.pcs, end);
        }
    }
}

/// Sets the next tick, while the session runs.
fn set_tick() {
    if EMITTER.gate().arm() {
        arch::set_tick(choose_time());
    }
}

/// A time that is not always the same, from 1/2 to 3/2 of the period, so that ticks do
/// not fall in step with what they interrupt.
fn choose_time() -> u32 {
    static RANDOM: AtomicU32 = AtomicU32::new(0);
    let last = RANDOM.load(Ordering::Relaxed);
    let random = last.wrapping_mul(1664525).wrapping_add(1013904223);

    RANDOM.store(random, Ordering::Relaxed);
    TICK_NS / 2 + ((u64::from(random) * u64::from(TICK_NS)) >> 32) as u32
}

// SPDX-License-Identifier: BSD-2-Clause
//! A kernel that samples itself through the crate fxt-emit: one CPU that works, and what
//! its timer interrupt finds, in a region.
//!
//! The machine's part, in C and assembler, is that of `examples/kernel/arch/x86_64`,
//! which calls the functions of `arch.rs`.
#![no_std]
// Older compilers require it for the address of a static.
#![allow(unused_unsafe)]

mod arch;
mod report;
mod sampler;
mod work;

use core::panic::PanicInfo;

/// How many samples a session takes.
const N_SAMPLES: u64 = 400;

/// Works until the session has its samples, and says where they are.
fn main() {
    sampler::start();
    while sampler::n_taken() < N_SAMPLES {
        work::round();
    }
    sampler::stop();
    sampler::report_samples();
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    report::fail(b"a panic", 0);
    arch::exit()
}

/// What `core`, which is compiled for programs that unwind, has a reference to.
#[no_mangle]
extern "C" fn rust_eh_personality() {}

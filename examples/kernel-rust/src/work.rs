// SPDX-License-Identifier: BSD-2-Clause
//! Something to sample: six parts `parse`, three `fold`, one `link`.

use core::arch::asm;

/// Opaque to the compiler, which neither makes one function of two with the same text,
/// nor a function's last call one that takes the place of its frame.
macro_rules! opaque {
    ($text:literal) => {
        // SAFETY: this is no instruction.
        unsafe { asm!(concat!("# ", $text), options(nostack, preserves_flags)) }
    };
}

const SPINS_PER_UNIT: u32 = 40;

#[inline(never)]
pub fn round() {
    compile(6, 3);
    link(1);
    opaque!("round");
}

#[inline(never)]
fn compile(n_parse: u32, n_fold: u32) {
    parse(n_parse);
    optimise(n_fold);
    opaque!("compile");
}

#[inline(never)]
fn optimise(n_units: u32) {
    fold(n_units);
    opaque!("optimise");
}

#[inline(never)]
fn parse(n_units: u32) {
    for _ in 0..n_units * SPINS_PER_UNIT {
        spin();
    }
    opaque!("parse");
}

#[inline(never)]
fn fold(n_units: u32) {
    for _ in 0..n_units * SPINS_PER_UNIT {
        spin();
    }
    opaque!("fold");
}

#[inline(never)]
fn link(n_units: u32) {
    for _ in 0..n_units * SPINS_PER_UNIT {
        spin();
    }
    opaque!("link");
}

#[inline(never)]
fn spin() {
    let mut n = 0;

    while n < 12 {
        n += 1;
        // SAFETY: this is no instruction; what it might do to `n` keeps the loop.
        unsafe {
            asm!("# {0:e}", inout(reg) n, options(nomem, nostack, preserves_flags))
        };
    }
}

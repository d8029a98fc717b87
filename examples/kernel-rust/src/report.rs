// SPDX-License-Identifier: BSD-2-Clause
//! Where the samples are, at the symbol `report`, for readers of the kernel's memory: as
//! `examples/kernel/report.h`, with room for one row.

use core::ptr::addr_of_mut;

use crate::arch;

/// A region, and what its emitter has counted.
#[repr(C)]
pub struct Row {
    pub session: u64,
    pub cpu: u64,
    pub source: u64,
    pub address: u64,
    pub size: u64,
    pub n_taken: u64,
    pub n_dropped: u64,
    pub n_invalid: u64,
}

const NO_ROW: Row = Row {
    session: 0,
    cpu: 0,
    source: 0,
    address: 0,
    size: 0,
    n_taken: 0,
    n_dropped: 0,
    n_invalid: 0,
};

#[repr(C)]
struct Report {
    magic: u64,
    done: u64,
    why: [u8; 64],
    pc: u64,
    ticks_per_second: u64,
    n: u64,
    rows: [Row; 1],
}

#[export_name = "report"]
static mut REPORT: Report = Report {
    magic: 0x74726f7065525846, // "FXReport"
    done: 0,
    why: [0; 64],
    pc: 0,
    ticks_per_second: arch::TICKS_PER_SECOND,
    n: 0,
    rows: [NO_ROW],
};

/// Says where the samples are.
pub fn set(row: Row) {
    // SAFETY: only this CPU writes, and not in its interrupts.
    unsafe {
        let report = &mut *addr_of_mut!(REPORT);

        report.rows = [row];
        report.n = 1;
    }
}

/// Says that the end was reached.
pub fn finish() {
    // SAFETY: as above.
    unsafe { (*addr_of_mut!(REPORT)).done = 1 }
}

/// Says that something went wrong, after which nothing else is done.
pub fn fail(why: &[u8], pc: usize) {
    // SAFETY: nothing continues that could use it.
    let report = unsafe { &mut *addr_of_mut!(REPORT) };

    for (to, from) in report.why.iter_mut().zip(why) {
        *to = *from;
    }
    report.pc = pc as u64;
}

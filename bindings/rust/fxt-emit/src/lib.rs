// SPDX-License-Identifier: BSD-2-Clause
//! Writes records of the Fuchsia trace format (FXT) from restricted contexts: a kernel's
//! interrupt handler, an NMI, a signal handler. Over libfxtemit, which has the functions
//! of libfxt's freestanding headers.
//!
//! Nothing here allocates, waits, takes a lock, uses floating point or panics, and the
//! stack that it uses is a few hundred bytes. The crate depends on `core` only.
//!
//! ```
//! use fxt_emit::Emitter;
//!
//! let mut memory = [0; 512]; // one for each CPU; whole pages in a kernel
//! let mut emitter = Emitter::region(&mut memory);
//!
//! for now in 0..100 { // your timer interrupt
//!     emitter.sample(now, 1, 2, &[0xffffffff80100f6f, 0xffffffff80101a20]);
//! }
//! let saved = emitter.records(); // to a file, for fxt2folded
//! # assert_eq!(saved.len(), 63 * 8);
//! # assert_eq!(emitter.dropped_records(), 37);
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`emit`] | [`Emitter`]: samples and other records, to a region or a ring |
//! | [`values`] | strings, threads and arguments of records |
//! | [`ring`] | [`Ring`]: drains a ring while it is written |
//! | [`gate`] | [`Gate`] and [`Gated`]: stop writers on other CPUs, without a lock |
//! | [`unwind`] | [`Walk`](unwind::Walk): callers, by frame pointers |
#![no_std]
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

#[cfg(test)]
extern crate std;

/// Tests its program.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod emit;
pub mod gate;
#[cfg(test)]
mod layout;
mod records;
pub mod ring;
mod sys;
pub mod unwind;
pub mod values;

pub use emit::{Emitter, StackEnd};
pub use gate::{Gate, Gated};
pub use ring::Ring;
pub use values::{Arg, Event, EventKind, Scope, Text, Thread};

// SPDX-License-Identifier: BSD-2-Clause
//! Reads and writes the Fuchsia trace format, by libfxt.
//!
//! ```no_run
//! # fn main() -> Result<(), fxt::Error> {
//! let mut reader = fxt::Reader::open("trace.fxt")?;
//!
//! reader.on_fault(|fault| eprintln!("{}", fault));
//! while let Some(record) = reader.next_record()? {
//!     if let Some(event) = record.event() {
//!         println!("{:?} {}", record.time_ns(), event.name.to_string_lossy());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Reader::next_record`] hands out records without a copy; [`Reader::records`] and
//! [`Reader::samples`] are iterators of what owns its content. The fields of records are
//! described in libfxt's `fxt/record.h`.

extern crate fxt_sys as sys;

mod error;
mod read;
mod record;
mod value;
mod write;

pub use error::{Error, Fault, Severity};
pub use read::{Options, Reader, Stack};
pub use record::{Data, Event, Provider, Record, RecordBuf, Sample};
pub use value::{Arg, Text, Thread, Value, Words};
pub use write::Writer;

/// The kinds of events.
pub mod event {
    pub const INSTANT: u32 = 0;
    pub const COUNTER: u32 = 1;
    pub const DURATION_BEGIN: u32 = 2;
    pub const DURATION_END: u32 = 3;
    pub const DURATION_COMPLETE: u32 = 4;
    pub const ASYNC_BEGIN: u32 = 5;
    pub const ASYNC_INSTANT: u32 = 6;
    pub const ASYNC_END: u32 = 7;
    pub const FLOW_BEGIN: u32 = 8;
    pub const FLOW_STEP: u32 = 9;
    pub const FLOW_END: u32 = 10;
}

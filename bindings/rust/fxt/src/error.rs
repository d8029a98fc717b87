// SPDX-License-Identifier: BSD-2-Clause
//! What goes wrong: calls that fail, and faults in the data.

use std::ffi::CStr;
use std::fmt;
use std::io;

/// Text of the library that ends in a zero and is never freed.
fn constant(text: *const sys::c_char) -> &'static str {
    // SAFETY: the library's names and messages are static.
    unsafe { CStr::from_ptr(text.cast()) }
        .to_str()
        .unwrap_or("")
}

/// A call that failed.
#[derive(Debug)]
pub enum Error {
    /// `enum fxt_code` in `fxt/common.h`.
    Code(i32),
    /// The input could not be read, or the output not written.
    Io(io::Error),
}

impl Error {
    /// A short word for a code, such as `size_zero`; `io` for an error of input or output.
    pub fn name(&self) -> &'static str {
        match self {
            // SAFETY: the function takes any number.
            Error::Code(code) => constant(unsafe { sys::fxt_code_name(*code) }),
            Error::Io(_) => "io",
        }
    }

    pub(crate) fn check(code: i32) -> Result<(), Error> {
        match code {
            sys::FXT_OK => Ok(()),
            _ => Err(Error::Code(code)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // SAFETY: the function takes any number.
            Error::Code(code) => {
                f.write_str(constant(unsafe { sys::fxt_code_message(*code) }))
            }
            Error::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

/// How much a fault has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing: the data is newer than the library.
    Note,
    /// The record was kept, and something in it lost its meaning.
    Warning,
    /// A record, or a stretch of input.
    Error,
    /// The rest of the stream.
    Fatal,
}

/// A report about the data: `struct fxt_error` in `fxt/common.h`.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub code: i32,
    pub severity: Severity,
    pub offset: u64,
    pub byte: u64,
    pub skipped: u64,
    pub value: u64,
}

impl Fault {
    pub(crate) fn new(error: &sys::Error) -> Fault {
        Fault {
            code: error.code,
            severity: match error.severity {
                1 => Severity::Note,
                2 => Severity::Warning,
                3 => Severity::Error,
                _ => Severity::Fatal,
            },
            offset: error.offset,
            byte: error.byte,
            skipped: error.skipped,
            value: error.value,
        }
    }

    /// A short word for the code, such as `truncated`.
    pub fn name(&self) -> &'static str {
        Error::Code(self.code).name()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {}", self.offset, Error::Code(self.code))
    }
}

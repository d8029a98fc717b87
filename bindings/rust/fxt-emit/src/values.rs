// SPDX-License-Identifier: BSD-2-Clause
//! The values inside records: strings, threads, arguments, and an event without them.

use core::marker::PhantomData;
use core::ptr;

use crate::sys;

/// A string of a record: bytes that are stored in it, or a reference to a string that was
/// registered by [`Emitter::string`](crate::Emitter::string).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text<'a> {
    pub(crate) raw: sys::String,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Text<'a> {
    /// Bytes of any content, which should be UTF-8. More than 32,000 make a record
    /// invalid.
    pub const fn new(bytes: &'a [u8]) -> Self {
        let size = if bytes.len() < u32::MAX as usize {
            bytes.len() as u32
        } else {
            u32::MAX
        };
        let raw = sys::String {
            data: bytes.as_ptr(),
            size,
            reference: 0,
        };

        Text {
            raw,
            bytes: PhantomData,
        }
    }

    /// An index that was registered.
    pub(crate) fn registered(index: u16) -> Text<'static> {
        let raw = sys::String {
            data: ptr::null(),
            size: 0,
            reference: index,
        };

        Text {
            raw,
            bytes: PhantomData,
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::new(text.as_bytes())
    }
}

impl<'a> From<&'a [u8]> for Text<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Text::new(bytes)
    }
}

/// A thread of a record: its koids, or a reference to what was registered by
/// [`Emitter::thread`](crate::Emitter::thread).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Thread {
    pub(crate) raw: sys::Thread,
}

impl Thread {
    /// A thread by its koids, or whatever ids this system has.
    pub const fn new(process: u64, thread: u64) -> Self {
        Thread {
            raw: sys::Thread {
                process,
                thread,
                reference: 0,
                known: true,
            },
        }
    }

    /// An index that was registered.
    pub(crate) fn registered(index: u8) -> Self {
        let raw = sys::Thread {
            process: 0,
            thread: 0,
            reference: index,
            known: true,
        };

        Thread { raw }
    }
}

/// A named, typed value attached to a record. A record has at most 15.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Arg<'a> {
    // Read by C.
    #[allow(dead_code)]
    pub(crate) raw: sys::Arg,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Arg<'a> {
    fn make(name: Text<'a>, kind: u32, value: sys::Value) -> Self {
        let raw = sys::Arg {
            name: name.raw,
            kind,
            unknown_bits: 0,
            value,
        };

        Arg {
            raw,
            bytes: PhantomData,
        }
    }

    /// A name without a value.
    pub fn null(name: impl Into<Text<'a>>) -> Self {
        Self::make(name.into(), 0, sys::Value { uint64: 0 })
    }

    /// A number that takes no additional word.
    pub fn int32(name: impl Into<Text<'a>>, int32: i32) -> Self {
        Self::make(name.into(), 1, sys::Value { int32 })
    }

    /// A number that takes no additional word.
    pub fn uint32(name: impl Into<Text<'a>>, uint32: u32) -> Self {
        Self::make(name.into(), 2, sys::Value { uint32 })
    }

    /// A number.
    pub fn int64(name: impl Into<Text<'a>>, int64: i64) -> Self {
        Self::make(name.into(), 3, sys::Value { int64 })
    }

    /// A number.
    pub fn uint64(name: impl Into<Text<'a>>, uint64: u64) -> Self {
        Self::make(name.into(), 4, sys::Value { uint64 })
    }

    /// A double by its bits, since kernels do not use floating point.
    pub fn double_bits(name: impl Into<Text<'a>>, bits: u64) -> Self {
        Self::make(name.into(), 5, sys::Value { uint64: bits })
    }

    /// A string.
    pub fn string(name: impl Into<Text<'a>>, value: impl Into<Text<'a>>) -> Self {
        Self::make(
            name.into(),
            6,
            sys::Value {
                string: value.into().raw,
            },
        )
    }

    /// An address.
    pub fn pointer(name: impl Into<Text<'a>>, address: u64) -> Self {
        Self::make(name.into(), 7, sys::Value { uint64: address })
    }

    /// The id of a kernel object.
    pub fn koid(name: impl Into<Text<'a>>, koid: u64) -> Self {
        Self::make(name.into(), 8, sys::Value { uint64: koid })
    }

    /// True or false.
    pub fn bool(name: impl Into<Text<'a>>, boolean: bool) -> Self {
        Self::make(name.into(), 9, sys::Value { boolean })
    }

    /// Bytes of any content.
    pub fn blob(name: impl Into<Text<'a>>, bytes: &'a [u8]) -> Self {
        let blob = sys::Bytes {
            data: bytes.as_ptr().cast(),
            size: bytes.len() as u64,
        };

        Self::make(name.into(), 10, sys::Value { blob })
    }
}

/// Whom an instant concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Its thread.
    Thread = 0,
    /// Its process.
    Process = 1,
    /// Everything.
    Global = 2,
}

/// What kind of event it is, with what only this kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Something happened.
    Instant(Scope),
    /// Values, which are the event's arguments, of the counter with this id.
    Counter(u64),
    /// A span begins on this thread.
    DurationBegin,
    /// The innermost span of this thread ends.
    DurationEnd,
    /// A span that began at the event's timestamp and ended at this one.
    DurationComplete(u64),
    /// An operation with this id begins, which may end on another thread.
    AsyncBegin(u64),
    /// Something happened in the operation with this id.
    AsyncInstant(u64),
    /// The operation with this id ends.
    AsyncEnd(u64),
    /// A flow with this id begins in the current span.
    FlowBegin(u64),
    /// It passes through the current span.
    FlowStep(u64),
    /// It ends in the current span.
    FlowEnd(u64),
}

/// An event without its arguments.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    /// In ticks.
    pub timestamp: u64,
    /// The thread on which it happened.
    pub thread: Thread,
    /// What readers filter by.
    pub category: Text<'a>,
    /// What readers show.
    pub name: Text<'a>,
    /// The rest.
    pub kind: EventKind,
}

impl Event<'_> {
    /// The type's number, and the event as C has it.
    pub(crate) fn to_raw(self) -> (u32, sys::Event) {
        let mut raw = sys::Event {
            timestamp: self.timestamp,
            thread: self.thread.raw,
            category: self.category.raw,
            name: self.name.raw,
            id: 0,
            end_timestamp: 0,
            scope: 0,
        };
        let (kind, id) = match self.kind {
            EventKind::Instant(scope) => {
                raw.scope = scope as u64;
                (0, 0)
            }
            EventKind::Counter(id) => (1, id),
            EventKind::DurationBegin => (2, 0),
            EventKind::DurationEnd => (3, 0),
            EventKind::DurationComplete(end) => {
                raw.end_timestamp = end;
                (4, 0)
            }
            EventKind::AsyncBegin(id) => (5, id),
            EventKind::AsyncInstant(id) => (6, id),
            EventKind::AsyncEnd(id) => (7, id),
            EventKind::FlowBegin(id) => (8, id),
            EventKind::FlowStep(id) => (9, id),
            EventKind::FlowEnd(id) => (10, id),
        };

        raw.id = id;
        (kind, raw)
    }
}

// SPDX-License-Identifier: BSD-2-Clause
//! What is inside of records: text, bytes, words, threads and arguments.

use std::borrow::Cow;
use std::slice;

/// A string of a record: any bytes, which should be UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    Bytes(&'a [u8]),
    /// A string that was never registered, by its index.
    Unknown(u16),
}

impl<'a> Text<'a> {
    /// # Safety
    /// What the string points to is valid for `'a`.
    pub(crate) unsafe fn new(raw: &sys::String) -> Text<'a> {
        if raw.data.is_null() {
            Text::Unknown(raw.reference)
        } else {
            Text::Bytes(slice::from_raw_parts(raw.data, raw.size as usize))
        }
    }

    /// Text to show: what is not UTF-8 has U+FFFD in its place, and what was never registered
    /// is its index, as `#40`.
    pub fn to_string_lossy(&self) -> Cow<'a, str> {
        match *self {
            Text::Bytes(bytes) => String::from_utf8_lossy(bytes),
            Text::Unknown(index) => Cow::Owned(format!("#{}", index)),
        }
    }
}

/// A string that was never registered is equal to none.
impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        *self == Text::Bytes(other.as_bytes())
    }
}

/// # Safety
/// What the bytes point to is valid for `'a`.
pub(crate) unsafe fn bytes<'a>(raw: &sys::Bytes) -> &'a [u8] {
    if raw.size == 0 {
        &[]
    } else {
        slice::from_raw_parts(raw.data.cast(), raw.size as usize)
    }
}

/// Words of a record, such as the PCs of a stack, in this machine's byte order.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    bytes: &'a [u8],
    swapped: bool,
}

impl<'a> Words<'a> {
    /// # Safety
    /// What the words point to is valid for `'a`.
    pub(crate) unsafe fn new(raw: &sys::Words) -> Words<'a> {
        let raw_bytes = sys::Bytes {
            data: raw.data,
            size: 8 * raw.count,
        };

        Words {
            bytes: bytes(&raw_bytes),
            swapped: raw.swapped,
        }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / 8
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + 'a {
        let swapped = self.swapped;

        self.bytes.chunks_exact(8).map(move |bytes| {
            let word = u64::from_ne_bytes(bytes.try_into().unwrap());

            if swapped {
                word.swap_bytes()
            } else {
                word
            }
        })
    }
}

/// A thread by its koids, or on Linux its ids. If it is not `known`, `reference` is the index
/// that was never registered, and the ids are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    pub process: u64,
    pub thread: u64,
    pub known: bool,
    pub reference: u8,
}

impl Thread {
    pub fn new(process: u64, thread: u64) -> Thread {
        Thread {
            process,
            thread,
            known: true,
            reference: 0,
        }
    }

    pub(crate) fn from_raw(raw: &sys::Thread) -> Thread {
        Thread {
            process: raw.process,
            thread: raw.thread,
            known: raw.known,
            reference: if raw.known { 0 } else { raw.reference },
        }
    }

    pub(crate) fn to_raw(self) -> sys::Thread {
        sys::Thread {
            process: self.process,
            thread: self.thread,
            reference: if self.known { 0 } else { self.reference },
            known: self.known,
        }
    }
}

/// The value of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    Null,
    Int32(i32),
    Uint32(u32),
    Int64(i64),
    Uint64(u64),
    Double(f64),
    String(Text<'a>),
    Pointer(u64),
    Koid(u64),
    Bool(bool),
    Blob(&'a [u8]),
    /// A type that the library does not know.
    Unknown(u32),
}

impl<'a> Value<'a> {
    /// # Safety
    /// What the argument points to is valid for `'a`.
    pub(crate) unsafe fn new(raw: &sys::Arg) -> Value<'a> {
        let value = &raw.value;

        match raw.kind {
            0 => Value::Null,
            1 => Value::Int32(value.int32),
            2 => Value::Uint32(value.uint32),
            3 => Value::Int64(value.int64),
            4 => Value::Uint64(value.uint64),
            5 => Value::Double(value.float64),
            6 => Value::String(Text::new(&value.string)),
            7 => Value::Pointer(value.uint64),
            8 => Value::Koid(value.uint64),
            9 => Value::Bool(value.boolean),
            10 => Value::Blob(bytes(&value.blob)),
            kind => Value::Unknown(kind),
        }
    }

    /// The type and the value; `None` for an unknown type.
    pub(crate) fn to_raw(self) -> Option<(u32, sys::ArgValue)> {
        use sys::ArgValue as Raw;

        Some(match self {
            Value::Null => (0, Raw { uint64: 0 }),
            Value::Int32(int32) => (1, Raw { int32 }),
            Value::Uint32(uint32) => (2, Raw { uint32 }),
            Value::Int64(int64) => (3, Raw { int64 }),
            Value::Uint64(uint64) => (4, Raw { uint64 }),
            Value::Double(float64) => (5, Raw { float64 }),
            Value::String(text) => (
                6,
                Raw {
                    string: raw_text(text),
                },
            ),
            Value::Pointer(uint64) => (7, Raw { uint64 }),
            Value::Koid(uint64) => (8, Raw { uint64 }),
            Value::Bool(boolean) => (9, Raw { boolean }),
            Value::Blob(blob) => (
                10,
                Raw {
                    blob: raw_bytes(blob),
                },
            ),
            Value::Unknown(_) => return None,
        })
    }

    /// An integer, a pointer or a koid, if it fits.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::Uint32(value) => Some(value.into()),
            Value::Uint64(value) | Value::Pointer(value) | Value::Koid(value) => {
                Some(value)
            }
            Value::Int32(value) => value.try_into().ok(),
            Value::Int64(value) => value.try_into().ok(),
            _ => None,
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::String(Text::Bytes(text.as_bytes()))
    }
}

macro_rules! from {
    ($($type:ty => $kind:ident,)*) => {
        $(impl From<$type> for Value<'_> {
            fn from(value: $type) -> Self {
                Value::$kind(value)
            }
        })*
    };
}

from! { i32 => Int32, u32 => Uint32, i64 => Int64, u64 => Uint64, f64 => Double, bool => Bool, }

/// An argument: a named value that a record carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arg<'a> {
    pub name: Text<'a>,
    pub value: Value<'a>,
}

// ---- For the library, which refuses what is too large ------------------------------------

pub(crate) fn raw_text(text: Text<'_>) -> sys::String {
    match text {
        Text::Bytes(bytes) => sys::String {
            data: bytes.as_ptr(),
            size: bytes.len().try_into().unwrap_or(u32::MAX),
            reference: 0,
        },
        Text::Unknown(reference) => sys::String {
            data: std::ptr::null(),
            size: 0,
            reference,
        },
    }
}

pub(crate) fn raw_bytes(bytes: &[u8]) -> sys::Bytes {
    sys::Bytes {
        data: bytes.as_ptr().cast(),
        size: bytes.len() as u64,
    }
}

// SPDX-License-Identifier: BSD-2-Clause
//! Writing a stream.

use std::ffi::c_void;
use std::io::{self, Write};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::{self, NonNull};
use std::slice;

use crate::error::Error;
use crate::record::{Event, Record};
use crate::value::{raw_text, Arg, Text, Thread};

/// What the library's callback writes to.
struct Sink<W> {
    output: W,
    error: Option<io::Error>,
}

extern "C" fn write<W: Write>(
    context: *mut c_void,
    data: *const c_void,
    size: usize,
) -> sys::c_int {
    // SAFETY: the context is the writer's, and nothing else uses it during the call.
    let (sink, data) = unsafe {
        (
            &mut *context.cast::<Sink<W>>(),
            slice::from_raw_parts(data.cast(), size),
        )
    };
    // A panic must not go through the library.
    let result = panic::catch_unwind(AssertUnwindSafe(|| sink.output.write_all(data)));

    sink.error = match result {
        Ok(result) => result.err(),
        Err(_) => Some(io::Error::new(io::ErrorKind::Other, "the output panicked")),
    };
    sink.error.is_some().into()
}

/// Writes a stream to anything that is [`Write`], whole records at a time.
///
/// What the format cannot represent is refused with an error, and later records can still be
/// written. What was not flushed or finished is lost.
pub struct Writer<W: Write> {
    raw: NonNull<sys::Writer>,
    sink: NonNull<Sink<W>>,
}

impl<W: Write> Writer<W> {
    /// Begins an archive whose clock has that many ticks a second.
    pub fn new(output: W, ticks_per_second: u64) -> Result<Writer<W>, Error> {
        let mut writer = Writer::without_start(output)?;
        let mut magic = empty(0);
        let mut clock = empty(1);

        magic.kind = 4;
        magic.of.metadata.magic = 0x1654_7846;
        clock.of.initialization.ticks_per_second = ticks_per_second;
        writer.write_raw(&magic)?;
        writer.write_raw(&clock)?;
        Ok(writer)
    }

    /// A stream without a start, for what is copied from another one that has it.
    pub fn without_start(output: W) -> Result<Writer<W>, Error> {
        let mut raw = ptr::null_mut();
        let sink = NonNull::from(Box::leak(Box::new(Sink {
            output,
            error: None,
        })));
        let options = sys::WriterOptions {
            size: mem::size_of::<sys::WriterOptions>(),
            write: Some(write::<W>),
            context: sink.as_ptr().cast(),
            byte_order: 0,
            strings: 0,
            threads: 0,
            buffer_size: 0,
            max_kept_bytes: 0,
        };
        // SAFETY: the options and the context are valid.
        let code = unsafe { sys::fxt_writer_create(&options, &mut raw) };

        match NonNull::new(raw) {
            Some(raw) => Ok(Writer { raw, sink }),
            None => {
                // SAFETY: it was leaked above, and nothing else refers to it.
                drop(unsafe { Box::from_raw(sink.as_ptr()) });
                Err(Error::Code(code))
            }
        }
    }

    /// A record that was read. Which provider it is of is what the metadata before it says.
    pub fn write(&mut self, record: Record<'_>) -> Result<(), Error> {
        self.write_raw(record.raw())
    }

    /// An event with arguments.
    pub fn write_event(
        &mut self,
        event: &Event<'_>,
        args: &[Arg<'_>],
    ) -> Result<(), Error> {
        let mut record = empty(4);
        let raw_args = args.iter().map(raw_arg).collect::<Result<Vec<_>, _>>()?;

        record.kind = event.kind;
        record.of.event = sys::Event {
            timestamp: event.timestamp,
            thread: event.thread.to_raw(),
            category: raw_text(event.category),
            name: raw_text(event.name),
            id: event.id,
            end_timestamp: event.end_timestamp,
            scope: event.scope,
        };
        record.args = raw_args.as_ptr();
        record.n_args = raw_args.len().try_into().unwrap_or(u32::MAX);
        self.write_raw(&record)
    }

    /// A stack, leaf first.
    pub fn write_sample(
        &mut self,
        timestamp: u64,
        thread: Thread,
        pcs: &[u64],
    ) -> Result<(), Error> {
        let mut record = empty(10);

        record.kind = 2;
        record.of.profiler.timestamp = timestamp;
        record.of.profiler.thread = thread.to_raw();
        record.of.profiler.pcs = sys::Words {
            data: pcs.as_ptr().cast(),
            count: pcs.len() as u64,
            swapped: false,
        };
        self.write_raw(&record)
    }

    pub fn flush(&mut self) -> Result<(), Error> {
        // SAFETY: the writer is valid.
        let code = unsafe { sys::fxt_writer_flush(self.raw.as_ptr()) };

        self.check(code)
    }

    /// Ends the stream. The error is the first of all calls: if that was about a record, the
    /// stream is whole without it.
    pub fn finish(mut self) -> Result<W, Error> {
        // SAFETY: the writer is valid.
        let code = unsafe { sys::fxt_writer_finish(self.raw.as_ptr()) };

        self.check(code)?;
        let sink = self.sink;

        // SAFETY: the writer is not used any more, and is not dropped as well.
        unsafe {
            sys::fxt_writer_destroy(self.raw.as_ptr());
            mem::forget(self);
            Ok(Box::from_raw(sink.as_ptr()).output)
        }
    }

    fn write_raw(&mut self, record: &sys::Record) -> Result<(), Error> {
        // SAFETY: the writer is valid, and the record points to what the caller has borrowed.
        let code = unsafe { sys::fxt_writer_write(self.raw.as_ptr(), record) };

        self.check(code)
    }

    fn check(&mut self, code: sys::c_int) -> Result<(), Error> {
        // SAFETY: the library uses it during its calls only.
        match unsafe { self.sink.as_mut() }.error.take() {
            Some(error) => Err(Error::Io(error)),
            None => Error::check(code),
        }
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        // SAFETY: both are ours.
        unsafe {
            sys::fxt_writer_destroy(self.raw.as_ptr());
            drop(Box::from_raw(self.sink.as_ptr()));
        }
    }
}

impl<'a> Event<'a> {
    /// Of a kind in [`crate::event`], with all numbers 0.
    pub fn new(kind: u32, thread: Thread, category: &'a str, name: &'a str) -> Event<'a> {
        Event {
            kind,
            timestamp: 0,
            end_timestamp: 0,
            thread,
            category: Text::Bytes(category.as_bytes()),
            name: Text::Bytes(name.as_bytes()),
            id: 0,
            scope: 0,
        }
    }
}

fn empty(kind_of_record: u32) -> sys::Record {
    // SAFETY: zeros are a record.
    let mut record: sys::Record = unsafe { mem::zeroed() };

    record.kind_of_record = kind_of_record;
    record
}

/// What is in an argument of an unknown type is not known here either.
fn raw_arg(arg: &Arg<'_>) -> Result<sys::Arg, Error> {
    let (kind, value) = arg
        .value
        .to_raw()
        .ok_or(Error::Code(sys::FXT_E_UNKNOWN_ARG))?;

    Ok(sys::Arg {
        name: raw_text(arg.name),
        kind,
        unknown_bits: 0,
        value,
    })
}

// SPDX-License-Identifier: BSD-2-Clause
//! Reading a stream of any size.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::ptr::{self, NonNull};

use crate::error::{Error, Fault};
use crate::record::{Record, RecordBuf};
use crate::Thread;

const FIRST_SIZE: usize = 256 << 10;
/// How many reports are kept before they are passed on.
const MAX_FAULTS: usize = 1024;

/// How to read: `struct fxt_reader_options`. The default is zero for each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// After damage, go on at the next plausible record.
    pub resync: bool,
    pub max_record_bytes: u64,
    pub max_kept_bytes: u64,
    pub ticks_per_second: u64,
}

/// What the library's callbacks write to.
#[derive(Default)]
struct Heard {
    faults: VecDeque<Fault>,
    late: Option<RecordBuf>,
    no_memory: bool,
}

extern "C" fn on_error(context: *mut c_void, error: *const sys::Error) -> sys::c_int {
    // SAFETY: the context is the reader's, and nothing else uses it during the call.
    let (heard, error) = unsafe { (&mut *context.cast::<Heard>(), &*error) };

    heard.faults.push_back(Fault::new(error));
    (heard.faults.len() >= MAX_FAULTS).into()
}

/// What fxt_reader_finish finds after damage: it is gone when this returns.
extern "C" fn on_late(context: *mut c_void, record: *const sys::Record) -> sys::c_int {
    // SAFETY: as above; the record is valid until this returns.
    let (heard, record) = unsafe { (&mut *context.cast::<Heard>(), Record::new(record)) };

    heard.late = record.copy();
    heard.no_memory = heard.late.is_none();
    1
}

/// Reads a stream once, from its start to its end.
///
/// Faults in the data do not end the reading: see [`Reader::on_fault`]. A reader is used by
/// one thread at a time.
pub struct Reader<R> {
    raw: NonNull<sys::Reader>,
    heard: NonNull<Heard>,
    input: R,
    on_fault: Box<dyn FnMut(&Fault)>,
    buffer: Vec<u8>,
    /// What is in the buffer, and how much of that was read.
    filled: usize,
    pos: usize,
    at_end: bool,
    finished: bool,
    /// What was handed out.
    late: Option<RecordBuf>,
}

enum Step {
    Found(*const sys::Record),
    Late,
    Nothing,
    End,
}

impl Reader<File> {
    pub fn open(path: impl AsRef<Path>) -> Result<Reader<File>, Error> {
        Reader::new(File::open(path)?)
    }
}

impl<R: Read> Reader<R> {
    /// A file, a slice of bytes, or anything else that is [`Read`]. It needs no buffer.
    pub fn new(input: R) -> Result<Reader<R>, Error> {
        Reader::with_options(input, Options::default())
    }

    pub fn with_options(input: R, options: Options) -> Result<Reader<R>, Error> {
        let mut raw = ptr::null_mut();
        let heard = NonNull::from(Box::leak(Box::<Heard>::default()));
        let raw_options = sys::ReaderOptions {
            size: std::mem::size_of::<sys::ReaderOptions>(),
            on_record: Some(on_late),
            on_error: Some(on_error),
            context: heard.as_ptr().cast(),
            stream: 0,
            byte_order: 0,
            stable_input: false,
            resync: options.resync,
            max_record_bytes: options.max_record_bytes,
            max_kept_bytes: options.max_kept_bytes,
            ticks_per_second: options.ticks_per_second,
        };
        // SAFETY: the options and the context are valid.
        let code = unsafe { sys::fxt_reader_create(&raw_options, &mut raw) };

        match NonNull::new(raw) {
            Some(raw) => Ok(Reader {
                raw,
                heard,
                input,
                on_fault: Box::new(|_| ()),
                buffer: Vec::new(),
                filled: 0,
                pos: 0,
                at_end: false,
                finished: false,
                late: None,
            }),
            None => {
                // SAFETY: it was leaked above, and nothing else refers to it.
                drop(unsafe { Box::from_raw(heard.as_ptr()) });
                Err(Error::Code(code))
            }
        }
    }

    /// Has each report about the data passed to a function, before the record that follows it.
    pub fn on_fault(&mut self, function: impl FnMut(&Fault) + 'static) {
        self.on_fault = Box::new(function);
    }

    /// The position in the stream of the next byte to read.
    pub fn offset(&self) -> u64 {
        // SAFETY: the reader is valid.
        unsafe { sys::fxt_reader_offset(self.raw.as_ptr()) }
    }

    /// The next record, without a copy; `None` at the end. After an error, which is reported
    /// once, there is nothing more: the framing is lost, or the input cannot be read.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), fxt::Error> {
    /// let mut reader = fxt::Reader::open("trace.fxt")?;
    /// while let Some(record) = reader.next_record()? {
    ///     println!("{} {:?}", record.offset(), record.time_ns());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A record ends before the next one comes, and the compiler sees to it:
    ///
    /// ```compile_fail
    /// # fn main() -> Result<(), fxt::Error> {
    /// let mut reader = fxt::Reader::open("trace.fxt")?;
    /// let first = reader.next_record()?;
    /// let second = reader.next_record()?;
    /// println!("{:?}", first.unwrap().time_ns());
    /// # Ok(())
    /// # }
    /// ```
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        self.late = None;
        let found = loop {
            if self.finished {
                return Ok(None);
            }
            let step = self.step();

            self.pass_on_faults();
            match step {
                Ok(Step::Found(record)) => break record,
                Ok(Step::Late) => {
                    return Ok(self.late.as_ref().map(RecordBuf::as_record));
                }
                Ok(Step::Nothing) => (),
                Ok(Step::End) => self.finished = true,
                Err(error) => {
                    self.finished = true;
                    return Err(error);
                }
            }
        };

        // SAFETY: it is valid until the next call with this reader, or until the buffer
        // changes: for both, the reader has to be borrowed again.
        Ok(Some(unsafe { Record::new(found) }))
    }

    /// All records that are left, each a copy.
    pub fn records(&mut self) -> impl Iterator<Item = Result<RecordBuf, Error>> + '_ {
        std::iter::from_fn(move || {
            let record = self.next_record().transpose()?;

            Some(record.and_then(|r| r.copy().ok_or(Error::Code(sys::FXT_E_NO_MEMORY))))
        })
    }

    /// The stacks of samplers that are left, of either form.
    pub fn samples(&mut self) -> impl Iterator<Item = Result<Stack, Error>> + '_ {
        std::iter::from_fn(move || loop {
            match self.next_record().transpose()?.map(Stack::of) {
                Ok(None) => (),
                found => return found.transpose(),
            }
        })
    }

    fn pass_on_faults(&mut self) {
        // SAFETY: the library uses it during its calls only.
        let heard = unsafe { self.heard.as_mut() };

        while let Some(fault) = heard.faults.pop_front() {
            (self.on_fault)(&fault);
        }
    }

    /// Calls the library with what is in the buffer.
    fn call(
        &mut self,
        function: impl FnOnce(*mut sys::Reader, *mut sys::Chunk) -> sys::c_int,
    ) -> sys::c_int {
        let mut chunk = sys::Chunk {
            data: self.buffer.as_ptr().cast(),
            size: self.filled,
            pos: self.pos,
        };
        let code = function(self.raw.as_ptr(), &mut chunk);

        self.pos = chunk.pos;
        code
    }

    fn step(&mut self) -> Result<Step, Error> {
        let mut found = ptr::null();

        if self.at_end {
            return self.finish();
        }
        // SAFETY: the reader and the chunk are valid.
        let code = self.call(|reader, chunk| unsafe {
            sys::fxt_reader_next(reader, chunk, &mut found)
        });

        if !found.is_null() {
            return Ok(Step::Found(found));
        }
        match code {
            sys::FXT_OK | sys::FXT_NEED_MORE | sys::FXT_END => self.refill()?,
            sys::FXT_STOPPED => (),
            _ => return Err(Error::Code(code)),
        }
        Ok(Step::Nothing)
    }

    fn finish(&mut self) -> Result<Step, Error> {
        // SAFETY: the reader and the chunk are valid.
        let code =
            self.call(|reader, chunk| unsafe { sys::fxt_reader_finish(reader, chunk) });
        // SAFETY: the library uses it during its calls only.
        let heard = unsafe { self.heard.as_mut() };

        self.late = heard.late.take();
        if heard.no_memory {
            return Err(Error::Code(sys::FXT_E_NO_MEMORY));
        }
        match code {
            sys::FXT_STOPPED if self.late.is_some() => Ok(Step::Late),
            sys::FXT_STOPPED => Ok(Step::Nothing),
            sys::FXT_OK => Ok(Step::End),
            _ => Err(Error::Code(code)),
        }
    }

    /// Moves what is left of a record to the front, and reads more after it. A record may
    /// claim any size: the buffer grows with what is there.
    fn refill(&mut self) -> Result<(), Error> {
        // SAFETY: the reader is valid.
        let needed = unsafe { sys::fxt_reader_needed(self.raw.as_ptr()) };

        self.buffer.copy_within(self.pos..self.filled, 0);
        self.filled -= self.pos;
        self.pos = 0;
        if self.buffer.is_empty() {
            self.buffer.resize(FIRST_SIZE, 0);
        } else if needed > self.buffer.len() as u64 && self.filled > self.buffer.len() / 2
            || self.filled == self.buffer.len()
        {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        let n = loop {
            match self.input.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                result => break result?,
            }
        };

        assert!(
            n <= self.buffer.len() - self.filled,
            "a Read that claims too much"
        );
        self.at_end = n == 0;
        self.filled += n;
        Ok(())
    }
}

impl<R> Drop for Reader<R> {
    fn drop(&mut self) {
        // SAFETY: both are ours, and no record borrows from them any more.
        unsafe {
            sys::fxt_reader_destroy(self.raw.as_ptr());
            drop(Box::from_raw(self.heard.as_ptr()));
        }
    }
}

/// A sampled stack that owns its PCs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    pub timestamp: u64,
    pub time_ns: Option<u64>,
    pub thread: Thread,
    /// Leaf first.
    pub pcs: Vec<u64>,
}

impl Stack {
    fn of(record: Record<'_>) -> Option<Stack> {
        let sample = record.sample()?;

        Some(Stack {
            timestamp: sample.timestamp,
            time_ns: record.time_ns(),
            thread: sample.thread,
            pcs: sample.pcs.iter().collect(),
        })
    }
}

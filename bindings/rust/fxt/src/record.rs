// SPDX-License-Identifier: BSD-2-Clause
//! Records, by reference to a reader's or by copies.

use std::ptr::{self, NonNull};
use std::slice;

use crate::value::{bytes, Arg, Text, Thread, Value, Words};

/// The writer of a record, as it was known at the record.
#[derive(Clone, Copy, Debug)]
pub struct Provider<'a> {
    pub id: u32,
    pub name: Text<'a>,
    pub ticks_per_second: u64,
    /// The wall clock, in nanoseconds since the Unix epoch, at a tick.
    pub base: Option<(u64, u64)>,
}

/// An event without its arguments; times are in ticks.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// `enum fxt_event_type` in `fxt/format.h`: see the constants in [`crate::event`].
    pub kind: u32,
    pub timestamp: u64,
    /// Of complete durations.
    pub end_timestamp: u64,
    pub thread: Thread,
    pub category: Text<'a>,
    pub name: Text<'a>,
    /// Of counters, async and flow events.
    pub id: u64,
    /// Of instants.
    pub scope: u64,
}

/// What a record of each type has, besides what all have: see `fxt/record.h`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Data<'a> {
    ProviderInfo {
        provider_id: u32,
        name: Text<'a>,
    },
    ProviderSection {
        provider_id: u32,
    },
    ProviderEvent {
        provider_id: u32,
        event: u32,
    },
    TraceInfo {
        trace_info: u32,
        magic: u32,
    },
    OtherMetadata {
        kind: u32,
    },
    Initialization {
        ticks_per_second: u64,
        base: Option<(u64, u64)>,
    },
    String {
        index: u32,
        value: Text<'a>,
    },
    Thread {
        index: u32,
        process: u64,
        thread: u64,
    },
    Event(Event<'a>),
    Blob {
        name: Text<'a>,
        kind: u32,
        payload: &'a [u8],
    },
    UserspaceObject {
        pointer: u64,
        process: Thread,
        name: Text<'a>,
    },
    KernelObject {
        kind: u32,
        koid: u64,
        name: Text<'a>,
    },
    ContextSwitch {
        cpu: u32,
        outgoing_state: u32,
        outgoing: Thread,
        incoming: Thread,
    },
    LegacyContextSwitch {
        cpu: u32,
        outgoing_state: u32,
        outgoing: Thread,
        incoming: Thread,
        outgoing_priority: u32,
        incoming_priority: u32,
    },
    ThreadWakeup {
        cpu: u32,
        thread: u64,
    },
    Log {
        thread: Thread,
        message: Text<'a>,
    },
    Module {
        process: Thread,
        module_id: u32,
        name: Text<'a>,
        build_id: &'a [u8],
        /// The build id is the characters of its hex form.
        is_hex: bool,
    },
    Mapping {
        process: Thread,
        module_id: u32,
        start: u64,
        length: u64,
        vaddr: u64,
        flags: u32,
    },
    Backtrace {
        thread: Thread,
        pcs: Words<'a>,
    },
    /// The thread, and the record's time and arguments, are there if the format is 0.
    LargeBlob {
        format: u32,
        thread: Thread,
        category: Text<'a>,
        name: Text<'a>,
        payload: &'a [u8],
    },
    /// What the library does not know.
    Unknown {
        record_type: u32,
        kind: u32,
        format: u32,
        body: Words<'a>,
    },
}

/// A stack that was sampled, of either form that samplers write.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub timestamp: u64,
    pub thread: Thread,
    /// Leaf first, at least one.
    pub pcs: Words<'a>,
    /// How it ended: `enum fxt_stack_end` in `fxt/format.h`.
    pub end: u32,
    pub maybe_cut: bool,
    pub event: u32,
    pub weight: u64,
}

/// A record by reference: it is valid until its reader is asked for the next one.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    raw: &'a sys::Record,
}

impl<'a> Record<'a> {
    /// # Safety
    /// The record, and all that it points to, is valid and unchanged for `'a`.
    pub(crate) unsafe fn new(raw: *const sys::Record) -> Record<'a> {
        Record { raw: &*raw }
    }

    pub(crate) fn raw(&self) -> &'a sys::Record {
        self.raw
    }

    /// Where it starts, in bytes from the start of the stream.
    pub fn offset(&self) -> u64 {
        self.raw.offset
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.raw.size
    }

    pub fn record_type(&self) -> u32 {
        self.raw.kind_of_record
    }

    fn raw_provider(&self) -> &'a sys::Provider {
        // SAFETY: each record of a reader has a provider, which is valid as long as it is.
        unsafe { &*self.raw.provider }
    }

    pub fn provider(&self) -> Provider<'a> {
        let raw = self.raw_provider();

        Provider {
            id: raw.id,
            // SAFETY: the name stays until another record changes it.
            name: unsafe { Text::new(&raw.name) },
            ticks_per_second: raw.ticks_per_second,
            base: raw.has_base.then_some((raw.base_ticks, raw.base_wall_ns)),
        }
    }

    /// When it was made, in ticks, if records of its type have a time.
    pub fn time(&self) -> Option<u64> {
        let mut ticks = 0;

        // SAFETY: the record is valid.
        unsafe { sys::fxt_record_time(self.raw, &mut ticks) }.then_some(ticks)
    }

    /// The end of a complete duration; of others the time.
    pub fn end(&self) -> Option<u64> {
        let mut ticks = 0;

        // SAFETY: the record is valid.
        unsafe { sys::fxt_record_end(self.raw, &mut ticks) }.then_some(ticks)
    }

    /// The same in nanoseconds, if they are below 2^64.
    pub fn time_ns(&self) -> Option<u64> {
        self.to_ns(self.time()?)
    }

    pub fn end_ns(&self) -> Option<u64> {
        self.to_ns(self.end()?)
    }

    fn to_ns(self, ticks: u64) -> Option<u64> {
        let mut ns = 0;
        let rate = self.raw_provider().ticks_per_second;

        // SAFETY: the function takes all numbers.
        unsafe { sys::fxt_ticks_to_ns(ticks, rate, &mut ns) }.then_some(ns)
    }

    /// Whom it is about.
    pub fn thread(&self) -> Option<Thread> {
        // SAFETY: the record is valid, and so is what the function returns.
        unsafe { sys::fxt_record_thread(self.raw).as_ref() }.map(Thread::from_raw)
    }

    pub fn args(&self) -> impl ExactSizeIterator<Item = Arg<'a>> {
        let raw = match self.raw.n_args {
            0 => &[],
            // SAFETY: the record has that many.
            n => unsafe { slice::from_raw_parts(self.raw.args, n as usize) },
        };

        // SAFETY: what they point to is valid as long as the record is.
        raw.iter().map(|arg| unsafe {
            Arg {
                name: Text::new(&arg.name),
                value: Value::new(arg),
            }
        })
    }

    /// The value of the first argument of that name.
    pub fn arg(&self, name: &str) -> Option<Value<'a>> {
        self.args()
            .find(|arg| arg.name == *name)
            .map(|arg| arg.value)
    }

    /// The event, if it is one.
    pub fn event(&self) -> Option<Event<'a>> {
        match self.data() {
            Data::Event(event) => Some(event),
            _ => None,
        }
    }

    /// The stack, if it is a sampler's record of one.
    pub fn sample(&self) -> Option<Sample<'a>> {
        // SAFETY: zeros are a sample; the record is valid.
        let (kind, raw) = unsafe {
            let mut raw: sys::Sample = std::mem::zeroed();

            (sys::fxt_sample_from_record(self.raw, &mut raw), raw)
        };

        (kind == sys::FXT_SAMPLE_STACK).then(|| Sample {
            timestamp: raw.timestamp,
            thread: Thread::from_raw(&raw.thread),
            // SAFETY: they are the record's.
            pcs: unsafe { Words::new(&raw.pcs) },
            end: raw.end,
            maybe_cut: raw.maybe_cut,
            event: raw.event,
            weight: raw.weight,
        })
    }

    /// A copy that stays; `None` if there is no memory.
    pub fn copy(&self) -> Option<RecordBuf> {
        RecordBuf::new(*self)
    }

    /// What the type of the record has.
    pub fn data(&self) -> Data<'a> {
        let of = &self.raw.of;

        if self.raw.unknown && !matches!(self.raw.kind_of_record, 0 | 4) {
            return self.unknown();
        }
        // SAFETY: the type selects the member, and what it points to is valid for 'a.
        unsafe {
            match self.raw.kind_of_record {
                0 => metadata(self.raw.kind, &of.metadata),
                1 => initialization(&of.initialization),
                2 => Data::String {
                    index: of.string.index,
                    value: Text::new(&of.string.value),
                },
                3 => Data::Thread {
                    index: of.thread.index,
                    process: of.thread.process,
                    thread: of.thread.thread,
                },
                4 => event(self.raw.kind, &of.event),
                5 => Data::Blob {
                    name: Text::new(&of.blob.name),
                    kind: of.blob.kind,
                    payload: bytes(&of.blob.payload),
                },
                6 => Data::UserspaceObject {
                    pointer: of.userspace_object.pointer,
                    process: Thread::from_raw(&of.userspace_object.process),
                    name: Text::new(&of.userspace_object.name),
                },
                7 => Data::KernelObject {
                    kind: of.kernel_object.kind,
                    koid: of.kernel_object.koid,
                    name: Text::new(&of.kernel_object.name),
                },
                8 => scheduling(self.raw.kind, &of.scheduling),
                9 => Data::Log {
                    thread: Thread::from_raw(&of.log.thread),
                    message: Text::new(&of.log.message),
                },
                10 => profiler(self.raw.kind, &of.profiler),
                15 => Data::LargeBlob {
                    format: of.large_blob.format,
                    thread: Thread::from_raw(&of.large_blob.thread),
                    category: Text::new(&of.large_blob.category),
                    name: Text::new(&of.large_blob.name),
                    payload: bytes(&of.large_blob.payload),
                },
                _ => self.unknown(),
            }
        }
    }

    fn unknown(&self) -> Data<'a> {
        let is_large = self.raw.kind_of_record == 15;

        // SAFETY: of large records the format is always set; the body is valid for 'a.
        unsafe {
            Data::Unknown {
                record_type: self.raw.kind_of_record,
                kind: self.raw.kind,
                format: if is_large {
                    self.raw.of.large_blob.format
                } else {
                    0
                },
                body: Words::new(&self.raw.body),
            }
        }
    }
}

// ---- Types of records: each is safe to call if what they point to is valid for 'a ----------

unsafe fn metadata<'a>(kind: u32, m: &sys::Metadata) -> Data<'a> {
    let provider_id = m.provider_id;

    match kind {
        1 => Data::ProviderInfo {
            provider_id,
            name: Text::new(&m.name),
        },
        2 => Data::ProviderSection { provider_id },
        3 => Data::ProviderEvent {
            provider_id,
            event: m.event,
        },
        4 => Data::TraceInfo {
            trace_info: m.trace_info,
            magic: m.magic,
        },
        _ => Data::OtherMetadata { kind },
    }
}

fn initialization<'a>(init: &sys::Initialization) -> Data<'a> {
    Data::Initialization {
        ticks_per_second: init.ticks_per_second,
        base: init
            .has_base
            .then_some((init.base_ticks, init.base_wall_ns)),
    }
}

unsafe fn event<'a>(kind: u32, e: &sys::Event) -> Data<'a> {
    Data::Event(Event {
        kind,
        timestamp: e.timestamp,
        end_timestamp: e.end_timestamp,
        thread: Thread::from_raw(&e.thread),
        category: Text::new(&e.category),
        name: Text::new(&e.name),
        id: e.id,
        scope: e.scope,
    })
}

fn scheduling<'a>(kind: u32, s: &sys::Scheduling) -> Data<'a> {
    let (cpu, outgoing_state) = (s.cpu, s.outgoing_state);

    match kind {
        2 => Data::ThreadWakeup {
            cpu,
            thread: s.waking_thread,
        },
        1 => Data::ContextSwitch {
            cpu,
            outgoing_state,
            outgoing: Thread::from_raw(&s.outgoing),
            incoming: Thread::from_raw(&s.incoming),
        },
        _ => Data::LegacyContextSwitch {
            cpu,
            outgoing_state,
            outgoing: Thread::from_raw(&s.outgoing),
            incoming: Thread::from_raw(&s.incoming),
            outgoing_priority: s.outgoing_priority,
            incoming_priority: s.incoming_priority,
        },
    }
}

unsafe fn profiler<'a>(kind: u32, p: &sys::Profiler) -> Data<'a> {
    let (thread, module_id) = (Thread::from_raw(&p.thread), p.module_id);

    match kind {
        0 => Data::Module {
            process: thread,
            module_id,
            name: Text::new(&p.name),
            build_id: bytes(&p.build_id),
            is_hex: p.build_id_is_hex,
        },
        1 => Data::Mapping {
            process: thread,
            module_id,
            start: p.start,
            length: p.length,
            vaddr: p.vaddr,
            flags: p.flags,
        },
        _ => Data::Backtrace {
            thread,
            pcs: Words::new(&p.pcs),
        },
    }
}

// ---- Copies --------------------------------------------------------------------------------

/// A record that owns all that is in it, its provider's name included.
pub struct RecordBuf {
    raw: NonNull<sys::Record>,
    // What the record and the provider point to.
    _provider: Box<sys::Provider>,
    _name: Box<[u8]>,
}

// SAFETY: it owns its memory, which nothing changes.
unsafe impl Send for RecordBuf {}
unsafe impl Sync for RecordBuf {}

impl RecordBuf {
    fn new(original: Record<'_>) -> Option<RecordBuf> {
        // SAFETY: the record is valid; the copy is one piece of memory, which is ours.
        let mut raw = NonNull::new(unsafe { sys::fxt_record_copy(original.raw) })?;
        let mut provider = Box::new(*original.raw_provider());
        let name: Box<[u8]> = match original.provider().name {
            Text::Bytes(bytes) => bytes.into(),
            Text::Unknown(_) => Box::default(),
        };

        if !provider.name.data.is_null() {
            provider.name.data = name.as_ptr();
        }
        // SAFETY: as above.
        unsafe { raw.as_mut() }.provider = ptr::addr_of!(*provider);
        Some(RecordBuf {
            raw,
            _provider: provider,
            _name: name,
        })
    }

    pub fn as_record(&self) -> Record<'_> {
        // SAFETY: it is valid as long as this object.
        unsafe { Record::new(self.raw.as_ptr()) }
    }
}

impl Drop for RecordBuf {
    fn drop(&mut self) {
        // SAFETY: fxt_record_copy has made it, and it is freed once.
        unsafe { sys::free(self.raw.as_ptr().cast()) };
    }
}

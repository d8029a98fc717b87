// SPDX-License-Identifier: BSD-2-Clause
//! libfxt as C has it: see its headers. `tests/layout.rs` compares these types with them.
#![no_std]
#![allow(clippy::missing_safety_doc)]

use core::ffi::c_void;

/// `int`, on all machines that libfxt supports.
#[allow(non_camel_case_types)]
pub type c_int = i32;
/// The elements of C strings, of either sign.
#[allow(non_camel_case_types)]
pub type c_char = u8;

pub type RecordFn = extern "C" fn(context: *mut c_void, record: *const Record) -> c_int;
pub type ErrorFn = extern "C" fn(context: *mut c_void, error: *const Error) -> c_int;
pub type WriteFn =
    extern "C" fn(context: *mut c_void, data: *const c_void, size: usize) -> c_int;

macro_rules! structs {
    ($($name:ident { $($field:ident: $type:ty,)* })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name {
                $(pub $field: $type,)*
            }
        )*

        /// For `tests/layout.rs`: of each struct its name and size, and of each field its name
        /// and offset.
        #[doc(hidden)]
        pub fn layouts(mut see: impl FnMut(&str, usize, &[(&str, usize)])) {
            $({
                let place = core::mem::MaybeUninit::<$name>::uninit();
                let base = place.as_ptr();

                see(stringify!($name), core::mem::size_of::<$name>(), &[
                    // SAFETY: the address of a field is taken, and nothing is read.
                    $((stringify!($field),
                       unsafe { core::ptr::addr_of!((*base).$field) } as usize - base as usize),)*
                ]);
            })*
        }
    };
}

structs! {
    String { data: *const u8, size: u32, reference: u16, }
    Bytes { data: *const c_void, size: u64, }
    Words { data: *const c_void, count: u64, swapped: bool, }
    Thread { process: u64, thread: u64, reference: u8, known: bool, }
    Arg { name: String, kind: u32, unknown_bits: u32, value: ArgValue, }
    Provider {
        id: u32, name: String, ticks_per_second: u64, has_base: bool, base_ticks: u64,
        base_wall_ns: u64,
    }
    Metadata { provider_id: u32, name: String, event: u32, trace_info: u32, magic: u32, }
    Initialization {
        ticks_per_second: u64, has_base: bool, base_ticks: u64, base_wall_ns: u64,
    }
    StringRegistration { index: u32, value: String, }
    ThreadRegistration { index: u32, process: u64, thread: u64, }
    Event {
        timestamp: u64, thread: Thread, category: String, name: String, id: u64,
        end_timestamp: u64, scope: u64,
    }
    Blob { name: String, kind: u32, payload: Bytes, }
    UserspaceObject { pointer: u64, process: Thread, name: String, }
    KernelObject { kind: u32, koid: u64, name: String, }
    Scheduling {
        timestamp: u64, cpu: u32, outgoing_state: u32, outgoing: Thread, incoming: Thread,
        outgoing_priority: u32, incoming_priority: u32, waking_thread: u64,
    }
    Log { timestamp: u64, thread: Thread, message: String, }
    Profiler {
        timestamp: u64, thread: Thread, module_id: u32, name: String, build_id: Bytes,
        build_id_is_hex: bool, start: u64, length: u64, vaddr: u64, flags: u32, pcs: Words,
    }
    LargeBlob {
        format: u32, timestamp: u64, thread: Thread, category: String, name: String,
        payload: Bytes,
    }
    Record {
        offset: u64, size: u64, header: u64, data: *const c_void, swapped: bool,
        provider: *const Provider, kind_of_record: u32, kind: u32, unknown: bool, body: Words,
        n_args: u32, args: *const Arg, of: RecordUnion,
    }
    Error {
        code: c_int, severity: c_int, offset: u64, byte: u64, skipped: u64, value: u64,
        header: u64, provider_id: u32, message: *const c_char, path: *const c_char,
    }
    Sample {
        kind: c_int, timestamp: u64, thread: Thread, pcs: Words, end: u32, maybe_cut: bool,
        event: u32, weight: u64, cpu: u32, dropped_records: u64, dropped_bytes: u64,
        last_timestamp: u64,
    }
    Chunk { data: *const c_void, size: usize, pos: usize, }
    // The first parts of these: `size` tells the library that the rest is not there.
    ReaderOptions {
        size: usize, on_record: Option<RecordFn>, on_error: Option<ErrorFn>,
        context: *mut c_void, stream: c_int, byte_order: c_int, stable_input: bool,
        resync: bool, max_record_bytes: u64, max_kept_bytes: u64, ticks_per_second: u64,
    }
    WriterOptions {
        size: usize, write: Option<WriteFn>, context: *mut c_void, byte_order: c_int,
        strings: c_int, threads: c_int, buffer_size: usize, max_kept_bytes: u64,
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union ArgValue {
    pub int32: i32,
    pub uint32: u32,
    pub int64: i64,
    pub uint64: u64,
    pub float64: f64,
    pub string: String,
    pub boolean: bool,
    pub blob: Bytes,
    pub unknown: Words,
}

/// The member selected by the record's type.
#[repr(C)]
#[derive(Clone, Copy)]
pub union RecordUnion {
    pub metadata: Metadata,
    pub initialization: Initialization,
    pub string: StringRegistration,
    pub thread: ThreadRegistration,
    pub event: Event,
    pub blob: Blob,
    pub userspace_object: UserspaceObject,
    pub kernel_object: KernelObject,
    pub scheduling: Scheduling,
    pub log: Log,
    pub profiler: Profiler,
    pub large_blob: LargeBlob,
}

#[repr(C)]
pub struct Reader {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Writer {
    _opaque: [u8; 0],
}

pub const FXT_OK: c_int = 0;
pub const FXT_NEED_MORE: c_int = 1;
pub const FXT_END: c_int = 2;
pub const FXT_STOPPED: c_int = 3;
pub const FXT_E_SIZE_ZERO: c_int = 10;
pub const FXT_E_UNKNOWN_ARG: c_int = 45;
pub const FXT_E_NO_MEMORY: c_int = 52;
pub const FXT_E_SINK: c_int = 53;
pub const FXT_E_FILE: c_int = 56;
pub const FXT_SAMPLE_STACK: c_int = 1;

extern "C" {
    pub fn fxt_code_message(code: c_int) -> *const c_char;
    pub fn fxt_code_name(code: c_int) -> *const c_char;
    pub fn fxt_reader_create(
        options: *const ReaderOptions,
        reader: *mut *mut Reader,
    ) -> c_int;
    pub fn fxt_reader_destroy(reader: *mut Reader);
    pub fn fxt_reader_finish(reader: *mut Reader, chunk: *mut Chunk) -> c_int;
    pub fn fxt_reader_needed(reader: *const Reader) -> u64;
    pub fn fxt_reader_next(
        reader: *mut Reader,
        chunk: *mut Chunk,
        record: *mut *const Record,
    ) -> c_int;
    pub fn fxt_reader_offset(reader: *const Reader) -> u64;
    pub fn fxt_record_copy(record: *const Record) -> *mut Record;
    pub fn fxt_record_end(record: *const Record, ticks: *mut u64) -> bool;
    pub fn fxt_record_thread(record: *const Record) -> *const Thread;
    pub fn fxt_record_time(record: *const Record, ticks: *mut u64) -> bool;
    pub fn fxt_sample_from_record(record: *const Record, sample: *mut Sample) -> c_int;
    pub fn fxt_ticks_to_ns(ticks: u64, ticks_per_second: u64, ns: *mut u64) -> bool;
    pub fn fxt_version() -> *const c_char;
    pub fn fxt_writer_create(
        options: *const WriterOptions,
        writer: *mut *mut Writer,
    ) -> c_int;
    pub fn fxt_writer_destroy(writer: *mut Writer);
    pub fn fxt_writer_finish(writer: *mut Writer) -> c_int;
    pub fn fxt_writer_flush(writer: *mut Writer) -> c_int;
    pub fn fxt_writer_write(writer: *mut Writer, record: *const Record) -> c_int;
    /// The C library's, for what `fxt_record_copy` returns.
    pub fn free(memory: *mut c_void);
}

// SPDX-License-Identifier: BSD-2-Clause
//! All records that are not a sampler's, for a kernel's tracer.

use crate::emit::Emitter;
use crate::sys;
use crate::values::{Arg, Event, Text, Thread};

/// The address and the number of arguments, which are what C has.
fn raw_args(args: &[Arg]) -> (*const sys::Arg, u32) {
    (
        args.as_ptr().cast(),
        u32::try_from(args.len()).unwrap_or(u32::MAX),
    )
}

impl Emitter<'_> {
    /// Sets the rate of the timestamps that follow, in ticks per second; not 0.
    pub fn initialization(&mut self, ticks_per_second: u64) -> bool {
        // SAFETY: `self` upholds what the function requires, here and below; what is
        // pointed to is borrowed during the call.
        unsafe { sys::fxt_emit_initialization(&mut self.raw, ticks_per_second) }
    }

    /// Registers a string at an index from 1 to 32,767, in place of what was there, and
    /// returns a reference to it for the records that follow in the same memory. None if
    /// that was not written.
    #[must_use]
    pub fn string<'a>(
        &mut self,
        index: u16,
        value: impl Into<Text<'a>>,
    ) -> Option<Text<'static>> {
        // SAFETY: see above.
        unsafe { sys::fxt_emit_string(&mut self.raw, index.into(), value.into().raw) }
            .then(|| Text::registered(index))
    }

    /// Registers a thread at an index from 1 to 255, likewise.
    #[must_use]
    pub fn thread(&mut self, index: u8, process: u64, thread: u64) -> Option<Thread> {
        // SAFETY: see above.
        unsafe { sys::fxt_emit_thread(&mut self.raw, index.into(), process, thread) }
            .then(|| Thread::registered(index))
    }

    /// Writes an event.
    pub fn event(&mut self, event: &Event, args: &[Arg]) -> bool {
        let (kind, raw) = event.to_raw();
        let (args, n_args) = raw_args(args);

        // SAFETY: see above.
        unsafe { sys::fxt_emit_event(&mut self.raw, kind, &raw, args, n_args) }
    }

    /// Names a kernel object. `kind` is 1 for a process, 2 for a thread, or another
    /// number below 256; some readers require that a thread has an argument "process" of
    /// type koid.
    pub fn kernel_object<'a>(
        &mut self,
        kind: u32,
        koid: u64,
        name: impl Into<Text<'a>>,
        args: &[Arg],
    ) -> bool {
        let (args, n_args) = raw_args(args);
        let name = name.into().raw;

        // SAFETY: see above.
        unsafe {
            sys::fxt_emit_kernel_object(&mut self.raw, kind, koid, name, args, n_args)
        }
    }

    /// Writes a context switch on a CPU, between threads by their koids. The outgoing
    /// thread is left in `outgoing_state`: 0 new, 1 running, 2 suspended, 3 blocked, 4
    /// dying, 5 dead, or another number below 16.
    pub fn context_switch(
        &mut self,
        timestamp: u64,
        cpu: u32,
        outgoing_state: u32,
        outgoing_thread: u64,
        incoming_thread: u64,
        args: &[Arg],
    ) -> bool {
        let (args, n_args) = raw_args(args);

        // SAFETY: see above.
        unsafe {
            sys::fxt_emit_context_switch(
                &mut self.raw,
                timestamp,
                cpu,
                outgoing_state,
                outgoing_thread,
                incoming_thread,
                args,
                n_args,
            )
        }
    }

    /// Writes a wakeup: a thread became runnable, on a CPU.
    pub fn wakeup(
        &mut self,
        timestamp: u64,
        cpu: u32,
        waking_thread: u64,
        args: &[Arg],
    ) -> bool {
        let (args, n_args) = raw_args(args);

        // SAFETY: see above.
        unsafe {
            sys::fxt_emit_wakeup(
                &mut self.raw,
                timestamp,
                cpu,
                waking_thread,
                args,
                n_args,
            )
        }
    }

    /// Writes a log message, which cannot be a registered string.
    pub fn log<'a>(
        &mut self,
        timestamp: u64,
        thread: Thread,
        message: impl Into<Text<'a>>,
    ) -> bool {
        // SAFETY: see above.
        unsafe {
            sys::fxt_emit_log(&mut self.raw, timestamp, thread.raw, message.into().raw)
        }
    }

    /// Writes fewer than 32,768 bytes of the data stream of that name. `kind` is 1 for
    /// data, 2 for last branches, 3 for Perfetto's, or another number below 256.
    pub fn blob<'a>(
        &mut self,
        kind: u32,
        name: impl Into<Text<'a>>,
        bytes: &[u8],
    ) -> bool {
        let (data, size) = (bytes.as_ptr().cast(), bytes.len() as u64);

        // SAFETY: see above.
        unsafe { sys::fxt_emit_blob(&mut self.raw, kind, name.into().raw, data, size) }
    }

    /// Writes a module of a process: a file that is mapped in its memory, by an id below
    /// 65,536. The name and the build id, raw bytes, have at most 255 bytes each.
    pub fn module<'a>(
        &mut self,
        timestamp: u64,
        process: u64,
        module_id: u32,
        name: impl Into<Text<'a>>,
        build_id: &[u8],
    ) -> bool {
        // SAFETY: see above.
        unsafe {
            sys::fxt_emit_module(
                &mut self.raw,
                timestamp,
                process,
                module_id,
                name.into().raw,
                build_id.as_ptr().cast(),
                build_id.len() as u64,
            )
        }
    }

    /// Writes a mapping: `length` bytes at `start` in a process's memory map a module,
    /// from its own address `vaddr` on. `flags` are those of an ELF program header: 1
    /// execute, 2 write, 4 read.
    #[allow(clippy::too_many_arguments)]
    pub fn mapping(
        &mut self,
        timestamp: u64,
        process: u64,
        module_id: u32,
        start: u64,
        length: u64,
        vaddr: u64,
        flags: u32,
    ) -> bool {
        // SAFETY: see above.
        unsafe {
            sys::fxt_emit_mapping(
                &mut self.raw,
                timestamp,
                process,
                module_id,
                start,
                length,
                vaddr,
                flags,
            )
        }
    }
}

// SPDX-License-Identifier: BSD-2-Clause
//! The emitter: writes records to a region, which fills up, or to a ring, which is
//! drained while it is written ([`Ring`]).
//!
//! A function returns true if its record was written. If it was not, no part of it was,
//! and it is counted: in [`dropped_records`](Emitter::dropped_records) if there was no
//! room, in [`invalid_records`](Emitter::invalid_records) if the format cannot represent
//! it. A region that has dropped one record accepts no more. A ring accepts records again
//! when there is room, after an event that reports what was dropped.
//!
//! Whatever happens to the writer, a region holds whole records up to a word of zero.

use core::marker::PhantomData;
use core::mem::{size_of_val, MaybeUninit};

use crate::ring::Ring;
use crate::sys;

/// The most PCs that Zircon's kernel sampler takes of a stack, and that all readers know.
pub const SAMPLER_PCS_MAX: usize = 64;

/// How the walk of a stack ended, for samplers that know: see [`Emitter::stack`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum StackEnd {
    /// The sampler does not say.
    Unknown = 0,
    /// At the outermost frame: the whole stack is there.
    Outermost = 1,
    /// The stack has more PCs than the sampler keeps.
    Depth = 2,
    /// There is no unwind table for the last PC, and no frame pointer that leads on.
    NoTable = 3,
    /// Memory of the stack could not be read.
    Unreadable = 4,
    /// The stack is larger than the part of it that was copied.
    CopyTooShort = 5,
    /// What should be a return address is not code.
    NotCode = 6,
    /// The next frame would not be above the last one: a damaged stack.
    NoProgress = 7,
    /// The unwind table has a rule for the last PC that is not supported.
    SpecialRule = 8,
    /// The last PC switched stacks.
    StackSwitch = 9,
    /// The thread's old stack is gone.
    NoStack = 10,
    /// The sample stands for CPU time in which the thread could not be sampled.
    NotSampled = 11,
}

/// Writes records to memory that it borrows. One writer at a time: an emitter belongs to
/// one CPU and one context, and what can interrupt its writer needs another one. Where
/// that is impossible, guard it by a gate ([`Gated`](crate::Gated)).
pub struct Emitter<'m> {
    pub(crate) raw: sys::Emit,
    memory: PhantomData<&'m mut [u64]>,
}

// The memory is borrowed mutably, and the other end of a ring is synchronized with.
unsafe impl Send for Emitter<'_> {}
unsafe impl Sync for Emitter<'_> {}

impl<'m> Emitter<'m> {
    /// Starts at the beginning of a region. One word is kept for the zero that ends the
    /// data; an emitter of an empty slice is full, and counts what it drops.
    ///
    /// Zero the memory first: readers that are given all of it warn of old data after the
    /// end.
    pub fn region(memory: &'m mut [u64]) -> Self {
        let size = size_of_val(memory) as u64;
        let mut raw = MaybeUninit::uninit();

        // SAFETY: initializes all of `raw`, whatever it returns. The memory is borrowed
        // for as long as the emitter.
        unsafe {
            sys::fxt_emit_init(raw.as_mut_ptr(), memory.as_mut_ptr().cast(), size);
            Self::from_raw(raw.assume_init())
        }
    }

    /// Makes a ring of the memory, and returns both of its ends: what was there before is
    /// lost. `cpu` is reported where records were dropped.
    ///
    /// 32 words are for what both ends share, and one always stays free. None if there is
    /// no room for any record. A ring should be a few times as large as its largest
    /// record, and is best aligned to 128 bytes.
    pub fn ring(memory: &'m mut [u64], cpu: u32) -> Option<(Self, Ring<'m>)> {
        let size = size_of_val(memory);
        let address = memory.as_mut_ptr();

        // SAFETY: the memory is borrowed for as long as both ends, and each is the only
        // one of its kind.
        unsafe {
            let emitter = Self::ring_at(address, size, cpu)?;

            Some((emitter, Ring::open(address, size)?))
        }
    }

    /// The producer's end of a ring of `size` bytes, for a consumer elsewhere: a program
    /// that maps the memory, a debugger. The consumer need not be trusted; all that it
    /// can cost is the ring's data.
    ///
    /// # Safety
    ///
    /// The memory is valid for reads and writes for `'m`, there is no other producer, and
    /// the consumer writes nothing but its position.
    pub unsafe fn ring_at(memory: *mut u64, size: usize, cpu: u32) -> Option<Self> {
        let mut raw = MaybeUninit::uninit();

        // SAFETY: initializes all of `raw`; the memory is as the caller promises.
        unsafe {
            sys::fxt_emit_init_ring(raw.as_mut_ptr(), memory.cast(), size as u64, cpu)
                .then(|| Self::from_raw(raw.assume_init()))
        }
    }

    fn from_raw(raw: sys::Emit) -> Self {
        Emitter {
            raw,
            memory: PhantomData,
        }
    }

    /// All records of a region so far. Of a ring there are none to be seen from this end.
    pub fn records(&self) -> &[u64] {
        if !self.raw.control.is_null() || self.raw.n_words == 0 {
            return &[];
        }
        // SAFETY: these words of the region were written, and no one writes while the
        // emitter is borrowed.
        unsafe { core::slice::from_raw_parts(self.raw.words, self.raw.pos as usize) }
    }

    /// Writes a sample: a stack at a time, in ticks, of a process and a thread by their
    /// koids or whatever ids this system has. `pcs` are leaf first: the instruction that
    /// was interrupted, then return addresses as found on the stack. None at all is
    /// invalid.
    pub fn sample(
        &mut self,
        timestamp: u64,
        process: u64,
        thread: u64,
        pcs: &[u64],
    ) -> bool {
        // SAFETY: the slice is valid during the call, and `self` upholds the rest.
        unsafe {
            sys::fxt_emit_sample(
                &mut self.raw,
                timestamp,
                process,
                thread,
                pcs.as_ptr(),
                pcs.len() as u64,
            )
        }
    }

    /// Writes a sample that says how its stack ended. Readers other than libfxt's ignore
    /// that.
    pub fn stack(
        &mut self,
        timestamp: u64,
        process: u64,
        thread: u64,
        pcs: &[u64],
        end: StackEnd,
    ) -> bool {
        // SAFETY: as in `sample`.
        unsafe {
            sys::fxt_emit_stack(
                &mut self.raw,
                timestamp,
                process,
                thread,
                pcs.as_ptr(),
                pcs.len() as u64,
                end as u32,
            )
        }
    }

    /// Writes a sample as Zircon's kernel sampler does since 2025, which is two words
    /// shorter, has at most 255 PCs, and is unknown to older readers.
    pub fn backtrace(
        &mut self,
        timestamp: u64,
        process: u64,
        thread: u64,
        pcs: &[u64],
    ) -> bool {
        // SAFETY: as in `sample`.
        unsafe {
            sys::fxt_emit_backtrace(
                &mut self.raw,
                timestamp,
                process,
                thread,
                pcs.as_ptr(),
                pcs.len() as u64,
            )
        }
    }

    /// Reports now, in a ring, what was dropped and not reported yet; call it after a
    /// session's last record. Returns true if nothing is left to report. A region has no
    /// room for it: use the counts.
    pub fn drops(&mut self) -> bool {
        // SAFETY: `self` upholds what the function requires.
        unsafe { sys::fxt_emit_drops(&mut self.raw) }
    }

    /// How many records there was no room for.
    pub fn dropped_records(&self) -> u64 {
        self.raw.dropped_records
    }

    /// How many bytes these would have taken.
    pub fn dropped_bytes(&self) -> u64 {
        self.raw.dropped_bytes
    }

    /// How many calls asked for a record that the format cannot represent.
    pub fn invalid_records(&self) -> u64 {
        self.raw.invalid_records
    }

    /// A region has dropped a record and accepts no more.
    pub fn is_full(&self) -> bool {
        self.raw.full
    }

    /// How often a ring's consumer had an impossible position, so that nothing could be
    /// written.
    pub fn faults(&self) -> u64 {
        self.raw.faults
    }
}

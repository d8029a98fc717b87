// SPDX-License-Identifier: BSD-2-Clause
//! The consumer's end of a ring: memory through which an emitter passes records to one
//! consumer while both run.
//!
//! ```
//! use fxt_emit::Emitter;
//!
//! let mut memory = [0; 256];
//! let (mut emitter, mut ring) = Emitter::ring(&mut memory, 0).unwrap();
//! let mut drained = [0; 64];
//!
//! emitter.sample(1, 2, 3, &[4]);
//! assert_eq!(ring.read(&mut drained), 7);
//! assert_eq!(ring.read(&mut drained), 0);
//! ```
//!
//! Records are whole and contiguous: all that was drained, one after the other, is a
//! stream that libfxt reads as a region. Nothing here waits: the consumer polls.

use core::marker::PhantomData;
use core::mem::{size_of, size_of_val, MaybeUninit};
use core::ptr;

use crate::sys;

/// The consumer's end. [`Emitter::ring`](crate::Emitter::ring) makes both ends.
pub struct Ring<'m> {
    raw: sys::Ring,
    memory: PhantomData<&'m mut [u64]>,
}

// The words that the producer may write are not accessed from this end.
unsafe impl Send for Ring<'_> {}
unsafe impl Sync for Ring<'_> {}

impl<'m> Ring<'m> {
    /// Opens a ring of `size` bytes whose emitter is elsewhere, and continues where the
    /// last consumer stopped. None if the memory holds no ring.
    ///
    /// # Safety
    ///
    /// The memory is valid for reads and writes for `'m`, and there is no other consumer.
    /// A producer that is not trusted may write anything; then use only
    /// [`read`](Ring::read), which loads each word once.
    pub unsafe fn open(memory: *mut u64, size: usize) -> Option<Self> {
        let mut raw = MaybeUninit::uninit();

        // SAFETY: initializes all of `raw`; the memory is as the caller promises.
        unsafe {
            sys::fxt_ring_open(raw.as_mut_ptr(), memory.cast(), size as u64).then(|| {
                Ring {
                    raw: raw.assume_init(),
                    memory: PhantomData,
                }
            })
        }
    }

    /// Copies as many whole records as fit, consumes them, and returns how many words
    /// they are. 0 if there are none, or the first does not fit; [`peek`](Ring::peek)
    /// distinguishes the two.
    pub fn read(&mut self, to: &mut [u64]) -> usize {
        let size = size_of_val(to) as u64;

        // SAFETY: writes at most `size` bytes; `self` upholds the rest.
        let n =
            unsafe { sys::fxt_ring_read(&mut self.raw, to.as_mut_ptr().cast(), size) };

        n as usize / size_of::<u64>()
    }

    /// Contiguous whole records, without copying them; empty if there are none. There may
    /// be more, which are returned once these are consumed.
    pub fn peek(&mut self) -> &[u64] {
        let mut words = ptr::null();

        // SAFETY: the words belong to the consumer until it consumes them, for which it
        // borrows `self` mutably.
        unsafe {
            match sys::fxt_ring_peek(&mut self.raw, &mut words) {
                0 => &[],
                n => core::slice::from_raw_parts(words, n as usize),
            }
        }
    }

    /// Releases the first words of what [`peek`](Ring::peek) returned last to the
    /// producer. They must be whole records; a larger number releases all.
    pub fn consume(&mut self, n_words: usize) {
        // SAFETY: `self` upholds what the function requires.
        unsafe { sys::fxt_ring_consume(&mut self.raw, n_words as u64) }
    }

    /// How often the producer's position was impossible, or its data were no records.
    pub fn faults(&self) -> u64 {
        self.raw.faults
    }

    /// How many bytes were skipped because they were no records.
    pub fn skipped_bytes(&self) -> u64 {
        self.raw.skipped_bytes
    }
}

// SPDX-License-Identifier: BSD-2-Clause
//! Unwinds a stack by frame pointers: the callers of an interrupted instruction, in code
//! built with `-C force-frame-pointers=yes`.
//!
//! No word of a stack is trusted: a walk reads only inside the stacks that it is given,
//! moves only upwards in each, and takes no more steps than there is room for PCs. There
//! is no state between walks. `fxt/unwind.h` has all limits, and which machines are
//! known.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;

use crate::emit::StackEnd;
use crate::sys;

/// The most further stacks of a walk.
pub const STACKS_MAX: usize = 63;

/// A range of memory: from `low` up to, but not including, `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct StackRange {
    /// The lowest address.
    pub low: usize,
    /// The address after the highest one.
    pub high: usize,
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the outermost caller: its frame, or the return address, is 0.
    Outermost,
    /// There was no room for more.
    Full,
    /// A frame record is not aligned to the size of a pointer.
    Misaligned,
    /// A frame record is not wholly in a stack, or is in one that the walk has left.
    Outside,
    /// A frame record is not wholly above the one before, in the same stack.
    Backwards,
    /// A frame record could not be read.
    Unreadable,
    /// A return address is not code.
    NotCode,
    /// This machine's frame records are not known.
    UnknownMachine,
}

impl Stop {
    fn from_raw(why: u32) -> Self {
        match why {
            0 => Stop::Outermost,
            1 => Stop::Full,
            2 => Stop::Misaligned,
            3 => Stop::Outside,
            4 => Stop::Backwards,
            5 => Stop::Unreadable,
            6 => Stop::NotCode,
            _ => Stop::UnknownMachine,
        }
    }
}

/// What to tell readers of the sample.
impl From<Stop> for StackEnd {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Outermost => StackEnd::Outermost,
            Stop::Full => StackEnd::Depth,
            Stop::Misaligned | Stop::Outside | Stop::Backwards => StackEnd::NoProgress,
            Stop::Unreadable => StackEnd::Unreadable,
            Stop::NotCode => StackEnd::NotCode,
            Stop::UnknownMachine => StackEnd::NoTable,
        }
    }
}

/// What a walk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack<'p> {
    /// The interrupted PC and the return addresses above it, leaf first.
    pub pcs: &'p [u64],
    /// Why there are no more.
    pub stop: Stop,
}

/// Reads a stack that is not simply in memory: one that may not be mapped, or another
/// process's. No function may panic.
pub trait Memory {
    /// The two words at an aligned address inside one of the stacks (on 64-bit PowerPC,
    /// the word there and the one after the next); None if they cannot be read.
    fn read(&self, address: usize) -> Option<[usize; 2]>;

    /// Whether an address can be a return address.
    fn is_code(&self, pc: usize) -> bool {
        pc != 0
    }
}

/// Where to start and how far to go.
pub struct Walk<'a> {
    raw: sys::Unwind,
    borrowed: PhantomData<(&'a [StackRange], &'a Range<usize>)>,
}

impl<'a> Walk<'a> {
    /// From an interrupted program counter and frame pointer register (x86-64: rip and
    /// rbp; aarch64: pc and x29; riscv: pc and s0), on a stack from the interrupted stack
    /// pointer up to its end. A `pc` of 0 means none.
    pub const fn new(pc: usize, frame: usize, stack: Range<usize>) -> Self {
        let raw = sys::Unwind {
            pc,
            frame,
            stack_low: stack.start,
            stack_high: stack.end,
            stacks: ptr::null(),
            n_stacks: 0,
            skip: 0,
            link: 0,
            is_code: None,
            read: None,
            context: ptr::null_mut(),
            signature_bits: 0,
        };

        Walk {
            raw,
            borrowed: PhantomData,
        }
    }

    /// Further stacks that frames may be on, at most [`STACKS_MAX`]; others are ignored.
    pub fn stacks(mut self, stacks: &'a [StackRange]) -> Self {
        self.raw.stacks = stacks.as_ptr().cast();
        self.raw.n_stacks = stacks.len().min(STACKS_MAX) as u32;
        self
    }

    /// The kernel's text: a return address elsewhere ends the walk.
    pub fn code(mut self, text: &'a Range<usize>) -> Self {
        self.raw.is_code = Some(is_in_range);
        self.raw.context = text as *const Range<usize> as *mut c_void;
        self
    }

    /// How many PCs to omit, from the leaf on.
    pub fn skip(mut self, n_pcs: u32) -> Self {
        self.raw.skip = n_pcs;
        self
    }

    /// The link register, if the interrupted function is known to have its return address
    /// still there.
    pub fn link(mut self, link: usize) -> Self {
        self.raw.link = link;
        self
    }

    /// The bits of a return address that hold its signature, of another machine's stacks.
    pub fn signature_bits(mut self, bits: usize) -> Self {
        self.raw.signature_bits = bits;
        self
    }

    /// Walks stacks in memory.
    ///
    /// # Safety
    ///
    /// All of the stacks can be read. Their contents may be anything, and may change.
    pub unsafe fn walk<'p>(&self, pcs: &'p mut [u64]) -> Stack<'p> {
        // SAFETY: as the caller promises.
        unsafe { walk_raw(&self.raw, pcs) }
    }

    /// Walks stacks by reading them with `memory`, which also decides what is code, in
    /// place of [`code`](Walk::code).
    pub fn walk_with<'p, M: Memory>(&self, memory: &M, pcs: &'p mut [u64]) -> Stack<'p> {
        let raw = sys::Unwind {
            is_code: Some(ask_code::<M>),
            read: Some(ask_read::<M>),
            context: memory as *const M as *mut c_void,
            ..self.raw
        };

        // SAFETY: reads stacks by `memory` only.
        unsafe { walk_raw(&raw, pcs) }
    }

    /// Walks stacks in memory from the caller of this function on; the first PC is there,
    /// after the call. The PC, the frame and the link are not used. The caller's own
    /// frame record must be on a stack of the walk; else that PC is the only one.
    ///
    /// # Safety
    ///
    /// As [`walk`](Walk::walk).
    #[inline(always)]
    pub unsafe fn walk_here<'p>(&self, pcs: &'p mut [u64]) -> &'p [u64] {
        // SAFETY: as the caller promises.
        let n = unsafe {
            sys::fxt_unwind_walk_here(&self.raw, pcs.as_mut_ptr(), pcs.len() as u64)
        };

        pcs.get(..n as usize).unwrap_or(&[])
    }
}

/// See [`Walk::walk`]; `from` has functions that can be called with its context.
unsafe fn walk_raw<'p>(from: &sys::Unwind, pcs: &'p mut [u64]) -> Stack<'p> {
    let mut why = 0;
    // SAFETY: stores at most as many PCs as there is room for.
    let n = unsafe {
        sys::fxt_unwind_walk_why(from, pcs.as_mut_ptr(), pcs.len() as u64, &mut why)
    };

    Stack {
        pcs: pcs.get(..n as usize).unwrap_or(&[]),
        stop: Stop::from_raw(why),
    }
}

unsafe extern "C" fn is_in_range(context: *mut c_void, pc: usize) -> bool {
    // SAFETY: `code` has set it.
    unsafe { &*(context as *const Range<usize>) }.contains(&pc)
}

unsafe extern "C" fn ask_code<M: Memory>(context: *mut c_void, pc: usize) -> bool {
    // SAFETY: `walk_with` has set it.
    unsafe { &*(context as *const M) }.is_code(pc)
}

unsafe extern "C" fn ask_read<M: Memory>(
    context: *mut c_void,
    address: usize,
    words: *mut usize,
) -> bool {
    // SAFETY: `walk_with` has set it.
    match unsafe { &*(context as *const M) }.read(address) {
        Some(read) => {
            // SAFETY: there is room for two.
            unsafe { words.cast::<[usize; 2]>().write(read) };
            true
        }
        None => false,
    }
}

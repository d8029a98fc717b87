// SPDX-License-Identifier: BSD-2-Clause
//! Stops writers on other CPUs, or in interrupts, without a lock.
//!
//! A gate is also a try-lock: while one writer is inside no other can enter, and none
//! waits. So a [`Gated`] emitter can be a static that any context may try to write to:
//!
//! ```
//! use fxt_emit::{Emitter, Gated};
//!
//! static CPU: Gated<Option<Emitter<'static>>> = Gated::new(None);
//!
//! // Your timer interrupt:
//! if let Some(mut inside) = CPU.enter() {
//!     if let Some(emitter) = inside.as_mut() {
//!         emitter.sample(1, 2, 3, &[4]);
//!     }
//! }
//! ```
//!
//! To stop a session takes three phases, each for all CPUs before the next:
//! [`disable`](Gate::disable) the gates; cancel the timers, and [`disarm`](Gate::disarm)
//! for each whose handler will not run; poll [`is_quiet`](Gate::is_quiet). Then nothing
//! more is written until [`enable`](Gate::enable).

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

use crate::sys;

/// A gate. Keep those of different CPUs in different cache lines.
#[repr(transparent)]
pub struct Gate {
    raw: UnsafeCell<sys::Gate>,
}

// All accesses are atomic.
unsafe impl Sync for Gate {}

// In all of these the pointer is valid, and the accesses are atomic.
impl Gate {
    /// A gate that is disabled, with no writer inside.
    pub const fn new() -> Self {
        Gate {
            raw: UnsafeCell::new(sys::Gate { state: 0 }),
        }
    }

    /// Enables writes. A writer that enters sees all that the caller stored before.
    pub fn enable(&self) {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_enable(self.raw.get()) }
    }

    /// Disables writes: no writer can enter from here on. A write in progress continues.
    pub fn disable(&self) {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_disable(self.raw.get()) }
    }

    /// Whether writes are enabled, which may change at any time; spares writers work that
    /// they would do before they are refused.
    pub fn is_enabled(&self) -> bool {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_is_enabled(self.raw.get()) }
    }

    /// Enters the gate to write, until what it returns is dropped. None if writes are
    /// disabled or another writer is inside. Do not wait for anything while inside.
    pub fn enter(&self) -> Option<Inside<'_>> {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_enter(self.raw.get()) }.then(|| Inside { gate: self })
    }

    /// Marks a timer as pending, just before it is set: the first time, or again by its
    /// handler. If false, it must not be set, and a handler must not access what the gate
    /// guards.
    #[must_use]
    pub fn arm(&self) -> bool {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_arm(self.raw.get()) }
    }

    /// Marks the timer as no longer pending: it was cancelled before its handler ran, or
    /// its handler is done and does not set it again.
    pub fn disarm(&self) {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_disarm(self.raw.get()) }
    }

    /// Whether no write and no timer is pending. Of a disabled gate true stays true, and
    /// the caller then sees all that writers have stored. Checks once and never waits.
    pub fn is_quiet(&self) -> bool {
        // SAFETY: see above.
        unsafe { sys::fxt_gate_is_quiet(self.raw.get()) }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// A writer inside a gate, which leaves it when this is dropped.
#[must_use]
pub struct Inside<'g> {
    gate: &'g Gate,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // SAFETY: this writer has entered.
        unsafe { sys::fxt_gate_leave(self.gate.raw.get()) }
    }
}

/// What only the writer inside a gate can access, such as an emitter.
pub struct Gated<T> {
    gate: Gate,
    value: UnsafeCell<T>,
}

// Only one context at a time gets to the value.
unsafe impl<T: Send> Sync for Gated<T> {}

impl<T> Gated<T> {
    /// The gate is disabled.
    pub const fn new(value: T) -> Self {
        Gated {
            gate: Gate::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// The gate itself: to enable and disable it, and for the timer.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Enters the gate and returns access to the value, until that is dropped.
    pub fn enter(&self) -> Option<Guard<'_, T>> {
        let inside = self.gate.enter()?;

        // SAFETY: there is no other writer inside.
        Some(Guard {
            value: unsafe { &mut *self.value.get() },
            _inside: inside,
        })
    }

    /// Access to the value of a gate that was stopped; None if it is enabled or not
    /// quiet.
    ///
    /// # Safety
    ///
    /// The gate is not enabled, and this is not called again, while what it returns is
    /// used.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn stopped(&self) -> Option<&mut T> {
        // SAFETY: no writer is inside, and none can enter.
        (!self.gate.is_enabled() && self.gate.is_quiet())
            .then(|| unsafe { &mut *self.value.get() })
    }

    /// Access to the value where there is no other.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

/// Access to the value inside a gate.
pub struct Guard<'g, T> {
    value: &'g mut T,
    _inside: Inside<'g>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

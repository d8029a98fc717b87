// SPDX-License-Identifier: BSD-2-Clause
//! Rings, gates and walks.

use std::thread;

use fxt_emit::emit::StackEnd;
use fxt_emit::unwind::{Memory, StackRange, Stop, Walk};
use fxt_emit::{Emitter, Gate, Gated};

#[test]
fn a_ring_passes_records_between_threads() {
    const N: u64 = 100_000;
    let mut memory = vec![0; 32 + 100];
    let (mut emitter, mut ring) = Emitter::ring(&mut memory, 3).unwrap();
    let mut drained = Vec::new();

    let emitter = thread::scope(|scope| {
        let writer = scope.spawn(move || {
            for i in 0..N {
                emitter.sample(i, 1, 2, &[i, i]);
            }
            emitter
        });
        while !writer.is_finished() {
            // A second look may show more records.
            let words = ring.peek();
            let n = words.len();

            drained.extend_from_slice(words);
            ring.consume(n);
        }
        writer.join().unwrap()
    });
    let mut emitter = emitter;
    let mut rest = [0; 100];
    while let n @ 1.. = ring.read(&mut rest) {
        drained.extend_from_slice(&rest[..n]);
    }
    assert!(emitter.drops());
    let n = ring.read(&mut rest);
    drained.extend_from_slice(&rest[..n]);
    let n_samples = check_samples(&drained);
    assert_eq!(n_samples + emitter.dropped_records(), N);
    assert_eq!(
        (emitter.faults(), ring.faults(), ring.skipped_bytes()),
        (0, 0, 0)
    );
}

/// Whether all samples are whole and in their order; how many there are.
fn check_samples(mut words: &[u64]) -> u64 {
    let mut last = None;
    let mut n = 0;

    while let Some(header) = words.first() {
        let size = (header >> 4 & 0xfff) as usize;

        if header & 15 == 15 {
            assert_eq!(words[2], words[6]);
            assert_eq!(words[6], words[7]);
            assert!(last < Some(words[2]));
            last = Some(words[2]);
            n += 1;
        }
        words = &words[size..];
    }
    n
}

#[test]
fn memory_that_is_too_small_is_no_ring() {
    assert!(Emitter::ring(&mut [0; 33], 0).is_none());
    assert!(Emitter::ring(&mut [], 0).is_none());
}

#[test]
fn a_gate_admits_one_writer() {
    let gated = Gated::new(0);

    assert!(gated.enter().is_none());
    gated.gate().enable();
    {
        let mut inside = gated.enter().unwrap();

        *inside += 1;
        assert!(gated.enter().is_none());
        gated.gate().disable();
        // SAFETY: there is no other.
        assert!(unsafe { gated.stopped() }.is_none());
    }
    assert!(gated.enter().is_none());
    // SAFETY: there is no other.
    assert_eq!(unsafe { gated.stopped() }, Some(&mut 1));
}

#[test]
fn a_gate_counts_a_timer() {
    let gate = Gate::new();

    assert!(!gate.arm());
    gate.enable();
    assert!(gate.is_enabled() && gate.arm() && !gate.is_quiet());
    gate.disarm();
    assert!(gate.is_quiet());
}

#[test]
fn threads_take_turns_in_a_gate() {
    static GATED: Gated<u64> = Gated::new(0);

    GATED.gate().enable();
    let n_entered: u64 = thread::scope(|scope| {
        let enter = || {
            (0..50_000)
                .filter_map(|_| GATED.enter())
                .map(|mut n| *n += 1)
                .count()
        };
        let threads = [scope.spawn(enter), scope.spawn(enter)];

        threads
            .into_iter()
            .map(|thread| thread.join().unwrap() as u64)
            .sum()
    });
    assert!(n_entered > 0);
    assert_eq!(*GATED.enter().unwrap(), n_entered);
}

/// Frame records that lead to each other, at made up addresses.
struct Records(Vec<[usize; 2]>);

const LOW: usize = 0x10000;
const RECORD: usize = 2 * std::mem::size_of::<usize>();

impl Memory for Records {
    fn read(&self, address: usize) -> Option<[usize; 2]> {
        self.0.get((address - LOW) / RECORD).copied()
    }

    fn is_code(&self, pc: usize) -> bool {
        pc < 0x9000
    }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "x86"))]
fn a_walk_reads_what_it_is_given() {
    let records = |last| {
        Records(vec![
            [LOW + RECORD, 0x2000],
            [LOW + 2 * RECORD, 0x3000],
            [0, last],
        ])
    };
    let walk = Walk::new(0x1000, LOW, LOW..LOW + 4 * RECORD);
    let mut pcs = [0; 8];

    let found = walk.walk_with(&records(0x4000), &mut pcs);
    assert_eq!(
        (found.pcs, found.stop),
        (&[0x1000, 0x2000, 0x3000, 0x4000][..], Stop::Outermost)
    );
    let found = walk.walk_with(&records(0x9000), &mut pcs);
    assert_eq!((found.pcs.len(), found.stop), (3, Stop::NotCode));
    let found = walk.walk_with(&records(0x4000), &mut pcs[..2]);
    assert_eq!(
        (found.pcs.len(), StackEnd::from(found.stop)),
        (2, StackEnd::Depth)
    );
    let found = walk.walk_with(&Records(vec![]), &mut pcs);
    assert_eq!((found.pcs.len(), found.stop), (1, Stop::Unreadable));
    let found = Walk::new(0x1000, LOW, 0..0)
        .stacks(&[StackRange {
            low: LOW,
            high: LOW + RECORD,
        }])
        .skip(1)
        .walk_with(&records(0x4000), &mut pcs);
    assert_eq!((found.pcs, found.stop), (&[0x2000][..], Stop::Outside));
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "x86"))]
fn a_walk_reads_memory() {
    let stack: *mut [usize; 2] = Box::leak(Box::new([[0; 2]; 3])).as_mut_ptr();
    let low = stack as usize;
    let high = low + 3 * RECORD;
    let text = 0x2000..0x3000;
    let mut pcs = [0; 8];

    // SAFETY: there is room for three.
    unsafe {
        stack.write([low + RECORD, 0x2000]);
        stack.add(1).write([low + 2 * RECORD, 0x2001]);
        stack.add(2).write([low, 0x4000]);
    }
    // SAFETY: the stack is there.
    let found = unsafe { Walk::new(1, low, low..high).code(&text).walk(&mut pcs) };
    assert_eq!(
        (found.pcs, found.stop),
        (&[1, 0x2000, 0x2001][..], Stop::NotCode)
    );
    // SAFETY: the stack is there.
    let found = unsafe { Walk::new(1, low, low..high).walk(&mut pcs) };
    assert_eq!((found.pcs.len(), found.stop), (4, Stop::Backwards));
}

#[inline(never)]
fn walk_from_here() -> usize {
    let mut pcs = [0; 4];
    // SAFETY: no stack is read.
    let found = unsafe { Walk::new(0, 0, 0..0).walk_here(&mut pcs) };

    assert_eq!(found.len(), 1);
    found[0] as usize
}

#[test]
fn a_walk_from_here_begins_in_its_caller() {
    let distance =
        walk_from_here().wrapping_sub(walk_from_here as fn() -> usize as usize);

    assert!(distance < 1024, "{:#x}", distance);
}

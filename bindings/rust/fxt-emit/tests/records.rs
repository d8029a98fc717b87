// SPDX-License-Identifier: BSD-2-Clause
//! Records, compared with those that C writes.

use std::env;
use std::process::Command;

use fxt_emit::{Arg, Emitter, Event, EventKind, Scope, StackEnd, Text, Thread};

/// The region that `in_c.c` writes.
fn write_in_c() -> Vec<u64> {
    let here = env!("CARGO_MANIFEST_DIR");
    let program = env::temp_dir().join(format!("fxt-records-{}", std::process::id()));
    let compiled = Command::new(env::var("CC").unwrap_or_else(|_| "cc".into()))
        .args(["-std=c11", "-I", &format!("{}/../../../include", here), "-o"])
        .arg(&program)
        .arg(format!("{}/tests/in_c.c", here))
        .status()
        .unwrap();
    assert!(compiled.success());
    let output = Command::new(&program).arg("records").output().unwrap();
    std::fs::remove_file(&program).unwrap();
    output
        .stdout
        .chunks(8)
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

fn write_samples(emitter: &mut Emitter) {
    let pcs = [10, 11, 12];

    assert!(emitter.sample(1, 2, 3, &pcs));
    assert!(emitter.stack(4, 5, 6, &pcs, StackEnd::NoProgress));
    assert!(emitter.backtrace(7, 8, 9, &pcs[..2]));
}

fn write_events(emitter: &mut Emitter, thread: Thread, name: Text) {
    let args = [
        Arg::null("null"),
        Arg::int32("int32", -32),
        Arg::uint32("uint32", 32),
        Arg::int64("int64", -64),
        Arg::uint64("uint64", 64),
        Arg::double_bits("double", 1f64.to_bits()),
        Arg::string("string", name),
        Arg::pointer("pointer", 0xffffffff80100000),
        Arg::koid("koid", 99),
        Arg::bool("bool", true),
        Arg::blob("blob", b"abc"),
    ];
    let kinds = [
        EventKind::Instant(Scope::Process),
        EventKind::Counter(301),
        EventKind::DurationBegin,
        EventKind::DurationEnd,
        EventKind::DurationComplete(204),
        EventKind::AsyncBegin(305),
        EventKind::AsyncInstant(306),
        EventKind::AsyncEnd(307),
        EventKind::FlowBegin(308),
        EventKind::FlowStep(309),
        EventKind::FlowEnd(310),
    ];

    for (i, kind) in kinds.into_iter().enumerate() {
        let category = "category".into();
        let event = Event {
            timestamp: 100,
            thread,
            category,
            name,
            kind,
        };

        assert!(emitter.event(&event, &args[..i]));
    }
    assert!(emitter.log(400, Thread::new(20, 30), "message"));
    assert!(emitter.kernel_object(2, 30, "idle", &args));
    assert!(emitter.context_switch(500, 3, 4, 30, 31, &args[..2]));
    assert!(emitter.wakeup(600, 3, 31, &args[..1]));
}

#[test]
fn records_are_those_of_c() {
    let mut memory = [0; 1024];
    let mut emitter = Emitter::region(&mut memory);

    assert!(emitter.initialization(1000));
    let name = emitter.string(7, "registered").unwrap();
    let thread = emitter.thread(5, 50, 51).unwrap();
    write_samples(&mut emitter);
    write_events(&mut emitter, thread, name);
    assert!(emitter.blob(1, "stream", b"bytes"));
    assert!(emitter.module(700, 1, 2, "vmlinux", &[1, 2, 3]));
    assert!(emitter.mapping(800, 1, 2, 3, 4, 5, 5));
    assert!(emitter.records().len() > 200);
    assert_eq!(emitter.records(), write_in_c());
}

#[test]
fn what_is_not_written_is_counted() {
    let mut memory = [0; 8];
    let mut emitter = Emitter::region(&mut memory);

    assert!(!emitter.sample(1, 2, 3, &[]));
    assert!(emitter.string(0, "no such index").is_none());
    assert!(emitter.string(0x8000, "no such index").is_none());
    assert!(emitter.thread(0, 1, 2).is_none());
    assert!(emitter.string(1, Text::new(&[b'x'; 32001])).is_none());
    assert_eq!((emitter.invalid_records(), emitter.is_full()), (5, false));
    assert!(emitter.sample(1, 2, 3, &[4]));
    assert!(!emitter.sample(1, 2, 3, &[4]));
    assert_eq!(
        (emitter.dropped_records(), emitter.dropped_bytes()),
        (1, 56)
    );
    assert!(emitter.is_full() && emitter.records().len() == 7);
}

#[test]
fn an_empty_region_drops_everything() {
    let mut emitter = Emitter::region(&mut []);

    assert!(!emitter.sample(1, 2, 3, &[4]));
    assert_eq!((emitter.dropped_records(), emitter.records().len()), (1, 0));
}

// SPDX-License-Identifier: BSD-2-Clause
//! What the objects do: reading, writing, errors, lifetimes.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::rc::Rc;

use fxt::{event, Arg, Data, Error, Event, Reader, Text, Thread, Value, Writer};

fn archive(n: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), 1_000_000).unwrap();
    let mut span = Event::new(
        event::DURATION_COMPLETE,
        Thread::new(1, 2),
        "net",
        "receive",
    );

    for now in 0..n {
        span.timestamp = now;
        span.end_timestamp = now + 1;
        let args = [Arg {
            name: Text::Bytes(b"now"),
            value: now.into(),
        }];

        writer.write_event(&span, &args).unwrap();
    }
    writer.finish().unwrap()
}

/// One byte after the other.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = buffer.len().min(1);

        self.0.read(&mut buffer[..n])
    }
}

fn times(mut reader: Reader<impl Read>) -> Vec<u64> {
    let mut found = Vec::new();

    while let Some(record) = reader.next_record().unwrap() {
        if let Some(event) = record.event() {
            assert_eq!(record.time_ns(), Some(1000 * event.timestamp));
            assert_eq!(record.arg("now"), Some(Value::Uint64(event.timestamp)));
            assert!(event.name == *"receive" && event.thread == Thread::new(1, 2));
            found.push(event.timestamp);
        }
    }
    found
}

#[test]
fn events_of_many_buffers_come_in_order() {
    let data = archive(20_000);

    assert!(data.len() > 2 * 256 * 1024);
    assert!(times(Reader::new(&data[..]).unwrap())
        .into_iter()
        .eq(0..20_000));
    assert!(times(Reader::new(Slow(&data[..3000])).unwrap()).len() > 60);
}

#[test]
fn records_larger_than_the_buffer_are_read() {
    let payload = vec![0xa5; 3_000_001];
    let n_words = 1 + 1 + 1 + 375_001u64;
    let mut data = (15 | n_words << 4 | 1 << 40).to_le_bytes().to_vec();

    data.extend(0u64.to_le_bytes());
    data.extend((payload.len() as u64).to_le_bytes());
    data.extend(&payload);
    data.resize(8 * n_words as usize, 0);
    let mut reader = Reader::new(&data[..]).unwrap();
    let record = reader.next_record().unwrap().unwrap();

    match record.data() {
        Data::LargeBlob { payload: found, .. } => assert!(found == payload),
        other => panic!("{:?}", other),
    }
    assert!(reader.next_record().unwrap().is_none());
    assert!(reader.next_record().unwrap().is_none());
}

#[test]
fn copies_outlive_their_reader() {
    let copies: Vec<_> = {
        let data = archive(3);
        let mut reader = Reader::new(&data[..]).unwrap();
        let found = reader.records().collect::<Result<_, _>>().unwrap();

        found
    };
    let times: Vec<_> = copies
        .iter()
        .filter_map(|copy| copy.as_record().event())
        .map(|e| e.timestamp)
        .collect();

    assert_eq!(times, [0, 1, 2]);
    let last = copies.last().unwrap().as_record();

    assert_eq!(last.provider().ticks_per_second, 1_000_000);
    assert_eq!(last.end_ns(), Some(3000));
    assert!(std::thread::spawn(move || copies.len()).join().unwrap() > 3);
}

#[test]
fn samples_are_written_and_read() {
    let mut writer = Writer::new(Vec::new(), 1_000_000_000).unwrap();

    writer
        .write_sample(5, Thread::new(1, 2), &[0x1000, u64::MAX])
        .unwrap();
    let data = writer.finish().unwrap();
    let mut reader = Reader::new(&data[..]).unwrap();
    let samples: Vec<_> = reader.samples().collect::<Result<_, _>>().unwrap();

    assert_eq!(samples.len(), 1);
    assert_eq!(samples[0].pcs, [0x1000, u64::MAX]);
    assert_eq!(
        (samples[0].time_ns, samples[0].thread),
        (Some(5), Thread::new(1, 2))
    );
}

#[test]
fn values_come_back_exactly() {
    let values: Vec<Value> = vec![
        Value::Null,
        (-5i32).into(),
        5u32.into(),
        i64::MIN.into(),
        u64::MAX.into(),
        0.1.into(),
        "wörd".into(),
        "".into(),
        Value::Pointer(1 << 63),
        Value::Koid(7),
        true.into(),
        Value::Blob(b"\0\xff"),
    ];
    let args: Vec<_> = values
        .iter()
        .map(|&value| Arg {
            name: Text::Bytes(b"a"),
            value,
        })
        .collect();
    let mut writer = Writer::new(Vec::new(), 1).unwrap();
    let counter = Event::new(event::COUNTER, Thread::new(1, 2), "a", "b");

    writer.write_event(&counter, &args).unwrap();
    let data = writer.finish().unwrap();
    let mut reader = Reader::new(&data[..]).unwrap();
    let copies: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    let found: Vec<_> = copies.last().unwrap().as_record().args().collect();

    assert_eq!(found, args);
}

#[test]
fn a_stream_is_copied_record_by_record() {
    let data = archive(100);
    let mut reader = Reader::new(&data[..]).unwrap();
    let mut writer = Writer::without_start(Vec::new()).unwrap();

    while let Some(record) = reader.next_record().unwrap() {
        writer.write(record).unwrap();
    }
    assert!(writer.finish().unwrap() == data);
}

#[test]
fn faults_are_reported_and_cost_what_they_say() {
    let data = archive(3);
    let faults = Rc::new(RefCell::new(Vec::new()));
    let heard = faults.clone();
    let mut reader = Reader::new(&data[..data.len() - 8]).unwrap();

    reader.on_fault(move |fault| heard.borrow_mut().push(fault.name()));
    assert_eq!(times(reader), [0, 1]);
    assert_eq!(*faults.borrow(), ["truncated"]);
}

#[test]
fn more_faults_than_are_kept_are_all_reported() {
    // A string at index 0, which readers must ignore, ten thousand times.
    let data: Vec<u8> = (0..10_000)
        .flat_map(|_| (2u64 | 1 << 4).to_le_bytes())
        .collect();
    let n = Rc::new(RefCell::new(0));
    let heard = n.clone();
    let mut reader = Reader::new(&data[..]).unwrap();

    reader.on_fault(move |_| *heard.borrow_mut() += 1);
    while reader.next_record().unwrap().is_some() {}
    assert_eq!(*n.borrow(), 10_000);
}

#[test]
fn lost_framing_is_an_error_after_what_was_read() {
    let mut data = archive(2);

    data.extend(0x1_0000_0004u64.to_le_bytes());
    data.extend([0; 80]);
    let mut reader = Reader::new(&data[..]).unwrap();
    let mut n = 0;
    let error = loop {
        match reader.next_record() {
            Ok(Some(record)) => n += u32::from(record.event().is_some()),
            Ok(None) => panic!("no error"),
            Err(error) => break error,
        }
    };

    assert_eq!((n, error.name()), (2, "size_zero"));
    assert!(reader.next_record().unwrap().is_none());
}

#[test]
fn what_cannot_be_represented_is_refused() {
    let mut writer = Writer::new(Vec::new(), 1).unwrap();
    let mut span = Event::new(event::DURATION_COMPLETE, Thread::new(1, 2), "a", "b");

    span.timestamp = 5;
    assert_eq!(
        writer.write_event(&span, &[]).unwrap_err().name(),
        "end_before_begin"
    );
    let unknown = [Arg {
        name: Text::Bytes(b"a"),
        value: Value::Unknown(6),
    }];

    assert_eq!(
        writer.write_event(&span, &unknown).unwrap_err().name(),
        "unknown_arg"
    );
    span.end_timestamp = 6;
    writer.write_event(&span, &[]).unwrap();
    assert_eq!(writer.finish().unwrap_err().name(), "end_before_begin");
    assert!(Reader::open("/does/not/exist").is_err());
}

#[test]
fn errors_and_panics_of_the_output_are_errors() {
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(28))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    match Writer::new(Full, 1).unwrap().finish() {
        Err(Error::Io(error)) => assert_eq!(error.raw_os_error(), Some(28)),
        _ => panic!("no error"),
    }

    struct Panics;

    impl Write for Panics {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("on purpose")
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    assert!(matches!(
        Writer::new(Panics, 1).unwrap().finish(),
        Err(Error::Io(_))
    ));
}

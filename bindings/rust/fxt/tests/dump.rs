// SPDX-License-Identifier: BSD-2-Clause
//! Prints all that the crate hands out of each file, for `tests/bindings/records_agree.py`.

use fxt::{
    event, Data, Error, Event, Options, Reader, Record, Severity, Text, Thread, Value,
};

// ---- Values -----------------------------------------------------------------------------

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{:02x}", byte)).collect();

    format!("\"{}\"", digits)
}

fn address(number: u64) -> String {
    format!("\"{:#x}\"", number)
}

fn text(value: Text) -> String {
    match value {
        Text::Bytes(bytes) => format!("{{\"text\":{}}}", hex(bytes)),
        Text::Unknown(reference) => format!("{{\"ref\":{}}}", reference),
    }
}

fn or_null(number: Option<u64>) -> String {
    number.map_or("null".into(), |number| number.to_string())
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// The members of an object.
#[derive(Default)]
struct Members(String);

impl Members {
    fn add(&mut self, key: &str, value: impl std::fmt::Display) -> &mut Members {
        let comma = if self.0.is_empty() { "" } else { "," };

        self.0 += &format!("{}\"{}\":{}", comma, key, value);
        self
    }

    fn times(&mut self, record: Record) -> &mut Members {
        self.add("timestamp", record.time().unwrap())
            .add("time_ns", or_null(record.time_ns()))
    }

    fn process(&mut self, thread: Thread, prefix: &str, whole: bool) -> &mut Members {
        let id = |id| or_null(thread.known.then_some(id));

        self.add(&format!("{}process", prefix), id(thread.process));
        if whole {
            self.add(&format!("{}thread", prefix), id(thread.thread));
        }
        if !thread.known {
            self.add(&format!("{}thread_ref", prefix), thread.reference);
        }
        self
    }

    fn thread(&mut self, thread: Thread) -> &mut Members {
        self.process(thread, "", true)
    }

    fn args(&mut self, record: Record) -> &mut Members {
        self.add(
            "args",
            array(record.args().map(|arg| {
                let (kind, value) = match arg.value {
                    Value::Null => (0, "null".into()),
                    Value::Int32(value) => (1, value.to_string()),
                    Value::Uint32(value) => (2, value.to_string()),
                    Value::Int64(value) => (3, value.to_string()),
                    Value::Uint64(value) => (4, value.to_string()),
                    Value::Double(value) => {
                        (5, format!("{{\"bits\":{}}}", value.to_bits()))
                    }
                    Value::String(value) => (6, text(value)),
                    Value::Pointer(value) => (7, address(value)),
                    Value::Koid(value) => (8, value.to_string()),
                    Value::Bool(value) => (9, value.to_string()),
                    Value::Blob(value) => (10, hex(value)),
                    Value::Unknown(kind) => (kind, "null".into()),
                    _ => unreachable!(),
                };

                format!(
                    "{{\"name\":{},\"type\":{},\"value\":{}}}",
                    text(arg.name),
                    kind,
                    value
                )
            })),
        )
    }

    fn pcs(&mut self, record: Record) -> &mut Members {
        if let Some(sample) = record.sample() {
            self.add("pcs", array(sample.pcs.iter().map(address)));
        }
        self
    }

    fn payload(&mut self, payload: &[u8]) -> &mut Members {
        self.add("payload_size", payload.len())
            .add("payload", hex(payload))
    }
}

// ---- Records ----------------------------------------------------------------------------

fn add_event(m: &mut Members, record: Record, e: Event) {
    m.add("event", e.kind).times(record).thread(e.thread);
    m.add("category", text(e.category))
        .add("name", text(e.name))
        .args(record);
    match e.kind {
        event::COUNTER => m.add("counter_id", e.id),
        event::DURATION_COMPLETE => m
            .add("end_timestamp", e.end_timestamp)
            .add("end_time_ns", or_null(record.end_ns())),
        event::ASYNC_BEGIN..=event::ASYNC_END => m.add("async_id", e.id),
        event::FLOW_BEGIN..=event::FLOW_END => m.add("flow_id", e.id),
        _ => m,
    };
}

fn add_metadata(m: &mut Members, data: Data) {
    match data {
        Data::ProviderInfo { provider_id, name } => m
            .add("metadata", 1)
            .add("provider_id", provider_id)
            .add("name", text(name)),
        Data::ProviderSection { provider_id } => {
            m.add("metadata", 2).add("provider_id", provider_id)
        }
        Data::ProviderEvent { provider_id, event } => m
            .add("metadata", 3)
            .add("provider_id", provider_id)
            .add("event", event),
        Data::TraceInfo { trace_info, magic } => {
            m.add("metadata", 4).add("trace_info", trace_info);
            if trace_info == 0 {
                m.add("magic", address(magic.into()));
            }
            m
        }
        Data::OtherMetadata { kind } => m.add("metadata", kind),
        _ => unreachable!(),
    };
}

fn add_scheduling(m: &mut Members, record: Record, data: Data) {
    match data {
        Data::ContextSwitch {
            cpu,
            outgoing_state,
            outgoing,
            incoming,
        } => m
            .add("scheduling", 1)
            .times(record)
            .add("cpu", cpu)
            .add("outgoing_state", outgoing_state)
            .add("outgoing_thread", outgoing.thread)
            .add("incoming_thread", incoming.thread)
            .args(record),
        Data::ThreadWakeup { cpu, thread } => m
            .add("scheduling", 2)
            .times(record)
            .add("cpu", cpu)
            .add("waking_thread", thread)
            .args(record),
        Data::LegacyContextSwitch {
            cpu,
            outgoing_state,
            outgoing,
            incoming,
            outgoing_priority,
            incoming_priority,
        } => m
            .add("scheduling", 0)
            .times(record)
            .add("cpu", cpu)
            .add("outgoing_state", outgoing_state)
            .process(outgoing, "outgoing_", true)
            .process(incoming, "incoming_", true)
            .add("outgoing_priority", outgoing_priority)
            .add("incoming_priority", incoming_priority),
        _ => unreachable!(),
    };
}

fn add_profiler(m: &mut Members, record: Record, data: Data) {
    match data {
        Data::Module {
            process,
            module_id,
            name,
            build_id,
            is_hex,
        } => {
            m.add("profiler", 0)
                .times(record)
                .process(process, "", false);
            m.add("module_id", module_id).add("name", text(name));
            if is_hex {
                m.add(
                    "build_id",
                    format!("\"{}\"", String::from_utf8_lossy(build_id)),
                )
            } else {
                m.add("build_id", hex(build_id))
            }
        }
        Data::Mapping {
            process,
            module_id,
            start,
            length,
            vaddr,
            flags,
        } => m
            .add("profiler", 1)
            .times(record)
            .process(process, "", false)
            .add("module_id", module_id)
            .add("start", address(start))
            .add("length", length)
            .add("vaddr", address(vaddr))
            .add("flags", flags),
        Data::Backtrace { thread, pcs } => m
            .add("profiler", 2)
            .times(record)
            .thread(thread)
            .add("pcs", array(pcs.iter().map(address))),
        _ => unreachable!(),
    };
}

fn add_unknown(m: &mut Members, record_type: u32, kind: u32, format: u32) {
    match record_type {
        8 => m.add("type", 8).add("scheduling", kind),
        10 => m.add("type", 10).add("profiler", kind),
        _ => m.add("type", "\"unknown\"").add("record_type", record_type),
    };
    if record_type == 15 {
        m.add("large_type", kind);
        if kind == 0 {
            m.add("blob_format", format);
        }
    }
}

fn add_data(m: &mut Members, record: Record) {
    let data = record.data();

    if let Data::Unknown {
        record_type,
        kind,
        format,
        ..
    } = data
    {
        add_unknown(m, record_type, kind, format);
        return;
    }
    m.add("type", record.record_type());
    match data {
        Data::Initialization {
            ticks_per_second,
            base,
        } => {
            m.add("ticks_per_second", ticks_per_second);
            if let Some((ticks, wall_ns)) = base {
                m.add("base_ticks", ticks).add("base_wall_ns", wall_ns);
            }
        }
        Data::String { index, value } => {
            m.add("index", index).add("value", text(value));
        }
        Data::Thread {
            index,
            process,
            thread,
        } => {
            m.add("index", index)
                .add("process", process)
                .add("thread", thread);
        }
        Data::Event(event) => add_event(m, record, event),
        Data::Blob {
            name,
            kind,
            payload,
        } => {
            m.add("name", text(name))
                .add("blob_type", kind)
                .payload(payload);
        }
        Data::UserspaceObject {
            pointer,
            process,
            name,
        } => {
            m.add("pointer", address(pointer))
                .process(process, "", false);
            m.add("name", text(name)).args(record);
        }
        Data::KernelObject { kind, koid, name } => {
            m.add("object_type", kind)
                .add("koid", koid)
                .add("name", text(name))
                .args(record);
        }
        Data::Log { thread, message } => {
            m.times(record).thread(thread).add("message", text(message));
        }
        Data::LargeBlob {
            format,
            thread,
            category,
            name,
            payload,
        } => {
            m.add("format", format)
                .add("category", text(category))
                .add("name", text(name));
            if format == 0 {
                m.times(record).thread(thread).args(record).pcs(record);
            }
            m.payload(payload);
        }
        _ => match record.record_type() {
            0 => add_metadata(m, data),
            8 => add_scheduling(m, record, data),
            _ => add_profiler(m, record, data),
        },
    }
}

fn print_record(record: Record, region: usize) {
    let mut m = Members::default();

    m.add("offset", record.offset())
        .add("size", record.size())
        .add("region", region);
    add_data(&mut m, record);
    println!("{{{}}}", m.0);
}

fn dump(path: &str, region: usize, resync: bool) -> Result<(), Error> {
    let options = Options {
        resync,
        ..Options::default()
    };
    let mut reader = Reader::with_options(std::fs::File::open(path)?, options)?;
    // Every other record by a copy, which must be the same.
    let mut by_copy = false;

    reader.on_fault(move |fault| {
        if fault.severity >= Severity::Error {
            let is_last = fault.severity == Severity::Fatal;

            println!(
                "{{\"offset\":{},\"size\":{},\"region\":{},\"type\":\"error\",\"code\":\"{}\"}}",
                fault.offset,
                or_null((!is_last).then_some(fault.skipped)),
                region,
                fault.name()
            );
        }
    });
    while let Some(record) = reader.next_record()? {
        if by_copy {
            print_record(record.copy().unwrap().as_record(), region);
        } else {
            print_record(record, region);
        }
        by_copy = !by_copy;
    }
    Ok(())
}

fn main() {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let resync = paths.first().map_or(false, |first| first == "--resync");

    if resync {
        paths.remove(0);
    }
    for (region, path) in paths.iter().enumerate() {
        match dump(path, region, resync) {
            Ok(()) => (),
            Err(error) => assert_eq!(error.name(), "size_zero", "{}", path),
        }
    }
}

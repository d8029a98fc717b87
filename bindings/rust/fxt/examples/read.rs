// SPDX-License-Identifier: BSD-2-Clause
//! Prints the events of a trace: when, how long, of which thread, what, and "bytes" if it has
//! an argument of that name.
//!
//!     read trace.fxt

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: read TRACE")?;
    let mut reader = fxt::Reader::open(path)?;

    reader.on_fault(|fault| eprintln!("{}", fault));
    while let Some(record) = reader.next_record()? {
        let event = match record.event() {
            Some(event) => event,
            None => continue,
        };
        let time = record.time_ns().unwrap_or(0);

        print!(
            "{} ns, {} ns long, thread {}: {}:{}",
            time,
            record.end_ns().unwrap_or(0).wrapping_sub(time),
            event.thread.thread,
            event.category.to_string_lossy(),
            event.name.to_string_lossy()
        );
        match record.arg("bytes").and_then(|value| value.as_u64()) {
            Some(bytes) => println!(", {} bytes", bytes),
            None => println!(),
        }
    }
    Ok(())
}

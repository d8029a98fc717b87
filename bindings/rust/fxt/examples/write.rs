// SPDX-License-Identifier: BSD-2-Clause
//! Writes an archive of a hundred spans to standard output.
//!
//!     write > trace.fxt

use fxt::{event, Arg, Event, Text, Thread, Writer};

fn main() -> Result<(), fxt::Error> {
    let mut writer =
        Writer::new(std::io::stdout(), 1_000_000_000 /* ticks a second */)?;
    let mut span = Event::new(
        event::DURATION_COMPLETE,
        Thread::new(1, 2),
        "net",
        "receive",
    );

    for now in 0..100 {
        span.timestamp = 1000 * now;
        span.end_timestamp = 1000 * now + 700;
        writer.write_event(
            &span,
            &[
                Arg {
                    name: Text::Bytes(b"bytes"),
                    value: (1500 + now).into(),
                },
                Arg {
                    name: Text::Bytes(b"from"),
                    value: "eth0".into(),
                },
            ],
        )?;
    }
    writer.finish()?;
    Ok(())
}

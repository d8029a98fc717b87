// SPDX-License-Identifier: BSD-2-Clause
//! Prints the stacks that a sampler took, leaf first.
//!
//!     stacks < cpu0.bin

fn main() -> Result<(), fxt::Error> {
    let mut reader = fxt::Reader::new(std::io::stdin())?;

    for sample in reader.samples() {
        let sample = sample?;

        print!("thread {}:", sample.thread.thread);
        for pc in sample.pcs {
            print!(" {:#x}", pc);
        }
        println!();
    }
    Ok(())
}

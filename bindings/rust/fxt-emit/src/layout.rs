// SPDX-License-Identifier: BSD-2-Clause
//! Whether the types of `sys.rs` are laid out as the headers' (`tests/in_c.c`).

use std::format;
use std::process::Command;
use std::string::String as Text;
use std::vec::Vec;

use core::mem::{align_of, size_of, MaybeUninit};
use core::ptr::addr_of;

use crate::sys::*;
use crate::unwind::StackRange;

fn size_of_target<T>(_: *const T) -> usize {
    size_of::<T>()
}

/// A line for a type with its size and alignment, and one for each member with its offset
/// and size.
macro_rules! describe {
    ($lines:ident, $($name:ident { $($field:ident)* })*) => {$(
        let value = MaybeUninit::<$name>::uninit();
        let base = value.as_ptr();

        $lines.push(format!("{} {} {}", stringify!($name), size_of::<$name>(),
            align_of::<$name>()));
        $({
            // SAFETY: computes an address and reads nothing.
            let field = unsafe { addr_of!((*base).$field) };

            $lines.push(format!("{}.{} {} {}", stringify!($name), stringify!($field),
                field as usize - base as usize, size_of_target(field)));
        })*
    )*};
}

fn describe_rust() -> Vec<Text> {
    let mut lines = Vec::new();

    describe! { lines,
        Emit { words pos limit control time n_words dropped_records dropped_bytes
            invalid_records full cpu unreported_records unreported_bytes unreported_first
            unreported_last faults }
        Ring { control words n_words tail shown faults skipped_bytes }
        Gate { state }
        String { data size reference }
        Bytes { data size }
        Words { data count swapped }
        Thread { process thread reference known }
        Arg { name kind unknown_bits value }
        Event { timestamp thread category name id end_timestamp scope }
        Unwind { pc frame stack_low stack_high stacks n_stacks skip link is_code read
            context signature_bits }
        StackRange { low high }
    }
    lines
}

#[test]
fn types_are_laid_out_as_in_c() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    let program = std::env::temp_dir().join(format!("fxt-layout-{}", std::process::id()));
    let compiled = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
        .args(["-std=c11", "-I", &format!("{}/include", root), "-o"])
        .arg(&program)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/in_c.c"))
        .status()
        .unwrap();
    assert!(compiled.success());
    let output = Command::new(&program).arg("layout").output().unwrap();
    std::fs::remove_file(&program).unwrap();
    let expected = Text::from_utf8(output.stdout).unwrap();

    assert_eq!(describe_rust(), expected.lines().collect::<Vec<_>>());
}

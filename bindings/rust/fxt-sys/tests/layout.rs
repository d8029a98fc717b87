// SPDX-License-Identifier: BSD-2-Clause
//! The structs have the sizes and offsets that a C compiler gives those of the headers.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The names of C that are other words here, or in the place of keywords.
fn field_in_c(of: &str, field: &str) -> String {
    match (of, field) {
        (_, "reference") => "ref",
        ("fxt_record", "kind_of_record") => "type",
        ("fxt_record", "of") => "metadata",
        ("fxt_arg" | "fxt_blob" | "fxt_kernel_object", "kind") => "type",
        _ => field,
    }
    .to_string()
}

fn struct_in_c(name: &str) -> String {
    let mut made = String::from("fxt");

    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            made.push('_');
        }
        made.push(letter.to_ascii_lowercase());
    }
    made
}

#[test]
fn structs_are_as_in_c() {
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../include");
    let mut text = String::from("#include <stddef.h>\n#include <fxt/fxt.h>\n");
    let mut n = 0;

    fxt_sys::layouts(|name, size, fields| {
        let of = struct_in_c(name);

        // Those of options may grow.
        if !name.ends_with("Options") {
            writeln!(
                text,
                "_Static_assert(sizeof(struct {of}) == {size}, \"{of}\");"
            )
            .unwrap();
        }
        for (field, offset) in fields {
            let field = field_in_c(&of, field);

            writeln!(
                text,
                "_Static_assert(offsetof(struct {of}, {field}) == {offset}, \"{of}.{field}\");"
            )
            .unwrap();
            n += 1;
        }
    });
    assert!(n > 120, "{n}");
    let mut compiler = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only", "-I", include, "-x", "c", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("cc");

    compiler
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(compiler.wait().unwrap().success());
}

// SPDX-License-Identifier: BSD-2-Clause
//! Links libfxtemit: from the directory `FXT_EMIT_LIB_DIR`, or else compiled here for the
//! target, with `CC` and `CFLAGS`, and archived with `AR`.

use std::env;
use std::path::Path;
use std::process::Command;

/// What libfxtemit is compiled with in any case. All addresses in it are relative, so
/// that the same code suits any address and code model.
const FLAGS: [&str; 9] = [
    "-std=c11",
    "-O2",
    "-ffreestanding",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fno-short-enums",
    "-fno-omit-frame-pointer",
    "-fno-stack-protector",
];

/// A kernel's flags for machines where they are the same for all kernels.
fn machine_flags(arch: &str) -> &'static [&'static str] {
    match arch {
        "x86_64" => &[
            "-mgeneral-regs-only",
            "-mno-red-zone",
            "-fcf-protection=none",
        ],
        "aarch64" => &["-mgeneral-regs-only", "-mno-outline-atomics"],
        _ => &[],
    }
}

fn variable(name: &str) -> Option<String> {
    println!("cargo:rerun-if-env-changed={}", name);
    env::var(name).ok()
}

fn run(command: &mut Command) {
    let status = command.status();
    assert!(
        matches!(&status, Ok(status) if status.success()),
        "{:?}: {:?}",
        command,
        status
    );
}

/// The first part of a target's name, as "x86_64" or "i686".
fn machine(target: &str) -> &str {
    target.split('-').next().unwrap_or(target)
}

/// Compiles libfxtemit to a directory.
fn compile(source: &Path, directory: &str) {
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap();
    let host = env::var("HOST").unwrap();
    let target = env::var("TARGET").unwrap();
    let compiler = variable("CC").unwrap_or_else(|| {
        assert!(
            machine(&host) == machine(&target),
            "set CC to a C compiler for {}, or FXT_EMIT_LIB_DIR to where libfxtemit.a is",
            target
        );
        "cc".into()
    });
    let object = Path::new(directory).join("emit.o");
    let library = Path::new(directory).join("libfxtemit.a");
    let mut words = compiler.split_whitespace();

    run(Command::new(words.next().expect("CC is empty"))
        .args(words)
        .args(FLAGS)
        .args(machine_flags(&arch))
        .args(variable("CFLAGS").unwrap_or_default().split_whitespace())
        .arg("-I")
        .arg(source.join("include"))
        .arg("-c")
        .arg(source.join("libfxt/emit.c"))
        .arg("-o")
        .arg(&object));
    run(Command::new(variable("AR").unwrap_or_else(|| "ar".into()))
        .arg("rcs")
        .arg(&library)
        .arg(&object));
}

fn main() {
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../..");
    let directory = variable("FXT_EMIT_LIB_DIR").unwrap_or_else(|| {
        let directory = env::var("OUT_DIR").unwrap();
        compile(&source, &directory);
        directory
    });

    for name in ["libfxt/emit.c", "include/fxt"] {
        println!("cargo:rerun-if-changed={}", source.join(name).display());
    }
    println!("cargo:rustc-link-search=native={}", directory);
    println!("cargo:rustc-link-lib=static=fxtemit");
}

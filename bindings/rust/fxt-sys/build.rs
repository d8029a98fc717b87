// SPDX-License-Identifier: BSD-2-Clause
//! Links libfxtrace: from the directory `FXT_LIB_DIR`, or else by pkg-config.

use std::env;
use std::path::Path;
use std::process::Command;

fn pkg_config() -> String {
    let output = Command::new("pkg-config")
        .args(["--libs", "libfxt"])
        .output();

    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8(output.stdout).unwrap()
        }
        _ => panic!("set FXT_LIB_DIR to where libfxtrace is, or install libfxt.pc"),
    }
}

fn main() {
    println!("cargo:rerun-if-env-changed=FXT_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(directory) = env::var("FXT_LIB_DIR") {
        let is_shared = Path::new(&directory).join("libfxtrace.so").exists();
        let kind = if is_shared { "dylib" } else { "static" };

        println!("cargo:rustc-link-search=native={}", directory);
        println!("cargo:rustc-link-lib={}=fxtrace", kind);
        return;
    }
    for flag in pkg_config().split_whitespace() {
        if let Some(directory) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={}", directory);
        } else if let Some(name) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={}", name);
        }
    }
}

//! Has the linker keep its relocations where the program is cut into parts: the cutter reads them.

use std::env;

#[allow(clippy::print_stdout, reason = "this is how a build script talks to Cargo")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_PARTS").is_some() {
        println!("cargo::rustc-link-arg-cdylib=--emit-relocs");
    }
}

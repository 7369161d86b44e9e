//! See the library of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    switchboard_terminal::main()
}

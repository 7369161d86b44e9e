//! The commands of the repository: `cargo xtask start`, `build`, `check`, `test`.
//!
//! Each command is one file. Below them: `tools` installs what they need, `process` runs other programs and ends them,
//! `problem` is how anything fails: one sentence for the person who typed the command, and exit code 1.
#![allow(clippy::print_stdout, reason = "this is a command line program")]

mod arguments;
mod build;
mod check;
mod compress;
mod crates;
mod dashboard;
mod fingerprint;
mod javascript;
mod measure;
mod mutate;
mod names;
mod parts;
mod pictures;
mod problem;
mod process;
mod quarantine;
mod repository;
mod rooms;
mod sim;
mod sizes;
mod soak;
mod start;
mod steps;
mod styles;
mod suite;
mod test;
mod tools;
#[cfg(test)]
mod unreached;

use std::process::ExitCode;

use arguments::Command;
use problem::Result;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\n{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let command = arguments::parse(lexopt::Parser::from_env())?;
    process::end_children_on_signals()?;
    match command {
        Command::Start(options) => start::run(&options),
        Command::Build => build::run(),
        Command::Check => check::run(),
        Command::Test(only) => test::run(only),
        Command::Measure => measure::run(),
        Command::Sim(arguments) => sim::run(process::NO_LIMIT, &arguments),
        Command::Soak(options) => soak::run(&options),
        Command::Mutate(names) => mutate::run(&names),
        Command::Pictures => pictures::run(),
        Command::Parts => parts::run(),
        Command::Rooms => rooms::run(),
        Command::Styles => styles::run(),
        Command::Help => {
            print!("{}", arguments::HELP);
            Ok(())
        }
    }
}

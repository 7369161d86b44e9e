//! Runs other programs, each in a process group of its own, and ends every one of them when this program is asked to end.
//!
//! Cargo, Trunk, Node and wasm-pack start programs themselves. Only a whole group can be ended without leaving any behind,
//! also when just this program gets the signal (a closed terminal, `kill`), not the terminal's foreground group.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::problem::{Problem, Result};

/// How long a group may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// The groups that run. Whoever holds the lock decides what may start: a signal takes it and never gives it back.
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Makes Ctrl-C, SIGTERM and SIGHUP end every group, then this program, with exit code 130.
pub(crate) fn end_children_on_signals() -> Result<()> {
    ctrlc::set_handler(|| {
        let groups = groups();
        end(&groups, || ());
        std::process::exit(130);
    })
    .map_err(|error| Problem::new(format!("Ctrl-C cannot be handled here: {error}.")))
}

/// Runs a program to its end with its output on the terminal; `failure` is what to say when it does not succeed.
pub(crate) fn run(command: &mut Command, failure: &str) -> Result<()> {
    let mut group = Group::spawn(command)?;
    match group.wait() {
        true => Ok(()),
        false => Err(Problem::new(failure)),
    }
}

/// Runs a program and returns what it printed, or `None` when it is missing or fails.
pub(crate) fn printed_by(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a program in a group of its own and returns the lines that it printed, whether it succeeds or not.
pub(crate) fn lines_of(command: &mut Command) -> Result<Vec<String>> {
    let mut group = Group::spawn(command.stdout(Stdio::piped()))?;
    let output = group.take_output().map(BufReader::new);
    let lines = output
        .into_iter()
        .flat_map(BufRead::lines)
        .map_while(std::result::Result::ok)
        .collect();
    group.wait();
    Ok(lines)
}

/// A program that runs, with everything it starts. Dropping it ends them all.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
    id: i32,
}

impl Group {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let mut groups = groups();
        let leader = command.stdin(Stdio::null()).process_group(0).spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy();
            Problem::new(format!("`{program}` cannot be started: {error}."))
        })?;
        let id = i32::try_from(leader.id()).expect("process ids of Unix are positive i32");
        groups.insert(id);
        Ok(Self { leader, id })
    }

    /// Waits for the program to end; returns whether it succeeded.
    pub(crate) fn wait(&mut self) -> bool {
        let succeeded = self.leader.wait().is_ok_and(|status| status.success());
        // While a signal is handled this blocks, so that the failure of a program that we ended ourselves is not reported.
        drop(groups());
        succeeded
    }

    /// What the program prints, when its command asked for a pipe; `None` the second time.
    pub(crate) fn take_output(&mut self) -> Option<ChildStdout> {
        self.leader.stdout.take()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut groups = groups();
        // A program that ended stays in its group until it is waited for.
        end(&BTreeSet::from([self.id]), || drop(self.leader.try_wait()));
        drop(self.leader.wait());
        groups.remove(&self.id);
    }
}

fn groups() -> MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks the groups to end, and kills what is left of them after [`GRACE`]; calls `meanwhile` as long as it waits.
fn end(groups: &BTreeSet<i32>, mut meanwhile: impl FnMut()) {
    let deadline = Instant::now() + GRACE;
    let mut left = signal(groups.clone(), Signal::SIGTERM);
    while !left.is_empty() && Instant::now() < deadline {
        sleep(Duration::from_millis(20));
        meanwhile();
        left = signal(left, None);
    }
    signal(left, Signal::SIGKILL);
}

/// Sends a signal (or none, to see who is there) and returns the groups that had somebody to receive it.
fn signal(mut groups: BTreeSet<i32>, signal: impl Into<Option<Signal>>) -> BTreeSet<i32> {
    let signal = signal.into();
    groups.retain(|group| killpg(Pid::from_raw(*group), signal).is_ok());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_a_group_ends_what_its_leader_started() {
        let group = Group::spawn(Command::new("sh").args(["-c", "sleep 600 & sleep 600"])).unwrap();
        let id = group.id;
        let begun = Instant::now();
        drop(group);
        assert!(signal(BTreeSet::from([id]), None).is_empty());
        assert!(begun.elapsed() < GRACE, "it ends without being killed");
    }

    #[test]
    fn a_failing_program_is_a_problem_in_our_words() {
        let failing = run(Command::new("sh").args(["-c", "exit 3"]), "It failed.");
        assert_eq!(failing.unwrap_err().to_string(), "It failed.");
        let missing = run(&mut Command::new("no-such-program"), "It failed.");
        assert!(
            missing
                .unwrap_err()
                .to_string()
                .starts_with("`no-such-program` cannot be started")
        );
    }
}

//! Runs other programs, each in a process group of its own, and ends every one of them when this program is asked to end.
//!
//! Cargo, Trunk, Node and wasm-pack start programs themselves. Only a whole group can be ended without leaving any behind,
//! also when just this program gets the signal (a closed terminal, `kill`), not the terminal's foreground group.
//!
//! Where the output goes into a log, the last lines of it are kept, so that a failure can be told at the end of the log. A
//! thread can hold its output back, so that two of them do not print among each other.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, IsTerminal, PipeReader, pipe, stdout};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::problem::{Problem, Result};

/// How long a group may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// How long a program may take unless its caller says otherwise: more than any needs on a slow machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30 * 60);

/// For what a person lets run as long as they like: a month.
pub(crate) const NO_LIMIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Between two looks at whether a program has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The pauses before the second and the third try of what needs the network.
const PAUSES: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(20)];

/// How many lines of output are kept: a page of a log.
const LINES_KEPT: usize = 60;

thread_local! {
    /// Where the programs that this thread runs print.
    static OUTPUT: RefCell<Output> = RefCell::default();
}

/// Where programs print, and the last lines that they have printed since [`take_last_lines`].
#[derive(Clone, Default)]
struct Output {
    last: Arc<Mutex<VecDeque<String>>>,
    /// Lines that are held back; none where everything is printed at once.
    held: Option<Held>,
}

type Held = Arc<Mutex<Vec<String>>>;

/// The lines that any thread holds back.
static HELD: Mutex<Vec<Held>> = Mutex::new(Vec::new());

impl Output {
    fn of_this_thread() -> Self {
        OUTPUT.with_borrow(Self::clone)
    }

    fn print(&self, line: &str) {
        match &self.held {
            Some(held) => locked(held).push(line.to_owned()),
            None => println!("{line}"),
        }
    }

    fn keep(&self, line: String) {
        let mut last = locked(&self.last);
        if last.len() == LINES_KEPT {
            last.pop_front();
        }
        last.push_back(line);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds back what this thread and its programs print from now on, until [`print_held`].
pub(crate) fn hold_output() {
    let held = Held::default();
    locked(&HELD).push(held.clone());
    OUTPUT.with_borrow_mut(|output| output.held = Some(held));
}

/// Prints what this thread has held back, in one piece.
pub(crate) fn print_held() {
    if let Some(held) = Output::of_this_thread().held {
        print_all(&held);
    }
}

fn print_all(held: &Held) {
    let text: String = locked(held).drain(..).map(|line| line + "\n").collect();
    print!("{text}");
}

/// Prints a line, or holds it back with the rest.
pub(crate) fn say(line: &str) {
    Output::of_this_thread().print(line);
}

/// The groups that run. Whoever holds the lock decides what may start: a signal takes it and never gives it back.
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Makes Ctrl-C, SIGTERM and SIGHUP end every group, then this program, with exit code 130.
pub(crate) fn end_children_on_signals() -> Result<()> {
    ctrlc::set_handler(|| {
        let groups = groups();
        end(&groups, || ());
        locked(&HELD).iter().for_each(print_all);
        std::process::exit(130);
    })
    .map_err(|error| Problem::new(format!("Ctrl-C cannot be handled here: {error}.")))
}

/// Runs a program to its end with its output on the terminal; `failure` is what to say when it does not succeed.
pub(crate) fn run(command: &mut Command, failure: &str) -> Result<()> {
    run_within(LIMIT, command, failure)
}

/// The same with a limit of its own. A program that takes longer is ended, and has failed.
pub(crate) fn run_within(limit: Duration, command: &mut Command, failure: &str) -> Result<()> {
    let succeeded = if stdout().is_terminal() && Output::of_this_thread().held.is_none() {
        Group::spawn(command)?.wait_for(limit)?
    } else {
        run_and_keep(limit, command)?.succeeded
    };
    match succeeded {
        true => Ok(()),
        false => Err(Problem::new(failure)),
    }
}

/// Runs a program that needs the network, up to three times.
pub(crate) fn run_patiently(command: &mut Command, failure: &str) -> Result<()> {
    for pause in PAUSES {
        let Err(problem) = run(command, failure) else {
            return Ok(());
        };
        say(&format!("{problem}\nOnce more in {} s.", pause.as_secs()));
        sleep(pause);
    }
    run(command, failure)
}

/// How a program ended, and all lines that it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) succeeded: bool,
    pub(crate) lines: Vec<String>,
}

/// Runs a program to its end, prints what it prints, and returns it, too.
pub(crate) fn run_and_keep(limit: Duration, command: &mut Command) -> Result<Ended> {
    let unreadable = |error| Problem::new(format!("The output of a program cannot be read: {error}."));
    let (output, input) = pipe().map_err(unreadable)?;
    command.stdout(input.try_clone().map_err(unreadable)?).stderr(input);
    let mut group = Group::spawn(command)?;
    // The command holds the end that is written to, and the output ends with the last one of them.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (sender, printed) = mpsc::channel();
    let sink = Output::of_this_thread();
    thread::spawn(move || pass_on(output, &sink, &sender));
    let ended = group.wait_for(limit);
    drop(group);
    // What has left the group of the program may hold its output open for ever.
    let deadline = Instant::now() + GRACE;
    let mut lines = Vec::new();
    while let Ok(line) = printed.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        lines.push(line);
    }
    Ok(Ended {
        succeeded: ended?,
        lines,
    })
}

/// Prints what comes out of a pipe, line by line, and keeps the last lines.
fn pass_on(output: PipeReader, sink: &Output, sender: &mpsc::Sender<String>) {
    for line in BufReader::new(output).split(b'\n').map_while(std::result::Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        sink.print(&line);
        sink.keep(line.clone());
        if sender.send(line).is_err() {
            return;
        }
    }
}

/// The last lines that the programs of this thread have printed since the last call; none where they have printed to a
/// terminal themselves.
pub(crate) fn take_last_lines() -> Vec<String> {
    locked(&Output::of_this_thread().last).drain(..).collect()
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

    /// Waits for the program to end; returns whether it succeeded. A problem if that takes longer than `limit`.
    fn wait_for(&mut self, limit: Duration) -> Result<bool> {
        let deadline = Instant::now() + limit;
        while let Ok(None) = self.leader.try_wait() {
            if Instant::now() > deadline {
                let minutes = limit.as_secs() / 60;
                return Err(Problem::new(format!(
                    "It did not end within {minutes} minutes and was ended: its last lines say where it stood."
                )));
            }
            sleep(LOOK_AGAIN);
        }
        Ok(self.wait())
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
    locked(&GROUPS)
}

/// Asks the groups to end, and kills what is left of them after [`GRACE`]; calls `meanwhile` as long as it waits.
fn end(groups: &BTreeSet<i32>, mut meanwhile: impl FnMut()) {
    let deadline = Instant::now() + GRACE;
    let mut left = signal(groups.clone(), Signal::SIGTERM);
    while !left.is_empty() && Instant::now() < deadline {
        sleep(LOOK_AGAIN);
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
    fn what_is_printed_is_returned_also_when_something_of_it_runs_on() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; setsid sleep 600 & exit 3"]);
        let begun = Instant::now();
        let ended = run_and_keep(LIMIT, &mut command).unwrap();
        assert!(!ended.succeeded);
        assert_eq!(ended.lines, ["out", "err"]);
        assert!(begun.elapsed() < 2 * GRACE, "what has left the group is not waited for");
    }

    #[test]
    fn a_thread_that_holds_its_output_back_keeps_it_apart_from_that_of_others() {
        let echo = |word: &str| run_and_keep(LIMIT, Command::new("echo").arg(word)).map(drop);
        take_last_lines();
        echo("here").unwrap();
        let there = thread::spawn(move || {
            hold_output();
            say("a heading");
            echo("there").unwrap();
            let held = Output::of_this_thread().held.unwrap();
            (take_last_lines(), locked(&held).clone())
        });
        let (last, held) = there.join().unwrap();
        assert_eq!(held, ["a heading", "there"]);
        assert_eq!(last, ["there"]);
        assert_eq!(take_last_lines(), ["here"]);
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let mut command = Command::new("sleep");
        let failing = run_within(Duration::from_millis(50), command.arg("600"), "It failed.");
        assert!(
            failing
                .unwrap_err()
                .to_string()
                .starts_with("It did not end within 0 minutes")
        );
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

//! Shell commands on the server's machine, for checks (requirements F7).
//!
//! The server's own call blocks until the command ends, and then reports no exit code (docs/opencode.md §5). So the request is
//! given up after a moment, the result is read from the session, and the command itself prints its exit code, after a word
//! that nothing else prints. The server keeps all that a command prints, in each list of its messages twice: so no more is
//! let through than the beginning and the end. Needs `sh`, `base64`, `dd` and `tail` there.

use std::fmt;
use std::time::Duration;

use crate::model::{Directory, SessionId};
use crate::ports::PostFailure;
use crate::primitives::checks::{Failure, failure};
use crate::view::EndReason;

/// What the server adds to the output of a command that a client stops.
const ABORTED: &str = "User aborted the command";

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand {
    /// Where it runs.
    pub directory: Directory,
    /// The title of its session.
    pub title: String,
    /// The session that it checks. The server knows of no such thing: the title names it, and the store keeps it.
    pub made_for: Option<SessionId>,
    /// The command, for `sh`.
    pub command: String,
    /// The agent whose rules hold.
    pub agent: String,
    /// How long it may take; it is stopped then, unless its session shows that it has ended by itself. Defaults to 10 minutes.
    pub timeout: Duration,
}

impl ShellCommand {
    /// A command that runs as the agent `build`.
    #[must_use]
    pub fn new(directory: Directory, title: &str, command: &str) -> Self {
        Self {
            directory,
            title: title.to_owned(),
            made_for: None,
            command: command.to_owned(),
            agent: "build".to_owned(),
            timeout: Duration::from_secs(600),
        }
    }
}

/// What a command has printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellResult {
    /// Its session.
    pub session: SessionId,
    /// What it printed to standard output and standard error, in the order of the server.
    pub output: String,
    /// Its exit code; none when its shell was killed before it could say so.
    pub exit: Option<i32>,
}

impl ShellResult {
    /// How a check ended that ran this command: none when it passed.
    ///
    /// The shell around a command says how that ended, unless a client has stopped it or it could not start.
    fn failure(self) -> Result<Option<Failure>, ShellError> {
        match self.exit {
            Some(0) => Ok(None),
            None if self.output.contains(ABORTED) => Err(ShellError::Stopped { output: self.output }),
            None if self.output.trim().is_empty() => Err(ShellError::NoShell),
            exit => Ok(Some(failure(&self.output, exit))),
        }
    }
}

/// Why the result of a command is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellError {
    /// No session was made for it. It has not run.
    NotCreated(PostFailure),
    /// The server would not run it; in its words.
    Refused(String),
    /// It may or may not have run: nothing of it was ever seen. It is not sent again by itself.
    InDoubt(String),
    /// It took too long, and was stopped.
    TimedOut {
        /// What it had printed.
        output: String,
    },
    /// Its run is over without its result, as where the server went away while it ran.
    Interrupted {
        /// What it had printed.
        output: String,
        /// Why its run counts as interrupted.
        reason: EndReason,
    },
    /// Another client has stopped it. A check alone ends so.
    Stopped {
        /// What it had printed.
        output: String,
    },
    /// Its shell ended without a word, as it does where its directory is gone. A check alone ends so.
    NoShell,
    /// Its session could not be read for 75 s after its time was up: it may have ended. It is stopped if it has not.
    Unread {
        /// What it had printed when it was last read.
        output: String,
    },
    /// The board was closed first. The command goes on.
    Closed,
}

impl ShellError {
    /// What the command had printed when it was last read; empty where that is not known.
    #[must_use]
    pub fn output(&self) -> &str {
        match self {
            ShellError::TimedOut { output }
            | ShellError::Interrupted { output, .. }
            | ShellError::Stopped { output }
            | ShellError::Unread { output } => output,
            ShellError::NotCreated(_)
            | ShellError::Refused(_)
            | ShellError::InDoubt(_)
            | ShellError::NoShell
            | ShellError::Closed => "",
        }
    }
}

impl fmt::Display for ShellError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShellError::NotCreated(failure) => write!(formatter, "no session was made for the command: {failure}"),
            ShellError::Refused(reason) => write!(formatter, "the server would not run the command: {reason}"),
            ShellError::InDoubt(reason) => write!(formatter, "the command may or may not have run: {reason}"),
            ShellError::TimedOut { .. } => formatter.write_str("the command took too long, and was stopped"),
            ShellError::Interrupted { reason, .. } => write!(formatter, "the command has no result: {reason}"),
            ShellError::Stopped { .. } => formatter.write_str("the command was stopped by another client"),
            ShellError::NoShell => formatter
                .write_str("the shell of the command ended without a word, as it does where the directory is gone"),
            ShellError::Unread { .. } => formatter
                .write_str("it is not known how the command ended: its session could not be read when its time was up"),
            ShellError::Closed => formatter.write_str("the board was closed while the command ran"),
        }
    }
}

impl std::error::Error for ShellError {}

/// How a check ended whose command ended so: none when it passed. One that took too long has failed.
pub(crate) fn failure_of(ran: Result<ShellResult, ShellError>) -> Result<Option<Failure>, ShellError> {
    match ran {
        Ok(result) => result.failure(),
        Err(ShellError::TimedOut { output }) => Ok(Some(Failure {
            timed_out: true,
            ..failure(&output, None)
        })),
        Err(error) => Err(error),
    }
}

/// From the end of its time until a command ends by itself: a tab that is open stops it before, and says so.
const LIMIT_GRACE: Duration = Duration::from_secs(30);

/// What runs the command `$c`: prints at most 102 KB of its beginning and 100 KB of its end, standard error among them, and
/// leaves its exit code in `$code`.
///
/// `dd` passes on what it reads at once, 400 times; `head` would keep it until there is more. The command is a process group of
/// its own, by `setsid` or else, as on macOS, by job control: what it leaves running is stopped with it, and what takes no
/// notice of that is killed 2 s later. Nothing that the shell says of its jobs is printed.
///
/// A guard beside it looks once a second: it ends the command when the server is gone, which does not end its commands, and
/// after `$1` seconds. The server is the parent of the group's leader, which is this shell or the one around it; where that is
/// not so, or no signal reaches it, only the time is looked at. The command has the variables of the server: none of the names
/// that are set before it begins is likely to be one.
const RUNNER: &str = r#"
look() {
  if read -r stat <"/proc/$1/stat"; then
    set -- ${stat##*") "}
    parent=$2 group=$3
  else
    parent=$(ps -o ppid= -p "$1")
    group=$(ps -o pgid= -p "$1")
  fi
}
find_server() {
  look $$
  leader=$((${group:-0}))
  if [ "$leader" = $$ ] || [ "$leader" = $PPID ]; then
    look "$leader"
    server=$((${parent:-0}))
    kill -0 "$server" && echo "$server"
  fi
}
_server=$(find_server 2>/dev/null)
exec 3>&1
code=$( { {
  own=$(command -v setsid) || set -m 2>/dev/null
  $own sh -c "$c" </dev/null 2>&1 3>&- 4>&- &
  job=$!
  exec 2>/dev/null
  stop() {
    if kill -TERM "-$job"; then
      $own sh -c "sleep 2; kill -KILL -$job" </dev/null >/dev/null 3>&- 4>&- &
    fi
  }
  trap 'stop; exit 143' TERM INT HUP
  trap 'trap "" USR1; echo late >&4; stop; exit' USR1
  me=$(exec sh -c 'echo $PPID')
  $own sh -c "left=$1
    while sleep 1; do
      kill -0 $me || { sleep 2; kill -KILL -$job; exit; }
      [ -z '$_server' ] || kill -0 $_server || kill -TERM $me
      left=\$((left - 1))
      [ \$left -gt 0 ] || kill -USR1 $me
    done" </dev/null >/dev/null 3>&- 4>&- &
  guard=$!
  wait "$job"
  ended=$?
  trap '' USR1
  echo "$ended" >&4
  stop
  kill -KILL "-$guard" || kill -KILL "$guard"
  wait "$guard"
} | { dd bs=256 count=400 2>/dev/null; tail -c 100000; } >&3; } 4>&1 )
"#;

/// The command as it is sent: what was asked for, in a shell of its own so that it may exit, and then its exit code after
/// the token.
///
/// The server hands a command on as a JSON string between double quotes to `eval`: line breaks arrive as `\n`, and what
/// begins with `$` is replaced before the command runs. So the command travels in base64. It reads nothing from standard
/// input, where the rest of its script is.
pub(crate) fn wrapped(command: &str, token: &str, timeout: Duration) -> String {
    // A shell may count no further.
    let limit = timeout
        .saturating_add(LIMIT_GRACE)
        .as_secs()
        .min(i32::MAX.unsigned_abs().into());
    limited(command, token, limit)
}

/// The same, for a command that ends by itself after so many seconds.
fn limited(command: &str, token: &str, limit: u64) -> String {
    let command = base64(command.as_bytes());
    let script =
        format!("c=$(echo {command} | base64 -d)\nset -- {limit}{RUNNER}printf '\\n%s %s\\n' '{token}' \"$code\"\n");
    format!(": {token}; echo {} | base64 -d | sh", base64(script.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (at, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = char::from(ALPHABET[(number >> shift & 63) as usize]);
            text.push(if at <= group.len() { digit } else { '=' });
        }
    }
    text
}

/// How a wrapped command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// With this exit code.
    Exit(i32),
    /// It was ended since no page had stopped it in time.
    Late,
}

/// What a wrapped command has printed, and how it ended if it came so far.
pub(crate) fn unwrapped(output: &str, token: &str) -> (String, Option<Told>) {
    let told = output.rfind(token).and_then(|at| {
        let code = match output[at + token.len()..].trim() {
            "late" => Told::Late,
            code => Told::Exit(code.parse().ok()?),
        };
        Some((output[..at].strip_suffix('\n').unwrap_or(&output[..at]), code))
    });
    match told {
        Some((printed, code)) => (printed.to_owned(), Some(code)),
        None => (output.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F7
    #[test]
    fn the_exit_code_is_what_follows_the_token_at_the_end() {
        assert_eq!(
            unwrapped("ok\n\ntok 0\n", "tok"),
            ("ok\n".to_owned(), Some(Told::Exit(0)))
        );
        assert_eq!(
            unwrapped("ok\n\ntok late\n", "tok"),
            ("ok\n".to_owned(), Some(Told::Late))
        );
        assert_eq!(
            unwrapped("says tok 3\n\ntok 2\n", "tok"),
            ("says tok 3\n".to_owned(), Some(Told::Exit(2)))
        );
        assert_eq!(unwrapped("killed", "tok"), ("killed".to_owned(), None));
    }

    /// F7
    #[test]
    fn a_command_travels_without_anything_that_a_shell_would_read_early() {
        let sent = wrapped("echo \"$HOME\" `date` # done\nexit 3", "tok", Duration::from_secs(60));
        assert!(sent.starts_with(": tok; echo "), "{sent}");
        assert!(!sent.contains(['$', '`', '"', '\\', '\n']), "{sent}");
    }

    /// What a shell prints, to standard error as well, and what it exits with.
    #[cfg(unix)]
    fn ran(command: &str) -> (String, Option<Told>) {
        ran_in(&std::env::var("PATH").unwrap(), command)
    }

    #[cfg(unix)]
    fn ran_in(path: &str, command: &str) -> (String, Option<Told>) {
        ran_limited(path, command, 60)
    }

    #[cfg(unix)]
    fn ran_limited(path: &str, command: &str, limit: u64) -> (String, Option<Told>) {
        let shell = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("{{ {}; }} 2>&1", limited(command, "tok", limit)))
            .env("PATH", path)
            .output();
        unwrapped(&String::from_utf8_lossy(&shell.unwrap().stdout), "tok")
    }

    /// A directory with all that a command needs but `setsid`, as on macOS, where `sh` is `bash`.
    #[cfg(unix)]
    fn without_setsid(name: &str) -> std::path::PathBuf {
        let directory = std::env::temp_dir().join(format!("switchboard-shell-{name}-{}", std::process::id()));
        let _is_there = std::fs::create_dir(&directory);
        for (name, tool) in [
            ("sh", "bash"),
            ("base64", "base64"),
            ("dd", "dd"),
            ("tail", "tail"),
            ("sleep", "sleep"),
        ] {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
                .map(|place| place.join(tool))
                .find(|path| path.exists());
            let _is_there = std::os::unix::fs::symlink(found.unwrap(), directory.join(name));
        }
        directory
    }

    /// F7
    #[cfg(unix)]
    #[test]
    fn a_shell_says_what_a_command_prints_and_its_exit_code() {
        for (command, printed, exit) in [
            ("echo out; echo err >&2; exit 7", "out\nerr\n", 7),
            ("true", "", 0),
            ("read x; echo got:$x:$?", "got::1\n", 0),
            ("echo \"it's $((1+1))\" # done\nfalse", "it's 2\n", 1),
            ("kill -KILL $$", "", 137),
            ("{ sleep 60; echo late; } & echo left", "left\n", 0),
            ("trap '' TERM; { sleep 60; echo late; } & echo deaf", "deaf\n", 0),
            ("printf 'no end'", "no end", 0),
            ("set -e; f() { exit 4; }; f; echo no", "", 4),
            ("cat <<'EOF'\n$x `y` \"z\" 'q' \\n\nEOF\n", "$x `y` \"z\" 'q' \\n\n", 0),
            ("printf 'a\\0b\\n'", "a\0b\n", 0),
            ("echo tok 0; echo tok; exit 5", "tok 0\ntok\n", 5),
        ] {
            assert_eq!(ran(command), (printed.to_owned(), Some(Told::Exit(exit))), "{command}");
        }
        let (printed, exit) = ran("no-such-command");
        assert!(
            printed.contains("not found") && exit == Some(Told::Exit(127)),
            "{printed} {exit:?}"
        );
    }

    /// F7
    #[cfg(unix)]
    #[test]
    fn what_a_command_leaves_running_ends_with_it_also_without_setsid() {
        let directory = without_setsid("left");
        let path = directory.to_str().unwrap();
        for (command, printed, exit) in [
            ("command -v setsid; echo $?", "1\n", 0),
            ("{ sleep 60; echo late; } & echo left", "left\n", 0),
            ("trap '' TERM; { sleep 60; echo late; } & echo deaf", "deaf\n", 0),
            ("kill -KILL $$", "", 137),
            ("exit 3", "", 3),
        ] {
            assert_eq!(
                ran_in(path, command),
                (printed.to_owned(), Some(Told::Exit(exit))),
                "{command}"
            );
        }
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// F7
    #[cfg(unix)]
    #[test]
    fn a_command_that_no_page_stops_ends_after_its_time_also_without_setsid() {
        let directory = without_setsid("limit");
        for path in [std::env::var("PATH").unwrap().as_str(), directory.to_str().unwrap()] {
            let ended = ran_limited(path, "echo begun; sleep 60; echo late", 1);
            assert_eq!(ended, ("begun\n".to_owned(), Some(Told::Late)), "{path}");
        }
        std::fs::remove_dir_all(directory).unwrap();
    }

    /// F7: a server that is killed ends none of its commands
    #[cfg(target_os = "linux")]
    #[test]
    fn a_command_ends_when_its_server_is_gone() {
        use std::io::{BufRead, BufReader};
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};

        // A server runs each command in a shell that leads a process group of its own, and reads what it prints.
        let sent = limited("echo begun; sleep 60", "tok", 60);
        let mut server = Command::new("sh")
            .args(["-c", r#"setsid sh -c "$0" & wait"#])
            .arg(format!("{{ {sent}; }}"))
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(server.stdout.take().unwrap()).lines();
        assert_eq!(printed.next().unwrap().unwrap(), "begun");
        server.kill().unwrap();
        server.wait().unwrap();
        // What is printed ends once the command has ended, and with it the shell around it.
        let code = printed.find_map(|line| line.unwrap().strip_prefix("tok").map(str::to_owned));
        assert_eq!(
            code.as_deref().map(str::trim),
            Some(""),
            "it was ended, with no code of its own"
        );
    }

    /// F7: a server ends the group of a command's shell, and kills what is left of that 0.2 s later
    #[cfg(target_os = "linux")]
    #[test]
    fn a_command_that_is_stopped_has_two_seconds_to_clean_up() {
        use std::fs::File;
        use std::io::Read;
        use std::os::unix::process::CommandExt;
        use std::process::Command;

        // What the command says last has no way through its shell, which is gone by then.
        let pipe = std::env::temp_dir().join(format!("switchboard-shell-stopped-{}", std::process::id()));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let command = format!(
            "exec 9>{} 2>/dev/null; trap 'sleep 1.3; echo cleaned >&9; exit' TERM; echo begun >&9; while :; do sleep 0.1; done",
            pipe.display()
        );
        let mut shell = Command::new("sh")
            .args(["-c", &limited(&command, "tok", 60)])
            .process_group(0)
            .spawn()
            .unwrap();
        let mut said = File::open(&pipe).unwrap();
        said.read_exact(&mut [0; "begun\n".len()]).unwrap();
        // Its shells may have gone by themselves when the rest of them is killed.
        let stop = format!("kill -TERM -{0}; sleep 0.2; kill -KILL -{0}", shell.id());
        let _all_gone = Command::new("sh").args(["-c", &stop]).status().unwrap();
        shell.wait().unwrap();
        let mut last = String::new();
        said.read_to_string(&mut last).unwrap();
        std::fs::remove_file(pipe).unwrap();
        assert_eq!(last, "cleaned\n");
    }

    /// F7, F2
    #[cfg(unix)]
    #[test]
    fn of_an_output_without_end_the_beginning_and_the_end_are_kept() {
        let (printed, exit) = ran("echo first; yes 'a line of it' | head -c 5000000; echo last; exit 3");
        assert!(printed.len() < 210_000, "{}", printed.len());
        assert!(
            printed.starts_with("first\n") && printed.ends_with("last\n"),
            "its ends are missing"
        );
        assert_eq!(exit, Some(Told::Exit(3)));
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(cases, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}

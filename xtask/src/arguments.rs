//! Reads the command line.

use std::ffi::OsString;

use lexopt::prelude::*;

use crate::problem::{Problem, Result};
use crate::start::StartOptions;

pub(crate) const HELP: &str = "\
cargo xtask start    builds the dashboard, serves it and opens it
    --server URL     the OpenCode server to show; without it the one on 127.0.0.1:4096,
                     or else a new one with a scripted model, to try everything without an API key
    --port PORT      where the dashboard is served, 7923 unless given
    --no-browser     only print the address
cargo xtask build    builds what is served and published into dist/ and prints its sizes
cargo xtask check    format, lints and native tests: before a commit
cargo xtask test     every test there is, browser and real OpenCode included; installs what they need
    --only WORD      only the steps whose names contain it, with what `cargo xtask build` has built last
cargo xtask measure  measures the dashboard beside OpenCode's own page, and fails above a limit (ten minutes)
cargo xtask sim      plays random histories against a reference model; `--help` lists its options
cargo xtask soak     searches for what is rare: random acts, many sessions, the page on a busy machine, rare bundlers
    --minutes M      how long the searches take together, 60 unless given; the rest takes some minutes more
    --seed S         where the random ones begin, 1 unless given
    --only WORD      only the steps whose names contain it
    --title TITLE    nothing but the page's tests with this in their titles, 30 times beside a busy core
cargo xtask mutate   breaks the engine in many ways, one at a time, and sees each of them caught (takes long);
                     with words, only those whose names contain one
cargo xtask pictures takes the pictures of the README
cargo xtask rooms    draws the rooms of the crates into the README, from what their files import
cargo xtask styles   joins the style sheets of the page (Trunk calls it before each build)
cargo xtask parts    adds what the page loads later to what Trunk has built (Trunk calls it after each build)
";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Start(StartOptions),
    Build,
    Check,
    /// With a word, only the steps whose names contain it.
    Test(Option<String>),
    Measure,
    Sim(Vec<OsString>),
    Soak(SoakOptions),
    Mutate(Vec<String>),
    Parts,
    Pictures,
    Rooms,
    Styles,
    Help,
}

/// How `cargo xtask soak` was called.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SoakOptions {
    pub(crate) minutes: u64,
    pub(crate) seed: u64,
    pub(crate) only: Option<String>,
    pub(crate) title: Option<String>,
}

impl Default for SoakOptions {
    fn default() -> Self {
        Self {
            minutes: 60,
            seed: 1,
            only: None,
            title: None,
        }
    }
}

pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command> {
    let name = match parser.next().map_err(unreadable)? {
        None | Some(Short('h') | Long("help")) => return Ok(Command::Help),
        Some(Value(name)) => name.to_string_lossy().into_owned(),
        Some(other) => return Err(unreadable(other.unexpected())),
    };
    let command = match name.as_str() {
        "start" => return parse_start(parser),
        "sim" => return Ok(Command::Sim(parser.raw_args().map_err(unreadable)?.collect())),
        "mutate" => return parse_mutate(parser),
        "soak" => return parse_soak(parser),
        "test" => return parse_test(parser),
        "build" => Command::Build,
        "check" => Command::Check,
        "measure" => Command::Measure,
        "pictures" => Command::Pictures,
        "parts" => Command::Parts,
        "rooms" => Command::Rooms,
        "styles" => Command::Styles,
        "help" => Command::Help,
        _ => return Err(unreadable(format!("there is no command {name:?}"))),
    };
    match parser.next().map_err(unreadable)? {
        None => Ok(command),
        Some(Short('h') | Long("help")) => Ok(Command::Help),
        Some(extra) => Err(unreadable(extra.unexpected())),
    }
}

fn parse_start(mut parser: lexopt::Parser) -> Result<Command> {
    let mut options = StartOptions::default();
    while let Some(argument) = parser.next().map_err(unreadable)? {
        match argument {
            Long("server") => options.server = Some(server_address(&mut parser)?),
            Long("port") => options.port = port(&mut parser)?,
            Long("no-browser") => options.browser = false,
            Short('h') | Long("help") => return Ok(Command::Help),
            other @ (Short(_) | Long(_) | Value(_)) => return Err(unreadable(other.unexpected())),
        }
    }
    Ok(Command::Start(options))
}

fn parse_test(mut parser: lexopt::Parser) -> Result<Command> {
    let mut only = None;
    while let Some(argument) = parser.next().map_err(unreadable)? {
        match argument {
            Long("only") => only = Some(word(&mut parser)?),
            Short('h') | Long("help") => return Ok(Command::Help),
            other @ (Short(_) | Long(_) | Value(_)) => return Err(unreadable(other.unexpected())),
        }
    }
    Ok(Command::Test(only))
}

fn parse_soak(mut parser: lexopt::Parser) -> Result<Command> {
    let mut options = SoakOptions::default();
    while let Some(argument) = parser.next().map_err(unreadable)? {
        match argument {
            Long("minutes") => options.minutes = whole_number("--minutes", &mut parser)?,
            Long("seed") => options.seed = whole_number("--seed", &mut parser)?,
            Long("only") => options.only = Some(word(&mut parser)?),
            Long("title") => options.title = Some(word(&mut parser)?),
            Short('h') | Long("help") => return Ok(Command::Help),
            other @ (Short(_) | Long(_) | Value(_)) => return Err(unreadable(other.unexpected())),
        }
    }
    Ok(Command::Soak(options))
}

fn word(parser: &mut lexopt::Parser) -> Result<String> {
    Ok(parser.value().map_err(unreadable)?.to_string_lossy().into_owned())
}

fn whole_number(option: &str, parser: &mut lexopt::Parser) -> Result<u64> {
    let value = word(parser)?;
    let number = value.parse();
    number.map_err(|_| Problem::new(format!("{option} takes a whole number, not {value:?}.")))
}

fn parse_mutate(mut parser: lexopt::Parser) -> Result<Command> {
    let mut names = Vec::new();
    while let Some(argument) = parser.next().map_err(unreadable)? {
        match argument {
            Value(name) => names.push(name.to_string_lossy().into_owned()),
            Short('h') | Long("help") => return Ok(Command::Help),
            other @ (Short(_) | Long(_)) => return Err(unreadable(other.unexpected())),
        }
    }
    Ok(Command::Mutate(names))
}

fn server_address(parser: &mut lexopt::Parser) -> Result<String> {
    let address = parser.value().map_err(unreadable)?.to_string_lossy().into_owned();
    if address.starts_with("http://") || address.starts_with("https://") {
        Ok(address)
    } else {
        Err(Problem::new(format!(
            "--server takes an address such as http://127.0.0.1:4096, not {address:?}."
        )))
    }
}

fn port(parser: &mut lexopt::Parser) -> Result<u16> {
    let value = parser.value().map_err(unreadable)?;
    match value.to_string_lossy().parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(Problem::new(format!(
            "--port takes a number from 1 to 65535, not {value:?}."
        ))),
    }
}

fn unreadable(reason: impl Into<lexopt::Error>) -> Problem {
    Problem::new(format!(
        "cargo xtask: {}. `cargo xtask help` lists the commands.",
        reason.into()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &str) -> Result<Command> {
        parse(lexopt::Parser::from_args(words.split_whitespace()))
    }

    fn problem_of(words: &str) -> String {
        parse_words(words).unwrap_err().to_string()
    }

    #[test]
    fn start_needs_no_options() {
        assert_eq!(
            parse_words("start").unwrap(),
            Command::Start(StartOptions {
                server: None,
                port: 7923,
                browser: true
            })
        );
    }

    #[test]
    fn start_takes_a_server_a_port_and_no_browser() {
        assert_eq!(
            parse_words("start --server http://10.0.0.7:4096 --port=9000 --no-browser").unwrap(),
            Command::Start(StartOptions {
                server: Some("http://10.0.0.7:4096".to_owned()),
                port: 9000,
                browser: false
            })
        );
    }

    #[test]
    fn the_simulation_reads_its_own_options() {
        let expected = Command::Sim(vec!["--seed".into(), "17".into()]);
        assert_eq!(parse_words("sim --seed 17").unwrap(), expected);
    }

    #[test]
    fn mutations_are_chosen_by_name() {
        let expected = Command::Mutate(vec!["ghost".to_owned(), "lock".to_owned()]);
        assert_eq!(parse_words("mutate ghost lock").unwrap(), expected);
        assert_eq!(
            problem_of("mutate --fast"),
            "cargo xtask: invalid option '--fast'. `cargo xtask help` lists the commands."
        );
    }

    #[test]
    fn tests_are_chosen_by_a_word_of_their_step() {
        assert_eq!(parse_words("test").unwrap(), Command::Test(None));
        assert_eq!(
            parse_words("test --only page").unwrap(),
            Command::Test(Some("page".to_owned()))
        );
        assert_eq!(
            problem_of("test page"),
            "cargo xtask: unexpected argument \"page\". `cargo xtask help` lists the commands."
        );
    }

    #[test]
    fn a_soak_takes_minutes_a_seed_and_what_to_run() {
        assert_eq!(parse_words("soak").unwrap(), Command::Soak(SoakOptions::default()));
        let expected = SoakOptions {
            minutes: 5,
            seed: 7,
            only: Some("monkey".to_owned()),
            title: None,
        };
        assert_eq!(
            parse_words("soak --minutes 5 --seed 7 --only monkey").unwrap(),
            Command::Soak(expected)
        );
        assert_eq!(
            problem_of("soak --minutes long"),
            "--minutes takes a whole number, not \"long\"."
        );
    }

    #[test]
    fn no_command_asks_for_help() {
        assert_eq!(parse_words("").unwrap(), Command::Help);
        assert_eq!(parse_words("start --help").unwrap(), Command::Help);
        assert_eq!(parse_words("build --help").unwrap(), Command::Help);
    }

    #[test]
    fn a_mistake_is_named_with_what_to_do() {
        assert_eq!(
            problem_of("strat"),
            "cargo xtask: there is no command \"strat\". `cargo xtask help` lists the commands."
        );
        assert_eq!(
            problem_of("build --fast"),
            "cargo xtask: invalid option '--fast'. `cargo xtask help` lists the commands."
        );
        assert_eq!(
            problem_of("start --port 99999"),
            "--port takes a number from 1 to 65535, not \"99999\"."
        );
        assert_eq!(
            problem_of("start --server localhost"),
            "--server takes an address such as http://127.0.0.1:4096, not \"localhost\"."
        );
    }
}

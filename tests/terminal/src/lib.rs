//! An example: answers the questions of OpenCode's agents from a terminal, with the engine on tokio.
//!
//! ```sh
//! cargo run -p switchboard-terminal -- http://127.0.0.1:4096 answers.json
//! ```
//!
//! The second argument is the file that keeps answers until they are delivered, the third a directory, whose requests alone
//! are shown. A password comes from `OPENCODE_SERVER_PASSWORD`, the user's name from `OPENCODE_SERVER_USERNAME`.
//!
//! `server`, `clock` and `store` are what every program on tokio needs; `desk` and `form` are this program's own.

mod clock;
mod desk;
mod form;
mod server;
mod store;

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use futures::future::{Either, join, select};
use switchboard_core::log::{Level, Record};
use switchboard_core::{Config, connect};
use tokio::io::{AsyncBufReadExt, BufReader};

use clock::SteadyClock;
use desk::Desk;
use server::Server;
use store::FileStore;

/// The program. It ends when its standard input has ended and all answers have arrived, or are known not to.
#[must_use]
pub fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(store)) = (arguments.next(), arguments.next()) else {
        complain("usage: switchboard-terminal URL STORE [DIRECTORY]");
        return ExitCode::FAILURE;
    };
    match run(&url, Path::new(&store), arguments.next()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str, store: &Path, directory: Option<String>) -> Result<(), Box<dyn Error>> {
    let username = std::env::var("OPENCODE_SERVER_USERNAME").unwrap_or_else(|_| "opencode".to_owned());
    let server = Server::new(url, username, std::env::var("OPENCODE_SERVER_PASSWORD").ok())?;
    let store = FileStore::open(store).map_err(|error| format!("{}: {error}", store.display()))?;
    let mut config = Config::new(getrandom::u64()?);
    config.directory = directory.map(Into::into);
    // The engine stays on this thread: nothing of it is `Send`.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(answer(config, server, store))?;
    // A read of standard input that is under way cannot be cancelled.
    runtime.shutdown_background();
    Ok(())
}

async fn answer(config: Config, server: Server, store: FileStore) -> std::io::Result<()> {
    let transport = Rc::new(server.clone());
    let (board, driver) = connect(
        config,
        transport,
        Rc::new(SteadyClock::new()),
        Rc::new(store),
        Rc::new(log),
    );
    let working = async {
        let lines = BufReader::new(tokio::io::stdin()).lines();
        let result = Desk::new(&board, std::io::stdout()).work(lines).await;
        board.close();
        result
    };
    let both = join(driver, working);
    match select(std::pin::pin!(both), std::pin::pin!(server.listen(&board))).await {
        Either::Left((((), result), _)) => result,
        Either::Right((never, _)) => match never {},
    }
}

fn log(record: &Record) {
    if record.level >= Level::Warn {
        complain(&record.text);
    }
}

/// Writes to standard error. Where that is closed there is nothing else to say it to.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", form::printable(text));
}

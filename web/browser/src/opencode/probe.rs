//! What answers at an address? Tells apart everything that a person would mend in another way.

mod address;
mod finding;
mod words;

use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, join, select};
use switchboard_core::model::{SessionId, Status};
use switchboard_core::{Clock, SortedMap};
use switchboard_wire::{self as wire, HttpAnswer};

pub use address::{InvalidAddress, is_loopback, normalise_address};
pub use finding::Finding;
pub use words::{Words, starting};

use crate::opencode::http::{Call, CallError, Credentials, Fetch, Method, Mode, SharedCredentials};

/// How long a server may think about a question of this file. One that starts holds on to early requests for ever.
const PATIENCE: Duration = Duration::from_secs(8);
/// How often a server that may be starting is examined before it counts as one that does not answer.
pub const TRIES: u32 = 3;
/// The pause between two tries.
const AGAIN: Duration = Duration::from_secs(2);
/// How long [`answers`] waits. A server that needs more is left to [`probe`], which a person can follow.
const GLANCE: Duration = Duration::from_secs(1);

/// Finds out what answers at an address as a person typed it. Dropping the future ends the requests.
pub async fn probe(address: &str, credentials: Option<Credentials>, clock: Rc<dyn Clock>) -> Finding {
    let base = match normalise_address(address) {
        Ok(base) => base,
        Err(error) => return Finding::InvalidAddress(error),
    };
    if address::is_mixed_content(&base) {
        return Finding::MixedContent;
    }
    let probe = Probe {
        base,
        credentials: SharedCredentials::new(credentials),
        clock,
    };
    let found = probe.look().await;
    // A proxy may have spoilt one answer.
    if found.may_be_spoilt() {
        probe.look().await
    } else {
        found
    }
}

/// Whether OpenCode answers at a normalised address so that the page can begin: what [`probe`] finds with requests one
/// after the other, with two at once. When it is false, [`probe`] tells why. Dropping the future ends the requests.
pub async fn answers(base: &str, credentials: Option<Credentials>, clock: Rc<dyn Clock>) -> bool {
    if address::is_mixed_content(base) {
        return false;
    }
    let late = clock.sleep_until(clock.now() + GLANCE);
    let probe = Probe {
        base: base.to_owned(),
        credentials: SharedCredentials::new(credentials),
        clock,
    };
    match select(std::pin::pin!(probe.is_fine()), late).await {
        Either::Left((is_fine, _)) => is_fine,
        Either::Right(((), _)) => false,
    }
}

/// [`probe`], repeated up to [`TRIES`] times while the server may be starting. `wait` is called with each finding that
/// leads to another try, and with the number of that try.
pub async fn probe_until_started(
    address: &str,
    credentials: Option<Credentials>,
    clock: Rc<dyn Clock>,
    wait: impl Fn(Finding, u32),
) -> Finding {
    let mut tries = 1;
    loop {
        let found = probe(address, credentials.clone(), Rc::clone(&clock)).await;
        if tries == TRIES || !found.may_be_starting() {
            return found;
        }
        tries += 1;
        wait(found, tries);
        clock.sleep_until(clock.now() + AGAIN).await;
    }
}

struct Probe {
    base: String,
    credentials: SharedCredentials,
    clock: Rc<dyn Clock>,
}

impl Probe {
    /// The finding, on whichever way it comes up.
    async fn look(&self) -> Finding {
        self.run().await.unwrap_or_else(|finding| finding)
    }

    async fn run(&self) -> Result<Finding, Finding> {
        let answer = self.steady("/global/health").await?;
        match wire::health(&answer.body) {
            Ok(health) if answer.is_json() => self.opencode(health.version).await,
            Ok(_) | Err(_) => self.something_else(&answer).await,
        }
    }

    async fn is_fine(&self) -> bool {
        let look = async |path| self.call(Mode::Cors, path).answer().await.ok();
        let (health, questions) = join(look("/global/health"), look("/question")).await;
        let speaks_v1 = |answer: HttpAnswer| {
            let health = wire::health(&answer.body).ok().filter(|_| answer.is_json());
            health.is_some_and(|health| !is_second_generation(&health.version))
        };
        health.is_some_and(speaks_v1) && questions.is_some_and(|answer| is_list(&answer))
    }

    /// It says that it is OpenCode of this version.
    async fn opencode(&self, version: String) -> Result<Finding, Finding> {
        if is_second_generation(&version) {
            return Ok(Finding::SpeaksV2 { version });
        }
        let questions = self.steady("/question").await?;
        let is_refused = questions.status < 500 && !is_list(&questions);
        Ok(if is_refused {
            Finding::TooOld { version: Some(version) }
        } else {
            Finding::Fine { version }
        })
    }

    /// It does not: a newer one, a much older one, one in trouble, or another program.
    async fn something_else(&self, health: &HttpAnswer) -> Result<Finding, Finding> {
        let info = self.steady("/api/info").await?;
        if let Some(version) = wire::second_generation(&info) {
            return Ok(Finding::SpeaksV2 { version });
        }
        let status = self.steady("/session/status").await?;
        if is_status_map(&status) && !is_list(&self.steady("/question").await?) {
            return Ok(Finding::TooOld { version: None });
        }
        let answer = health.described();
        Ok(if matches!(health.status, 502 | 503) {
            Finding::Unavailable { answer }
        } else if health.status >= 500 {
            Finding::Failing { answer }
        } else {
            Finding::NotOpenCode { answer }
        })
    }

    /// A server in trouble is asked once more.
    async fn steady(&self, path: &str) -> Result<HttpAnswer, Finding> {
        let answer = self.get(path).await?;
        if answer.status < 500 {
            return Ok(answer);
        }
        self.get(path).await
    }

    async fn get(&self, path: &str) -> Result<HttpAnswer, Finding> {
        let call = self.call(Mode::Cors, path);
        match self.patiently(call.answer()).await? {
            Ok(answer) if answer.status == 401 && self.credentials.are_given() => Err(Finding::WrongPassword),
            Ok(answer) if answer.status == 401 => Err(Finding::PasswordNeeded),
            Ok(answer) => Ok(answer),
            Err(CallError::Unreadable(answer)) => Err(Finding::NotOpenCode { answer }),
            Err(CallError::Broken(_)) => Err(self.why_no_answer(path).await?),
        }
    }

    /// A browser does not say why it gives no answer. A request whose answer it may hide from us tells.
    async fn why_no_answer(&self, path: &str) -> Result<Finding, Finding> {
        let blind = self.call(Mode::NoCors, path);
        if self.patiently(blind.open()).await?.is_err() {
            return Ok(Finding::Unreachable);
        }
        let unled = self.call(Mode::Redirect, path);
        Ok(match self.patiently(unled.open()).await? {
            Ok(answer) if answer.is_redirect() => Finding::Redirects,
            Ok(_) | Err(_) => Finding::CorsRefused {
                origin: address::page_origin(),
            },
        })
    }

    async fn patiently<T>(&self, work: impl Future<Output = T>) -> Result<T, Finding> {
        let deadline = self.clock.now() + PATIENCE;
        match select(std::pin::pin!(work), self.clock.sleep_until(deadline)).await {
            Either::Left((result, _)) => Ok(result),
            Either::Right(((), _)) => Err(Finding::Silent),
        }
    }

    fn call(&self, mode: Mode, path: &str) -> Call {
        let authorization = match mode {
            Mode::Cors => self.credentials.header(),
            Mode::NoCors | Mode::Redirect => None,
        };
        Call {
            fetch: Fetch::default(),
            method: Method::Get,
            mode,
            url: format!("{}{path}", self.base),
            authorization,
            accept: "application/json",
            body: None,
            keepalive: false,
        }
    }
}

fn is_list(answer: &HttpAnswer) -> bool {
    answer.is_json() && wire::questions(&answer.body, &"/".into()).is_ok()
}

/// A map of sessions: what OpenCode has had from the beginning, and other programs have not.
fn is_status_map(answer: &HttpAnswer) -> bool {
    let only_sessions =
        |statuses: SortedMap<SessionId, Status>| statuses.keys().all(|id| id.as_str().starts_with("ses"));
    answer.is_json() && wire::statuses(&answer.body).is_ok_and(only_sessions)
}

fn is_second_generation(version: &str) -> bool {
    let major = version.split('.').next().and_then(|number| number.parse::<u32>().ok());
    major.is_some_and(|major| major >= 2)
}

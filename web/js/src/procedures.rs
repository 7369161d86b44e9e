//! Procedures over several replies: a loop that checks, agents side by side, commands.

use futures::StreamExt;
use js_sys::{Array, Function, Promise, Reflect};
use serde::{Deserialize, Serialize};
use switchboard_core::completion::{CompletionConfig, PartialRules};
use switchboard_core::model::SessionId;
use switchboard_core::{
    Bound, Budget, Checked, DispatchOptions, Dispatched, Handle, Job, Round, ShellCommand, ShellResult, TurnReply,
    Validated, ValidationEnd, ValidationOptions,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::board::Board;
use super::error::{self, words_of};
use super::given::Given;
use super::iterator::EngineIterator;
use super::object::object;
use super::plain::{plain, read};
use super::session::EndingShape;
use super::sessions::reply_options;
use super::signal::{aborted, unless_aborted};
use super::turn::TurnShape;
use switchboard_browser::device::settings::Settings;
use switchboard_browser::formats::read_config;

#[wasm_bindgen]
impl Board {
    /// Prompts a session, and follows up with what a check says until it passes. Resolves with how that ended.
    #[wasm_bindgen(js_name = untilValid, unchecked_return_type = "Promise<Validated>")]
    pub fn until_valid(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        prompt: String,
        #[wasm_bindgen(unchecked_param_type = "ValidationOptions")] options: JsValue,
    ) -> Promise {
        let given = Given::new("untilValid", options);
        let session = SessionId::from(session);
        let begin = || {
            let handle = self.handle_for_reply()?;
            let signal = given.live_signal()?;
            let check = Check::read(&given, &handle, &session)?;
            let mut options = ValidationOptions::default();
            options.rounds = given.count("rounds")?.map_or(options.rounds, |rounds| rounds as u32);
            options.budget = budget(given.inner("budget")?)?;
            options.reply = reply_options(&given)?;
            Ok((handle, signal, check, options, given.function("onRound")?))
        };
        let begun = begin();
        self.promise(begun, async move |(handle, signal, check, options, on_round)| {
            let tell = |round: &Round| {
                if let (Some(on_round), Ok(round)) = (&on_round, round_shape(round)) {
                    // What it throws is its own affair: the loop goes on.
                    let _thrown = on_round.call1(&JsValue::UNDEFINED, &round);
                }
            };
            let checking = async |reply: &TurnReply| {
                let checked = check.make(&handle, reply).await?;
                tell(&Round::new(reply.clone(), Some(checked.clone())));
                Ok(checked)
            };
            let looping = handle.until_valid(&session, &prompt, checking, &options);
            let validated = unless_aborted(signal, looping).await?;
            validated
                .rounds
                .iter()
                .filter(|round| round.check.is_none())
                .for_each(tell);
            validated_shape(validated)
        })
    }

    /// What a reviewer of this name is told: what to look for, at what, and the form of its answer.
    #[wasm_bindgen(js_name = reviewPrompt)]
    #[must_use]
    pub fn review_prompt(&self, name: &str, prompt: &str, material: &str) -> String {
        switchboard_core::workflow::review_prompt(name, prompt, material)
    }

    /// Starts an agent for each job. Gives their replies in the order in which they end.
    #[wasm_bindgen(unchecked_return_type = "Items<Dispatched>")]
    pub fn dispatch(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Job[]")] jobs: Vec<JsValue>,
        #[wasm_bindgen(unchecked_optional_param_type = "DispatchOptions")] options: JsValue,
    ) -> Result<EngineIterator, JsValue> {
        let given = Given::new("dispatch", options);
        let mut options = DispatchOptions::default();
        if let Some(at_once) = given.count("atOnce")? {
            options.at_once = at_once;
        }
        if let Some(stop) = given.flag("stop")? {
            options.stop = stop;
        }
        options.rules = rules(&given)?;
        let signal = given.live_signal()?;
        let jobs: Result<Vec<Job>, JsValue> = jobs
            .into_iter()
            .map(|job| read_job(&Given::new("dispatch", job)))
            .collect();
        let server = self.server("dispatch")?;
        let replies = server
            .handle()
            .dispatch(jobs?, options)
            .map(|dispatched| shown(&dispatched));
        Ok(match signal {
            Some(signal) => {
                let reason = futures::stream::once(async move { Err(aborted(&signal).await) });
                EngineIterator::new(server, until_first_error(replies, reason))
            }
            None => EngineIterator::new(server, replies),
        })
    }

    /// Runs a command on the server's machine, once. Resolves with what it printed and its exit code.
    #[wasm_bindgen(unchecked_return_type = "Promise<ShellResult>")]
    pub fn shell(&self, #[wasm_bindgen(unchecked_param_type = "ShellOptions")] options: JsValue) -> Promise {
        let given = Given::new("shell", options);
        let begin = || {
            let directory = given.needed_text("directory")?.into();
            let command = given.needed_text("command")?;
            let title = given.text("title")?.unwrap_or_else(|| format!("Command: {command}"));
            let mut command = shell_command(&given, directory, &title, &command)?;
            command.made_for = given.text("madeFor")?.map(SessionId::from);
            Ok((self.handle("shell")?, given.live_signal()?, command))
        };
        self.promise(begin(), async move |(handle, signal, command)| {
            let result = unless_aborted(signal, handle.shell(&command)).await?;
            let ShellResult { session, output, exit } = result.map_err(error::shell)?;
            plain(&ShellShape {
                session: session.as_str(),
                output: &output,
                exit,
            })
        })
    }
}

/// What checks a reply.
enum Check {
    Command(ShellCommand),
    Function(Function),
}

impl Check {
    fn read(given: &Given, handle: &Handle, session: &SessionId) -> Result<Self, JsValue> {
        let check = given.field("check")?;
        if let Some(function) = check.dyn_ref::<Function>() {
            return Ok(Self::Function(function.clone()));
        }
        let wrong = || given.wrong("check", "a shell command or a function");
        let command = check.as_string().ok_or_else(wrong)?;
        let view = handle.view();
        let Some(place) = view.session(session) else {
            return Err(error::prompt(switchboard_core::PromptError::UnknownSession(
                session.clone(),
            )));
        };
        let title = format!("Check of {}: {command}", place.session.title);
        let directory = place.session.directory.clone();
        let mut command = shell_command(given, directory, &title, &command)?;
        command.made_for = Some(session.clone());
        Ok(Self::Command(command))
    }

    async fn make(&self, handle: &Handle, reply: &TurnReply) -> Result<Checked, NotChecked> {
        match self {
            Self::Command(command) => handle.check(command).await.map_err(|error| NotChecked {
                reason: error.to_string(),
                output: error.output().to_owned(),
            }),
            Self::Function(function) => said_by(function, reply).await.map_err(|reason| NotChecked {
                reason,
                output: String::new(),
            }),
        }
    }
}

/// Why a check could not be made, and what it had printed.
struct NotChecked {
    reason: String,
    output: String,
}

async fn said_by(function: &Function, reply: &TurnReply) -> Result<Checked, String> {
    let reply = plain(&TurnShape::from(reply)).map_err(|thrown| words_of(&thrown))?;
    let said = call(function, &reply).await.map_err(|thrown| words_of(&thrown))?;
    let said: CheckedShape = read(&said)
        .ok_or_else(|| "the check returned neither { passed: true } nor { passed: false, output }".to_owned())?;
    Ok(match said.passed {
        true => Checked::Passed,
        false => Checked::Failed { output: said.output },
    })
}

async fn call(function: &Function, argument: &JsValue) -> Result<JsValue, JsValue> {
    let result = function.call1(&JsValue::UNDEFINED, argument)?;
    JsFuture::from(Promise::resolve(&result)).await
}

fn shell_command(
    given: &Given,
    directory: switchboard_core::model::Directory,
    title: &str,
    command: &str,
) -> Result<ShellCommand, JsValue> {
    let mut command = ShellCommand::new(directory, title, command);
    if let Some(timeout) = given.span("commandTimeout")? {
        command.timeout = timeout;
    }
    if let Some(agent) = given.text("commandAgent")? {
        command.agent = agent;
    }
    Ok(command)
}

fn budget(given: Option<Given>) -> Result<Budget, JsValue> {
    let Some(given) = given else {
        return Ok(Budget::default());
    };
    let mut budget = Budget::default();
    budget.tokens = given.count("tokens")?.map(|tokens| tokens as u64);
    budget.cost = given.number("cost")?;
    budget.time = given.span("time")?;
    Ok(budget)
}

fn read_job(given: &Given) -> Result<Job, JsValue> {
    let prompt = given.needed_text("prompt")?;
    let options = given.prompt_options()?;
    let usual = || options.agent.clone().unwrap_or_else(|| "Dispatched agent".to_owned());
    let title = given.text("title")?.unwrap_or_else(usual);
    let mut job = Job::new(given.needed_text("directory")?.into(), title, prompt);
    job.made_for = given.text("madeFor")?.map(SessionId::from);
    job.timeout = given.span("timeout")?;
    job.options = options;
    Ok(job)
}

/// The items of both, until one of them is an error, or `items` ends.
fn until_first_error(
    items: impl futures::Stream<Item = Result<JsValue, JsValue>> + 'static,
    errors: impl futures::Stream<Item = Result<JsValue, JsValue>> + 'static,
) -> impl futures::Stream<Item = Result<JsValue, JsValue>> {
    let marked = items.map(Some).chain(futures::stream::once(async { None }));
    let both = futures::stream::select(marked, errors.map(Some));
    both.scan(false, |failed, item| {
        let item = item.filter(|_| !*failed);
        *failed = matches!(item, Some(Err(_)));
        futures::future::ready(item)
    })
}

#[derive(Serialize)]
struct ShellShape<'a> {
    session: &'a str,
    output: &'a str,
    exit: Option<i32>,
}

#[derive(Deserialize, Serialize)]
struct CheckedShape {
    passed: bool,
    #[serde(default)]
    output: String,
}

#[derive(Serialize)]
struct RoundShape<'a> {
    reply: TurnShape<'a>,
    check: Option<CheckedShape>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum EndShape<'a> {
    Passed,
    RoundsUsedUp,
    Stalled,
    OverBudget { bound: &'static str },
    Ended { ending: EndingShape },
    CheckBroken { reason: &'a str, output: &'a str },
    NoReply,
}

fn round_shape(round: &Round) -> Result<JsValue, JsValue> {
    plain(&RoundShape {
        reply: (&round.reply).into(),
        check: round.check.as_ref().map(|check| CheckedShape {
            passed: *check == Checked::Passed,
            output: match check {
                Checked::Passed => String::new(),
                Checked::CommandFailed(failure) => failure.message(),
                Checked::Failed { output } => output.clone(),
            },
        }),
    })
}

fn validated_shape(validated: Validated<NotChecked>) -> Result<JsValue, JsValue> {
    let end = plain(&match &validated.end {
        ValidationEnd::Passed => EndShape::Passed,
        ValidationEnd::RoundsUsedUp => EndShape::RoundsUsedUp,
        ValidationEnd::Stalled => EndShape::Stalled,
        ValidationEnd::OverBudget(bound) => EndShape::OverBudget {
            bound: match bound {
                Bound::Tokens => "tokens",
                Bound::Cost => "cost",
                Bound::Time => "time",
            },
        },
        ValidationEnd::Ended(ending) => EndShape::Ended {
            ending: (*ending).into(),
        },
        ValidationEnd::CheckBroken(NotChecked { reason, output }) => EndShape::CheckBroken { reason, output },
        ValidationEnd::NoReply(_) => EndShape::NoReply,
    })?;
    if let ValidationEnd::NoReply(reason) = validated.end {
        Reflect::set(&end, &"error".into(), &error::follow_up(reason))?;
    }
    let rounds: Result<Array, JsValue> = validated.rounds.iter().map(round_shape).collect();
    object(&[("end", end), ("rounds", rounds?.into())])
}

fn shown(dispatched: &Dispatched) -> Result<JsValue, JsValue> {
    let session = dispatched.session.as_ref();
    let (name, result) = match &dispatched.result {
        Ok(reply) => ("reply", plain(&TurnShape::from(reply))?),
        Err(reason) => ("error", error::dispatch(reason.clone())),
    };
    object(&[
        ("index", (dispatched.index as u32).into()),
        (
            "session",
            session.map_or(JsValue::NULL, |session| session.as_str().into()),
        ),
        (name, result),
    ])
}

/// How long each agent may take: as the call says, else as its configuration does, else as the settings of this device do,
/// which are written on first use.
fn rules(given: &Given) -> Result<CompletionConfig, JsValue> {
    if let Some(timeout) = given.span("timeout")? {
        let default = PartialRules {
            dispatch_timeout: Some(timeout),
            ..PartialRules::default()
        };
        return Ok(CompletionConfig {
            default,
            ..CompletionConfig::default()
        });
    }
    let config = match given.text("completion")? {
        Some(text) => read_config(&text),
        None => Settings::open().completion_config(),
    };
    config.map_err(|reason| error::invalid_argument(&reason.to_string()))
}

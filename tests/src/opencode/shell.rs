//! Shell commands that a client runs (docs/opencode.md, section 5): they block, and tell no exit code.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{CallId, MessageId, PartBody, PartId, Refusal, SessionId, Status, ToolPart, ToolStatus};
use switchboard_core::ports::Posted;

use super::run::newest_prompt;
use super::state::Run;
use super::{OpenCode, timing};

/// What the server's machine knows of commands: `echo`, `sleep`, `each`, `vanish` and `exit`, a line each, sent as core sends them.
struct Script {
    lines: Vec<String>,
    /// What is printed after it, before the exit code.
    token: Option<String>,
}

impl Script {
    fn of(command: &str) -> Self {
        let sent = command
            .split_once("; echo ")
            .and_then(|(_, rest)| rest.split_once(" | base64 -d | sh"));
        let Some((encoded, _)) = sent else {
            // It goes through `eval "…"`: line breaks are no line breaks there.
            return Self {
                lines: vec![command.replace('\n', "\\n")],
                token: None,
            };
        };
        let script = decoded(encoded);
        let (command, rest) = script.split_once(" | base64 -d)").unwrap_or((&script, ""));
        let (_, rest) = rest.split_once("\nprintf ").unwrap_or_default();
        Self {
            lines: decoded(command.trim_start_matches("c=$(echo "))
                .lines()
                .map(|line| line.trim().to_owned())
                .collect(),
            token: rest.split('\'').nth(3).map(str::to_owned),
        }
    }
}

fn decoded(base64: &str) -> String {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = base64.bytes().filter_map(digit).collect();
    let bytes = digits.chunks(4).flat_map(|group| {
        let number = (0..4).fold(0u32, |number, at| {
            number << 6 | u32::from(group.get(at).copied().unwrap_or(0))
        });
        number.to_be_bytes()[1..group.len()].to_vec()
    });
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

impl OpenCode {
    /// Runs a command. The caller's answer comes when the session is idle again.
    pub(super) fn run_shell(&self, session: &SessionId, command: &str) -> Posted {
        let Some(directory) = self.with(|state| state.directory(session)) else {
            return Posted::NotFound("Session not found".to_owned());
        };
        if self.has_run(session) {
            return Posted::Refused(Refusal {
                status: 409,
                message: Some("SessionBusyError".to_owned()),
            });
        }
        let (server, id, command) = (self.clone(), session.clone(), command.to_owned());
        self.set_status(session, Some(Status::Busy));
        let task = self.0.executor.spawn(self.group(), async move {
            server.shell(&id, &command).await;
        });
        self.with(|state| {
            let runs = &mut state.instance(&directory).runs;
            runs.insert(session.clone(), Run { task, done: None })
        });
        Posted::Accepted
    }

    /// How often a line that changes was run before.
    fn count(&self, line: &str) -> usize {
        self.with(|state| {
            let runs = state.commands.entry(line.to_owned()).or_default();
            *runs += 1;
            *runs - 1
        })
    }

    async fn shell(&self, session: &SessionId, command: &str) {
        let (user, text) = (MessageId::new(self.id("msg")), PartId::new(self.id("prt")));
        let said = "The following tool was executed by the user";
        self.add_user(session, user.clone(), text.clone(), said);
        self.change_part(session, &user, &text, |body| {
            if let PartBody::Text { synthetic, .. } = body {
                *synthetic = true;
            }
        });
        let message = self.add_assistant(session);
        let now = self.stamp();
        let tool = ToolPart {
            call: Some(CallId::new(self.id("call"))),
            tool: "bash".to_owned(),
            status: ToolStatus::Running,
            input: serde_json::to_string_pretty(&json!({ "command": command })).unwrap_or_default(),
            subject: Some(command.to_owned()),
            started: Some(now),
            ..ToolPart::default()
        };
        let part = self.add_part(session, &message, PartBody::Tool(Box::new(tool)));
        let mut script = Script::of(command);
        let (mut output, mut exit) = (String::new(), "0".to_owned());
        for line in &script.lines {
            match line.split_once(' ') {
                Some(("echo", text)) => output.push_str(&format!("{text}\n")),
                Some(("sleep", seconds)) => {
                    let seconds = seconds.parse().unwrap_or_default();
                    self.pause(Duration::from_secs(seconds)).await;
                }
                // One of these after the other, each time that the line is run: `CODE:WORD`.
                Some(("each", results)) => {
                    let run = self.count(line);
                    let results: Vec<&str> = results.split(' ').collect();
                    let result = results[run.min(results.len() - 1)];
                    let (code, word) = result.split_once(':').unwrap_or((result, ""));
                    output.push_str(&format!("{word}\n"));
                    code.clone_into(&mut exit);
                }
                // Its shell ends without a word, so many times.
                Some(("vanish", times)) if self.count(line) < times.parse().unwrap_or_default() => {
                    (script.token, output) = (None, String::new());
                    break;
                }
                Some(("exit", code)) => {
                    code.clone_into(&mut exit);
                    break;
                }
                Some(_) | None => {}
            }
        }
        if let Some(token) = script.token {
            output.push_str(&format!("\n{token} {exit}\n"));
        }
        self.pause(timing::TOOL).await;
        let now = self.stamp();
        self.change_tool(session, &message, &part, |tool| {
            tool.status = ToolStatus::Completed;
            tool.output = Some(output);
            tool.ended = Some(now);
        });
        self.change_message(session, &message, |message| message.completed = Some(now));
        self.touch(session);
        self.with(|state| {
            let directory = state.directory(session)?;
            state.instance(&directory).runs.remove(session)
        });
        let is_newest = self.with_messages(session, |messages| {
            newest_prompt(messages).is_some_and(|prompt| prompt.id == user)
        });
        if !is_newest {
            self.begin_run(session, Duration::ZERO, None);
        }
        if !self.has_run(session) {
            self.set_status(session, None);
        }
    }
}

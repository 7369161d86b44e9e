//! What is posted: the path and body of each send.

use serde_json::{Value, json};
use switchboard_core::model::{Directory, Prompt, Reply, RequestId};
use switchboard_core::ports::Post;

use super::path::{escaped, in_directory};

/// A `POST`, ready to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Path and query, from the root of the server.
    pub path: String,
    /// The JSON to send; none for calls that take none.
    pub body: Option<String>,
}

/// Writes a send as the server wants it.
#[must_use]
pub fn outgoing(post: &Post) -> Outgoing {
    let (path, body) = match post {
        Post::Reply {
            request,
            directory,
            reply,
        } => return reply_to(request, directory, reply),
        Post::Prompt {
            session,
            directory,
            prompt,
        } => {
            let path = format!("/session/{}/prompt_async", escaped(session.as_str()));
            (in_directory(&path, directory), Some(prompt_body(prompt)))
        }
        Post::Abort { session, directory } => {
            let path = format!("/session/{}/abort", escaped(session.as_str()));
            (in_directory(&path, directory), None)
        }
        Post::Shell {
            session,
            directory,
            agent,
            command,
        } => {
            let path = format!("/session/{}/shell", escaped(session.as_str()));
            let body = json!({ "agent": agent, "command": command });
            (in_directory(&path, directory), Some(body))
        }
        Post::Create { directory, title } => {
            let body = title
                .as_ref()
                .map_or_else(|| json!({}), |title| json!({ "title": title }));
            (in_directory("/session", directory), Some(body))
        }
    };
    Outgoing {
        path,
        body: body.map(|body| body.to_string()),
    }
}

fn reply_to(request: &RequestId, directory: &Directory, reply: &Reply) -> Outgoing {
    let (route, body) = match reply {
        Reply::Answers(answers) => ("question", Some(json!({ "answers": answers }))),
        Reply::Dismiss => ("question", None),
        Reply::Once => ("permission", Some(json!({ "reply": "once" }))),
        Reply::Always => ("permission", Some(json!({ "reply": "always" }))),
        Reply::Reject { message: None } => ("permission", Some(json!({ "reply": "reject" }))),
        Reply::Reject { message: Some(message) } => {
            ("permission", Some(json!({ "reply": "reject", "message": message })))
        }
    };
    let verb = if body.is_some() { "reply" } else { "reject" };
    let path = format!("/{route}/{}/{verb}", escaped(request.as_str()));
    Outgoing {
        path: in_directory(&path, directory),
        body: body.map(|body| body.to_string()),
    }
}

/// With ids of our own for the message and its part, so that a second post changes nothing. Without a text it has no parts:
/// then the server starts a run over what it has.
fn prompt_body(prompt: &Prompt) -> Value {
    let text = json!({ "type": "text", "id": prompt.part.as_str(), "text": prompt.text });
    let parts = if prompt.text.is_empty() { Vec::new() } else { vec![text] };
    let mut body = json!({ "messageID": prompt.message.as_str(), "parts": parts });
    if let Some(agent) = &prompt.agent {
        body["agent"] = json!(agent);
    }
    if let Some(model) = &prompt.model {
        body["model"] = json!({ "providerID": model.provider, "modelID": model.model });
    }
    body
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use switchboard_core::model::ModelRef;

    fn reply(request: &str, reply: Reply) -> (String, Option<Value>) {
        sent(&Post::Reply {
            request: request.into(),
            directory: "/d".into(),
            reply,
        })
    }

    fn sent(post: &Post) -> (String, Option<Value>) {
        let Outgoing { path, body } = outgoing(post);
        (path, body.map(|body| serde_json::from_str(&body).unwrap()))
    }

    #[test]
    fn each_reply_has_its_route_and_carries_its_words_verbatim() {
        let cases = [
            (
                reply("que_1", Reply::Answers(vec![vec!["a \"b\"\n".to_owned()], vec![]])),
                (
                    "/question/que_1/reply?directory=%2Fd",
                    Some(json!({"answers": [["a \"b\"\n"], []]})),
                ),
            ),
            (
                reply("que_1", Reply::Dismiss),
                ("/question/que_1/reject?directory=%2Fd", None),
            ),
            (
                reply("per_1", Reply::Once),
                ("/permission/per_1/reply?directory=%2Fd", Some(json!({"reply": "once"}))),
            ),
            (
                reply("per_1", Reply::Always),
                (
                    "/permission/per_1/reply?directory=%2Fd",
                    Some(json!({"reply": "always"})),
                ),
            ),
            (
                reply("per_1", Reply::Reject { message: None }),
                (
                    "/permission/per_1/reply?directory=%2Fd",
                    Some(json!({"reply": "reject"})),
                ),
            ),
            (
                reply(
                    "per_1",
                    Reply::Reject {
                        message: Some("not so".to_owned()),
                    },
                ),
                (
                    "/permission/per_1/reply?directory=%2Fd",
                    Some(json!({"reply": "reject", "message": "not so"})),
                ),
            ),
        ];
        for ((path, body), expected) in cases {
            assert_eq!((path.as_str(), body), expected);
        }
    }

    /// F5
    #[test]
    fn a_prompt_carries_our_ids_for_its_message_and_its_part() {
        let prompt = Prompt {
            message: "msg_1".into(),
            part: "prt_1".into(),
            text: "hello".to_owned(),
            agent: Some("plan".to_owned()),
            model: Some(ModelRef {
                provider: "stub".to_owned(),
                model: "scripted".to_owned(),
            }),
        };
        let (path, body) = sent(&Post::Prompt {
            session: "ses_1".into(),
            directory: "/d".into(),
            prompt: Arc::new(prompt),
        });
        assert_eq!(path, "/session/ses_1/prompt_async?directory=%2Fd");
        let expected = json!({
            "messageID": "msg_1",
            "parts": [{"type": "text", "id": "prt_1", "text": "hello"}],
            "agent": "plan",
            "model": {"providerID": "stub", "modelID": "scripted"},
        });
        assert_eq!(body, Some(expected));
    }

    #[test]
    fn a_prompt_without_a_text_has_no_parts() {
        let (_, body) = sent(&Post::Prompt {
            session: "ses_1".into(),
            directory: "/d".into(),
            prompt: Arc::new(Prompt {
                message: "msg_1".into(),
                part: "prt_1".into(),
                text: String::new(),
                agent: None,
                model: None,
            }),
        });
        assert_eq!(body, Some(json!({ "messageID": "msg_1", "parts": [] })));
    }
}

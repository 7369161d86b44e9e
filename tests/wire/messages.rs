//! Messages of every ending.

use switchboard_core::model::{Message, ModelRef, Page, PartBody, Role};
use switchboard_wire as wire;

use crate::fixture::{names, recorded};

pub(crate) fn page(file: &str) -> Page {
    wire::page(&recorded(file), None).expect(file)
}

pub(crate) fn message(file: &str) -> Message {
    wire::message(&recorded(file)).expect(file)
}

/// How the last message ended: its finish, whether it is completed, and its error.
fn ending(file: &str) -> (Option<String>, bool, Option<String>) {
    let last = page(file).messages.pop().expect("a message");
    (
        last.finish,
        last.completed.is_some(),
        last.error.map(|error| error.name),
    )
}

/// C6
#[test]
fn every_ending_is_told_from_the_last_message() {
    let cases = [
        ("messages-finished.json", Some("stop"), true, None),
        ("messages-empty-final.json", Some("stop"), true, None),
        ("messages-reasoning-only.json", Some("stop"), true, None),
        ("messages-length.json", Some("length"), true, None),
        (
            "messages-content-filter.json",
            Some("content-filter"),
            true,
            Some("ContentFilterError"),
        ),
        ("messages-question-rejected.json", Some("tool-calls"), true, None),
        ("messages-aborted-stream.json", None, true, Some("MessageAbortedError")),
        (
            "messages-ghost-after-abort.json",
            None,
            true,
            Some("MessageAbortedError"),
        ),
        ("messages-aborted-during-retry.json", None, true, None),
        ("messages-provider-error.json", None, true, Some("APIError")),
        ("messages-mid-stream.json", None, false, None),
    ];
    for (file, finish, completed, error) in cases {
        let expected = (finish.map(str::to_owned), completed, error.map(str::to_owned));
        assert_eq!(ending(file), expected, "{file}");
    }
}

#[test]
fn an_error_of_the_provider_is_given_in_its_words() {
    let page = page("messages-provider-error.json");
    let error = page.messages[1].error.as_ref().expect("an error");
    assert_eq!(error.message, "stub says bad request");
}

#[test]
fn no_recorded_message_or_part_is_strange_to_us() {
    for file in names("messages-", ".json") {
        let page = page(&file);
        assert!(page.messages.is_sorted_by_key(|message| message.created), "{file}");
        for message in &page.messages {
            assert_eq!(message.fault, None, "{file}");
            assert!(matches!(message.role, Role::User | Role::Assistant), "{file}");
            assert!(message.agent.is_some() && message.model.is_some(), "{file}");
            for part in &message.parts {
                assert!(!matches!(part.body, PartBody::Other(_)), "{file}: {:?}", part.body);
            }
        }
    }
}

/// R16
#[test]
fn an_end_without_text_has_no_text() {
    for file in ["messages-empty-final.json", "messages-reasoning-only.json"] {
        let last = page(file).messages.pop().expect("a message");
        assert_eq!(last.text(), "", "{file}");
        assert!(last.is_final());
    }
}

#[test]
fn thoughts_and_text_are_told_apart_and_both_streams_end() {
    let last = page("messages-finished.json").messages.pop().expect("a message");
    assert_eq!(last.text(), "Hello from the model.");
    let thought = last.parts.iter().find_map(|part| {
        let PartBody::Reasoning { text, started, ended } = &part.body else {
            return None;
        };
        Some((text.as_str(), started.is_some(), ended.is_some()))
    });
    assert_eq!(thought, Some(("Let me think. ", true, true)));
    assert_eq!(page("messages-mid-stream.json").messages[1].text(), "");
}

#[test]
fn files_mentions_and_unfolded_text_of_a_prompt_are_told_apart() {
    let message = message("message-user-files.json");
    assert_eq!(message.role, Role::User);
    assert_eq!(message.text(), "see");
    let files: Vec<(&str, &str)> = message
        .parts
        .iter()
        .filter_map(|part| {
            let PartBody::File { name, mime, .. } = &part.body else {
                return None;
            };
            Some((name.as_str(), mime.as_str()))
        })
        .collect();
    assert_eq!(files, [("a.png", "image/png"), ("n.txt", "text/plain")]);
    assert!(message.parts.iter().any(|part| part.body
        == PartBody::Agent {
            name: "general".to_owned()
        }));
}

#[test]
fn a_summary_shows_where_older_messages_went() {
    let page = page("messages-compaction.json");
    assert_eq!(page.messages[0].parts[0].body, PartBody::Compaction);
    assert!(page.messages[1].summary && !page.messages[0].summary);
    assert_eq!(page.messages[1].context_tokens, Some(102));
}

#[test]
fn a_user_and_an_agent_name_their_model_alike() {
    let model = Some(ModelRef {
        provider: "stub".to_owned(),
        model: "scripted".to_owned(),
    });
    let page = page("messages-question-answered.json");
    assert!(page.messages.iter().all(|message| message.model == model));
    assert_eq!(page.messages[1].parent.as_ref(), Some(&page.messages[0].id));
}

//! Lists of messages: windows, cursors and single messages.

use switchboard_core::model::{Message, MessageId, Page, Role, SessionId};
use switchboard_core::ports::{Fetched, Read, ReadError};

use super::{check, says};
use crate::shape::shape_of;
use crate::story::{Story, result_of};

/// Reads a window, tells what it holds, and returns what leads to the one before it.
fn window(story: &mut Story<'_>, session: &SessionId, limit: u32, before: Option<String>) -> Option<String> {
    let read = Read::Messages {
        session: session.clone(),
        directory: story.directory(),
        limit,
        before,
    };
    let fetched = story.read(&read);
    let thing = format!("a window of {limit}");
    let Ok(Fetched::Page(page)) = fetched else {
        story.tell(&thing, result_of(&fetched));
        return None;
    };
    let more = if page.older.is_some() { "more" } else { "no more" };
    story.tell(&thing, format!("{:?}, {more}", shape_of(&page.messages)));
    page.older
}

/// R15
#[test]
fn a_window_holds_the_newest_and_leads_to_those_before() {
    check("windows", |story| {
        let session = story.create();
        for number in 1..=3 {
            story.prompt(&session, &says(&format!("Answer {number}.")).to_prompt());
            story.until("the answer", |seen| {
                let messages = &seen.sessions[0].messages;
                messages.len() == 2 * number && !seen.sessions[0].is_running()
            });
        }
        for limit in [0, 1, 2, 4, 5, 6, 7, 1_000] {
            let mut before = window(story, &session, limit, None);
            while before.is_some() {
                before = window(story, &session, limit, before);
            }
        }
    });
}

#[test]
fn a_cursor_holds_while_messages_come() {
    check("cursor", |story| {
        let session = story.begin(&says("One."));
        story.until_idle();
        let before = window(story, &session, 1, None);
        story.prompt(&session, &says("Two.").to_prompt());
        story.until("the answer", |seen| {
            seen.sessions[0].messages.len() == 4 && !seen.sessions[0].is_running()
        });
        window(story, &session, 1, before);
    });
}

#[test]
fn what_is_no_cursor_is_refused() {
    check("no cursor", |story| {
        let session = story.begin(&says("One."));
        story.until_idle();
        for cursor in ["nonsense", "", "msg_1ffd32f60001I9ipKQ4WmYMDgG"] {
            window(story, &session, 2, Some(cursor.to_owned()));
        }
    });
}

/// Reads the newest messages.
fn newest(story: &mut Story<'_>, session: &SessionId, limit: u32) -> Result<Page, ReadError> {
    let read = Read::Messages {
        session: session.clone(),
        directory: story.directory(),
        limit,
        before: None,
    };
    let fetched = story.read(&read)?;
    let Fetched::Page(page) = fetched else {
        panic!("{read:?}: {fetched:?}");
    };
    Ok(page)
}

/// Waits until the newest message is so, where the session as a whole cannot be read.
fn until_newest(story: &mut Story<'_>, session: &SessionId, is_so: impl Fn(&Message) -> bool) {
    story.until_so("the newest message", |story| {
        newest(story, session, 1).is_ok_and(|page| page.messages.last().is_some_and(&is_so))
    });
}

/// A prompt with `format: json_schema` is stored in a shape that the server does not take for its own when it checks what
/// it is about to send. Answered 400 are the message alone, and a window that holds it and that nothing comes before. Any
/// other window is sent unchecked, the message included.
#[test]
fn a_prompt_with_a_format_cannot_be_read_where_its_session_begins() {
    check("format", |story| {
        story.overlook_words();
        let session = story.begin(&says("One."));
        story.until_idle();
        let spoiled = story.prompt_with_format(&session);
        until_newest(story, &session, |newest| newest.role == Role::User);
        let directory = story.directory();
        for text in ["Two.", "Three."] {
            for limit in 0..=6 {
                let mut before = window(story, &session, limit, None);
                while before.is_some() {
                    before = window(story, &session, limit, before);
                }
            }
            let fetched = story.read(&Read::Message {
                session: session.clone(),
                directory: directory.clone(),
                message: spoiled.clone(),
            });
            story.tell("the message", result_of(&fetched));
            story.prompt(&session, &says(text).to_prompt());
            until_newest(story, &session, |newest| {
                newest.text() == text && newest.completed.is_some()
            });
        }
    });
}

/// What follows it can be read, one message less than there are.
#[test]
fn a_session_that_begins_with_a_format_is_read_without_its_first_message() {
    check("format first", |story| {
        story.overlook_words();
        let session = story.create();
        story.prompt_with_format(&session);
        story.until_so("the prompt", |story| newest(story, &session, 1).is_err());
        window(story, &session, 1, None);
        story.prompt(&session, &says("Two.").to_prompt());
        until_newest(story, &session, |newest| {
            newest.text() == "Two." && newest.completed.is_some()
        });
        for limit in 0..=4 {
            window(story, &session, limit, None);
        }
    });
}

#[test]
fn a_message_that_is_not_there_is_not_found() {
    check("one message", |story| {
        let session = story.begin(&says("One."));
        story.until_idle();
        let directory = story.directory();
        let nowhere = SessionId::from("ses_e002ce275ffei25adQZpGQkXMC");
        let nothing = MessageId::from("msg_1ffd32f60001I9ipKQ4WmYMDgG");
        let messages = [
            ("no such message", session.clone(), nothing.clone()),
            ("no such session", nowhere.clone(), nothing.clone()),
            ("nonsense", session, "nonsense".into()),
            ("nonsense of a session", "nonsense".into(), nothing),
        ];
        for (thing, session, message) in messages {
            let directory = directory.clone();
            let fetched = story.read(&Read::Message {
                session,
                directory,
                message,
            });
            story.tell(thing, result_of(&fetched));
        }
        for id in [nowhere, "nonsense".into()] {
            window(story, &id, 2, None);
            let session = id.clone();
            let fetched = story.read(&Read::Session {
                session,
                directory: directory.clone(),
            });
            story.tell(id.as_str(), result_of(&fetched));
        }
    });
}

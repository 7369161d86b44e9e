//! Lists of messages: windows, cursors and single messages.

use switchboard_core::model::{MessageId, SessionId};
use switchboard_core::ports::{Fetched, Read};

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

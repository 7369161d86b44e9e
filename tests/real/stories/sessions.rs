//! Sessions: the list, directories, and when a session is said to have changed.

use std::time::Duration;

use switchboard_core::model::{Directory, Reply, Session};
use switchboard_core::ports::{Fetched, Post, Posted, Read};

use super::{asks, blue, check, check_alone, first, says, sub_agent, until_answered};
use crate::story::{Story, outcome_of, result_of};

/// The sessions that were updated since, as numbers of the story.
fn listed_since(story: &mut Story<'_>, since: u64, known: &[&Session]) -> Vec<String> {
    let read = Read::Sessions {
        since: Some(since),
        page: None,
    };
    let Ok(Fetched::Sessions(page)) = story.read(&read) else {
        return Vec::new();
    };
    let name_of = |session: &Session| known.iter().position(|known| known.id == session.id);
    let named = page.sessions.iter().filter_map(|session| {
        let parent = session.parent.as_ref();
        let parent = parent.and_then(|parent| known.iter().position(|known| known.id == *parent));
        let name = name_of(session).map(|place| format!("session {}", place + 1));
        name.or_else(|| parent.map(|place| format!("a child of session {}, {}", place + 1, session.title)))
    });
    named.collect()
}

fn session(story: &mut Story<'_>, of: &Session) -> Session {
    let read = Read::Session {
        session: of.id.clone(),
        directory: of.directory.clone(),
    };
    match story.read(&read) {
        Ok(Fetched::Session(session)) => *session,
        other => panic!("{}: {other:?}", of.id),
    }
}

#[test]
fn the_list_begins_with_what_changed_last() {
    check("list", |story| {
        let directory = story.directory();
        let made: Vec<Session> = (0..3)
            .map(|number| {
                let session = story.create_in(&directory, Some(&format!("list {number}")));
                story.until("another moment", |_| true);
                session
            })
            .collect();
        let all: Vec<&Session> = made.iter().collect();
        let told = listed_since(story, made[0].created, &all);
        story.tell("all", told.join(", "));
        let told = listed_since(story, made[2].updated, &all);
        story.tell("those since the last one", told.join(", "));
        let told = listed_since(story, made[2].updated + 1, &all);
        story.tell("those after the last one", told.join(", "));
        story.prompt(&made[0].id, &says("Here I am.").to_prompt());
        until_answered(story);
        let told = listed_since(story, made[0].created, &all);
        story.tell("all after a prompt", told.join(", "));
    });
}

/// Other stories look at the first page of the list, so this is played alone.
#[test]
fn a_list_of_more_than_a_hundred_comes_in_pages() {
    check_alone("pages", |story| {
        let directory = story.directory();
        let create = || Post::Create {
            directory: directory.clone(),
            title: Some("pages".to_owned()),
        };
        let mut since = None;
        for _ in 0..103 {
            let Posted::Created(session) = story.post(&create()) else {
                panic!("no session was made")
            };
            since = since.or(Some(session.created));
            story.until("another moment", |_| true);
        }
        let (mut seen, mut page) = (Vec::new(), None);
        loop {
            let fetched = story.read(&Read::Sessions { since, page });
            let Ok(Fetched::Sessions(listed)) = fetched else {
                panic!("{fetched:?}")
            };
            story.tell("a page", listed.sessions.len().to_string());
            seen.extend(listed.sessions.into_iter().map(|session| session.id));
            page = listed.next;
            if page.is_none() {
                break;
            }
        }
        seen.sort();
        seen.dedup();
        story.tell("sessions in all", seen.len().to_string());
    });
}

#[test]
fn a_sub_agent_is_in_the_list() {
    check("list of children", |story| {
        let directory = story.directory();
        let parent = story.create_in(&directory, Some("list"));
        story.prompt(&parent.id, &sub_agent().to_prompt());
        let request = first(story.until_listed(1));
        let told = listed_since(story, parent.created, &[&parent]);
        story.tell("while it asks", told.join(", "));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

/// What is stamped ahead of the server's clock keeps its stamp until it is prompted.
#[test]
fn an_imported_session_from_the_future_hides_what_is_newer() {
    check("import", |story| {
        let directory = story.directory();
        let imported = story.import(Duration::from_secs(3_600));
        let now = story.now().0;
        story.tell(
            "it is from the future",
            (imported.updated > now + 3_500_000).to_string(),
        );
        let made = story.create_in(&directory, Some("import"));
        let known = [&imported, &made];
        let told = listed_since(story, made.created, &known);
        story.tell("those since the other one", told.join(", "));
        let told = listed_since(story, imported.updated, &known);
        story.tell("those since it", told.join(", "));
        story.prompt(&imported.id, &says("Here I am.").to_prompt());
        until_answered(story);
        let prompted = session(story, &imported);
        let is_of_now = prompted.updated < imported.updated && prompted.updated >= now;
        story.tell("a prompt moves it back", is_of_now.to_string());
        let told = listed_since(story, imported.updated, &known);
        story.tell("those since its old time", told.join(", "));
    });
}

/// What waits and what is answered moves no clock: a session that works must be read whenever it works.
#[test]
fn the_time_of_a_session_moves_with_prompts_and_steps_alone() {
    check("updated", |story| {
        let directory = story.directory();
        let made = story.create_in(&directory, Some("updated"));
        story.prompt(&made.id, &asks("Which?").to_prompt());
        let request = first(story.until_listed(1));
        let asking = session(story, &made);
        story.tell("a prompt moves it", (asking.updated > made.updated).to_string());
        story.prompt(&made.id, "and another thing");
        story.until("the prompt", |seen| seen.sessions[0].messages.len() == 3);
        let prompted = session(story, &made);
        story.tell(
            "a queued prompt moves it",
            (prompted.updated > asking.updated).to_string(),
        );
        story.reply(&request, blue());
        story.until_idle();
        let ended = session(story, &made);
        story.tell("the end moves it", (ended.updated > prompted.updated).to_string());
    });
}

/// It works on, its requests are listed and can be answered, and no clock of its moves. It is in no list of the kind that
/// the dashboard reads any more, also when it is prompted again.
#[test]
fn a_session_that_is_archived_is_in_no_list_and_works_on() {
    check("archived", |story| {
        let directory = story.directory();
        let made = story.create_in(&directory, Some("archived"));
        story.prompt(&made.id, &asks("Which?").to_prompt());
        let request = first(story.until_listed(1));
        let before = session(story, &made);
        story.archive(&made.id);
        let after = session(story, &made);
        story.tell("it is archived", after.archived.to_string());
        story.tell("its clock moves", (after.updated > before.updated).to_string());
        let told = listed_since(story, made.created, &[&made]);
        story.tell("the list", told.join(", "));
        let listed = story.until_listed(1);
        story.tell("it still asks", (listed[0].id == request.id).to_string());
        story.reply(&request, blue());
        story.until_idle();
        story.prompt(&made.id, &says("Here I am.").to_prompt());
        story.until("the answer", |seen| {
            seen.sessions[0].messages.len() == 5 && !seen.sessions[0].is_running()
        });
        let told = listed_since(story, made.created, &[&made]);
        story.tell("the list after a prompt", told.join(", "));
        let again = session(story, &made);
        story.tell("it is archived after a prompt", again.archived.to_string());
    });
}

#[test]
fn an_instance_knows_only_its_own_directory() {
    check("directories", |story| {
        let directory = story.directory();
        story.begin(&asks("Which?"));
        let request = first(story.until_listed(1));
        for (name, suffix) in [
            ("a folder below", "/below"),
            ("a folder that is missing", "/no/such/folder"),
            ("a slash more", "/"),
        ] {
            let other = Directory::new(format!("{directory}{suffix}"));
            for read in [
                Read::Questions(other.clone()),
                Read::Permissions(other.clone()),
                Read::Status(other.clone()),
            ] {
                let told = match story.read(&read) {
                    Ok(Fetched::Requests(requests)) => {
                        let found = requests.iter().any(|found| found.id == request.id);
                        format!("requests, ours: {found}")
                    }
                    Ok(Fetched::Statuses(statuses)) => {
                        format!("statuses, ours: {}", statuses.contains_key(&request.session))
                    }
                    other => result_of(&other),
                };
                story.tell(name, told);
            }
        }
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

#[test]
fn a_session_is_made_in_the_folder_that_is_meant() {
    check("folders", |story| {
        let directory = story.directory();
        for (name, folder) in [
            ("a slash more", format!("{directory}/")),
            ("two slashes", format!("{directory}//below")),
            ("back and forth", format!("{directory}/below/../below")),
        ] {
            let post = Post::Create {
                directory: Directory::new(folder),
                title: Some("folders".to_owned()),
            };
            let posted = story.post(&post);
            story.tell(name, outcome_of(&posted));
            if let Posted::Created(session) = posted {
                story.tell(name, session.directory.as_str().replace(directory.as_str(), "…"));
            }
        }
    });
}

//! When reading is done, and whether a request waits.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::model::{Directory, Reply, Request, RequestId, Session, SessionId};
use switchboard_core::ports::{Read, ReadError};
use switchboard_core::view::Link;
use switchboard_core::{FindError, Finding};
use switchboard_tests::scripts::{asks, delegates, runs};
use switchboard_tests::store::Device;
use switchboard_tests::tab::Tab;

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue, is_answered};

/// How long a read of a directory that hangs is waited for, and what is read beside it.
const HUNG: Duration = Duration::from_secs(10);

/// What a search has found; none while it goes on.
type Found<T> = Rc<RefCell<Option<Result<Option<Arc<T>>, FindError>>>>;

fn find(tab: &Tab, request: &RequestId) -> Found<Request> {
    hear(tab, tab.handle.find(request))
}

fn find_session(tab: &Tab, session: &SessionId) -> Found<Session> {
    hear(tab, tab.handle.find_session(session))
}

fn hear<T: 'static>(tab: &Tab, finding: Finding<T>) -> Found<T> {
    let found = Found::default();
    let result = found.clone();
    tab.run(async move {
        let end = finding.await;
        result.replace(Some(end));
    });
    found
}

fn until_found<T>(desk: &mut Desk, found: &Found<T>, within: Duration) -> Result<Option<Arc<T>>, FindError> {
    desk.world
        .run_until("the search has ended", within, |_| found.borrow().is_some());
    found.borrow_mut().take().expect("it was just there")
}

fn until_listed(desk: &mut Desk, tab: &Tab, within: Duration) {
    desk.world
        .run_until("everything was read once", within, |_| tab.view().server.listed);
}

fn waiting_ids(tab: &Tab) -> Vec<RequestId> {
    let mut ids: Vec<RequestId> = tab.waiting().iter().map(|shown| shown.request.id.clone()).collect();
    ids.sort();
    ids
}

fn asks_in(desk: &mut Desk, directories: &[&str]) -> Vec<RequestId> {
    let scripts = [asks("Which?"), runs("echo hi"), delegates(&asks("From below?"))];
    for (number, directory) in directories.iter().enumerate() {
        drop(desk.world.other.begin(directory, &scripts[number % scripts.len()]));
    }
    let count = directories.len();
    desk.world
        .run_until("they ask", LATER, |world| world.server.live().len() == count);
    let mut live = desk.world.server.live();
    live.sort();
    live
}

/// R25: a bot that is started by a click asks at once what waits
#[test]
fn once_everything_was_read_all_that_waits_is_shown() {
    let directories: Vec<String> = (0..30).map(|number| format!("/project/{number}")).collect();
    let directories: Vec<&str> = directories.iter().map(String::as_str).collect();
    for count in [1, 2, 3, 12, 30] {
        let mut desk = Desk::new(1);
        let live = asks_in(&mut desk, &directories[..count]);
        let late = desk.world.open_tab(&Device::default());
        until_listed(&mut desk, &late, SOON);
        assert_eq!(waiting_ids(&late), live, "of {count}");
    }
}

/// R25: of what seems to wait where nothing runs the messages are read first
#[test]
fn a_ghost_is_not_shown_and_hides_nothing_once_everything_was_read() {
    let mut desk = Desk::new(1);
    let stopped = desk.begin(&asks("Which?"));
    desk.until_waiting(&stopped);
    desk.world.other.abort(&stopped);
    let live = asks_in(&mut desk, &["/other"]);
    assert_eq!(desk.world.server.listed().len(), 2, "the server keeps listing it");
    let late = desk.world.open_tab(&Device::default());
    until_listed(&mut desk, &late, SOON);
    assert_eq!(waiting_ids(&late), live);
}

/// R25
#[test]
fn a_tab_that_follows_reads_everything_once_too() {
    let mut desk = Desk::new(1);
    let live = asks_in(&mut desk, &["/one", "/two", "/three"]);
    let device = desk.device.clone();
    let second = desk.world.open_tab(&device);
    until_listed(&mut desk, &second, SOON);
    assert_eq!(waiting_ids(&second), live);
}

/// R25
#[test]
fn a_directory_that_hangs_does_not_keep_reading_from_being_done_and_is_named() {
    let mut desk = Desk::new(1);
    let live = asks_in(&mut desk, &["/one", "/stuck"]);
    let late = desk.world.open_tab(&Device::default());
    late.faults.borrow_mut().hanging = vec!["/stuck".into()];
    until_listed(&mut desk, &late, HUNG);
    let failing = late.view().server.failing.clone();
    let named: Vec<&Directory> = failing.iter().map(|failing| &failing.directory).collect();
    assert_eq!(named, [&Directory::from("/stuck")]);
    assert_eq!(failing[0].error, ReadError::TimedOut);
    assert_eq!(waiting_ids(&late).len(), 1);
    late.faults.borrow_mut().hanging.clear();
    desk.world
        .run_until("both are shown", LATER, |_| waiting_ids(&late) == live);
}

/// R25
#[test]
fn reading_is_not_done_while_the_server_cannot_be_reached() {
    let mut desk = Desk::new(1);
    let live = asks_in(&mut desk, &["/one", "/two"]);
    let late = desk.world.open_tab(&Device::default());
    late.faults.borrow_mut().unreadable = Some(|read| !matches!(read, Read::Sessions { .. } | Read::Directories));
    desk.world.run_for(Duration::from_millis(100));
    late.faults.borrow_mut().unreadable = None;
    late.faults.borrow_mut().is_cut = true;
    desk.world.run_for(SOON);
    let view = late.view();
    assert!(!matches!(view.server.link, Link::Live), "{:?}", view.server.link);
    assert!(!view.server.listed);
    late.faults.borrow_mut().is_cut = false;
    until_listed(&mut desk, &late, LATER);
    assert_eq!(waiting_ids(&late), live);
}

/// R25: the click comes before anything was read
#[test]
fn a_request_is_found_by_its_id_before_anything_was_read() {
    let mut desk = Desk::new(1);
    let live = asks_in(&mut desk, &["/one", "/two", "/three"]);
    for id in &live {
        let late = desk.world.open_tab(&Device::default());
        let found = find(&late, id);
        let request = until_found(&mut desk, &found, SOON).expect("the server is well");
        let request = request.expect("it waits");
        assert_eq!(request.id, *id);
        let reply = if request.permission().is_some() {
            Reply::Once
        } else {
            blue()
        };
        late.answer_shown(&request, reply).expect("it fits");
        desk.world.run_until("it is answered", LATER, |_| {
            late.state(id).is_some_and(|state| is_answered(&state))
        });
    }
}

/// R25: a page at rest, without events, where another client has just begun something
#[test]
fn a_request_that_was_asked_since_the_last_read_is_found() {
    for is_leading in [true, false] {
        let mut desk = Desk::new(1);
        drop(desk.world.other.begin("/rest", &runs("true")));
        let device = desk.device.clone();
        let tab = if is_leading {
            desk.tab.clone()
        } else {
            desk.world.open_tab(&device)
        };
        desk.world.run_for(LATER);
        tab.handle.set_visible(false);
        desk.world.run_for(LATER);
        for directory in ["/rest", "/new"] {
            let before = desk.world.server.live();
            drop(desk.world.other.begin(directory, &asks("Which?")));
            desk.world
                .run_until("it asks", SOON, |world| world.server.live().len() > before.len());
            let id = desk.world.server.live().into_iter().find(|id| !before.contains(id));
            let id = id.expect("it was just asked");
            let found = find(&tab, &id);
            let request = until_found(&mut desk, &found, SOON).expect("the server is well");
            assert_eq!(request.map(|request| request.id.clone()), Some(id), "in {directory}");
        }
    }
}

/// R25
#[test]
fn a_request_that_is_not_found_does_not_wait() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    let late = desk.world.open_tab(&Device::default());
    let reads = late.reads_of_the_minute();
    let searches: Vec<Found<Request>> = (0..20)
        .map(|number| match number {
            0 => find(&late, &request.id),
            _ => find(&late, &format!("que_{number}").as_str().into()),
        })
        .collect();
    for search in &searches {
        assert_eq!(until_found(&mut desk, search, SOON), Ok(None));
    }
    let reads = late.reads_of_the_minute() - reads;
    assert!(reads <= 30, "{reads} reads for 20 searches at once");
    desk.world.run_for(Duration::from_secs(2 * 60));
    let reads = late.reads_of_the_minute();
    assert!(reads <= 40, "{reads} reads a minute, and no search goes on");
}

/// R25
#[test]
fn a_search_says_what_could_not_be_read() {
    let mut desk = Desk::new(1);
    let live = asks_in(&mut desk, &["/one", "/two"]);
    let late = desk.world.open_tab(&Device::default());
    late.faults.borrow_mut().hanging = vec!["/stuck".into(), "/two".into()];
    let found = find(&late, &"que_unknown".into());
    let unread = Err(FindError::Unread {
        directory: Some("/two".into()),
        error: ReadError::TimedOut,
    });
    assert_eq!(until_found(&mut desk, &found, HUNG), unread);

    let shown = waiting_ids(&late);
    assert_eq!(shown.len(), 1);
    let found = find(&late, &shown[0]);
    let request = until_found(&mut desk, &found, Duration::from_millis(1)).expect("it is shown");
    assert_eq!(request.map(|request| request.id.clone()), Some(shown[0].clone()));

    late.faults.borrow_mut().is_cut = true;
    let found = find(&late, &"que_unknown".into());
    let result = until_found(&mut desk, &found, LATER);
    assert!(matches!(result, Err(FindError::Unread { .. })), "{result:?}");

    late.faults.borrow_mut().is_cut = false;
    late.faults.borrow_mut().hanging.clear();
    let hidden = live.iter().find(|id| !shown.contains(id)).expect("two wait");
    let found = find(&late, hidden);
    let request = until_found(&mut desk, &found, LATER).expect("the server is well");
    assert_eq!(request.map(|request| request.id.clone()), Some(hidden.clone()));
}

/// R25
#[test]
fn a_search_ends_with_its_board_and_one_that_is_dropped_costs_nothing() {
    let mut desk = Desk::new(1);
    desk.tab.faults.borrow_mut().is_cut = true;
    drop(desk.tab.handle.find(&"que_1".into()));
    let found = find(&desk.tab, &"que_1".into());
    desk.tab.handle.close();
    assert_eq!(until_found(&mut desk, &found, SOON), Err(FindError::Closed));
    let found = find(&desk.tab, &"que_1".into());
    assert_eq!(until_found(&mut desk, &found, SOON), Err(FindError::Closed));
}

/// R25: what one search costs when all directories are at rest
#[test]
fn a_search_in_a_second_tab_is_that_tab_s_own() {
    let mut desk = Desk::new(1);
    let live = asks_in(&mut desk, &[DIRECTORY]);
    let device = desk.device.clone();
    let second = desk.world.open_tab(&device);
    until_listed(&mut desk, &second, SOON);
    desk.world.run_for(LATER);
    second.set_clock_ahead(Duration::from_secs(3_600));
    let (there, none) = (find(&second, &live[0]), find(&second, &"que_unknown".into()));
    let request = until_found(&mut desk, &there, SOON).expect("the server is well");
    assert_eq!(request.map(|request| request.id.clone()), Some(live[0].clone()));
    assert_eq!(until_found(&mut desk, &none, SOON), Ok(None));
}

/// R25: another program has made the session a moment ago, and events do not tell
#[test]
fn a_session_that_was_made_since_the_last_list_is_found() {
    for is_leading in [true, false] {
        let mut desk = Desk::new(1);
        let device = desk.device.clone();
        let tab = if is_leading {
            desk.tab.clone()
        } else {
            desk.world.open_tab(&device)
        };
        desk.world.run_for(LATER);
        for directory in [DIRECTORY, "/new"] {
            let made = desk.world.server.create(&directory.into(), "just made");
            assert!(tab.session(&made).is_none());
            let found = find_session(&tab, &made);
            let session = until_found(&mut desk, &found, SOON).expect("the server is well");
            assert_eq!(session.map(|session| session.id.clone()), Some(made.clone()));
            assert!(
                tab.prompt(&made, &asks("Which?").to_prompt()).is_ok(),
                "it can be prompted"
            );
        }
        let deleted = desk.world.server.create(&DIRECTORY.into(), "deleted");
        desk.world.server.delete(&deleted);
        let found = find_session(&tab, &deleted);
        assert_eq!(until_found(&mut desk, &found, SOON), Ok(None));
        tab.faults.borrow_mut().is_cut = true;
        let found = find_session(&tab, &"ses_unknown".into());
        let result = until_found(&mut desk, &found, LATER);
        let unlisted = matches!(result, Err(FindError::Unread { directory: None, .. }));
        assert!(unlisted, "{result:?}");
    }
}

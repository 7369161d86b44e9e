//! Sessions, directories, the status map and the version.

use switchboard_core::SortedMap;
use switchboard_core::model::{Session, Status};
use switchboard_wire as wire;

use crate::fixture::{VERSION, recorded};

#[test]
fn the_server_tells_its_version() {
    assert_eq!(wire::health(&recorded("health.json")).expect("health").version, VERSION);
}

#[test]
fn the_folders_of_all_projects_are_directories() {
    let directories = wire::directories(&recorded("project-list.json"));
    assert_eq!(
        directories,
        Ok(vec!["/home/user/project".into(), "/home/user/project-b".into()])
    );
}

#[test]
fn a_session_is_understood_in_full() {
    let expected = Session {
        id: "ses_e001578f1ffeVVzeFRX5J0Utt6".into(),
        directory: "/home/user/project".into(),
        parent: None,
        title: "Two busy".to_owned(),
        created: 1_795_294_922_510,
        updated: 1_795_294_922_884,
        archived: false,
        cost: Some(0.0),
    };
    assert_eq!(wire::session(&recorded("session.json")), Ok(expected));
}

#[test]
fn the_list_of_all_projects_names_the_directory_of_each_session() {
    let page = wire::sessions(&recorded("experimental-session-list.json"), None).expect("a page");
    let directories: Vec<&str> = page.sessions.iter().map(|session| session.directory.as_str()).collect();
    assert_eq!(
        directories,
        ["/home/user/project-b", "/home/user/project-b", "/home/user/project"]
    );
    assert!(
        page.sessions.is_sorted_by(|one, next| one.updated >= next.updated),
        "newest first"
    );
    assert_eq!(page.next, None, "it is not full");
}

#[test]
fn the_list_of_an_older_server_is_read_alike() {
    let page = wire::sessions(&recorded("session-list.json"), None).expect("a page");
    assert_eq!(page.sessions.len(), 3);
    assert_eq!(page.next, None);
}

#[test]
fn a_sub_agents_session_names_its_parent() {
    let page = wire::sessions(&recorded("children.json"), None).expect("a page");
    assert_eq!(page.sessions[0].parent, Some("ses_e0023287bffewU89ZpLbAeTTn5".into()));
}

/// C6
#[test]
fn the_status_map_tells_who_works_and_who_waits_for_the_provider() {
    let retry = Status::Retry {
        attempt: 1,
        message: "Rate limit exceeded".to_owned(),
        next: Some(1_795_294_916_496),
    };
    let expected = SortedMap::from([
        ("ses_e00164e5dffe9TJNrC9UHDMGSe".into(), Status::Busy),
        ("ses_e0015993affe85oiFIcy5Pj554".into(), retry),
    ]);
    assert_eq!(wire::statuses(&recorded("session-status-retry.json")), Ok(expected));
    assert_eq!(
        wire::statuses(&recorded("session-status-busy.json"))
            .expect("a map")
            .len(),
        1
    );
    assert_eq!(
        wire::statuses(&recorded("session-status-idle.json")),
        Ok(SortedMap::new())
    );
}

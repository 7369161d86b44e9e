//! The files of a project, and what a session has changed in them.

use switchboard_wire as wire;

use crate::fixture::recorded;

#[test]
fn the_files_of_a_project_are_listed_with_its_folders() {
    let files = wire::files(&recorded("file-list.json")).expect("a list");
    let named = |is_folder| {
        let chosen = files.iter().filter(move |file| file.is_folder == is_folder);
        chosen.map(|file| file.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(named(true), [".git", "node_modules", "tests"]);
    assert!(named(false).contains(&"Cargo.toml") && named(false).contains(&"Makefile"));
}

#[test]
fn the_text_of_a_file_is_read() {
    let text = wire::file_text(&recorded("file-content.json")).expect("a file");
    assert_eq!(text, r#"{"scripts":{"test":"node --test"}}"#);
}

#[test]
fn what_a_session_has_changed_is_told_run_by_run() {
    let changes = wire::changes(&recorded("messages-two-changes.json")).expect("a list");
    let files: Vec<&str> = changes.iter().map(|change| change.file.as_str()).collect();
    assert_eq!(files, ["new file.txt", "notes.md", "notes.md"]);
    assert!(
        changes[1].patch.contains("\n+- Colours: blue\n"),
        "{}",
        changes[1].patch
    );
    assert!(
        changes[2].patch.ends_with("\n-- Colours: blue\n+- Colours: red\n"),
        "{}",
        changes[2].patch
    );
    assert!(
        wire::changes(&recorded("messages-finished.json"))
            .expect("a list")
            .is_empty()
    );
}

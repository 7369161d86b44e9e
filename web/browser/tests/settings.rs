//! What the dashboard remembers between visits, in the real storage of the browser.
#![cfg(target_family = "wasm")]

use std::time::Duration;

use switchboard_browser::device::settings::{Keep, RememberedServer, Settings, Theme};
use switchboard_browser::opencode::http::Credentials;
use switchboard_core::model::ModelRef;
use switchboard_core::policy::{Policy, Then, Unattended};
use switchboard_core::{PromptOptions, SortedMap};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::Storage;

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn a_server_is_remembered_for_the_tab_and_its_password_reaches_no_other() {
    let settings = fresh();
    settings.remember(server("http://a"), Some(&secret()), Keep::ForTab);
    assert_eq!(Settings::open().servers(), [server("http://a")]);
    assert!(Settings::open().credentials("http://a") == Some(secret()));
    end_of_tab();
    assert_eq!(settings.servers(), []);
    assert!(settings.credentials("http://a").is_none());
}

#[wasm_bindgen_test]
fn what_is_kept_on_the_device_outlives_the_tab() {
    let settings = fresh();
    settings.remember(server("http://a"), Some(&secret()), Keep::OnDevice);
    end_of_tab();
    assert_eq!(settings.servers(), [server("http://a")]);
    assert!(settings.credentials("http://a") == Some(secret()));
}

#[wasm_bindgen_test]
fn a_name_is_changed_where_the_server_is_remembered_and_servers_stay_together() {
    let settings = fresh();
    settings.remember(server("http://a"), Some(&secret()), Keep::OnDevice);
    settings.remember(server("http://b"), None, Keep::ForTab);
    settings.rename("http://a", Some("build-01"));
    assert_eq!(settings.together(), []);
    let shown = |username: Option<&str>| RememberedServer {
        username: username.map(str::to_owned),
        ..server("http://b")
    };
    settings.set_together(&[shown(Some("opencode")), server("http://a")]);
    end_of_tab();
    let kept = settings.servers();
    assert_eq!(kept.first().and_then(|server| server.name.as_deref()), Some("build-01"));
    assert!(settings.credentials("http://a") == Some(secret()));
    assert_eq!(settings.together(), [shown(Some("opencode")), server("http://a")]);
    assert_eq!(
        settings.known("http://b"),
        Some(shown(Some("opencode"))),
        "also in another tab"
    );
    for name in [Some("box"), None] {
        settings.rename("http://a", name);
        let known = settings.known("http://a");
        assert_eq!(known.and_then(|server| server.name).as_deref(), name);
    }
    settings.forget("http://b");
    assert_eq!(settings.known("http://b"), None);
}

#[wasm_bindgen_test]
fn what_is_kept_on_the_device_is_known_as_such() {
    let settings = fresh();
    settings.remember(server("http://a"), None, Keep::OnDevice);
    settings.remember(server("http://b"), None, Keep::ForTab);
    let keeps = ["http://a", "http://b", "http://c"].map(|base| settings.keep(base));
    assert_eq!(keeps, [Some(Keep::OnDevice), Some(Keep::ForTab), None]);
}

#[wasm_bindgen_test]
fn when_a_person_last_looked_is_known_of_each_server_and_forgotten_with_it() {
    let settings = fresh();
    settings.set_last_seen("http://a", 5);
    settings.set_last_seen("http://b", 9);
    let seen = || ["http://a", "http://b"].map(|base| Settings::open().last_seen(base));
    assert_eq!(seen(), [Some(5), Some(9)]);
    settings.forget("http://a");
    assert_eq!(seen(), [None, Some(9)]);
}

#[wasm_bindgen_test]
fn what_was_chosen_in_a_directory_is_known_there_alone_and_forgotten_with_its_server() {
    let settings = fresh();
    let options = |agent: &str| PromptOptions {
        agent: Some(agent.to_owned()),
        model: Some(ModelRef {
            provider: "stub".to_owned(),
            model: "scripted".to_owned(),
        }),
    };
    settings.set_prompt_options("http://a", &"/one".into(), options("build"));
    settings.set_prompt_options("http://a", &"/one".into(), options("plan"));
    settings.set_prompt_options("http://b", &"/one".into(), options("build"));
    let chosen = |base, directory: &str| Settings::open().prompt_options(base, &directory.into());
    assert_eq!(chosen("http://a", "/one"), options("plan"));
    assert_eq!(chosen("http://a", "/two"), PromptOptions::default());
    settings.forget("http://a");
    assert_eq!(chosen("http://a", "/one"), PromptOptions::default());
    assert_eq!(chosen("http://b", "/one"), options("build"));
}

#[wasm_bindgen_test]
fn what_checks_a_directory_is_remembered_for_that_directory_of_that_server() {
    let settings = fresh();
    settings.set_check_command("http://a", &"/one".into(), "cargo test");
    settings.set_check_command("http://a", &"/one".into(), "cargo test --workspace");
    settings.set_check_command("http://a", &"/two".into(), "npm test");
    settings.set_check_command("http://b", &"/one".into(), "pytest");
    let check = |base, directory: &str| Settings::open().check_command(base, &directory.into());
    assert_eq!(check("http://a", "/one").as_deref(), Some("cargo test --workspace"));
    assert_eq!(check("http://a", "/three"), None);
    settings.set_check_command("http://a", &"/two".into(), " ");
    assert_eq!(check("http://a", "/two"), None);
    settings.forget("http://a");
    assert_eq!(check("http://a", "/one"), None);
    assert_eq!(check("http://b", "/one").as_deref(), Some("pytest"));
}

/// C5
#[wasm_bindgen_test]
fn reviewers_are_the_default_ones_until_some_are_saved() {
    let settings = fresh();
    let names = || {
        let reviewers = Settings::open().reviewers().expect("they are valid");
        reviewers.into_iter().map(|saved| saved.name).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["correctness", "security", "tests"]);
    let reviewers = settings.reviewers().expect("they are valid");
    assert!(settings.set_reviewers(&reviewers[1..2]));
    assert_eq!(names(), ["security"]);
    device()
        .set_item("switchboard:reviewers", "[\n{\"name\": 7}]")
        .expect("there is room");
    let wrong = settings.reviewers().expect_err("they are invalid");
    assert_eq!((wrong.field.as_str(), wrong.line), ("name of reviewer 1", 2));
    assert_eq!(settings.reviewers_text().as_deref(), Some("[\n{\"name\": 7}]"));
}

/// C5
#[wasm_bindgen_test]
fn the_rules_of_completion_are_written_on_first_use_and_read_from_then_on() {
    let settings = fresh();
    let storage = device();
    settings.completion_config().expect("the defaults are valid");
    let written = storage.get_item("switchboard:completion").ok().flatten();
    let written = written.expect("they are written");
    let changed = written.replace("\"dispatch_timeout\": 180", "\"dispatch_timeout\": 20");
    storage
        .set_item("switchboard:completion", &changed)
        .expect("there is room");
    let rules = settings.completion_config().expect("it is valid").rules(None, None);
    assert_eq!(rules.dispatch_timeout.as_secs(), 20);
    storage
        .set_item("switchboard:completion", "{\"polling\": {\"interval\": \"soon\"}}")
        .expect("there is room");
    let wrong = settings.completion_config().expect_err("it is invalid");
    assert_eq!(wrong.field, "polling.interval");
}

#[wasm_bindgen_test]
fn single_keys_work_until_they_are_switched_off() {
    let settings = fresh();
    assert!(settings.single_keys());
    settings.set_single_keys(false);
    assert!(!Settings::open().single_keys());
}

#[wasm_bindgen_test]
fn a_choice_to_keep_less_forgets_what_was_kept() {
    let settings = fresh();
    settings.remember(server("http://a"), Some(&secret()), Keep::OnDevice);
    settings.remember(server("http://a"), Some(&secret()), Keep::ForTab);
    assert_eq!(settings.servers(), [server("http://a")]);
    end_of_tab();
    assert_eq!(settings.servers(), []);
    assert!(settings.credentials("http://a").is_none());
}

#[wasm_bindgen_test]
fn the_latest_server_comes_first_and_a_forgotten_one_is_gone() {
    let settings = fresh();
    settings.remember(server("http://a"), Some(&secret()), Keep::ForTab);
    settings.remember(server("http://b"), None, Keep::ForTab);
    settings.remember(server("http://c"), None, Keep::ForTab);
    settings.forget("http://a");
    assert_eq!(settings.servers(), [server("http://c"), server("http://b")]);
    assert!(settings.credentials("http://a").is_none());
}

/// R5
#[wasm_bindgen_test]
fn nothing_happens_by_itself_until_a_person_chooses_it_for_that_server() {
    let settings = fresh();
    assert_eq!(settings.unattended("http://a"), Unattended::never());
    let chosen = Unattended {
        questions: policy(15, Then::Answer("Blue".to_owned())),
        permissions: policy(240, Then::Reject),
        sessions: SortedMap::from([
            ("ses_1".into(), Policy::never()),
            ("ses_2".into(), policy(30, Then::Leave)),
        ]),
    };
    settings.set_unattended("http://a", &chosen);
    end_of_tab();
    assert_eq!(Settings::open().unattended("http://a"), chosen);
    assert_eq!(settings.unattended("http://b"), Unattended::never());
}

/// R5
#[wasm_bindgen_test]
fn a_new_password_changes_no_policy_and_a_forgotten_server_has_none() {
    let settings = fresh();
    let chosen = Unattended {
        questions: policy(15, Then::Reject),
        ..Unattended::never()
    };
    settings.set_unattended("http://a", &chosen);
    settings.add_stopped("http://a", &"que_1".into());
    settings.remember(server("http://a"), Some(&secret()), Keep::OnDevice);
    assert_eq!(settings.unattended("http://a"), chosen);
    settings.forget("http://a");
    assert_eq!(settings.unattended("http://a"), Unattended::never());
    assert_eq!(settings.stopped("http://a"), []);
}

/// R5
#[wasm_bindgen_test]
fn a_stopped_countdown_is_remembered_and_the_oldest_are_forgotten() {
    let settings = fresh();
    for number in [0, 1, 0].into_iter().chain(2..51) {
        settings.add_stopped("http://a", &format!("que_{number}").as_str().into());
    }
    let stopped = Settings::open().stopped("http://a");
    assert_eq!((stopped.len(), stopped[0].as_str()), (50, "que_50"));
    assert!(stopped.contains(&"que_0".into()) && !stopped.contains(&"que_1".into()));
}

#[wasm_bindgen_test]
fn the_theme_is_remembered_until_it_is_the_systems_again() {
    let settings = fresh();
    assert_eq!(settings.theme(), None);
    settings.set_theme(Some(Theme::Dark));
    assert_eq!(Settings::open().theme(), Some(Theme::Dark));
    settings.set_theme(None);
    assert_eq!(Settings::open().theme(), None);
}

fn fresh() -> Settings {
    end_of_tab();
    device().clear().expect("cleared");
    Settings::open()
}

fn device() -> Storage {
    let storage = web_sys::window().and_then(|window| window.local_storage().ok().flatten());
    storage.expect("a storage")
}

fn end_of_tab() {
    let tab = web_sys::window().and_then(|window| window.session_storage().ok().flatten());
    tab.expect("a storage").clear().expect("cleared");
}

fn policy(minutes: u64, then: Then) -> Policy {
    Policy {
        after: Some(Duration::from_secs(minutes * 60)),
        then,
    }
}

fn server(base: &str) -> RememberedServer {
    RememberedServer {
        base: base.to_owned(),
        name: Some("home".to_owned()),
        username: Some("opencode".to_owned()),
    }
}

fn secret() -> Credentials {
    Credentials {
        username: "opencode".to_owned(),
        password: "grüße".to_owned(),
    }
}

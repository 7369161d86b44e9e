//! The log: one record per decision, without anybody's words.

use switchboard_core::log::Level;
use switchboard_tests::scripts::asks;

use crate::desk::{Desk, SOON, typed};

/// R21
#[test]
fn each_decision_about_a_request_is_in_the_log_with_its_id() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, crate::desk::blue());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.until_answered(&request.id);
    let log = desk.tab.log.borrow();
    let about: Vec<&str> = log
        .iter()
        .filter(|record| record.text.contains(request.id.as_str()))
        .map(|record| record.text.as_str())
        .collect();
    let count = |word: &str| about.iter().filter(|text| text.contains(word)).count();
    for word in ["shown", "attempt 1", "attempt 2", "ended, confirmed"] {
        assert_eq!(count(word), 1, "{word} in {about:#?}");
    }
    assert_eq!(count("InDoubt") + 1, count("sent, attempt"), "{about:#?}");
    assert_eq!(count("ended"), 1, "{about:#?}");
    assert!(
        log.windows(2).all(|pair| pair[0].number <= pair[1].number),
        "records are in order"
    );
}

/// R21
#[test]
fn nobodys_words_are_in_the_log_below_trace() {
    let (mut desk, session, request) = Desk::with(&asks("Wh1ch-secret-colour?"));
    desk.tab.draft(typed(&request, "Turqu0ise"));
    desk.tab.prompt(&session, "pr0mpt-text").expect("the session is known");
    desk.answer(
        &request.id,
        switchboard_core::model::Reply::Answers(vec![vec!["my 0wn words".to_owned()]]),
    );
    desk.until_answered(&request.id);
    desk.world.restart_server();
    desk.world.run_for(SOON);
    for record in desk
        .tab
        .log
        .borrow()
        .iter()
        .filter(|record| record.level > Level::Trace)
    {
        for word in ["Wh1ch", "Turqu0ise", "pr0mpt", "0wn", "Thank you", "I ask"] {
            assert!(!record.text.contains(word), "{record:?}");
        }
    }
}

//! Workflows, which any tab may carry on.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use switchboard_browser::device::storage::IdbWorkflows;
use switchboard_core::Time;
use switchboard_core::ports::{Store, StoreError};
use switchboard_core::workflow::{End, Goal, Start, Stop, Workflow, WorkflowCommitError, WorkflowStore};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{DAY, evaluate, in_database, open_version, tab};

#[wasm_bindgen_test]
async fn a_workflow_survives_the_page_and_belongs_to_its_server() {
    let (before, elsewhere) = (
        workflows("http://workflows"),
        tab("http://workflows:81").store.workflows(),
    );
    before.commit(workflow("w1"), None).await.expect("kept");
    drop(before);
    let after = workflows("http://workflows").load().await;
    assert_eq!(after, Ok(vec![workflow("w1")]));
    assert_eq!(elsewhere.load().await, Ok(Vec::new()));
}

#[wasm_bindgen_test]
async fn of_two_tabs_one_takes_the_step_and_the_other_learns_of_it() {
    let (first, second) = (workflows("http://steps"), workflows("http://steps"));
    first.commit(workflow("w1"), None).await.expect("kept");
    let again = second.commit(at(2, "w1"), None).await;
    assert_eq!(again, Err(WorkflowCommitError::Conflict(workflow("w1"))));
    let (one, other) = (
        at(2, "w1"),
        changed(&at(2, "w1"), |workflow| workflow.stop = Some(Stop::Now)),
    );
    let both = futures::join!(
        first.commit(Arc::clone(&one), Some(1)),
        second.commit(Arc::clone(&other), Some(1))
    );
    let won = match both {
        (Ok(()), Err(WorkflowCommitError::Conflict(held))) => (held, one),
        (Err(WorkflowCommitError::Conflict(held)), Ok(())) => (held, other),
        neither_or_both => panic!("{neither_or_both:?}"),
    };
    assert_eq!(won.0, won.1);
    let lost = first.commit(at(2, "never-kept"), Some(1)).await;
    assert_eq!(lost, Err(WorkflowCommitError::Failed(StoreError::Cleared)));
}

#[wasm_bindgen_test]
async fn one_tab_at_a_time_takes_the_steps_and_an_entry_of_the_same_name_is_another_matter() {
    let (first, second) = (tab("http://held"), tab("http://held"));
    let held = first.store.workflows().claim(&"blue".into()).await.expect("free");
    assert!(second.store.workflows().claim(&"blue".into()).await.is_none());
    assert!(second.store.claim("blue".into()).await.is_some());
    assert!(second.store.workflows().claim(&"red".into()).await.is_some());
    drop(held);
    evaluate("navigator.locks.request('switchboard:http://held:workflow:blue', () => 'its turn has come')").await;
    assert!(second.store.workflows().claim(&"blue".into()).await.is_some());
}

#[wasm_bindgen_test]
async fn without_web_locks_the_steps_are_leased() {
    evaluate("Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })").await;
    let (first, second) = (tab("http://leased"), tab("http://leased"));
    let held = first.store.workflows().claim(&"blue".into()).await.expect("free");
    assert!(second.store.workflows().claim(&"blue".into()).await.is_none());
    assert!(second.store.claim("blue".into()).await.is_some());
    drop(held);
    let mut held = second
        .store
        .workflows()
        .claim(&"blue".into())
        .await
        .expect("given back");
    second.clock.set(Time(0) + Duration::from_secs(5));
    assert_eq!(held.lost().now_or_never(), None, "it holds");
    // It stands still for longer than a lease lasts, and another tab takes it.
    first.clock.set(Time(0) + Duration::from_secs(31));
    let mut taken = first
        .store
        .workflows()
        .claim(&"blue".into())
        .await
        .expect("it has lapsed");
    second.clock.set(Time(0) + Duration::from_secs(32));
    held.lost().await;
    assert_eq!(taken.lost().now_or_never(), None, "it holds");
    evaluate("delete navigator.locks").await;
}

#[wasm_bindgen_test]
async fn a_tab_hears_of_each_commit_of_another_one_and_of_none_of_its_own() {
    let (first, second) = (workflows("http://heard"), workflows("http://heard"));
    let waiting = second.changed();
    first.commit(workflow("w1"), None).await.expect("kept");
    waiting.await;
    // What comes between two calls is not missed: the second commit is heard of before the next call.
    let between = second.changed();
    first.commit(at(2, "w1"), Some(1)).await.expect("kept");
    between.await;
    let dropped = second.changed();
    first.commit(at(3, "w1"), Some(2)).await.expect("kept");
    let also = second.changed();
    also.await;
    drop(dropped);
    assert_eq!(second.changed().now_or_never(), None, "nothing has happened since");
    assert_eq!(first.changed().now_or_never(), None, "its own commits");
    let refused = first.commit(workflow("w1"), None).await;
    assert!(refused.is_err());
    second.commit(at(4, "w1"), Some(3)).await.expect("kept");
    first.changed().await;
    assert_eq!(second.changed().now_or_never(), None, "a refused commit");
}

#[wasm_bindgen_test]
async fn a_commit_that_is_heard_of_while_nothing_waits_is_told_to_the_next_call() {
    let (first, second) = (workflows("http://between"), workflows("http://between"));
    let witness = workflows("http://between");
    let heard = witness.changed();
    first.commit(workflow("w1"), None).await.expect("kept");
    heard.await;
    second.changed().await;
    assert_eq!(second.changed().now_or_never(), None);
}

#[wasm_bindgen_test]
async fn a_workflow_is_kept_while_it_goes_on_and_for_thirty_days_after_its_end() {
    let tab_then = tab("http://old");
    let (ended, goes_on) = (ended_at(&workflow("ended"), Time(0) + 100 * DAY), workflow("goes-on"));
    let store = tab_then.store.workflows();
    store.commit(Arc::clone(&ended), None).await.expect("kept");
    store.commit(Arc::clone(&goes_on), None).await.expect("kept");
    for (day, kept) in [(129, vec![ended, Arc::clone(&goes_on)]), (131, vec![goes_on])] {
        let later = tab("http://old");
        later.clock.set(Time(0) + day * DAY);
        later.store.load().await.expect("loaded");
        assert_eq!(later.store.workflows().load().await, Ok(kept), "day {day}");
    }
}

#[wasm_bindgen_test]
async fn of_what_has_ended_the_newest_two_hundred_are_kept() {
    let store = workflows("http://many");
    store.commit(workflow("goes-on"), None).await.expect("kept");
    for number in 0..203 {
        let ended = ended_at(&workflow(&format!("w{number:03}")), Time(number));
        store.commit(ended, None).await.expect("kept");
    }
    let kept = workflows("http://many").load().await.expect("loaded");
    let ids: Vec<_> = kept.iter().map(|workflow| workflow.id.as_str()).collect();
    assert_eq!((ids.len(), ids[0], ids[1]), (201, "goes-on", "w003"));
}

#[wasm_bindgen_test]
async fn a_tab_reads_what_has_changed_and_not_all_that_is_kept() {
    let (first, second) = (tab("http://reads"), tab("http://reads"));
    let (writes, reads) = (first.store.workflows(), second.store.workflows());
    for number in 0..20 {
        let ended = ended_at(&workflow(&format!("w{number:02}")), Time(number));
        writes.commit(ended, None).await.expect("kept");
    }
    first.clock.set(Time(0) + DAY);
    second.clock.set(Time(0) + DAY);
    let open = workflow("x-open");
    writes.commit(Arc::clone(&open), None).await.expect("kept");
    assert_eq!(reads.load().await.map(|all| all.len()), Ok(21));
    count_rows().await;
    let next = at(2, "x-open");
    writes.commit(Arc::clone(&next), Some(1)).await.expect("kept");
    let rows = rows_read().await;
    let all = reads.load().await.expect("loaded");
    assert_eq!((all.len(), &all[20]), (21, &next));
    assert_eq!(rows_read().await - rows, 1.0, "rows");
    count_no_rows().await;
}

#[wasm_bindgen_test]
async fn a_tab_that_has_not_looked_for_long_reads_how_it_ended_and_what_became_of_it_since() {
    let (first, second) = (tab("http://later"), tab("http://later"));
    let (writes, reads) = (first.store.workflows(), second.store.workflows());
    let open = workflow("w1");
    writes.commit(Arc::clone(&open), None).await.expect("kept");
    second.clock.set(Time(0) + 9 * DAY);
    assert_eq!(reads.load().await, Ok(vec![open]));
    // The clock of the tab that writes is days behind.
    let ended = ended_at(&at(2, "w1"), Time(2));
    writes.commit(Arc::clone(&ended), Some(1)).await.expect("kept");
    assert_eq!(reads.load().await, Ok(vec![ended]));
    // It goes on, and ends again, while this tab does not look.
    first.clock.set(Time(0) + 9 * DAY);
    writes.commit(at(3, "w1"), Some(2)).await.expect("kept");
    let again = ended_at(&at(4, "w1"), Time(3));
    writes.commit(Arc::clone(&again), Some(3)).await.expect("kept");
    second.clock.set(Time(0) + 9 * DAY + Duration::from_secs(30));
    assert_eq!(reads.load().await, Ok(vec![again]));
}

#[wasm_bindgen_test]
async fn what_an_older_page_writes_of_an_ended_one_is_read_sooner_or_later() {
    let (first, second) = (tab("http://older-page"), tab("http://older-page"));
    let (writes, reads) = (first.store.workflows(), second.store.workflows());
    second.clock.set(Time(0) + 9 * DAY);
    writes
        .commit(ended_at(&workflow("w1"), Time(5)), None)
        .await
        .expect("kept");
    reads.load().await.expect("loaded");
    // It dates the row by the end of the workflow, as a clock does that stands still.
    let changed_since = ended_at(&at(2, "w1"), Time(5));
    writes.commit(Arc::clone(&changed_since), Some(1)).await.expect("kept");
    for _ in 0..49 {
        reads.load().await.expect("loaded");
    }
    assert_eq!(reads.load().await, Ok(vec![changed_since]));
}

#[wasm_bindgen_test]
async fn what_has_just_ended_is_kept_also_when_the_clock_was_set_back() {
    let tab = tab("http://just-ended");
    let store = tab.store.workflows();
    tab.clock.set(Time(0) + DAY);
    for number in 0..200 {
        let ended = ended_at(&workflow(&format!("w{number:03}")), Time(0) + DAY);
        store.commit(ended, None).await.expect("kept");
    }
    tab.clock.set(Time(0) + DAY / 2);
    store.commit(workflow("x"), None).await.expect("kept");
    let ended = ended_at(&at(2, "x"), Time(0) + DAY / 2);
    store.commit(ended, Some(1)).await.expect("kept");
    assert_eq!(store.commit(at(3, "x"), Some(2)).await, Ok(()));
}

#[wasm_bindgen_test]
async fn what_a_newer_page_has_written_in_its_format_is_left_out() {
    let store = workflows("http://newer-format");
    store.commit(workflow("w1"), None).await.expect("kept");
    store.load().await.expect("loaded");
    let row = r#"{"server":"http://newer-format","id":"w1","format":9,"ended":1,"text":"{\"format\":9}"}"#;
    in_database(&format!("workflows.put({row})")).await;
    assert_eq!(store.load().await, Ok(Vec::new()));
}

#[wasm_bindgen_test]
async fn what_was_open_and_is_gone_is_read_no_more() {
    let store = workflows("http://gone");
    store.commit(workflow("w1"), None).await.expect("kept");
    assert_eq!(store.load().await, Ok(vec![workflow("w1")]));
    in_database("return await of(workflows.delete(['http://gone', 'w1']))").await;
    assert_eq!(store.load().await, Ok(Vec::new()));
}

#[wasm_bindgen_test]
async fn a_workflow_of_another_version_of_the_page_is_left_alone() {
    let store = workflows("http://other-format");
    store.load().await.expect("opens the database");
    let row = r#"{"server":"http://other-format","id":"w1","format":9,"ended":1,"text":"{\"format\":9}"}"#;
    in_database(&format!("workflows.put({row})")).await;
    assert_eq!(store.load().await, Ok(Vec::new()));
    let refused = store.commit(at(2, "w1"), Some(1)).await;
    assert_eq!(refused, Err(WorkflowCommitError::Failed(StoreError::NewerVersion)));
    let tab = tab("http://other-format");
    tab.clock.set(Time(0) + 100 * DAY);
    tab.store.load().await.expect("loaded");
    tab.store.workflows().load().await.expect("loaded");
    let kept = in_database("return (await of(workflows.get(['http://other-format', 'w1']))).text").await;
    assert_eq!(kept.as_string().as_deref(), Some(r#"{"format":9}"#));
}

#[wasm_bindgen_test]
async fn a_database_of_the_third_version_gets_workflows_and_keeps_what_it_has() {
    open_version(3).await;
    evaluate("oldTab.close()").await;
    let tab = tab("http://first");
    let store = tab.store.workflows();
    store.commit(workflow("w1"), None).await.expect("kept");
    assert_eq!(store.load().await, Ok(vec![workflow("w1")]));
    tab.store.load().await.expect("loaded");
    assert_eq!(tab.store.not_understood(), 1);
    let kept = in_database("return (await of(entries.get(['http://first', 'old']))).text").await;
    assert_eq!(kept.as_string().as_deref(), Some("kept"));
}

fn workflows(server: &str) -> IdbWorkflows {
    tab(server).store.workflows()
}

fn workflow(id: &str) -> Arc<Workflow> {
    at(1, id)
}

fn at(version: u64, id: &str) -> Arc<Workflow> {
    Arc::new(Workflow {
        id: id.into(),
        version,
        session: "ses_1".into(),
        directory: "/d".into(),
        begun: Time(1),
        goal: Goal::new(Start::Now),
        steps: Vec::new(),
        stop: None,
        went_on: 0,
        end: None,
    })
}

fn ended_at(workflow: &Arc<Workflow>, at: Time) -> Arc<Workflow> {
    changed(workflow, |workflow| workflow.end = Some((End::Passed, at)))
}

/// Counts the rows that are read from now on, in any tab of this test.
async fn count_rows() {
    evaluate(
        "(() => {
            globalThis.rowsRead = 0;
            globalThis.counted = [[IDBIndex, 'getAll'], [IDBObjectStore, 'getAll'], [IDBObjectStore, 'get']].map(([of, name]) => {
                const original = of.prototype[name];
                of.prototype[name] = function (...range) {
                    const request = original.apply(this, range);
                    request.addEventListener('success', () => {
                        rowsRead += Array.isArray(request.result) ? request.result.length : request.result ? 1 : 0;
                    });
                    return request;
                };
                return () => { of.prototype[name] = original; };
            });
        })()",
    )
    .await;
}

async fn rows_read() -> f64 {
    evaluate("rowsRead").await.as_f64().expect("a number")
}

async fn count_no_rows() {
    evaluate("counted.forEach(restore => restore())").await;
}

fn changed(workflow: &Arc<Workflow>, change: impl FnOnce(&mut Workflow)) -> Arc<Workflow> {
    let mut changed = (**workflow).clone();
    change(&mut changed);
    Arc::new(changed)
}

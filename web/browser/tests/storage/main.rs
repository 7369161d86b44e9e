//! What is kept on the device, with the real IndexedDB and the real Web Locks.
#![cfg(target_family = "wasm")]

#[path = "../support/hand_clock.rs"]
mod hand_clock;
mod workflows;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hand_clock::HandClock;
use js_sys::{Function, Object, Promise};
use switchboard_browser::device::storage::{IdbStore, Loss, Notices};
use switchboard_core::metrics::{AnsweredBy, Figure};
use switchboard_core::model::{
    Ask, Draft, DraftField, DraftKey, DraftText, Entry, Outcome, Prompt, Request, Sent, Stage,
};
use switchboard_core::ports::{CommitError, SessionLink, Store, StoreError};
use switchboard_core::{Clock, Time};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// R13
#[wasm_bindgen_test]
async fn what_was_sent_and_typed_survives_the_page() {
    let (before, after) = (tab("http://survives"), tab("http://survives"));
    let entry = saved("blue");
    let (typed, empty) = (draft("ses_1", "half a sen"), draft("ses_2", "nothing much"));
    before.store.commit(Arc::clone(&entry), None).await.expect("kept");
    before.store.keep_draft(typed.clone(), None).await.expect("kept");
    before.store.keep_draft(empty.clone(), None).await.expect("kept");
    before.store.drop_draft(empty.key).await.expect("dropped");
    drop(before);
    let found = after.store.load().await.expect("loaded");
    assert_eq!(found.entries, [entry]);
    assert_eq!(found.drafts, [typed]);
}

/// C7
#[wasm_bindgen_test]
async fn for_which_session_another_one_was_made_survives_the_page() {
    let (before, after) = (tab("http://links"), tab("http://links"));
    let link = SessionLink {
        session: "ses_2".into(),
        made_for: "ses_1".into(),
        made: Time(5),
    };
    before.store.keep_link(link.clone()).await.expect("kept");
    drop(before);
    assert_eq!(after.store.load().await.expect("loaded").links, [link]);
}

#[wasm_bindgen_test]
async fn servers_do_not_see_what_belongs_to_each_other() {
    let (one, other) = (tab("http://one"), tab("http://one:81"));
    one.store.commit(saved("blue"), None).await.expect("kept");
    one.store.keep_draft(draft("ses_1", "text"), None).await.expect("kept");
    let found = other.store.load().await.expect("loaded");
    assert_eq!((found.entries.len(), found.drafts.len()), (0, 0));
}

#[wasm_bindgen_test]
async fn a_second_tab_is_told_what_is_already_being_sent() {
    let (first, second) = (tab("http://twice"), tab("http://twice"));
    let blue = saved("blue");
    first.store.commit(Arc::clone(&blue), None).await.expect("kept");
    let refused = second.store.commit(saying("blue", "other"), None).await;
    assert_eq!(refused, Err(CommitError::Conflict(Arc::clone(&blue))));
    assert_eq!(second.store.load().await.expect("loaded").entries, [blue]);
}

#[wasm_bindgen_test]
async fn of_two_tabs_that_commit_at_once_one_wins_and_the_other_learns_what_won() {
    let (first, second) = (tab("http://at-once"), tab("http://at-once"));
    let (blue, red) = (saying("colour", "blue"), saying("colour", "red"));
    let (one, other) = futures::join!(
        first.store.commit(Arc::clone(&blue), None),
        second.store.commit(Arc::clone(&red), None)
    );
    match (one, other) {
        (Ok(()), Err(lost)) => assert_eq!(lost, CommitError::Conflict(blue)),
        (Err(lost), Ok(())) => assert_eq!(lost, CommitError::Conflict(red)),
        neither_or_both => panic!("{neither_or_both:?}"),
    }
}

#[wasm_bindgen_test]
async fn only_the_version_that_was_read_is_replaced() {
    let (first, second) = (tab("http://versions"), tab("http://versions"));
    first.store.commit(saved("blue"), None).await.expect("kept");
    let begun = at(saved("blue"), 2, Stage::Attempting { begun: Time(5) });
    let also_begun = at(saved("blue"), 2, Stage::Attempting { begun: Time(6) });
    first.store.commit(Arc::clone(&begun), Some(1)).await.expect("kept");
    let refused = second.store.commit(also_begun, Some(1)).await;
    assert_eq!(refused, Err(CommitError::Conflict(begun)));
}

#[wasm_bindgen_test]
async fn an_entry_whose_record_was_cleared_is_not_called_kept() {
    let tab = tab("http://cleared");
    let result = tab.store.commit(saved("blue"), Some(1)).await;
    assert!(matches!(result, Err(CommitError::Failed(_))), "{result:?}");
}

#[wasm_bindgen_test]
async fn of_two_drafts_for_one_place_the_later_stays() {
    let tab = tab("http://drafts");
    tab.store.keep_draft(draft("ses_1", "first"), None).await.expect("kept");
    tab.store
        .keep_draft(draft("ses_1", "second"), None)
        .await
        .expect("kept");
    let found = tab.store.load().await.expect("loaded");
    assert_eq!(found.drafts, [draft("ses_1", "second")]);
}

/// R13
#[wasm_bindgen_test]
async fn what_another_tab_has_typed_is_kept_by_one_that_has_not_seen_it() {
    let (first, second) = (tab("http://forms"), tab("http://forms"));
    let (typed, chosen) = (form("Teal", &[]), form("", &["Red"]));
    first.store.keep_draft(typed.clone(), None).await.expect("kept");
    let both = form("Teal", &["Red"]);
    let kept = second.store.keep_draft(chosen.clone(), None).await.expect("kept");
    assert_eq!(kept, both);
    assert_eq!(
        first.store.load().await.expect("loaded").drafts,
        std::slice::from_ref(&both)
    );
    let kept = second.store.keep_draft(chosen.clone(), Some(both)).await.expect("kept");
    assert_eq!(kept, chosen, "it was emptied");
}

/// R17
#[wasm_bindgen_test]
async fn what_two_tabs_know_of_a_request_is_kept_in_one_figure() {
    let (first, second) = (tab("http://figures"), tab("http://figures"));
    let seen = Figure {
        request: "que_1".into(),
        session: "ses_1".into(),
        is_permission: false,
        asked: Some(1),
        seen: Time(20),
        answered: None,
        accepted: None,
        confirmed: None,
        by: None,
        stopped: None,
    };
    let answered = Figure {
        seen: Time(10),
        answered: Some(Time(30)),
        by: Some(AnsweredBy::Policy),
        ..seen.clone()
    };
    let confirmed = Figure {
        confirmed: Some(Time(40)),
        ..seen
    };
    first.store.keep_figure(answered.clone()).await.expect("kept");
    second.store.keep_figure(confirmed).await.expect("kept");
    let both = Figure {
        confirmed: Some(Time(40)),
        ..answered
    };
    assert_eq!(first.store.load_figures().await.expect("loaded"), [both]);
}

#[wasm_bindgen_test]
async fn each_commit_and_each_draft_is_announced_and_what_is_refused_is_not() {
    let tab = tab("http://announced");
    tab.store.commit(saved("blue"), None).await.expect("kept");
    assert!(tab.store.commit(saying("blue", "other"), None).await.is_err());
    assert_eq!(tab.committed.get(), 1);
    tab.store.keep_draft(draft("ses_1", "Gre"), None).await.expect("kept");
    tab.store.drop_draft(draft("ses_1", "Gre").key).await.expect("dropped");
    assert_eq!(tab.committed.get(), 3);
}

#[wasm_bindgen_test]
async fn what_is_finished_is_kept_for_thirty_days_and_never_loaded() {
    let tab_then = tab("http://pruned");
    tab_then.clock.set(Time(0) + 100 * DAY);
    let end = |id: &str, outcome| {
        let stage = Stage::Ended {
            outcome,
            at: Time(0) + 100 * DAY,
        };
        at(saved(id), 1, stage)
    };
    let confirmed = end("finished", Outcome::Confirmed { note: None });
    let unsettled = end("unsettled", Outcome::Dismissed);
    tab_then.store.commit(confirmed, None).await.expect("kept");
    tab_then.store.commit(Arc::clone(&unsettled), None).await.expect("kept");
    for (day, kept) in [(129, vec!["finished", "unsettled"]), (131, vec!["unsettled"])] {
        let later = tab("http://pruned");
        later.clock.set(Time(0) + day * DAY);
        assert_eq!(
            later.store.load().await.expect("loaded").entries,
            [Arc::clone(&unsettled)]
        );
        assert_eq!(entry_ids("http://pruned").await, kept, "day {day}");
    }
}

#[wasm_bindgen_test]
async fn an_entry_of_another_version_of_the_page_is_counted_and_left_alone() {
    let tab = tab("http://formats");
    tab.store.load().await.expect("opens the database");
    let row = r#"{"server":"http://formats","id":"blue","format":9,"open":1,"text":"{\"format\":9,\"content\":7}"}"#;
    in_database(&format!("entries.put({row}); return {row}.text")).await;
    assert_eq!(tab.store.load().await.expect("loaded").entries, []);
    assert_eq!(tab.store.not_understood(), 1);
    let result = tab.store.commit(saved("blue"), None).await;
    assert!(matches!(result, Err(CommitError::Failed(_))), "{result:?}");
    let kept = in_database("return (await of(entries.get(['http://formats', 'blue']))).text").await;
    assert_eq!(kept.as_string().as_deref(), Some(r#"{"format":9,"content":7}"#));
}

#[wasm_bindgen_test]
async fn one_tab_at_a_time_may_send_an_entry() {
    let (first, second) = (tab("http://claims"), tab("http://claims"));
    let held = first.store.claim("blue".into()).await.expect("free");
    assert!(second.store.claim("blue".into()).await.is_none());
    assert!(second.store.claim("red".into()).await.is_some());
    drop(held);
    evaluate("navigator.locks.request('switchboard:http://claims:blue', () => 'its turn has come')").await;
    assert!(second.store.claim("blue".into()).await.is_some());
}

#[wasm_bindgen_test]
async fn without_web_locks_a_claim_is_a_lease_that_ends_with_its_holder() {
    evaluate("Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })").await;
    let (first, second) = (tab("http://leases"), tab("http://leases"));
    let held = first.store.claim("blue".into()).await.expect("free");
    assert!(second.store.claim("blue".into()).await.is_none());
    drop(held);
    let held = second.store.claim("blue".into()).await.expect("given back");
    first.clock.set(Time(0) + Duration::from_secs(29));
    assert!(first.store.claim("blue".into()).await.is_none());
    first.clock.set(Time(0) + Duration::from_secs(31));
    let taken = first.store.claim("blue".into()).await;
    assert!(taken.is_some(), "its holder is frozen");
    drop(held);
    assert!(
        tab("http://leases").store.claim("blue".into()).await.is_none(),
        "the new holder keeps it"
    );
    evaluate("delete navigator.locks").await;
}

#[wasm_bindgen_test]
async fn a_lease_that_comes_too_late_is_given_back() {
    evaluate("Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })").await;
    let (first, second) = (tab("http://late"), tab("http://late"));
    for tab in [&first, &second] {
        tab.store.load().await.expect("opens the database");
    }
    assert!(
        first.store.claim("blue".into()).now_or_never().is_none(),
        "it waits no longer"
    );
    assert!(
        second.store.claim("blue".into()).await.is_none(),
        "it comes all the same"
    );
    let mut held = None;
    for _ in 0..100 {
        if held.is_none() {
            held = second.store.claim("blue".into()).await;
        }
    }
    assert!(held.is_some(), "nothing holds it");
    evaluate("delete navigator.locks").await;
}

#[wasm_bindgen_test]
async fn a_newer_page_gets_the_database_and_this_one_says_so() {
    let tab = tab("http://newer");
    tab.store.load().await.expect("opens the database");
    evaluate("of(indexedDB.open('switchboard', 1_000)).then(database => database.close())").await;
    assert_eq!(*tab.lost.borrow(), [Loss::Superseded]);
    let refused = tab.store.commit(saved("blue"), None).await;
    assert!(
        matches!(&refused, Err(CommitError::Failed(StoreError::NewerVersion))),
        "{refused:?}"
    );
    let late = self::tab("http://newer").store.load().await;
    assert!(matches!(&late, Err(StoreError::NewerVersion)), "{late:?}");
    evaluate("of(indexedDB.deleteDatabase('switchboard'))").await;
}

#[wasm_bindgen_test]
async fn without_indexed_db_the_store_says_so() {
    let real = evaluate("Object.getOwnPropertyDescriptor(globalThis, 'indexedDB')").await;
    evaluate("Object.defineProperty(globalThis, 'indexedDB', { value: undefined, configurable: true })").await;
    let tab = tab("http://private");
    let committed = tab.store.commit(saved("blue"), None).await;
    let loaded = tab.store.load().await;
    Object::define_property(&js_sys::global(), &"indexedDB".into(), real.unchecked_ref());
    assert!(matches!(committed, Err(CommitError::Failed(_))), "{committed:?}");
    assert!(loaded.is_err());
}

/// R13
#[wasm_bindgen_test]
async fn a_storage_that_is_full_still_gives_back_what_it_holds() {
    let before = tab("http://full");
    let entry = saved("blue");
    before.store.commit(Arc::clone(&entry), None).await.expect("kept");
    drop(before);
    evaluate(
        "(() => {
            const real = globalThis.realTransaction = IDBDatabase.prototype.transaction;
            IDBDatabase.prototype.transaction = function (stores, mode, options) {
                if (mode === 'readwrite') throw new DOMException('no space', 'QuotaExceededError');
                return real.call(this, stores, mode, options);
            };
        })()",
    )
    .await;
    let after = tab("http://full");
    let found = after.store.load().await;
    let refused = after.store.commit(saved("red"), None).await;
    evaluate("(() => { IDBDatabase.prototype.transaction = realTransaction; })()").await;
    assert_eq!(found.expect("loaded").entries, [entry]);
    assert!(
        matches!(&refused, Err(CommitError::Failed(StoreError::Full))),
        "{refused:?}"
    );
}

#[wasm_bindgen_test]
async fn a_database_of_the_first_version_gets_what_came_later_and_keeps_what_it_has() {
    open_version(1).await;
    evaluate("oldTab.close()").await;
    let tab = tab("http://first");
    let link = SessionLink {
        session: "ses_2".into(),
        made_for: "ses_1".into(),
        made: Time(5),
    };
    tab.store.keep_link(link.clone()).await.expect("kept");
    assert_eq!(tab.store.load().await.expect("loaded").links, [link]);
    assert_eq!(tab.store.not_understood(), 1);
}

#[wasm_bindgen_test]
async fn a_tab_that_does_not_let_go_of_an_older_database_is_named_and_waited_for_by_nobody() {
    open_version(1).await;
    let tab = tab("http://blocked");
    for _ in 0..2 {
        let refused = tab.store.load().await;
        assert!(matches!(&refused, Err(StoreError::OlderVersion)), "{refused:?}");
    }
    evaluate("(async () => { oldTab.close(); await of(indexedDB.open('switchboard')).then(now => now.close()); })()")
        .await;
    tab.store.commit(saved("blue"), None).await.expect("kept");
    evaluate("of(indexedDB.deleteDatabase('switchboard'))").await;
}

#[wasm_bindgen_test]
async fn data_that_is_cleared_is_told_as_cleared_and_the_next_is_kept_again() {
    let tab = tab("http://cleared-data");
    tab.store.commit(saved("blue"), None).await.expect("kept");
    evaluate("of(indexedDB.deleteDatabase('switchboard'))").await;
    assert_eq!(*tab.lost.borrow(), [Loss::Cleared]);
    tab.store.commit(saved("red"), None).await.expect("kept");
    assert_eq!(entry_ids("http://cleared-data").await, ["red"]);
    assert_eq!(*tab.lost.borrow(), [Loss::Cleared]);
}

#[wasm_bindgen_test]
async fn the_browser_is_asked_once_to_keep_the_storage_when_something_is_unsent() {
    evaluate(
        "(() => { globalThis.asked = 0; navigator.storage.persist = async () => { asked += 1; return false; }; })()",
    )
    .await;
    let asked = async || evaluate("asked").await.as_f64();
    let tab = tab("http://persists");
    tab.store.load().await.expect("loaded");
    tab.store.keep_draft(draft("ses_1", "text"), None).await.expect("kept");
    assert_eq!(asked().await, Some(0.0));
    tab.store.commit(saved("blue"), None).await.expect("kept");
    tab.store.commit(saved("red"), None).await.expect("kept");
    assert_eq!(asked().await, Some(1.0));
}

/// A tab, as far as the store is concerned: a connection of its own, and a clock that is set by hand.
struct Tab {
    store: IdbStore,
    clock: Rc<HandClock>,
    committed: Rc<Cell<u32>>,
    lost: Rc<RefCell<Vec<Loss>>>,
}

fn tab(server: &str) -> Tab {
    let clock = Rc::new(HandClock::default());
    let (committed, lost) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(Vec::new())));
    let (counter, list) = (Rc::clone(&committed), Rc::clone(&lost));
    let notices = Notices {
        committed: Box::new(move || counter.set(counter.get() + 1)),
        lost: Rc::new(move |loss| list.borrow_mut().push(loss)),
    };
    Tab {
        store: IdbStore::new(server, Rc::clone(&clock) as Rc<dyn Clock>, notices),
        clock,
        committed,
        lost,
    }
}

fn saved(id: &str) -> Arc<Entry> {
    saying(id, "hello")
}

fn saying(id: &str, text: &str) -> Arc<Entry> {
    Arc::new(Entry {
        id: id.into(),
        version: 1,
        created: Time(1),
        session: "ses_1".into(),
        directory: "/d".into(),
        sent: Sent::Prompt {
            prompt: Arc::new(Prompt {
                message: "msg_1".into(),
                part: "prt_1".into(),
                text: text.to_owned(),
                agent: None,
                model: None,
            }),
            rescues: None,
        },
        stage: Stage::Saved,
        attempts: 0,
        settled: false,
    })
}

fn at(entry: Arc<Entry>, version: u64, stage: Stage) -> Arc<Entry> {
    Arc::new(Entry {
        version,
        stage,
        ..(*entry).clone()
    })
}

fn form(own: &str, chosen: &[&str]) -> Draft {
    let request = Request {
        id: "que_1".into(),
        session: "ses_1".into(),
        directory: "/d".into(),
        tool: None,
        ask: Ask::Questions(Vec::new()),
    };
    let field = DraftField {
        chosen: chosen.iter().map(|label| (*label).to_owned()).collect(),
        own: own.to_owned(),
        own_chosen: false,
    };
    Draft {
        key: DraftKey::Request(request.id.clone()),
        text: DraftText::Form {
            request: Arc::new(request),
            fields: vec![field],
        },
    }
}

fn draft(session: &str, text: &str) -> Draft {
    Draft {
        key: DraftKey::Prompt(session.into()),
        text: DraftText::Prompt(text.to_owned()),
    }
}

/// Replaces the database by one of an older version, with one entry, and keeps it open as `oldTab`.
async fn open_version(version: u32) {
    evaluate("of(indexedDB.deleteDatabase('switchboard'))").await;
    evaluate(&format!(
        "new Promise((resolve, reject) => {{
            const request = indexedDB.open('switchboard', {version});
            request.onerror = () => reject(request.error);
            request.onupgradeneeded = () => {{
                const make = name => request.result.createObjectStore(name, {{ keyPath: ['server', 'id'] }});
                const entries = make('entries');
                entries.createIndex('open', ['server', 'open']);
                const ended = [entries];
                make('drafts');
                make('leases');
                for (const name of ['figures', 'links', 'activity'].slice(0, {version})) ended.push(make(name));
                for (const store of ended) store.createIndex('ended', ['server', 'format', 'ended']);
                entries.put({{ server: 'http://first', id: 'old', format: 9, open: 1, text: 'kept' }});
            }};
            request.onsuccess = () => {{ globalThis.oldTab = request.result; resolve(); }};
        }})"
    ))
    .await;
}

async fn entry_ids(server: &str) -> Vec<String> {
    let ids = in_database(&format!(
        "return (await of(entries.getAll())).filter(row => row.server === '{server}').map(row => row.id)"
    ))
    .await;
    serde_wasm_bindgen::from_value(ids).expect("texts")
}

/// Runs JavaScript against the object stores `entries` and `workflows`, past the store that is tested.
async fn in_database(script: &str) -> JsValue {
    evaluate(&format!(
        "(async () => {{
            const database = await of(indexedDB.open('switchboard'));
            const transaction = database.transaction(['entries', 'workflows'], 'readwrite');
            const [entries, workflows] = ['entries', 'workflows'].map(name => transaction.objectStore(name));
            try {{ return await (async () => {{ {script} }})(); }} finally {{ database.close(); }}
        }})()"
    ))
    .await
}

/// The value of a JavaScript expression; `of` makes a promise of a request.
async fn evaluate(expression: &str) -> JsValue {
    let script = format!(
        "const of = request => new Promise((resolve, reject) => {{
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        }});
        return Promise.resolve({expression});"
    );
    let promise = Function::new_no_args(&script)
        .call0(&JsValue::UNDEFINED)
        .expect("a promise");
    JsFuture::from(promise.unchecked_into::<Promise>())
        .await
        .expect("a value")
}

//! Several tabs of one server, with the real Web Locks and BroadcastChannel. Here the tabs live in one page.
#![cfg(target_family = "wasm")]

#[path = "support/hand_clock.rs"]
mod hand_clock;

use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use hand_clock::HandClock;
use js_sys::{Function, Promise};
use switchboard_browser::platform::locks::{self, Ask};
use switchboard_browser::tabs::share::Shared;
use switchboard_browser::tabs::{Channel, Life, Message, TabEvent, Tabs};
use switchboard_core::ports::Read;
use switchboard_core::{Clock, Time};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn the_first_tab_leads_and_the_next_one_is_shown_what_it_reads() {
    let mut leader = Tab::open("http://shown");
    assert_eq!(leader.next().await, TabEvent::Leads(true));
    let mut follower = Tab::open("http://shown");
    leader.tabs.show(questions("[]"));
    assert_eq!(follower.next().await, TabEvent::Shown(questions("[]")));
    for life in [Life::Alive, Life::Lost] {
        leader.tabs.tell(life);
        assert_eq!(follower.next().await, TabEvent::Stream(life));
    }
}

#[wasm_bindgen_test]
async fn a_tab_that_follows_shows_nothing() {
    let mut leader = Tab::open("http://quiet");
    assert_eq!(leader.next().await, TabEvent::Leads(true));
    let follower = Tab::open("http://quiet");
    follower.tabs.show(questions("[]"));
    follower.channel.post(&Message::Ledger);
    assert_eq!(leader.next().await, TabEvent::Ledger, "and nothing before it");
}

#[wasm_bindgen_test]
async fn when_the_leader_is_closed_the_next_tab_leads() {
    let mut leader = Tab::open("http://closed");
    assert_eq!(leader.next().await, TabEvent::Leads(true));
    let mut follower = Tab::open("http://closed");
    drop(leader);
    assert_eq!(follower.next().await, TabEvent::Leads(true));
}

#[wasm_bindgen_test]
async fn when_the_leader_is_hidden_the_visible_tab_leads() {
    let mut hidden = Tab::open("http://hidden");
    assert_eq!(hidden.next().await, TabEvent::Leads(true));
    let mut visible = Tab::open("http://hidden");
    hidden.tabs.set_visible(false);
    assert_eq!(hidden.next().await, TabEvent::Leads(false));
    assert_eq!(visible.next().await, TabEvent::Leads(true));
    visible.tabs.show(questions("[1]"));
    assert_eq!(hidden.next().await, TabEvent::Shown(questions("[1]")));
}

#[wasm_bindgen_test]
async fn a_leader_that_says_nothing_for_a_second_loses_the_lead() {
    let frozen = locks::ask("switchboard:http://frozen:leader", Ask::IfFree).expect("Web Locks");
    let mut frozen = frozen.await.expect("the lock");
    let mut tab = Tab::open("http://frozen");
    tab.clock.set(Time(0) + Duration::from_secs(1));
    assert_eq!(tab.next().await, TabEvent::Leads(true));
    frozen.lost().await;
}

#[wasm_bindgen_test]
async fn without_web_locks_each_tab_leads_for_itself() {
    evaluate("Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })").await;
    let (mut first, mut second) = (Tab::open("http://alone"), Tab::open("http://alone"));
    assert_eq!(first.next().await, TabEvent::Leads(true));
    assert_eq!(second.next().await, TabEvent::Leads(true));
    first.tabs.show(questions("[]"));
    first.channel.post(&Message::Ledger);
    assert_eq!(second.next().await, TabEvent::Ledger, "and nothing before it");
    evaluate("delete navigator.locks").await;
}

#[wasm_bindgen_test]
async fn what_another_version_of_the_page_says_is_left_out() {
    let mut tab = Tab::open("http://babel");
    assert_eq!(tab.next().await, TabEvent::Leads(true));
    evaluate("new BroadcastChannel('switchboard:http://babel').postMessage({ hello: 1 })").await;
    evaluate("new BroadcastChannel('switchboard:http://babel').postMessage('shown { garbage')").await;
    evaluate("new BroadcastChannel('switchboard:http://babel').postMessage('ledger')").await;
    assert_eq!(tab.next().await, TabEvent::Ledger);
}

struct Tab {
    tabs: Tabs,
    channel: Channel,
    clock: Rc<HandClock>,
    events: UnboundedReceiver<TabEvent>,
}

impl Tab {
    fn open(name: &str) -> Self {
        let (tell, events) = unbounded();
        let (channel, clock) = (Channel::open(name), Rc::new(HandClock::default()));
        let shared_clock = Rc::clone(&clock) as Rc<dyn Clock>;
        let tabs = Tabs::join(name, channel.clone(), shared_clock, move |event| {
            tell.unbounded_send(event).expect("the tab listens");
        });
        Self {
            tabs,
            channel,
            clock,
            events,
        }
    }

    async fn next(&mut self) -> TabEvent {
        self.events.next().await.expect("the tab is open")
    }
}

fn questions(body: &str) -> Shared {
    Shared {
        read: Read::Questions("/d".into()),
        body: body.to_owned(),
        begun: Time(7),
    }
}

async fn evaluate(expression: &str) -> JsValue {
    let script = format!("return Promise.resolve({expression});");
    let promise = Function::new_no_args(&script)
        .call0(&JsValue::UNDEFINED)
        .expect("a promise");
    JsFuture::from(promise.unchecked_into::<Promise>())
        .await
        .expect("a value")
}

//! The door for JavaScript, used from JavaScript: each test is a story of `js/stories.js`.
#![cfg(target_family = "wasm")]

use js_sys::{Function, Promise};
use switchboard_js::connect;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/tests/js/small-server.js")]
extern "C" {
    type SmallServer;

    #[wasm_bindgen(constructor)]
    fn new() -> SmallServer;
}

macro_rules! stories {
    ($($(#[$doc:meta])* $test:ident = $story:literal)*) => {
        #[wasm_bindgen(module = "/tests/js/stories.js")]
        extern "C" {
            $(
                #[wasm_bindgen(js_name = $story)]
                fn $test(connect: &Function, server: &SmallServer) -> Promise;
            )*
        }

        mod stories {
            $(
                $(#[$doc])*
                #[super::wasm_bindgen_test]
                async fn $test() {
                    super::tell(super::$test).await;
                }
            )*
        }
    };
}

stories! {
    /// R4
    a_question_is_shown_and_its_answer_confirmed = "aQuestionIsShownAndItsAnswerConfirmed"
    /// R18
    an_answer_that_does_not_fit_is_refused_by_name = "anAnswerThatDoesNotFitIsRefusedByName"
    an_answer_of_somebody_else_is_told = "anAnswerOfSomebodyElseIsTold"
    a_prompt_resolves_with_its_message = "aPromptResolvesWithItsMessage"
    an_aborted_call_rejects_with_its_reason_and_sends_nothing_if_it_was_first =
        "anAbortedCallRejectsWithItsReasonAndSendsNothingIfItWasFirst"
    leaving_a_loop_ends_it_and_nothing_else = "leavingALoopEndsItAndNothingElse"
    a_closed_board_says_so = "aClosedBoardSaysSo"
    the_signal_of_a_connection_closes_it = "theSignalOfAConnectionClosesIt"
    a_board_of_one_directory_shows_no_other = "aBoardOfOneDirectoryShowsNoOther"
    /// R13
    a_store_of_ones_own_keeps_the_answer_and_the_next_connection_knows_it = "aStoreOfOnesOwnKeepsTheAnswerAndTheNextConnectionKnowsIt"
    /// R17, R21
    the_log_goes_to_a_function_and_the_figures_are_told = "theLogGoesToAFunctionAndTheFiguresAreTold"
    a_request_is_awaited_without_answering_it = "aRequestIsAwaitedWithoutAnsweringIt"
    without_storage_the_answer_arrives_and_the_view_says_that_it_is_not_kept =
        "withoutStorageTheAnswerArrivesAndTheViewSaysThatItIsNotKept"
}

async fn tell(story: fn(&Function, &SmallServer) -> Promise) {
    let connect = Closure::<dyn Fn(JsValue) -> Promise>::new(connect).into_js_value();
    if let Err(problem) = JsFuture::from(story(connect.unchecked_ref(), &SmallServer::new())).await {
        panic!("{problem:?}");
    }
}

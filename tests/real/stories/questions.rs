//! Questions: what a reply does, and what the server takes for one.

use serde_json::{Value, json};
use switchboard_core::model::{Directory, Reply, Request};
use switchboard_core::ports::Posted;
use switchboard_tests::scripts::{bash, question, script};

use super::{asks, blue, check, first};
use crate::story::outcome_of;

#[test]
fn an_answered_question_completes_its_part() {
    check("question", |story| {
        story.begin(&script(
            json!([{ "text": "I ask.", "tools": [question("Which?")] }, { "text": "Thank you." }]),
        ));
        let request = first(story.until_listed(1));
        story.reply(&request, blue());
        story.until_idle();
        let again = story.try_reply(&request, blue());
        assert!(matches!(again, Posted::NotFound(_)), "{again:?}");
    });
}

#[test]
fn a_dismissed_question_ends_the_run() {
    check("dismissed", |story| {
        story.begin(&script(
            json!([{ "tools": [question("Which?")] }, { "text": "Never said." }]),
        ));
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

#[test]
fn a_nested_question_comes_with_a_message_of_its_own() {
    check("nested", |story| {
        story.begin(&script(
            json!([{ "tools": [question("One?")] }, { "tools": [question("Two?")] }, { "text": "Done." }]),
        ));
        for text in ["One?", "Two?"] {
            let is_it = |request: &Request| request.questions()[0].text == text;
            let seen = story.until(text, |seen| seen.requests.iter().any(is_it));
            story.reply(&first(seen.requests), blue());
        }
        story.until_idle();
    });
}

#[test]
fn parallel_questions_are_answered_in_any_order() {
    check("parallel", |story| {
        story.begin(&script(
            json!([{ "tools": [question("One?"), question("Two?")] }, { "text": "Done." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(&requests[1], blue());
        story.until_listed(1);
        story.reply(&requests[0], blue());
        story.until_idle();
    });
}

#[test]
fn dismissing_one_of_two_questions_leaves_the_other() {
    check("parallel dismissed", |story| {
        story.begin(&script(
            json!([{ "tools": [question("One?"), question("Two?")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(&requests[0], Reply::Dismiss);
        story.until_listed(1);
        story.reply(&requests[1], blue());
        story.until_idle();
    });
}

#[test]
fn the_first_of_two_clients_wins() {
    check("two clients", |story| {
        story.begin(&script(json!([{ "tools": [question("Which?")] }, { "text": "Done." }])));
        let request = first(story.until_listed(1));
        story.reply(&request, blue());
        let second = story.try_reply(&request, Reply::Answers(vec![vec!["Red".to_owned()]]));
        assert!(matches!(second, Posted::NotFound(_)), "{second:?}");
        story.until_idle();
    });
}

/// R18: the server checks nothing, so what makes no sense must be held back before it is sent.
#[test]
fn whatever_is_answered_is_taken_and_passed_on() {
    let odd: [&[&[&str]]; 9] = [
        &[&["My \"own\" words,\n\tin “two” lines: ünï → 🎈"]],
        &[&["Red", "Blue"]],
        &[&["Green"]],
        &[&["Red", "Red"]],
        &[&["Red"], &["Blue"]],
        &[&[""]],
        &[&[]],
        &[],
        &[&[" Blue "]],
    ];
    check("odd answers", |story| {
        let steps: Vec<Value> = (0..odd.len())
            .map(|number| json!({ "tools": [closed_question(&format!("Which, {number}?"))] }))
            .chain([json!({ "text": "Done." })])
            .collect();
        story.begin(&script(json!(steps)));
        for (number, answers) in odd.iter().enumerate() {
            let text = format!("Which, {number}?");
            let is_it = |request: &Request| request.questions()[0].text == text;
            let seen = story.until(&text, |seen| seen.requests.iter().any(is_it));
            story.reply(&first(seen.requests), answers_of(answers));
        }
        story.until_idle();
    });
}

#[test]
fn several_questions_of_one_request_are_answered_in_their_order() {
    let given: [&[&[&str]]; 4] = [
        &[&["Red"], &["Cheese", "Olives"], &["Yes"]],
        &[&["Red"]],
        &[&[], &["Cheese"]],
        &[&["Red"], &[], &["Yes"], &["surplus"]],
    ];
    check("form of three", |story| {
        let forms = given.iter().map(|_| json!({ "tools": [form()] }));
        let steps: Vec<Value> = forms.chain([json!({ "text": "Done." })]).collect();
        story.begin(&script(json!(steps)));
        for (number, answers) in given.iter().enumerate() {
            let seen = story.until("the form", |seen| {
                seen.requests.len() == 1 && seen.sessions[0].messages.len() == number + 2
            });
            story.reply(&first(seen.requests), answers_of(answers));
        }
        story.until_idle();
    });
}

/// R4: 404 has four meanings, and none of them says that somebody has answered.
#[test]
fn a_reply_that_finds_nothing_leaves_the_question_as_it_is() {
    check("not found", |story| {
        story.begin(&asks("Which?"));
        let request = first(story.until_listed(1));
        let elsewhere = Directory::new(format!("{}/below", story.directory()));
        let never = |id: &str| Request {
            id: id.into(),
            ..request.clone()
        };
        let misled = [
            (
                "another directory",
                Request {
                    directory: elsewhere,
                    ..request.clone()
                },
                blue(),
            ),
            ("an unknown question", never("que_1ffd35eae0015sVzWtxdFLagkY"), blue()),
            (
                "an unknown one, dismissed",
                never("que_1ffd35eae0015sVzWtxdFLagkY"),
                Reply::Dismiss,
            ),
            (
                "an unknown permission",
                never("per_1ffd35eae0015sVzWtxdFLagkY"),
                Reply::Once,
            ),
            ("nonsense", never("nonsense"), blue()),
            ("the wrong kind", request.clone(), Reply::Once),
        ];
        for (thing, request, reply) in misled {
            let posted = story.try_reply(&request, reply);
            story.tell(thing, outcome_of(&posted));
        }
        let listed = first(story.until_listed(1));
        story.reply(&listed, Reply::Dismiss);
        let late = story.try_reply(&request, Reply::Dismiss);
        story.tell("dismissed again", outcome_of(&late));
        story.until_idle();
    });
}

#[test]
fn a_permission_beside_a_question_is_a_request_of_its_own() {
    check("mixed", |story| {
        story.begin(&script(
            json!([{ "tools": [question("Which?"), bash("date -u")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        let (permissions, questions): (Vec<Request>, Vec<Request>) =
            requests.into_iter().partition(|request| request.permission().is_some());
        let wrong = story.try_reply(&permissions[0], Reply::Dismiss);
        story.tell("a dismissed permission", outcome_of(&wrong));
        story.reply(&permissions[0], Reply::Reject { message: None });
        story.until_listed(1);
        story.reply(&questions[0], blue());
        story.until_idle();
    });
}

#[test]
fn a_dismissed_question_leaves_the_permission_beside_it() {
    check("mixed dismissed", |story| {
        story.begin(&script(
            json!([{ "tools": [question("Which?"), bash("date -u")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        let question = requests.iter().find(|request| request.permission().is_none());
        story.reply(question.expect("one of the two is a question"), Reply::Dismiss);
        let permission = first(story.until_listed(1));
        story.reply(&permission, Reply::Once);
        story.until_idle();
    });
}

fn answers_of(lists: &[&[&str]]) -> Reply {
    let lists = lists.iter();
    Reply::Answers(
        lists
            .map(|list| list.iter().map(|text| (*text).to_owned()).collect())
            .collect(),
    )
}

/// A question that takes nothing but one of its options.
fn closed_question(text: &str) -> Value {
    let mut call = question(text);
    call["input"]["questions"][0]["custom"] = json!(false);
    call
}

fn form() -> Value {
    let choice = |label: &str| json!({ "label": label, "description": "" });
    json!({ "name": "question", "input": { "questions": [
        { "question": "Colour?", "header": "Colour", "options": [choice("Red"), choice("Blue")] },
        { "question": "Topping?", "header": "Topping", "options": [choice("Cheese"), choice("Olives")], "multiple": true },
        { "question": "Sure?", "header": "Sure", "options": [choice("Yes")] },
    ] } })
}

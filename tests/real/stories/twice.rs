//! Sends that reach the server twice: a browser or a proxy repeats what it had no answer to.
//!
//! The first of two equal replies is taken, the second one is not found. A stop is accepted each time, also when nothing
//! runs. A prompt under the same ids is accepted each time, and stored once.

use switchboard_core::model::Reply;
use switchboard_tests::scripts::runs;

use super::{asks, blue, check, first, until_stopped};
use crate::story::{Story, outcome_of};

fn reply_twice(story: &mut Story<'_>, reply: &Reply) {
    let request = first(story.until_listed(1));
    for time in ["once", "twice"] {
        let posted = story.try_reply(&request, reply.clone());
        story.tell(time, outcome_of(&posted));
    }
    story.until_idle();
}

/// R18
#[test]
fn a_reply_is_taken_once() {
    check("reply twice", |story| {
        story.begin(&asks("Which?"));
        reply_twice(story, &blue());
    });
    check("dismissal twice", |story| {
        story.begin(&asks("Which?"));
        reply_twice(story, &Reply::Dismiss);
    });
}

/// R19
#[test]
fn a_permission_is_given_or_refused_once() {
    let replies = [
        ("once twice", Reply::Once),
        ("rejection twice", Reply::Reject { message: None }),
    ];
    for (name, reply) in replies {
        check(name, |story| {
            story.begin(&runs(&format!("echo {name}")));
            reply_twice(story, &reply);
        });
    }
}

/// E7
#[test]
fn a_stop_is_accepted_each_time() {
    check("stop twice", |story| {
        let session = story.begin(&asks("Which?"));
        story.until_listed(1);
        story.abort(&session);
        story.abort(&session);
        until_stopped(story);
        story.abort(&session);
    });
}

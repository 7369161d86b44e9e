//! Sub-agents: sessions of their own below a tool call.

use serde_json::json;
use switchboard_core::model::Reply;
use switchboard_tests::scripts::{bash, delegates, question, script};

use super::{blue, check, first, sub_agent};

#[test]
fn a_sub_agent_asks_in_a_session_of_its_own() {
    check("sub-agent", |story| {
        story.begin(&sub_agent());
        let request = first(story.until_listed(1));
        story.reply(&request, blue());
        story.until_idle();
    });
}

#[test]
fn a_dismissed_question_of_a_sub_agent_fails_the_task_and_the_parent_goes_on() {
    check("sub-agent dismissed", |story| {
        story.begin(&sub_agent());
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

#[test]
fn a_permission_of_a_sub_agent_is_rejected() {
    check("child bash", |story| {
        let below = script(json!([{ "tools": [bash("echo below")] }, { "text": "Never said." }]));
        story.begin(&delegates(&below));
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Reject { message: None });
        story.until_idle();
    });
}

#[test]
fn stopping_a_sub_agent_lets_its_parent_go_on() {
    check("child stopped", |story| {
        story.begin(&sub_agent());
        let request = first(story.until_listed(1));
        story.abort(&request.session);
        story.until_idle();
    });
}

/// Only agents whose configuration allows it have the tool.
#[test]
fn a_sub_agent_without_the_question_tool_cannot_ask() {
    check("mute child", |story| {
        let below = script(json!([{ "tools": [question("Which?")] }, { "text": "I could not ask." }]));
        let mut delegating = delegates(&below);
        let agent = delegating.steps[0].tools[0].input.get_mut("subagent_type");
        *agent.expect("a task names its agent") = json!("explore");
        story.begin(&delegating);
        story.until_idle();
    });
}

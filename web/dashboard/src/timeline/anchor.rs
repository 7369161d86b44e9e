//! Finds the place of each request in a timeline: under the tool call that asks.

use std::sync::Arc;

use switchboard_core::SortedMap;
use switchboard_core::model::{Message, PartId, RequestId, SessionId, ToolPart};
use switchboard_core::view::RequestView;

/// A place for requests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// Under this tool call.
    Part(PartId),
    /// After the last message.
    End,
}

/// Where the requests of a session and of its descendants belong, in the order of `requests`.
///
/// A request of the session itself stands under its tool call, one of a descendant under the `task` call that leads
/// to it. What names no call, or one that is not among `messages`, stands at the end: it is never left out.
#[must_use]
pub fn anchors(
    session: &SessionId,
    messages: &[Arc<Message>],
    requests: &[Arc<RequestView>],
) -> SortedMap<Anchor, Vec<RequestId>> {
    let mut anchors: SortedMap<Anchor, Vec<RequestId>> = SortedMap::new();
    for view in requests {
        let Some(anchor) = anchor(session, messages, view) else {
            continue;
        };
        anchors.entry(anchor).or_default().push(view.request.id.clone());
    }
    anchors
}

/// Leaves a request where it stood, if that was at the end: when its card moves to another place it loses the focus, and
/// what is typed next is lost with it.
pub fn leave_at_the_end(
    places: &mut SortedMap<Anchor, Vec<RequestId>>,
    before: &SortedMap<Anchor, Vec<RequestId>>,
    request: &RequestId,
) {
    let Some(stood) = before.get(&Anchor::End).filter(|stood| stood.contains(request)) else {
        return;
    };
    for requests in places.values_mut() {
        requests.retain(|id| id != request);
    }
    let belong = places.entry(Anchor::End).or_default();
    let (mut stay, come): (Vec<_>, Vec<_>) = belong.drain(..).partition(|id| stood.contains(id));
    let at = stood
        .iter()
        .take_while(|id| *id != request)
        .filter(|id| stay.contains(id))
        .count();
    stay.insert(at, request.clone());
    stay.extend(come);
    *belong = stay;
}

/// The place of one request; none when it belongs to another session.
fn anchor(session: &SessionId, messages: &[Arc<Message>], view: &RequestView) -> Option<Anchor> {
    let part = if view.request.session == *session {
        view.request.tool.as_ref().and_then(|tool| {
            let message = messages.iter().rev().find(|message| message.id == tool.message)?;
            part(message, |part| part.call.as_ref() == Some(&tool.call))
        })
    } else {
        let place = view.origin.iter().position(|ancestor| ancestor.id == *session)?;
        let child = &view.origin.get(place + 1)?.id;
        messages
            .iter()
            .rev()
            .find_map(|message| part(message, |part| part.child.as_ref() == Some(child)))
    };
    Some(part.map_or(Anchor::End, Anchor::Part))
}

fn part(message: &Message, is_wanted: impl Fn(&ToolPart) -> bool) -> Option<PartId> {
    let found = message.tools().find(|(_, tool)| is_wanted(tool));
    found.map(|(id, _)| id.clone())
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, Part, PartBody, Request, ToolRef};
    use switchboard_core::view::{RequestState, SessionRef};

    use super::*;
    use crate::fixtures::{self, shown};

    fn message(id: &str, tools: Vec<(&str, ToolPart)>) -> Arc<Message> {
        let part = |(id, tool): (&str, ToolPart)| Part {
            id: id.into(),
            body: PartBody::Tool(Box::new(tool)),
        };
        Arc::new(Message {
            parts: tools.into_iter().map(part).collect(),
            ..(*fixtures::message(id, Vec::new())).clone()
        })
    }

    fn request(id: &str, origin: &[&str], tool: Option<(&str, &str)>) -> Arc<RequestView> {
        let origin: Vec<SessionRef> = origin
            .iter()
            .map(|id| SessionRef {
                id: (*id).into(),
                title: String::new(),
            })
            .collect();
        let request = Request {
            id: id.into(),
            session: origin.last().unwrap().id.clone(),
            directory: "/d".into(),
            tool: tool.map(|(message, call)| ToolRef {
                message: message.into(),
                call: call.into(),
            }),
            ask: Ask::Permission(Box::default()),
        };
        Arc::new(RequestView {
            origin,
            ..shown(request, RequestState::Waiting)
        })
    }

    /// R2, R15
    #[test]
    fn each_request_stands_where_it_was_asked_and_none_is_left_out() {
        let call = |call: &str| ToolPart {
            call: Some(call.into()),
            ..ToolPart::default()
        };
        let task = ToolPart {
            child: Some("ses_child".into()),
            ..call("call_2")
        };
        let messages = [
            message("msg_1", vec![("prt_1", call("call_1"))]),
            message("msg_2", vec![("prt_2", call("call_1")), ("prt_3", task)]),
        ];
        let requests = [
            request("per_external", &["ses_parent"], Some(("msg_1", "call_1"))),
            request("per_bash", &["ses_parent"], Some(("msg_1", "call_1"))),
            request("que_same_call", &["ses_parent"], Some(("msg_2", "call_1"))),
            request(
                "que_child",
                &["ses_top", "ses_parent", "ses_child", "ses_grandchild"],
                Some(("msg_9", "call_1")),
            ),
            request("que_unread", &["ses_parent"], Some(("msg_0", "call_1"))),
            request("que_plugin", &["ses_parent"], None),
            request("que_stranger", &["ses_parent", "ses_other"], None),
            request("que_elsewhere", &["ses_top"], Some(("msg_1", "call_1"))),
        ];
        let ids = |ids: &[&str]| ids.iter().map(|id| RequestId::from(*id)).collect::<Vec<_>>();
        let expected = SortedMap::from([
            (Anchor::Part("prt_1".into()), ids(&["per_external", "per_bash"])),
            (Anchor::Part("prt_2".into()), ids(&["que_same_call"])),
            (Anchor::Part("prt_3".into()), ids(&["que_child"])),
            (Anchor::End, ids(&["que_unread", "que_plugin", "que_stranger"])),
        ]);
        assert_eq!(anchors(&"ses_parent".into(), &messages, &requests), expected);
    }

    #[test]
    fn what_is_left_at_the_end_keeps_its_place_among_the_others() {
        let at = |anchor, ids: &[&str]| (anchor, ids.iter().map(|id| RequestId::from(*id)).collect::<Vec<_>>());
        let part = Anchor::Part("prt_1".into());
        let before = SortedMap::from([at(Anchor::End, &["a", "b", "c"])]);
        let belong = SortedMap::from([at(part.clone(), &["a", "b"]), at(Anchor::End, &["new", "c"])]);

        let mut places = belong.clone();
        leave_at_the_end(&mut places, &before, &"b".into());
        assert_eq!(
            places,
            SortedMap::from([at(part, &["a"]), at(Anchor::End, &["b", "c", "new"])])
        );

        let mut places = belong.clone();
        leave_at_the_end(&mut places, &SortedMap::new(), &"b".into());
        assert_eq!(places, belong, "it has never stood there");
    }
}

//! Speaks to a real OpenCode with the paths, bodies and parsers of the dashboard.

use std::time::Duration;

use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError};
use switchboard_wire::{HttpAnswer, fetched, is_true, outgoing, path_of, posted};
use ureq::http::{HeaderMap, Request, Response};
use ureq::{Agent, Body};

/// How long a read may take, which is tried again: those that reach a server while it starts are never answered.
const READ_PATIENCE: Duration = Duration::from_secs(8);

/// How long a post may take, which is not: the first of a directory starts its instance, 20 s on a busy machine.
const POST_PATIENCE: Duration = Duration::from_secs(40);

#[derive(Clone)]
pub(crate) struct Http {
    agent: Agent,
    url: String,
    authorization: String,
}

impl Http {
    pub(crate) fn new(url: &str, username: &str, password: &str) -> Self {
        let settings = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(READ_PATIENCE));
        Self {
            agent: settings.build().into(),
            url: url.trim_end_matches('/').to_owned(),
            authorization: format!("Basic {}", base64(format!("{username}:{password}").as_bytes())),
        }
    }

    pub(crate) fn read(&self, read: &Read) -> Result<Fetched, ReadError> {
        let request = self.agent.get(format!("{}{}", self.url, path_of(read)));
        let response = request.header("authorization", &self.authorization).call();
        let answer = response
            .and_then(whole)
            .map_err(|error| ReadError::Unreachable(error.to_string()))?;
        fetched(read, &answer)
    }

    pub(crate) fn post(&self, post: &Post) -> Posted {
        let sent = outgoing(post);
        let request = self.agent.post(format!("{}{}", self.url, sent.path)).config();
        let request = request.timeout_global(Some(POST_PATIENCE)).build();
        let request = request.header("authorization", &self.authorization);
        let response = match &sent.body {
            Some(body) => request.header("content-type", "application/json").send(body.as_str()),
            None => request.send_empty(),
        };
        match response.and_then(whole) {
            Ok(answer) => posted(post, &answer),
            Err(error) => Posted::InDoubt(error.to_string()),
        }
    }

    /// Sends something that has no place in the dashboard, and to which the server says `true`.
    pub(crate) fn expect_true(&self, method: &str, path: &str) {
        let answer = self.send(method, path, &[], "").read();
        assert!(
            answer.status == 200 && is_true(&answer.body),
            "{method} {path}: {answer:?}"
        );
    }

    /// Sends anything.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        if !self.authorization.is_empty() {
            request = request.header("authorization", &self.authorization);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let agent = self
            .agent
            .configure_request(request.body(body.to_owned()).expect("a path of the server"));
        let response = self.agent.run(agent.allow_non_standard_methods(true).build());
        let (parts, body) = response.expect("the server answers").into_parts();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }

    /// Opens something that does not end by itself.
    pub(crate) fn open(&self, path: &str) -> impl std::io::Read + Send + 'static {
        let request = self.agent.get(format!("{}{path}", self.url)).config();
        let request = request.timeout_global(None).build();
        let response = request.header("authorization", &self.authorization).call();
        response.expect("the server answers").into_body().into_reader()
    }

    /// The same server, for somebody who has no password.
    pub(crate) fn without_password(&self) -> Self {
        Self {
            authorization: String::new(),
            ..self.clone()
        }
    }

    /// User and password as one word.
    pub(crate) fn token(&self) -> &str {
        self.authorization.trim_start_matches("Basic ")
    }
}

/// An answer with everything that came with it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HeaderMap,
    body: Body,
}

impl Answer {
    /// A header, without the parameters of its value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()?.split(';').next()
    }

    /// What the parsers of the dashboard see of it.
    pub(crate) fn read(self) -> HttpAnswer {
        let response = Response::builder().status(self.status);
        let mut response = response.body(self.body).expect("a status that has come is one");
        *response.headers_mut() = self.headers;
        whole(response).expect("the server sends its whole answer")
    }
}

fn whole(mut response: Response<Body>) -> Result<HttpAnswer, ureq::Error> {
    let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    let (content_type, cursor) = (header("content-type"), header("x-next-cursor"));
    Ok(HttpAnswer {
        status: response.status().as_u16(),
        content_type,
        cursor,
        body: response.body_mut().read_to_string()?,
    })
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).flat_map(|group| {
        let number = (0..3).fold(0u32, |number, at| {
            number << 8 | u32::from(group.get(at).copied().unwrap_or(0))
        });
        let digits = [18, 12, 6, 0].map(|shift| char::from(ALPHABET[(number >> shift & 63) as usize]));
        (0..4)
            .map(move |at| if at <= group.len() { digits[at] } else { '=' })
            .collect::<Vec<_>>()
    });
    groups.collect()
}

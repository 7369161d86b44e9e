//! The way to a server: its calls and its event stream, over HTTP.

use std::convert::Infallible;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use switchboard_core::Handle;
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError, Transport};
use switchboard_wire::{Event, EventReader, Frames, HttpAnswer, fetched, outgoing, path_of, posted};
use tokio::time::{sleep, timeout};

/// The longest silence of a stream that lives: the server sends a heartbeat every 10 s.
const SILENCE_MAX: Duration = Duration::from_secs(15);
/// The pause before a stream that has ended is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// Clones use the same connections.
#[derive(Clone)]
pub(crate) struct Server {
    client: Client,
    url: String,
    username: String,
    password: Option<String>,
}

impl Server {
    /// The engine limits how long a call may take, and repeats it where that is right; so the client does neither.
    pub(crate) fn new(url: &str, username: String, password: Option<String>) -> Result<Self, reqwest::Error> {
        let client = Client::builder().redirect(Policy::none()).no_proxy();
        Ok(Self {
            client: client.build()?,
            url: url.trim_end_matches('/').to_owned(),
            username,
            password,
        })
    }

    /// Tells the engine what the server's events say, for ever. A stream that ends is opened again.
    pub(crate) async fn listen(&self, board: &Handle) -> Infallible {
        loop {
            // Events only make the engine look sooner: nothing is lost with a stream.
            let _ = self.listen_once(board).await;
            sleep(PAUSE).await;
        }
    }

    async fn listen_once(&self, board: &Handle) -> Result<(), Failure> {
        let opening = self.authorized(self.client.get(format!("{}/global/event", self.url)));
        let mut stream = timeout(SILENCE_MAX, opening.send()).await??;
        let (mut frames, mut reader) = (Frames::default(), EventReader::default());
        while let Some(chunk) = timeout(SILENCE_MAX, stream.chunk()).await?? {
            for event in frames.push(&chunk).iter().filter_map(|frame| reader.read(frame)) {
                match event {
                    Event::Wake(wake) => board.wake(wake),
                    Event::Preview(preview) => board.preview(preview),
                }
            }
        }
        Ok(())
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.password {
            Some(password) => request.basic_auth(&self.username, Some(password)),
            None => request,
        }
    }

    async fn answer(&self, request: RequestBuilder) -> Result<HttpAnswer, reqwest::Error> {
        whole(self.authorized(request).send().await?).await
    }
}

/// Why a stream has ended.
type Failure = Box<dyn std::error::Error>;

async fn whole(response: Response) -> Result<HttpAnswer, reqwest::Error> {
    let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    Ok(HttpAnswer {
        status: response.status().as_u16(),
        content_type: header("content-type"),
        cursor: header("x-next-cursor"),
        body: response.text().await?,
    })
}

/// Dropping a future ends its call.
impl Transport for Server {
    fn read(&self, read: Read) -> LocalBoxFuture<'static, Result<Fetched, ReadError>> {
        let server = self.clone();
        async move {
            let request = server.client.get(format!("{}{}", server.url, path_of(&read)));
            let answer = server.answer(request).await;
            fetched(
                &read,
                &answer.map_err(|error| ReadError::Unreachable(error.to_string()))?,
            )
        }
        .boxed_local()
    }

    fn post(&self, post: Post) -> LocalBoxFuture<'static, Posted> {
        let server = self.clone();
        async move {
            let sent = outgoing(&post);
            let mut request = server.client.post(format!("{}{}", server.url, sent.path));
            if let Some(body) = sent.body {
                request = request.header(CONTENT_TYPE, "application/json").body(body);
            }
            match server.answer(request).await {
                Ok(answer) => posted(&post, &answer),
                Err(error) => Posted::InDoubt(error.to_string()),
            }
        }
        .boxed_local()
    }
}

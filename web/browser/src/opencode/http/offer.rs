//! What a prompt may name in a directory, as the server lists it.

use std::time::Duration;

use futures::future::{Either, select, try_join};
use switchboard_core::model::Directory;
use switchboard_core::ports::ReadError;
use switchboard_wire::{self as wire, OfferedAgent, Provider, WireError};

use super::FetchTransport;
use super::fetch::Method;

/// How long reads in a directory may take: the first read in a directory starts the server's plugins there.
const PATIENCE: Duration = Duration::from_secs(20);

/// The agents and the models that a prompt may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The agents.
    pub agents: Vec<OfferedAgent>,
    /// The providers with their models.
    pub providers: Vec<Provider>,
}

impl FetchTransport {
    /// Reads what a prompt may name in a directory.
    ///
    /// # Errors
    /// When one of both lists cannot be read, or not in time.
    pub async fn offer(self, directory: Directory) -> Result<Offer, ReadError> {
        let lists = try_join(
            self.list(wire::path_of_agents(&directory), wire::agents),
            self.list(wire::path_of_providers(&directory), wire::providers),
        );
        let (agents, providers) = self.in_time(lists).await?;
        Ok(Offer { agents, providers })
    }

    /// The result of reads in a directory, unless they take too long.
    pub(super) async fn in_time<T>(&self, reads: impl Future<Output = Result<T, ReadError>>) -> Result<T, ReadError> {
        let deadline = self.clock.now() + PATIENCE;
        match select(std::pin::pin!(reads), self.clock.sleep_until(deadline)).await {
            Either::Left((read, _)) => read,
            Either::Right(((), _)) => Err(ReadError::TimedOut),
        }
    }

    pub(super) async fn list<T>(&self, path: String, decode: fn(&str) -> Result<T, WireError>) -> Result<T, ReadError> {
        let answer = self.call(Method::Get, &path, None).answer().await?;
        wire::understood(&answer, decode)
    }
}

//! The sole right to send an entry: a Web Lock, or a lease in the database where there are no Web Locks.

use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use switchboard_core::model::EntryId;
use switchboard_core::runtime::{Claim, StoreError};
use switchboard_core::time::Time;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::row::{found, key, to_js};
use super::transaction::{Durability, Mode, Transaction};
use super::{LEASES, Shelf};
use crate::locks::{self, Ask};
use crate::task::{Task, detached};

/// How long a lease lasts when its holder is no longer there to renew it.
const LEASE: Duration = Duration::from_secs(30);
/// How often it is renewed.
const LEASE_RENEWED: Duration = Duration::from_secs(10);

/// Claims an entry, unless another tab holds it.
pub(super) async fn claim(shelf: Rc<Shelf>, entry: EntryId) -> Option<Claim> {
    let name = format!("switchboard:{}:{entry}", shelf.server);
    match locks::ask(&name, Ask::IfFree) {
        Some(asking) => asking.await.map(Claim::new),
        None => Lease::take(shelf, entry).await,
    }
}

/// A lease that is renewed until it is dropped.
struct Lease {
    signature: Signature,
    _renewing: Task,
}

/// Who holds which entry.
#[derive(Clone)]
struct Signature {
    shelf: Rc<Shelf>,
    entry: EntryId,
    holder: String,
}

#[derive(Serialize, Deserialize)]
struct LeaseRow {
    server: String,
    id: String,
    holder: String,
    until: u64,
}

impl Lease {
    async fn take(shelf: Rc<Shelf>, entry: EntryId) -> Option<Claim> {
        let signature = Signature {
            shelf,
            entry,
            holder: js_sys::Math::random().to_string(),
        };
        let taking = signature.clone();
        match detached(async move { taking.sign().await }).await {
            Ok(true) => Some(Claim::new(Lease {
                _renewing: Task::spawn(signature.clone().renew()),
                signature,
            })),
            Ok(false) => None,
            // Without a database no other tab can know of this entry.
            Err(_) => Some(Claim::new(())),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let signature = self.signature.clone();
        spawn_local(async move {
            // A lease that cannot be given back runs out.
            let _runs_out = signature.strike_out().await;
        });
    }
}

impl Signature {
    /// Takes or renews the lease; false when somebody else has it.
    async fn sign(&self) -> Result<bool, StoreError> {
        let now = self.shelf.clock.now();
        let transaction = self.begin().await?;
        let other = self.found(&transaction).await?.filter(|row| row.holder != self.holder);
        if other.is_some_and(|row| Time(row.until) > now) {
            return Ok(false);
        }
        let row = LeaseRow {
            server: self.shelf.server.clone(),
            id: self.entry.to_string(),
            holder: self.holder.clone(),
            until: (now + LEASE).0,
        };
        transaction.put(LEASES, &to_js(&row)?)?;
        transaction.completed().await.map(|()| true)
    }

    /// Renews the lease until it is lost: a tab that was frozen may find that another one has it.
    async fn renew(self) {
        loop {
            let clock = &self.shelf.clock;
            clock.sleep_until(clock.now() + LEASE_RENEWED).await;
            if matches!(self.sign().await, Ok(false)) {
                return;
            }
        }
    }

    async fn strike_out(&self) -> Result<(), StoreError> {
        let transaction = self.begin().await?;
        if self
            .found(&transaction)
            .await?
            .is_some_and(|row| row.holder == self.holder)
        {
            transaction.delete(LEASES, &self.key())?;
        }
        transaction.completed().await
    }

    async fn begin(&self) -> Result<Transaction, StoreError> {
        let mode = Mode::Write(Durability::Relaxed);
        self.shelf.connection.begin(&[LEASES], mode).await
    }

    async fn found(&self, transaction: &Transaction) -> Result<Option<LeaseRow>, StoreError> {
        found(transaction.get(LEASES, &self.key()).await?)
    }

    fn key(&self) -> JsValue {
        key(&self.shelf.server, self.entry.as_str())
    }
}

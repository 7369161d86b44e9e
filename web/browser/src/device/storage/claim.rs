//! The sole right to send an entry, or to take the steps of a workflow: a Web Lock, or a lease in the database where there are no Web Locks.

use std::rc::Rc;
use std::time::Duration;

use futures::channel::oneshot;
use switchboard_core::Time;
use switchboard_core::ports::{Claim, StoreError};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::row::{key, lease, of_lease};
use super::transaction::{Durability, Mode, Transaction};
use super::{LEASES, Shelf};
use crate::platform::locks::{self, Ask};
use crate::platform::task::{Task, detached};

/// How long a lease lasts when its holder is no longer there to renew it.
const LEASE: Duration = Duration::from_secs(30);
/// How often it is renewed.
const LEASE_RENEWED: Duration = Duration::from_secs(10);

/// Claims what has this name on the server, unless another tab holds it.
pub(super) async fn claim(shelf: Rc<Shelf>, name: String) -> Option<Claim> {
    let lock = format!("switchboard:{}:{name}", shelf.server);
    match locks::ask(&lock, Ask::IfFree) {
        Some(asking) => asking.await.map(Claim::new),
        // The lease of a caller that has stopped waiting is given back once it is there.
        None => detached(Lease::take(shelf, name)).await,
    }
}

/// A lease that is renewed until it is dropped.
struct Lease {
    signature: Signature,
    _renewing: Task,
}

/// Who holds what.
#[derive(Clone)]
struct Signature {
    shelf: Rc<Shelf>,
    name: String,
    holder: String,
}

impl Lease {
    async fn take(shelf: Rc<Shelf>, name: String) -> Option<Claim> {
        let signature = Signature {
            shelf,
            name,
            holder: js_sys::Math::random().to_string(),
        };
        match signature.sign().await {
            Ok(true) => {
                let (tell, lost) = oneshot::channel();
                let renewing = signature.clone();
                let lease = Lease {
                    _renewing: Task::spawn(async move {
                        renewing.renew().await;
                        let _nobody_waits = tell.send(());
                    }),
                    signature,
                };
                Some(Claim::until(lease, async move {
                    if lost.await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }))
            }
            Ok(false) => None,
            // Without a database no other tab can know of it.
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
        let found = self.found(&transaction).await?;
        if found.is_some_and(|(holder, until)| holder != self.holder && until > now) {
            return Ok(false);
        }
        let row = of_lease(&self.shelf.server, &self.name, &self.holder, now + LEASE)?;
        transaction.put(LEASES, &row)?;
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
            .is_some_and(|(holder, _)| holder == self.holder)
        {
            transaction.delete(LEASES, &self.key())?;
        }
        transaction.completed().await
    }

    async fn begin(&self) -> Result<Transaction, StoreError> {
        let mode = Mode::Write(Durability::Relaxed);
        self.shelf.connection.begin(&[LEASES], mode).await
    }

    async fn found(&self, transaction: &Transaction) -> Result<Option<(String, Time)>, StoreError> {
        lease(&transaction.get(LEASES, &self.key()).await?)
    }

    fn key(&self) -> JsValue {
        key(&self.shelf.server, &self.name)
    }
}

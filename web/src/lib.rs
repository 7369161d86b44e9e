//! Switchboard in the browser.

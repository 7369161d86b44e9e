//! The simulated world of Switchboard.

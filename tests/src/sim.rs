//! Random histories against a reference model: what people, agents, networks and servers do to each other, from a seed.
//!
//! A history is data ([`history`]), drawn from a seed ([`draw`]). It is played in a simulated world ([`play`]), next to a
//! model of what is really the case ([`truth`]). [`check`] compares the two after each step and at the end. A history that
//! fails is shortened ([`shorten`]) to what is needed to fail.

mod act;
mod check;
mod desk;
mod draw;
pub mod history;
mod judge;
pub mod play;
pub mod run;
pub mod shorten;
pub mod tally;
mod truth;

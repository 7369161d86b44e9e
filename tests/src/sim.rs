//! Random histories against a reference model: what people, agents, networks and servers do to each other, from a seed.
//!
//! A history is data ([`history`]), drawn from a seed ([`draw`]). It is played in a simulated world ([`play`]), next to a
//! model of what is really the case ([`truth`]). [`check`] compares the two after each step and at the end, and so do
//! [`policies`] for requests that nobody answers and [`told`] for what programs hear of their [`calls`]. The queue of
//! effects and the tracker of tool calls are used beside the boards, each with a model of its own ([`effects`],
//! [`deferreds`]). A history that fails is shortened ([`shorten`]) to what is needed to fail.

mod act;
mod calls;
mod check;
mod deferreds;
mod desk;
mod draw;
mod effects;
mod figures;
mod hardships;
pub mod history;
mod judge;
mod pace;
pub mod play;
mod policies;
pub mod run;
pub mod shorten;
pub mod tally;
mod timelines;
mod told;
mod truth;

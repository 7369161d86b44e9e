//! Random histories against a reference model: what people, agents, networks and servers do to each other, from a seed.
//!
//! A history is data, a list of transitions ([`history`]), drawn from a seed ([`draw`]). Each is applied ([`apply`]) to the system
//! under test ([`sut`]): tabs with the real engine in a simulated world. A [`reference`] model holds what is really the case, and
//! the [`assertions`] compare the two after each step and at the end, together with [`policies`] for requests that nobody answers
//! and with what programs call ([`calls`]). The queue of effects and the tracker of tool calls are used beside the boards, each
//! with a model of its own ([`effects`], [`deferreds`]). A history that fails is shortened ([`shorten`]) to what is needed to fail.

mod apply;
mod assertions;
mod calls;
mod closings;
mod countdowns;
mod deferreds;
mod draw;
mod effects;
mod hardships;
pub mod history;
mod many;
pub mod play;
mod policies;
mod reference;
pub mod run;
mod searches;
pub mod shorten;
mod stamps;
mod stops;
mod storages;
mod sut;
pub mod tally;

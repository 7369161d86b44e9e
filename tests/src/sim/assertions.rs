//! What must be true of the system under test, compared with the reference: at every step ([`always`]), within a time once
//! nothing goes wrong ([`eventually`]), and of timelines, metrics, the pace of reading, and what programs are told.

pub(super) mod always;
pub(super) mod eventually;
mod figures;
mod pace;
mod timelines;
pub(super) mod told;

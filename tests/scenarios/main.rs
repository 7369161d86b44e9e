//! One file per theme, one story per test. Everything happens in virtual time.

mod answers;
mod desk;
mod endings;

//! Recorded answers of real servers, one folder per version, and what is understood of them.

mod damage;
mod events;
mod failures;
mod files;
mod fixture;
mod messages;
mod offer;
mod requests;
mod sessions;
mod tools;

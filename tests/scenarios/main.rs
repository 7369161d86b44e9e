//! One file per theme, one story per test. Everything happens in virtual time.

mod answers;
mod beside;
mod calls;
mod clocks;
mod desk;
mod endings;
mod ends;
mod follow_up;
mod found;
mod late;
mod loops;
mod pace;
mod permissions;
mod procedures;
mod prompts;
mod records;
mod reload;
mod restart;
mod sends;
mod shown;
mod stop;
mod tabs;
mod timeline;
mod unattended;
mod workflows;
mod workflows_disturbed;

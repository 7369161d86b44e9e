//! A request, open: what is asked in full, and everything needed to answer it.

use leptos::either::Either;
use leptos::prelude::*;
use switchboard_core::model::Ask;

use super::card::Card;
use super::crumbs::Crumbs;
use super::meta_line::{MetaLine, StateMark};
use super::permission::Permission;
use super::questions::Questions;
use super::shape::Place;
use super::time_out_line::TimeOutLine;
use crate::request::why_panel::WhyFolded;

/// A request, open.
#[component]
pub(crate) fn Open(card: Card) -> impl IntoView {
    let body = match &card.request().ask {
        Ask::Questions(_) => Either::Left(view! { <Questions card /> }),
        Ask::Permission(_) => Either::Right(view! { <Permission card /> }),
    };
    let why = (card.place != Place::Timeline).then(|| view! { <WhyFolded card /> });
    view! {
        <MetaLine card><StateMark card /></MetaLine>
        <Crumbs card />
        <TimeOutLine card />
        {body}
        {why}
    }
}

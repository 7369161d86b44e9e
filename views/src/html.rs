//! The types of the elements that are referred to.

use wasm_bindgen::JsCast;
use web_sys::{
    HtmlAnchorElement, HtmlButtonElement, HtmlCanvasElement, HtmlDetailsElement, HtmlDialogElement, HtmlDivElement,
    HtmlElement, HtmlFormElement, HtmlImageElement, HtmlInputElement, HtmlLiElement, HtmlOListElement,
    HtmlParagraphElement, HtmlPreElement, HtmlSelectElement, HtmlSpanElement, HtmlTextAreaElement, HtmlUListElement,
};

/// A type of element.
pub trait ElementType: 'static {
    /// What it is in the document.
    type Output: JsCast;
}

macro_rules! types {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(
            #[doc = concat!("A `", stringify!($type), "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl ElementType for $name {
                type Output = $type;
            }
        )*
    };
}

types! {
    A: HtmlAnchorElement,
    Article: HtmlElement,
    Aside: HtmlElement,
    Button: HtmlButtonElement,
    Canvas: HtmlCanvasElement,
    Details: HtmlDetailsElement,
    Dialog: HtmlDialogElement,
    Div: HtmlDivElement,
    Footer: HtmlElement,
    Form: HtmlFormElement,
    Header: HtmlElement,
    Img: HtmlImageElement,
    Input: HtmlInputElement,
    Li: HtmlLiElement,
    Main: HtmlElement,
    Nav: HtmlElement,
    Ol: HtmlOListElement,
    P: HtmlParagraphElement,
    Pre: HtmlPreElement,
    Section: HtmlElement,
    Select: HtmlSelectElement,
    Span: HtmlSpanElement,
    Textarea: HtmlTextAreaElement,
    Ul: HtmlUListElement,
}

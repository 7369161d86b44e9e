//! The signs of the page, drawn by hand on a grid of 16.

/// A sign. It never stands alone: a word is beside it, visible or for screen readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after what it shows")]
pub enum Sign {
    Arc,
    ArrowUp,
    Branch,
    CheckCircle,
    ChevronDown,
    ChevronLeft,
    ChevronRight,
    Circle,
    ChevronUp,
    Clock,
    Copy,
    DashedCircle,
    DashedQuestion,
    Dots,
    Eye,
    FileDiff,
    Gear,
    Inbox,
    Lamp,
    LampHollow,
    List,
    Live,
    Lock,
    MinusCircle,
    Moon,
    NoSignal,
    Person,
    Plus,
    Search,
    Server,
    Shield,
    SlashCircle,
    SpeechQuestion,
    Square,
    Terminal,
    Tick,
    Triangle,
    TurnArrow,
    TwoTicks,
    X,
    XCircle,
}

/// How a sign is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// Its classes: some have a colour or a motion of their own.
    pub class: &'static str,
    /// What lies behind, faint or dashed as the style sheet says; empty when there is nothing.
    pub frame: &'static str,
    /// The strokes.
    pub strokes: &'static str,
}

/// A circle that fills the grid, as most states have it.
const CIRCLE: &str = "M2 8a6 6 0 1 0 12 0a6 6 0 1 0-12 0";
const RING: &str = "M.8 8a7.2 7.2 0 1 0 14.4 0a7.2 7.2 0 1 0-14.4 0";
const DISC: &str = "M3.4 8a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0-9.2 0";

impl Sign {
    /// How it is drawn.
    #[must_use]
    pub fn drawing(self) -> Drawing {
        match self {
            Sign::Arc => of("icon icon-arc", CIRCLE, "M8 2a6 6 0 0 1 6 6"),
            Sign::ArrowUp => of("icon", "", "M8 13V3M3.8 7.2 8 3l4.2 4.2"),
            Sign::Branch => of(
                "icon",
                "",
                "M3 3.2a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M10 12a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M4.5 4.7v5.6c0 1 .7 1.7 1.7 1.7H10",
            ),
            Sign::CheckCircle => of("icon", CIRCLE, "m5.4 8.2 1.8 1.8 3.4-3.8"),
            Sign::ChevronDown => of("icon", "", "m3.5 6 4.5 4.5L12.5 6"),
            Sign::ChevronLeft => of("icon", "", "M10 3.5 5.5 8l4.5 4.5"),
            Sign::ChevronRight => of("icon", "", "M6 3.5 10.5 8 6 12.5"),
            Sign::Circle => of("icon icon-faint", CIRCLE, ""),
            Sign::ChevronUp => of("icon", "", "M3.5 10.5 8 6l4.5 4.5"),
            Sign::Clock => of("icon", CIRCLE, "M8 4.6V8l2.3 1.4"),
            Sign::Copy => of(
                "icon",
                "",
                "M6.2 5.5h6.6q.7 0 .7.7v6.6q0 .7-.7.7H6.2q-.7 0-.7-.7V6.2q0-.7.7-.7M10.5 5.5V3.2q0-.7-.7-.7H3.2q-.7 0-.7.7v6.6q0 .7.7.7h2.3",
            ),
            Sign::DashedCircle => of("icon icon-dashed", CIRCLE, ""),
            Sign::DashedQuestion => of(
                "icon icon-dashed",
                CIRCLE,
                "M6.5 6.4a1.5 1.5 0 1 1 2.2 1.4q-.7.4-.7 1.2M8 11h.01",
            ),
            Sign::Dots => of("icon", "", "M3.5 8h.01M8 8h.01M12.5 8h.01"),
            Sign::Eye => of(
                "icon",
                "",
                "M1.5 8S3.9 3.7 8 3.7 14.5 8 14.5 8 12.1 12.3 8 12.3 1.5 8 1.5 8M6.2 8a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0",
            ),
            Sign::FileDiff => of(
                "icon",
                "",
                "M4.2 1.8h5.3l3 3v8.7q0 .7-.7.7H4.2q-.7 0-.7-.7V2.5q0-.7.7-.7M8 5.4v3.2M6.4 7h3.2M6.4 11.2h3.2",
            ),
            Sign::Gear => of(
                "icon",
                "",
                "M5.7 8a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0M8 1.6v2M8 12.4v2M1.6 8h2M12.4 8h2M3.5 3.5l1.4 1.4M11.1 11.1l1.4 1.4M12.5 3.5l-1.4 1.4M4.9 11.1l-1.4 1.4",
            ),
            Sign::Inbox => of(
                "icon",
                "",
                "m2 9 1.8-5.1q.3-.9 1.2-.9h6q.9 0 1.2.9L14 9v3.2q0 .8-.8.8H2.8q-.8 0-.8-.8zM2 9h3.3l1 1.8h3.4l1-1.8H14",
            ),
            Sign::Lamp => of("icon icon-lamp", RING, DISC),
            Sign::LampHollow => of("icon icon-lamp icon-hollow", RING, DISC),
            Sign::List => of(
                "icon",
                "",
                "M5.5 4H14M5.5 8H14M5.5 12H14M2.2 4h.01M2.2 8h.01M2.2 12h.01",
            ),
            Sign::Live => of(
                "icon icon-live",
                "M6 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
                "M4.6 11.4a4.8 4.8 0 0 1 0-6.8M11.4 4.6a4.8 4.8 0 0 1 0 6.8",
            ),
            Sign::Lock => of(
                "icon",
                "",
                "M4.2 7.2h7.6q.7 0 .7.7v4.9q0 .7-.7.7H4.2q-.7 0-.7-.7V7.9q0-.7.7-.7M5.4 7V5.1a2.6 2.6 0 0 1 5.2 0V7",
            ),
            Sign::MinusCircle => of("icon", CIRCLE, "M5.5 8h5"),
            Sign::Moon => of("icon", "", "M13.2 9.6A5.7 5.7 0 0 1 6.4 2.8a5.7 5.7 0 1 0 6.8 6.8z"),
            Sign::NoSignal => of(
                "icon",
                "",
                "M1.8 6.2a9 9 0 0 1 12.4 0M4.2 8.8a5.4 5.4 0 0 1 7.6 0M6.6 11.3a2 2 0 0 1 2.8 0M2.5 2l11 12",
            ),
            Sign::Person => of(
                "icon",
                "",
                "M5.4 5a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0M3 13.6c.3-2.7 2.4-4 5-4s4.7 1.3 5 4z",
            ),
            Sign::Plus => of("icon", "", "M8 3v10M3 8h10"),
            Sign::Search => of(
                "icon",
                "",
                "M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M10.3 10.3l3.4 3.4",
            ),
            Sign::Server => of(
                "icon",
                "",
                "M3 2.5h10q1 0 1 1v3q0 1-1 1H3q-1 0-1-1v-3q0-1 1-1M3 8.5h10q1 0 1 1v3q0 1-1 1H3q-1 0-1-1v-3q0-1 1-1M4.6 5h.01M4.6 11h.01",
            ),
            Sign::Shield => of("icon", "", "m8 1.8 5 1.8v4.1c0 3-2 5.2-5 6.5-3-1.3-5-3.5-5-6.5V3.6z"),
            Sign::SlashCircle => of("icon", CIRCLE, "m3.9 12.1 8.2-8.2"),
            Sign::SpeechQuestion => of(
                "icon",
                "",
                "M3 2.8h10q.7 0 .7.7v7q0 .7-.7.7H8.6L6 13.4v-2.2H3q-.7 0-.7-.7v-7q0-.7.7-.7M6.8 5.9a1.2 1.2 0 1 1 1.8 1.1q-.6.3-.6.8M8 9.3h.01",
            ),
            Sign::Square => of(
                "icon",
                "",
                "M4.6 4h6.8q.6 0 .6.6v6.8q0 .6-.6.6H4.6q-.6 0-.6-.6V4.6q0-.6.6-.6",
            ),
            Sign::Terminal => of("icon", "", "m2.5 4 4 4-4 4M8.5 12.3h5"),
            Sign::Tick => of("icon", "", "m3 8.5 3.2 3.2L13 4.5"),
            Sign::Triangle => of("icon", "", "M8 2.2 14.3 13.2H1.7zM8 6.6v3.1M8 11.5h.01"),
            Sign::TurnArrow => of("icon", "", "M13.2 8a5.2 5.2 0 1 1-1.7-3.9l1.7 1.4M13.2 2.3v3.2H10"),
            Sign::TwoTicks => of("icon", "", "m1 8.7 3 3L10.3 5M7 10.8l1 .9L15 4.5"),
            Sign::X => of("icon", "", "m4 4 8 8M12 4l-8 8"),
            Sign::XCircle => of("icon", CIRCLE, "m6 6 4 4M10 6l-4 4"),
        }
    }
}

fn of(class: &'static str, frame: &'static str, strokes: &'static str) -> Drawing {
    Drawing { class, frame, strokes }
}

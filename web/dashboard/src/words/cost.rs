//! What a run costs: money, and room in the context of its model.

/// A cost; none for one that is less than a cent.
#[must_use]
pub fn dollars(cost: Option<f64>) -> Option<String> {
    cost.filter(|cost| *cost >= 0.005).map(|cost| format!("${cost:.2}"))
}

/// Tokens, in thousands.
#[must_use]
pub fn thousands(tokens: u64) -> String {
    format!("{}k tokens", tokens.div_ceil(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounds_to_nothing_is_not_told() {
        assert_eq!(dollars(Some(0.314)).as_deref(), Some("$0.31"));
        assert_eq!([dollars(Some(0.004)), dollars(None)], [None, None]);
        assert_eq!(thousands(76_100), "77k tokens");
    }
}

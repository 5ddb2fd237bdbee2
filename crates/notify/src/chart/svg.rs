//! The drawing as text: one bar for each value, its figure above it, its label below it. What is only
//! a lower bound is hatched and says so; what is not known has no bar.

use std::fmt::Write as _;

use reaper_model::{Currency, Money};
use rust_decimal::prelude::ToPrimitive as _;
use rust_decimal::{Decimal, RoundingStrategy};

/// Width and height, in the pixels of a page; the picture has twice as many.
pub(super) const SIZE: (u32, u32) = (560, 200);

/// Where the bars stand, and how high the highest is.
const BASE: f64 = 168.0;
const HIGHEST: f64 = 104.0;

/// Left and right of the bars.
const MARGIN: f64 = 8.0;

/// From there on figures are in millions.
const MILLIONS: Decimal = Decimal::from_parts(10_000_000, 0, 0, false, 0);

/// A bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bar {
    /// What stands below it.
    pub(crate) label: String,
    /// Its value; `None`: nobody knows.
    pub(crate) value: Option<Decimal>,
    /// Whether that is a lower bound.
    pub(crate) at_least: bool,
}

/// The drawing. `title` says what the figures are, with their unit.
pub(super) fn svg(title: &str, bars: &[Bar]) -> String {
    let (width, height) = SIZE;
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="Inter" font-size="12">
<defs><pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#d6e2f1"/><rect width="3" height="6" fill="#3567a8"/></pattern></defs>
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="12" y="22" font-size="13" font-weight="600" fill="#1f2937">{}</text>
<line x1="{MARGIN}" y1="{BASE}" x2="{}" y2="{BASE}" stroke="#8a97a8"/>
"##,
        escaped(title),
        f64::from(width) - MARGIN,
    );
    let highest = bars.iter().filter_map(|bar| bar.value).max().unwrap_or_default();
    let count = u32::try_from(bars.len().max(1)).unwrap_or(1);
    let slot = (f64::from(width) - 2.0 * MARGIN) / f64::from(count);
    let mut left = MARGIN;
    for bar in bars {
        draw(&mut out, bar, highest, left, slot);
        left += slot;
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, bar: &Bar, highest: Decimal, left: f64, slot: f64) {
    let middle = left + slot / 2.0;
    let share = bar.value.and_then(|value| value.checked_div(highest)).and_then(|it| it.to_f64());
    let height = (share.unwrap_or(0.0).clamp(0.0, 1.0) * HIGHEST).max(1.0);
    let top = BASE - height;
    let mut text = |y: f64, size: u32, weight: u32, fill: &str, text: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            r#"<text x="{middle:.1}" y="{y:.1}" font-size="{size}" font-weight="{weight}" fill="{fill}" text-anchor="middle">{}</text>"#,
            escaped(text)
        );
    };
    text(BASE + 18.0, 12, 400, "#465468", &bar.label);
    let Some(value) = bar.value else {
        return text(BASE - 8.0, 11, 400, "#465468", "unknown");
    };
    text(top - 6.0, 12, 600, "#1f2937", &figure(value));
    if bar.at_least {
        text(top - 20.0, 10, 400, "#465468", "at least");
    }
    let fill = if bar.at_least { "url(#hatched)" } else { "#3567a8" };
    let wide = slot * 0.64;
    let _ = writeln!(
        out,
        r##"<rect x="{:.1}" y="{top:.1}" width="{wide:.1}" height="{height:.1}" fill="{fill}" stroke="#3567a8"/>"##,
        middle - wide / 2.0
    );
}

/// `1,204`, `12.3M`: in whole units, for there is little room. The words beside the picture have all.
fn figure(value: Decimal) -> String {
    let strategy = RoundingStrategy::MidpointAwayFromZero;
    if value >= MILLIONS {
        let millions = value / Decimal::from(1_000_000);
        return format!("{}M", millions.round_dp_with_strategy(1, strategy));
    }
    let whole = Money::new(value.round_dp_with_strategy(0, strategy), Currency::EUR).to_string();
    whole.split('.').next().unwrap_or_default().to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: Option<&str>, at_least: bool) -> Bar {
        let value = value.map(|value| value.parse().expect("a number"));
        Bar { label: "30 Nov".to_owned(), value, at_least }
    }

    #[test]
    fn a_lower_bound_is_hatched_and_says_so_and_unknown_has_no_bar() {
        let drawn = svg("Spent, EUR", &[bar(Some("12.5"), true), bar(None, true)]);
        assert!(drawn.contains(">at least</text>") && drawn.contains(r#"fill="url(#hatched)""#));
        assert!(drawn.contains(">unknown</text>"));
        assert_eq!(drawn.matches(r##"stroke="#3567a8"/>"##).count(), 1);
        let drawn = svg("Spent, EUR", &[bar(Some("12.5"), false)]);
        assert!(!drawn.contains("at least") && !drawn.contains("url(#hatched)\" stroke"));
    }

    #[test]
    fn the_highest_reaches_the_top_and_nothing_is_a_line() {
        let drawn = svg("Spent, EUR", &[bar(Some("100"), false), bar(Some("0"), false)]);
        assert!(drawn.contains(r#"y="64.0" width="174.1" height="104.0""#), "{drawn}");
        assert!(drawn.contains(r#"y="167.0" width="174.1" height="1.0""#), "{drawn}");
        assert!(svg("Spent", &[bar(Some("0"), false)]).contains(r#"height="1.0""#));
        assert!(svg("Spent", &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn figures_are_short_and_the_title_is_text() {
        for (value, shown) in
            [("0.4", "0"), ("1204.75", "1,205"), ("9999999", "9,999,999"), ("12345678", "12.3M")]
        {
            assert_eq!(figure(value.parse().expect("a number")), shown);
        }
        assert!(svg("<b>&", &[]).contains("&lt;b&gt;&amp;"));
    }
}

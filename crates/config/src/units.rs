//! Units that only the configuration writes: [`Percent`], `Threshold` and [`Size`].

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;

/// A share of something, exactly as written: above 0 % and at most 100 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(Decimal);

impl Percent {
    /// A fifth.
    pub(crate) const TWENTY: Self = Self(Decimal::from_parts(20, 0, 0, false, 0));

    /// The number before the `%`: 20 for 20 %.
    pub const fn points(self) -> Decimal {
        self.0
    }
}

impl fmt::Display for Percent {
    /// `20%`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0.normalize()))
    }
}

/// The text is no share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParsePercentError {
    /// It does not end with `%`.
    #[error("`{0}` has no %; write for example \"20%\"")]
    NoSign(String),
    /// What stands before the `%` is no plain decimal number.
    #[error("`{0}` is not a share; write for example \"20%\" or \"12.5%\"")]
    Number(String),
    /// It is not above 0 % and at most 100 %.
    #[error("`{0}` is not a share above 0% and up to 100%")]
    Range(String),
    /// It is not above 0 % and at most 1000 %.
    #[error("`{0}` is not a threshold above 0% and up to 1000%")]
    Threshold(String),
}

/// The number before the `%`.
fn points(text: &str) -> Result<Decimal, ParsePercentError> {
    let number =
        text.strip_suffix('%').ok_or_else(|| ParsePercentError::NoSign(text.to_owned()))?;
    Decimal::from_str_exact(number.trim()).map_err(|_| ParsePercentError::Number(text.to_owned()))
}

impl FromStr for Percent {
    type Err = ParsePercentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let points = points(text)?;
        if points <= Decimal::ZERO || points > Decimal::ONE_HUNDRED {
            return Err(ParsePercentError::Range(text.to_owned()));
        }
        Ok(Self(points))
    }
}

/// A percentage of a budget's limit, exactly as written: above 0 % and at most 1000 %. Two that are
/// equal in value are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Threshold(Decimal);

impl Threshold {
    /// Half.
    pub(crate) const FIFTY: Self = Self(Decimal::from_parts(50, 0, 0, false, 0));
    /// Four fifths.
    pub(crate) const EIGHTY: Self = Self(Decimal::from_parts(80, 0, 0, false, 0));
    /// All of it.
    pub(crate) const WHOLE: Self = Self(Decimal::ONE_HUNDRED);

    /// The most that one may be.
    const LARGEST: Decimal = Decimal::ONE_THOUSAND;

    /// The number before the `%`, without zeros at its end.
    pub(crate) const fn points(self) -> Decimal {
        self.0
    }
}

impl fmt::Display for Threshold {
    /// `80%`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0))
    }
}

impl FromStr for Threshold {
    type Err = ParsePercentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let points = points(text)?;
        if points <= Decimal::ZERO || points > Self::LARGEST {
            return Err(ParsePercentError::Threshold(text.to_owned()));
        }
        Ok(Self(points.normalize()))
    }
}

/// A number of bytes, above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

const UNITS: [(&str, u64); 2] = [("MiB", 1 << 20), ("KiB", 1 << 10)];

impl Size {
    /// So many times 1,048,576 bytes.
    pub(crate) const fn from_mib(number: u64) -> Self {
        Self(number << 20)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Size {
    /// `10 MiB`: in the largest unit in which it is a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.into_iter().find(|(_, bytes)| self.0.is_multiple_of(*bytes));
        let (unit, bytes) = whole.unwrap_or(("bytes", 1));
        f.pad(&format!("{} {unit}", self.0 / bytes))
    }
}

/// The text is no number of bytes above zero.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a size: {problem}; write for example \"10 MiB\" or \"512 KiB\"")]
pub struct ParseSizeError {
    text: String,
    problem: &'static str,
}

impl FromStr for Size {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let fail = |problem| ParseSizeError { text: text.to_owned(), problem };
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| fail("a whole number is expected"))?;
        let unit = unit.trim_start();
        let bytes = UNITS
            .into_iter()
            .find_map(|(name, bytes)| (name == unit).then_some(bytes))
            .ok_or_else(|| fail("the units are KiB and MiB"))?;
        match number.checked_mul(bytes) {
            None => Err(fail("it is too large")),
            Some(0) => Err(fail("it must be above zero")),
            Some(bytes) => Ok(Self(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        let share: Percent = "12.50%".parse().expect("a share");
        assert_eq!(share.to_string(), "12.5%");
        assert_eq!(share.points().to_string(), "12.50");
        assert_eq!("20 %".parse(), Ok(Percent::TWENTY));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["20", "", "%"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
        for text in ["0%", "-1%", "100.0001%"] {
            let range = ParsePercentError::Range(text.to_owned());
            assert_eq!(text.parse::<Percent>(), Err(range));
        }
        assert_eq!("2e1%".parse::<Percent>(), Err(ParsePercentError::Number("2e1%".to_owned())));
    }

    #[test]
    fn fl_117_thresholds_are_exact() {
        for (text, points, shown) in [
            ("49.99%", "49.99", "49.99%"),
            ("50.0 %", "50", "50%"),
            ("79.995%", "79.995", "79.995%"),
            ("80%", "80", "80%"),
            ("100%", "100", "100%"),
            ("1000.00%", "1000", "1000%"),
        ] {
            let threshold: Threshold = text.parse().expect("a threshold");
            assert_eq!(threshold.points().to_string(), points);
            assert_eq!(threshold.to_string(), shown);
        }
        assert_eq!("80.00%".parse(), Ok(Threshold::EIGHTY));
        assert!("79.995%".parse::<Threshold>().expect("a threshold") < Threshold::EIGHTY);
        for text in ["0%", "0.00%", "-0%", "-50%", "1000.01%"] {
            let range = ParsePercentError::Threshold(text.to_owned());
            assert_eq!(text.parse::<Threshold>(), Err(range));
        }
        for text in ["80", "0.8", "", "%", "80 percent", "8e1%", "50%%", "50%-80%"] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_read_back() {
        for (text, bytes, shown) in [
            ("10 MiB", 10_485_760, "10 MiB"),
            ("512KiB", 524_288, "512 KiB"),
            (" 2048 KiB ", 2_097_152, "2 MiB"),
        ] {
            let size: Size = text.parse().expect("a size");
            assert_eq!((size.bytes(), size.to_string().as_str()), (bytes, shown));
        }
        assert_eq!(Size::from_mib(10), "10 MiB".parse().expect("a size"));
        for text in ["10", "10 MB", "1.5 MiB", "0 KiB", "-1 MiB", "", "99999999999999999 MiB"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}

//! A mail that is larger than what is taken: for the log, for the report, and for the recipient of the
//! reduced form.

use crate::delivery::{Delivery, Refused};

/// Who does not take a mail, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Oversize {
    /// A limit that is known before the mail is sent.
    Limit {
        /// The mail, in bytes.
        size: u64,
        /// What it may have.
        limit: u64,
        /// Whose limit it is, for the report.
        whose: String,
        /// The same for a recipient, with a verb.
        says: &'static str,
    },
    /// The server said so when it was sent.
    Said {
        /// What that comes to without a reduced form.
        refusal: Delivery,
    },
}

impl Oversize {
    /// `None` where the mail fits.
    pub(super) fn of(bytes: &[u8], limit: u64, whose: &str, says: &'static str) -> Option<Self> {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        (size > limit).then(|| Self::Limit { size, limit, whose: whose.to_owned(), says })
    }

    /// What it comes to for a mail that has no reduced form.
    pub(super) fn refusal(self) -> Delivery {
        match self {
            Self::Limit { size, limit, whose, .. } => Delivery::Rejected {
                what: Refused::Mail,
                permanent: true,
                why: format!("the mail has {size} bytes, {whose} allows {limit}"),
            },
            Self::Said { refusal } => refusal,
        }
    }

    /// A clause for the recipient of the reduced form.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Limit { size, limit, says, .. } => {
                format!(
                    "the whole of it has {}, and {says} at most {}",
                    shown(*size),
                    shown(*limit)
                )
            }
            Self::Said { .. } => "the mail server refused the whole of it as too large".to_owned(),
        }
    }
}

/// `500 bytes`, `12.5 KiB`, `10 MiB`: cut off, so that a limit never reads larger than it is.
fn shown(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = KIB * KIB;
    let (unit, name) = match bytes {
        MIB.. => (MIB, "MiB"),
        KIB.. => (KIB, "KiB"),
        _ => return format!("{bytes} bytes"),
    };
    let (whole, tenth) = (bytes / unit, bytes % unit * 10 / unit);
    if tenth == 0 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_cut_off() {
        for (bytes, words) in [
            (500, "500 bytes"),
            (1024, "1 KiB"),
            (12_900, "12.5 KiB"),
            (10 << 20, "10 MiB"),
            (u64::MAX, "17592186044415.9 MiB"),
        ] {
            assert_eq!(shown(bytes), words);
        }
    }
}

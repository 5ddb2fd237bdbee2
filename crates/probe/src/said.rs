//! Troubles, told to people once an hour: whoever looks every ten seconds would flood a log.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

/// After this time a trouble that lasts is told again.
const AGAIN: TimeDelta = TimeDelta::hours(1);

/// Troubles that are told within that time; numbers in them may differ each time.
const MOST: usize = 20;

/// What was told, and when.
#[derive(Debug, Default)]
pub struct Said {
    told: BTreeMap<String, DateTime<Utc>>,
    /// Since when no more is told.
    full: Option<DateTime<Utc>>,
}

impl Said {
    /// Those of these that are to be told now.
    pub fn news<'a>(
        &mut self,
        troubles: impl IntoIterator<Item = &'a String>,
        now: DateTime<Utc>,
    ) -> Vec<String> {
        let old = |since: DateTime<Utc>| now - since >= AGAIN || since > now;
        self.told.retain(|_, since| !old(*since));
        self.full = self.full.filter(|since| !old(*since));
        let mut news = Vec::new();
        for trouble in troubles {
            if self.told.contains_key(trouble) || self.full.is_some() {
                continue;
            }
            if self.told.len() >= MOST {
                self.full = Some(now);
                news.push("further troubles are not told for an hour".to_owned());
                continue;
            }
            self.told.insert(trouble.clone(), now);
            news.push(trouble.clone());
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_told_once_an_hour() {
        let mut said = Said::default();
        let begin: DateTime<Utc> = "2026-11-30T09:00:00Z".parse().expect("a time");
        let trouble = ["no GPU can be read".to_owned()];
        let mut told = 0;
        for look in 0..720 {
            told += said.news(&trouble, begin + TimeDelta::seconds(10 * look)).len();
        }
        assert_eq!(told, 2, "in two hours");
    }

    #[test]
    fn what_differs_each_time_is_no_flood_either() {
        let mut said = Said::default();
        let now = "2026-11-30T09:00:00Z".parse().expect("a time");
        let told: usize =
            (0..1000).map(|number| said.news(&[format!("GPU 0: {number}")], now).len()).sum();
        assert_eq!(told, MOST + 1);
    }
}

//! Annotations: what GitHub shows above the log. It takes ten of a kind from a step.

use super::orders::order;

/// Of a kind; one more says how many are missing.
const MOST: usize = 9;
/// Of one annotation, in characters.
const LONGEST: usize = 1_000;

/// The kinds, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Error,
    Warning,
    Notice,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Notice];

    const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// One line for each, as many as are shown, from the worst kind down to `least`.
pub(super) fn lines(found: &[(Kind, String)], least: Kind) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind <= least) {
        let texts: Vec<&String> =
            found.iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).collect();
        lines
            .extend(texts.iter().take(MOST).map(|text| order(kind.name(), "reaper", &short(text))));
        if texts.len() > MOST {
            let rest = format!("and {} more: see the job summary", texts.len() - MOST);
            lines.push(order(kind.name(), "reaper", &rest));
        }
    }
    lines
}

/// Lines become blanks: an annotation is a sentence.
fn short(text: &str) -> String {
    let text = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let text = text.collect::<Vec<_>>().join(" · ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_a_kind_and_how_many_more() {
        let found: Vec<_> = (0..25)
            .map(|number| (Kind::Warning, format!("machine {number}")))
            .chain([(Kind::Error, "first\n  help: second".to_owned())])
            .collect();
        let lines = lines(&found, Kind::Notice);
        assert_eq!(lines.len(), 11);
        assert_eq!(lines[0], "::error title=reaper::first · help: second");
        assert_eq!(lines[9], "::warning title=reaper::machine 8");
        assert_eq!(lines[10], "::warning title=reaper::and 16 more: see the job summary");
    }

    #[test]
    fn who_asks_for_quiet_hears_errors_only() {
        let found = [(Kind::Warning, "a".to_owned()), (Kind::Error, "b".to_owned())];
        assert_eq!(lines(&found, Kind::Error), ["::error title=reaper::b"]);
    }

    #[test]
    fn a_long_name_is_cut() {
        let found = [(Kind::Notice, "é".repeat(10_000))];
        let line = &lines(&found, Kind::Notice)[0];
        assert_eq!(line.chars().count(), "::notice title=reaper::".len() + LONGEST + 1);
    }
}

//! The mail: both parts within their limits, the picture, the list of machines that did not fit, and
//! the reduced form for servers that take little.

use askama::Template;
use reaper_model::document::MachineView;
use url::Url;

use super::budgets::Budget;
use super::contents::Contents;
use super::section::{Line, Section};
use super::sections::{ATTACHED, Most};
use super::trend::Trend;
use super::view::Weekly;
use crate::field::COLUMNS;
use crate::frame::{MOST_HTML, listed, unbroken};
use crate::mail::{Attachment, Image, LONGEST_REASON, List, Mail, Reduced};
use crate::words::wrapped;

/// Rows of the mail, and of its reduced form.
const FULL: Most = Most { machines: 25, others: 10 };
const REDUCED: Most = Most { machines: 5, others: 3 };

/// Stands where the reason for a reduced form is put in. No text from outside holds it: those are
/// cleaned of control characters.
const REASON: char = '\u{1}';

/// What the reason may take when it is put in: `&quot;` for each of its characters.
const ROOM_FOR_REASON: usize = LONGEST_REASON * "&quot;".len();

/// The picture's name, behind `cid:`.
const TREND: &str = "trend@reaper";

/// The weekly mail cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A template failed.
    #[error("the weekly mail cannot be rendered: {0}")]
    Template(#[from] askama::Error),
    /// The list failed.
    #[error("the list of machines cannot be written: {0}")]
    List(String),
    /// The picture failed.
    #[error("the picture of the weeks cannot be drawn: {0}")]
    Chart(String),
}

#[derive(Template)]
#[template(path = "weekly.html")]
struct Html<'a> {
    subject: &'a str,
    headline: &'a str,
    reduced: &'a [String],
    gap: Option<&'a str>,
    unread: Option<&'a (String, Vec<String>)>,
    opening: &'a [String],
    sections: &'a [Section],
    budgets: &'a [Budget],
    more_budgets: Option<&'a str>,
    unallocated: Option<&'a str>,
    trend: Option<&'a Trend>,
    /// What the `img` shows; without it the trend is told in words.
    picture: Option<&'a str>,
    later: &'a [Section],
    remarks: &'a [String],
    closing: &'a [String],
    link: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "weekly.txt")]
struct Text {
    blocks: Vec<Vec<String>>,
}

/// One form of the mail, whole or reduced.
struct Form {
    html: String,
    text: String,
    /// Whether machines are left out of both parts.
    cut: bool,
}

impl Weekly<'_> {
    /// Writes the mail.
    ///
    /// # Errors
    ///
    /// A template, the list or the picture failed.
    pub fn mail(&self) -> Result<Mail, RenderError> {
        let contents = Contents::of(self);
        let trend = Trend::of(self.doc, contents.trend, self.zone);
        let png = trend.as_ref().map(picture).transpose()?.flatten();
        let subject = self.subject(&contents);
        let picture = png.as_ref().map(|_| TREND);
        let whole = self.form(&contents, trend.as_ref(), picture, FULL, &[])?;
        let attachment = whole.cut.then(|| self.list(&contents)).transpose()?;
        let images = png.map(|png| Image { id: TREND, name: "trend.png", png });
        Ok(Mail {
            key: self.key.clone(),
            to: self.to.clone(),
            at: self.at,
            subject,
            text: whole.text,
            html: whole.html,
            references: Some(self.thread.clone()),
            alert: None,
            list: Some(List {
                name: "reaper-weekly",
                unsubscribe: self.contact.and_then(|contact| contact.parse().ok()),
            }),
            images: images.into_iter().collect(),
            attachment,
            reduced: self.reduced(&contents, trend.as_ref())?.map(Box::new),
        })
    }

    /// The form for servers that do not take the whole one.
    fn reduced(
        &self,
        contents: &Contents<'_>,
        trend: Option<&Trend>,
    ) -> Result<Option<Reduced>, RenderError> {
        let place = match self.link {
            Some(link) => format!("where the run can be looked up: {link}"),
            None => "shown by `reaper report`".to_owned(),
        };
        let sentence = [
            "This mail is sent in a reduced form, because".to_owned(),
            format!("{REASON}."),
            format!(
                "It shows fewer machines, has no picture and no attached list; the full one is {place}."
            ),
        ];
        let form = self.form(contents, trend, None, REDUCED, &sentence)?;
        let parts = |text: &str| {
            let (head, tail) = text.split_once(REASON)?;
            Some([head.to_owned(), tail.to_owned()])
        };
        Ok(parts(&form.text).zip(parts(&form.html)).map(|(text, html)| Reduced { text, html }))
    }

    fn form(
        &self,
        contents: &Contents<'_>,
        trend: Option<&Trend>,
        picture: Option<&str>,
        most: Most,
        reduced: &[String],
    ) -> Result<Form, RenderError> {
        let (subject, headline) = (self.subject(contents), self.headline(contents));
        let (gap, unread, opening) = (self.gap(), self.unread(), self.opening(contents));
        let mut sections = self.first_sections(contents, most);
        let mut later = self.later_sections(contents, most);
        let mut budgets = self.budgets(contents, most.others);
        let unallocated = Self::unallocated(contents);
        let (remarks, closing) = (self.remarks(contents), self.closing());
        let link = self.link.filter(|link| is_web(link)).map(Url::as_str);
        let limit = if reduced.is_empty() { MOST_HTML } else { MOST_HTML - ROOM_FOR_REASON };
        loop {
            let hidden = contents.budgets.len() - budgets.len();
            let more_budgets = (hidden > 0)
                .then(|| format!("{} of {} budgets shown.", budgets.len(), contents.budgets.len()));
            let html = Html {
                subject: &subject,
                headline: &headline,
                reduced,
                gap: gap.as_deref(),
                unread: unread.as_ref(),
                opening: &opening,
                sections: &sections,
                budgets: &budgets,
                more_budgets: more_budgets.as_deref(),
                unallocated: unallocated.as_deref(),
                trend,
                picture,
                later: &later,
                remarks: &remarks,
                closing: &closing,
                link,
            }
            .render()?;
            let html = unbroken(&html);
            let length = html.len();
            let over = length > limit;
            if over && shorten((length, limit), &mut sections, &mut later, &mut budgets) {
                continue;
            }
            let mut blocks = vec![wrapped(&headline, COLUMNS)];
            blocks.extend(gap.iter().map(|gap| wrapped(gap, COLUMNS)));
            if !reduced.is_empty() {
                blocks.push(reduced.iter().flat_map(|line| wrapped(line, COLUMNS)).collect());
            }
            if let Some((sentence, gaps)) = &unread {
                let mut lines = wrapped(&format!("!! {sentence}"), COLUMNS);
                lines.extend(listed(gaps.iter().map(|gap| vec![gap.clone()])));
                blocks.push(lines);
            }
            blocks.push(opening.iter().flat_map(|line| wrapped(line, COLUMNS)).collect());
            blocks.extend(sections.iter().map(Section::lines));
            blocks.extend(told(&budgets, more_budgets.as_ref(), unallocated.as_ref()));
            blocks.extend(trend.map(|trend| {
                let mut lines = vec![format!("--- {}", trend.title())];
                lines.extend(trend.lines());
                lines.extend(trend.others.iter().flat_map(|other| wrapped(other, COLUMNS)));
                lines
            }));
            blocks.extend(later.iter().map(Section::lines));
            if !remarks.is_empty() {
                let mut lines = vec!["--- Errors and unknowns".to_owned()];
                lines.extend(listed(remarks.iter().map(|remark| vec![remark.clone()])));
                blocks.push(lines);
            }
            let mut end: Vec<String> =
                closing.iter().flat_map(|line| wrapped(line, COLUMNS)).collect();
            end.extend(link.map(|link| format!("Run: {link}")));
            blocks.push(end);
            let text = Text { blocks }.render()?;
            let lists = sections.iter().chain(&later);
            let cut =
                lists.filter(|list| list.rest == ATTACHED).any(|list| list.rows.len() < list.total);
            return Ok(Form { html, text, cut });
        }
    }

    /// All machines of the reader's.
    fn list(&self, contents: &Contents<'_>) -> Result<Attachment, RenderError> {
        let failed = |error: &dyn std::fmt::Display| RenderError::List(error.to_string());
        let machines = contents.findings().chain(
            contents
                .machines
                .iter()
                .copied()
                .filter(|machine: &&MachineView| !reaper_report::finding::is_finding(machine)),
        );
        let mut csv = Vec::new();
        reaper_report::csv_of(self.doc, machines, &mut csv).map_err(|error| failed(&error))?;
        let csv = String::from_utf8(csv).map_err(|error| failed(&error))?;
        Ok(Attachment { name: "machines.csv", csv })
    }
}

/// Takes rows from the lists that have the most, the more the longer the form is; `false` where none is
/// left.
fn shorten(
    (length, limit): (usize, usize),
    sections: &mut [Section],
    later: &mut [Section],
    budgets: &mut Vec<Budget>,
) -> bool {
    let mut lists: Vec<&mut Section> = sections.iter_mut().chain(later).collect();
    let rows: usize = lists.iter().map(|list| list.rows.len()).sum();
    // Half of what the rows would have to lose if nothing else were there: never too much.
    let surplus = (rows + budgets.len()) * (length - limit) / length / 2;
    for taken in 0..=surplus {
        let longest = lists.iter_mut().map(|list| &mut list.rows).max_by_key(|rows| rows.len());
        let some = match longest {
            Some(rows) if rows.len() > budgets.len() => rows.pop().is_some(),
            _ => budgets.pop().is_some(),
        };
        if !some {
            return taken > 0;
        }
    }
    true
}

/// The budgets as a block of the plain part.
fn told(
    budgets: &[Budget],
    more: Option<&String>,
    unallocated: Option<&String>,
) -> Option<Vec<String>> {
    let mut lines = vec!["--- Budgets".to_owned()];
    for budget in budgets {
        lines.extend(budget.text());
    }
    if !budgets.is_empty() {
        lines.push(reaper_report::budget::LEGEND.join(" · "));
    }
    lines.extend(more.cloned());
    lines.extend(unallocated.iter().flat_map(|text| wrapped(text, COLUMNS)));
    (lines.len() > 1).then_some(lines)
}

/// Whether a link leads into the web and nowhere else.
fn is_web(link: &Url) -> bool {
    matches!(link.scheme(), "https" | "http")
}

#[cfg(feature = "chart")]
fn picture(trend: &Trend) -> Result<Option<Vec<u8>>, RenderError> {
    let bars: Vec<crate::chart::Bar> = trend
        .weeks
        .iter()
        .map(|week| crate::chart::Bar {
            label: week.until.clone(),
            value: week.spent.map(|sum| sum.amount),
            at_least: week.at_least,
        })
        .collect();
    let png = crate::chart::png(&trend.title(), &bars);
    png.map(Some).map_err(|error| RenderError::Chart(error.to_string()))
}

#[cfg(not(feature = "chart"))]
#[expect(clippy::unnecessary_wraps, reason = "as where there are pictures")]
const fn picture(_: &Trend) -> Result<Option<Vec<u8>>, RenderError> {
    Ok(None)
}

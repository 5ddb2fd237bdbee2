//! Both parts of a notice within their limits. Machines that do not fit are in an attached list, so
//! that every machine that a notice is about is in the mail.

use askama::Template;

use super::card::Card;
use super::view::{Notice, Row};
use crate::field::{COLUMNS, Field};
use crate::frame::MOST_HTML;
use crate::mail::Attachment;
use crate::words::{short, wrapped};

/// Machines that are shown in full.
const MOST_CARDS: usize = 25;

/// A notice, written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The subject.
    pub subject: String,
    /// The plain part.
    pub text: String,
    /// The HTML part.
    pub html: String,
    /// All machines as CSV, where not all are shown in the parts.
    pub attachment: Option<Attachment>,
}

/// A notice cannot be written out.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// It is about nothing: there is no such mail.
    #[error("a notice without machines is not sent")]
    Empty,
    /// A template failed.
    #[error("the notice cannot be rendered: {0}")]
    Template(#[from] askama::Error),
    /// The list failed.
    #[error("the list of machines cannot be written: {0}")]
    List(String),
}

#[derive(Template)]
#[template(path = "notice.html")]
struct Html<'a> {
    subject: &'a str,
    headline: &'a str,
    opening: &'a [String],
    cards: &'a [Card],
    more: Option<&'a str>,
    closing: &'a str,
}

#[derive(Template)]
#[template(path = "notice.txt")]
struct Text<'a> {
    headline: &'a str,
    opening: Vec<String>,
    cards: &'a [Card],
    more: Option<&'a str>,
    closing: String,
}

impl Notice {
    /// Writes the notice out.
    pub fn render(&self) -> Result<Rendered, RenderError> {
        if self.rows.is_empty() {
            return Err(RenderError::Empty);
        }
        let mut cards: Vec<Card> =
            self.rows.iter().take(MOST_CARDS).map(|row| Card::of(self, row)).collect();
        let subject = self.subject();
        let headline = self.headline();
        let opening = self.opening();
        let closing = self.closing();
        loop {
            let more = self.more(cards.len());
            let html = Html {
                subject: &subject,
                headline: &headline,
                opening: &opening,
                cards: &cards,
                more: more.as_deref(),
                closing: &closing,
            }
            .render()?;
            // A single card is far below the limit, so this ends with one at the latest.
            if html.len() > MOST_HTML && cards.len() > 1 {
                cards.pop();
                continue;
            }
            let text = Text {
                headline: &headline,
                opening: opening.iter().flat_map(|sentence| wrapped(sentence, COLUMNS)).collect(),
                cards: &cards,
                more: more.as_deref(),
                closing: wrapped(&closing, COLUMNS).join("\n"),
            }
            .render()?;
            let attachment = more.is_some().then(|| self.list()).transpose()?;
            return Ok(Rendered { subject, text, html, attachment });
        }
    }

    fn more(&self, shown: usize) -> Option<String> {
        let hidden = self.rows.len() - shown;
        (hidden > 0).then(|| {
            format!("and {hidden} more: all {} are in the attached {LIST}.", self.rows.len())
        })
    }

    fn closing(&self) -> String {
        let ask = match &self.contact {
            Some(contact) => format!(" Questions: {}.", short(contact, 120)),
            None => String::new(),
        };
        format!("Sent by reaper, which looks for forgotten GPU machines.{ask}")
    }

    /// All machines, one a line.
    fn list(&self) -> Result<Attachment, RenderError> {
        let failed = |error: &dyn std::fmt::Display| RenderError::List(error.to_string());
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMN_NAMES).map_err(|error| failed(&error))?;
        for row in &self.rows {
            writer.write_record(self.cells(row)).map_err(|error| failed(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(&error))?;
        let csv = String::from_utf8(bytes).map_err(|error| failed(&error))?;
        Ok(Attachment { name: LIST, csv })
    }

    fn cells(&self, row: &Row) -> [String; COLUMN_NAMES.len()] {
        let due = row.planned.due().map(|due| due.with_timezone(&self.zone).to_rfc3339());
        [
            row.id.to_string(),
            row.provider.clone(),
            row.account.to_string(),
            row.name.clone().unwrap_or_default(),
            row.machine_type.to_string(),
            row.gpu.clone().unwrap_or_default(),
            row.age.clone().unwrap_or_default(),
            row.cost_so_far.map(|money| money.to_string()).unwrap_or_default(),
            row.per_month.map(|money| money.to_string()).unwrap_or_default(),
            row.reasons.join("; "),
            self.planned(row),
            due.unwrap_or_default(),
            row.keep.last().cloned().unwrap_or_default(),
        ]
        .map(|cell| guarded(&cell))
    }
}

const LIST: &str = "machines.csv";

const COLUMN_NAMES: [&str; 13] = [
    "id",
    "provider",
    "account",
    "name",
    "machine_type",
    "gpu",
    "age",
    "cost_so_far",
    "per_month_if_left",
    "why",
    "planned",
    "due_at",
    "to_keep_it",
];

/// A cell that no spreadsheet takes for a formula, as in all our files.
fn guarded(cell: &str) -> String {
    reaper_report::guarded(&short(cell, 1_000))
}

impl Card {
    /// The card as lines of the plain part.
    fn lines(&self) -> Vec<String> {
        self.fields.iter().flat_map(Field::lines).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::{Kind, fixture};

    fn rendered(notice: &Notice) -> Rendered {
        notice.render().expect("renders")
    }

    #[test]
    fn the_plain_part_reads_like_this() {
        let mut notice = fixture::notice(Kind::Stop);
        notice.rows.truncate(1);
        let expected = "\
1 machine will be stopped, Fri 4 Dec 09:00 CET

You get this mail about these machines because you are named as their owner.
What is announced below happens at the time given there or later, never
before. To prevent it, tag the machine as its \"Why\" asks, stop it yourself, or
keep it in one of the ways named below; any later date will do. If you can do
none of these, answer this mail.
Left running, compute costs 2,520.00 EUR a month.

--- notebook-test · 8 × A100
    will be stopped Fri 4 Dec 2026 09:00 CET (+01:00)
Why                no tag names an owner (rule ownerless)
Owner              -
Where              AWS, account research (111122223333), eu-west-1
Name               notebook-test
Id                 i-0abcdef1234567890
Type               p4d.24xlarge, 8 × A100
Age                30d 0h
Cost so far        2,520.00 EUR
If left            2,520.00 EUR of compute a month
Goes on costing    volume vol-01: 80.00 EUR a month
Is lost            its automatically assigned public address
To keep it         aws ec2 create-tags --region eu-west-1 --resources i-0abcdef1234567890 --tags Key=reaper-keep,Value=2026-12-18
                   reaper keep aws/111122223333/eu-west-1/i-0abcdef1234567890 --until 2026-12-18 --reason \"why it is needed\"
To start it again  aws ec2 start-instances --region eu-west-1 --instance-ids i-0abcdef1234567890
Mind               a GPU of this type may be hard to get back: a restart can
                   fail for lack of capacity

Sent by reaper, which looks for forgotten GPU machines. Questions:
gpu-team@example.org.
";
        assert_eq!(rendered(&notice).text, expected);
    }

    #[test]
    fn fl_149_a_notice_without_machines_is_no_mail() {
        let mut notice = fixture::notice(Kind::Stop);
        notice.rows.clear();
        assert!(matches!(notice.render(), Err(RenderError::Empty)));
    }

    #[test]
    fn fl_133_markup_in_a_name_is_text_and_the_tables_stay_whole() {
        let evil = "<img src=x onerror=alert(1)>\"'&</td></table>";
        let mut notice = fixture::notice(Kind::Stop);
        let tags = |html: &str| html.matches('<').count();
        let before = tags(&rendered(&notice).html);
        let row = &mut notice.rows[0];
        row.name = Some(evil.to_owned());
        row.owner = Some(evil.to_owned());
        row.gpu = Some(evil.to_owned());
        row.age = Some(evil.to_owned());
        row.provider = evil.to_owned();
        row.account = evil.into();
        row.id.native = evil.to_owned();
        row.restart = Some(evil.to_owned());
        for texts in [&mut row.reasons, &mut row.still_charged, &mut row.losses, &mut row.keep] {
            *texts = vec![evil.to_owned(); texts.len()];
        }
        notice.contact = Some(evil.to_owned());
        let Rendered { text, html, .. } = rendered(&notice);
        assert_eq!(tags(&html), before);
        assert!(!html.contains("<img") && html.contains("&#60;img src=x"), "{html}");
        assert!(text.contains(evil));
    }

    #[test]
    fn nothing_in_the_html_part_is_fetched_or_run() {
        let html = rendered(&fixture::notice(Kind::Stop)).html.to_lowercase();
        for banned in
            ["<svg", "<script", "<style", "<form", "<iframe", "<img", "url(", "http", "href"]
        {
            assert!(!html.contains(banned), "{banned}");
        }
        for needed in ["<html lang=\"en\">", "<th scope=\"row\"", "role=\"presentation\""] {
            assert!(html.contains(needed), "{needed}");
        }
        assert_eq!(html.matches("<h1").count(), 1);
    }

    #[test]
    fn fl_106_no_dollar_sign_stands_for_a_currency() {
        let Rendered { subject, text, html, .. } = rendered(&fixture::notice(Kind::Stop));
        assert!(![subject, text, html].iter().any(|part| part.contains('$')));
    }

    fn hostile(number: usize, many: bool) {
        let mut notice = fixture::notice(Kind::Stop);
        let mut row = notice.rows[0].clone();
        let long = "&\u{202e}".repeat(if many { 20 } else { 5_000 });
        row.name = Some(long.clone());
        row.reasons = vec![long.clone(); 20];
        row.still_charged = vec![long; 20];
        notice.rows = vec![row; number];
        let Rendered { text, html, attachment, .. } = rendered(&notice);
        assert!(html.len() <= MOST_HTML && text.len() <= MOST_HTML, "{}", html.len());
        assert!(html.contains("are in the attached machines.csv") && html.ends_with("</html>"));
        assert_eq!(attachment.expect("a list").csv.lines().count(), number + 1);
    }

    #[test]
    fn five_thousand_machines_stay_below_the_limit_and_are_all_in_the_list() {
        hostile(5_000, true);
    }

    #[test]
    fn thirty_machines_with_endless_texts_stay_below_the_limit_and_are_all_in_the_list() {
        hostile(30, false);
    }

    #[test]
    fn twenty_five_ordinary_machines_are_shown_in_full_without_a_list() {
        let mut notice = fixture::notice(Kind::Stop);
        notice.rows = vec![notice.rows[0].clone(); MOST_CARDS];
        let Rendered { html, attachment, .. } = rendered(&notice);
        assert!(html.len() <= MOST_HTML, "{}", html.len());
        assert_eq!((html.matches("<h2").count(), attachment), (MOST_CARDS, None));
    }

    #[test]
    fn no_cell_of_the_list_is_a_formula() {
        for cell in ["=1+1", "+1", "-1", "@x"] {
            assert_eq!(guarded(cell), format!("'{cell}"));
        }
        assert_eq!(guarded("a=1"), "a=1");
    }
}

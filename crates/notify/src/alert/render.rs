//! The mail, both parts of it within their limits.

use askama::Template;
use reaper_report::budget::{Bar, LEGEND};

use super::bar::{Segment, segments};
use super::tables::{Machine, Proposal};
use super::view::Alert;
use crate::field::{COLUMNS, Field};
use crate::frame::{MOST_HTML, listed, unbroken};
use crate::mail::Mail;
use crate::words::{count, wrapped};

/// Machines and stops that are shown.
const MOST_ROWS: usize = 15;

/// Cells of the bar in the plain part.
const CELLS: usize = 75;

#[derive(Template)]
#[template(path = "alert.html")]
struct Html<'a> {
    subject: &'a str,
    headline: &'a str,
    opening: &'a [String],
    bar: &'a [Segment],
    legend: &'a str,
    facts: &'a [Field],
    machines: &'a [Machine],
    more_machines: Option<&'a str>,
    stops: &'a [Proposal],
    more_stops: Option<&'a str>,
    advice: &'a str,
    closing: &'a str,
}

#[derive(Template)]
#[template(path = "alert.txt")]
struct Text<'a> {
    headline: &'a str,
    opening: Vec<String>,
    bar: &'a str,
    legend: &'a str,
    facts: Vec<String>,
    machines: Vec<String>,
    stops: Vec<String>,
    advice: Vec<String>,
    closing: Vec<String>,
}

impl Alert<'_> {
    /// Writes the mail.
    ///
    /// # Errors
    ///
    /// A template failed.
    pub fn mail(&self) -> Result<Mail, askama::Error> {
        let (subject, headline, opening) = (self.subject(), self.headline(), self.opening());
        let (facts, advice, closing) = (self.facts(), self.advice(), self.closing());
        let bar = segments(self.budget);
        let legend = "Dark: spent. Light: forecast. Marks: the thresholds, and the limit at four fifths of the width.";
        let mut machines: Vec<Machine> =
            self.machines.iter().take(MOST_ROWS).map(Machine::of).collect();
        let mut stops: Vec<Proposal> =
            self.stops.iter().take(MOST_ROWS).map(|stop| Proposal::of(self, stop)).collect();
        loop {
            let more_machines = more(self.machines.len() - machines.len(), "machine");
            let more_stops = more(self.stops.len() - stops.len(), "proposed stop");
            let html = Html {
                subject: &subject,
                headline: &headline,
                opening: &opening,
                bar: &bar,
                legend,
                facts: &facts,
                machines: &machines,
                more_machines: more_machines.as_deref(),
                stops: &stops,
                more_stops: more_stops.as_deref(),
                advice: &advice,
                closing: &closing,
            }
            .render()?;
            let html = unbroken(&html);
            // Without rows, a mail is far below the limit.
            if html.len() > MOST_HTML && (machines.pop().is_some() | stops.pop().is_some()) {
                continue;
            }
            let text = Text {
                headline: &headline,
                opening: opening.iter().flat_map(|sentence| wrapped(sentence, COLUMNS)).collect(),
                bar: &Bar::of(self.budget, CELLS).to_string(),
                legend: &LEGEND.join(" · "),
                facts: facts.iter().flat_map(Field::lines).collect(),
                machines: listed(items(machines.iter().map(Machine::item), more_machines)),
                stops: listed(items(stops.iter().map(Proposal::item), more_stops)),
                advice: wrapped(&advice, COLUMNS),
                closing: wrapped(&closing, COLUMNS),
            }
            .render()?;
            return Ok(Mail {
                key: self.key.clone(),
                to: self.to.clone(),
                at: self.at,
                subject,
                text,
                html,
                references: Some(self.thread.clone()),
                alert: Some(self.id.to_owned()),
                list: None,
                images: Vec::new(),
                attachment: None,
                reduced: None,
            });
        }
    }
}

fn items(
    items: impl Iterator<Item = [String; 2]>,
    more: Option<String>,
) -> impl Iterator<Item = Vec<String>> {
    items.map(Vec::from).chain(more.map(|more| vec![more]))
}

fn more(hidden: usize, noun: &str) -> Option<String> {
    (hidden > 0).then(|| format!("and {} more: `reaper audit` lists them", count(hidden, noun)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::fixture::{self, with};
    use crate::alert::{Against, Repeat, Why};

    fn mail(alert: &Alert<'_>) -> Mail {
        alert.mail().expect("renders")
    }

    #[test]
    fn the_plain_part_reads_like_this() {
        let expected = "\
Budget all-gpu: 50 % and 80 % reached

You get this mail because you are a recipient of this budget.
What has been spent in November 2026 has reached 50 % and 80 % of the limit.
Each threshold is told of once a month.

██████████████████████████████│█████████████████│█▒▒▒▒▒▒▒▒▒▒┃▒▒▒▒▒▒▒▒▒·····
█ spent · ▒ forecast · │ threshold · ┃ limit

Spent              4,212.00 EUR of 5,000.00 EUR (84.2 %)
Basis              estimate from running machines
                   bill of aws/research: 1d 8h old, until Sun 29 Nov 2026
                   01:00 CET (+01:00)
                   bill of scaleway/poc could not be read: HTTP 403
Forecast           5,890.00 EUR at the month's end (117.8 %)
                   4,905.50 EUR if the proposed stops happen
                   run rate 4,357.24 EUR
Scope              everything that is looked at
Month              from Sun 1 Nov 2026 00:00 CET (+01:00)
                   until Tue 1 Dec 2026 00:00 CET (+01:00)
                   as of Mon 30 Nov 2026 09:00 CET (+01:00)

--- Dearest machines this month
- notebook-test: 2,436.00 EUR, 3.50 EUR an hour, orphan, owner nobody
  i-0abcdef1234567890 · p4d.24xlarge · aws/research/eu-west-1
- sweep-07: 1,776.00 EUR, gone, owner alice
  0920582c7ff041399e34823a0be62549 · gpu_1x_h100_sxm5 · lambda/burst/us-west-1
- f47ac10b-58cc-4372-a567-0e02b2c3d479: price unknown, ok, owner
  chen@example.org
  L40S-9-48G · scaleway/poc/fr-par-2

--- Proposed stops, and by how much the month would cost less
- notebook-test: 38.50 EUR less · i-0abcdef1234567890
  stop, not before Mon 30 Nov 2026 13:00 CET (+01:00)

This mail stops nothing. Stop what is not needed, or raise the limit in the
configuration: its thresholds then count anew.

Sent by reaper, which watches what GPU machines cost. Alert
all-gpu/2026-11/actual/80%/5000 EUR. Questions: gpu-team@example.org.
";
        with(|alert| {
            assert_eq!(mail(alert).text, expected);
        });
    }

    #[test]
    fn fl_115_the_mail_carries_its_names() {
        with(|alert| {
            let mail = mail(alert);
            assert_eq!(mail.key, alert.key);
            assert_eq!(mail.references.as_ref(), Some(&alert.thread));
            assert_eq!(mail.alert.as_deref(), Some("all-gpu/2026-11/actual/80%/5000 EUR"));
            assert!(mail.text.contains("all-gpu/2026-11/actual/80%/5000 EUR"));
        });
    }

    #[test]
    fn fl_133_markup_in_a_name_is_text_and_the_tables_stay_whole() {
        const EVIL: &str = "<img src=x onerror=alert(1)>\"'&</td></table>";
        let tags = |html: &str| html.matches('<').count();
        let (mut budget, mut machines) = (fixture::budget(), fixture::machines());
        let (mut stops, mut bills) = (fixture::stops(), fixture::bills());
        with(|alert| {
            budget.why = vec!["x".to_owned()];
            let before =
                mail(&Alert { budget: &budget, why: Why::InsteadOf("x"), ..alert.clone() });
            budget.name = EVIL.to_owned();
            budget.why = vec![EVIL.to_owned()];
            budget.percent = EVIL.to_owned();
            for row in &mut machines {
                row.name = row.name.as_ref().map(|_| EVIL.to_owned());
                row.owner = row.owner.as_ref().map(|_| EVIL.to_owned());
                row.account = EVIL.into();
                row.machine_type = EVIL.into();
                row.id.native = EVIL.to_owned();
            }
            stops[0].name = Some(EVIL.to_owned());
            stops[0].id.native = EVIL.to_owned();
            bills[0].account = EVIL.into();
            bills[1].why = Some(EVIL.to_owned());
            let covers = ["50%".to_owned(), EVIL.to_owned()];
            let evil = mail(&Alert {
                budget: &budget,
                machines: &machines,
                stops: &stops,
                bills: &bills,
                covers: &covers,
                id: EVIL,
                scope: Some(EVIL),
                contact: Some(EVIL),
                why: Why::InsteadOf(EVIL),
                ..alert.clone()
            });
            assert_eq!(tags(&evil.html), tags(&before.html));
            assert!(!evil.html.contains("<img") && evil.html.contains("&#60;img src=x"));
            assert!(evil.text.contains("<img src=x"));
        });
    }

    #[test]
    fn nothing_in_the_html_part_is_fetched_or_run() {
        with(|alert| {
            let html = mail(alert).html.to_lowercase();
            for banned in [
                "<svg", "<script", "<style", "<form", "<iframe", "<img", "url(", "http:", "https",
                "href",
            ] {
                assert!(!html.contains(banned), "{banned}");
            }
            for needed in [
                "<html lang=\"en\">",
                "<th scope=\"row\"",
                "<th scope=\"col\"",
                "role=\"presentation\"",
                "<caption",
            ] {
                assert!(html.contains(needed), "{needed}");
            }
            assert_eq!(html.matches("<h1").count(), 1);
        });
    }

    #[test]
    fn fl_106_every_amount_has_its_code_and_no_sign_stands_for_one() {
        with(|alert| {
            let Mail { subject, text, html, .. } = mail(alert);
            for part in [subject, text, html] {
                assert!(!part.contains(['$', '€']), "{part}");
                for (at, _) in part.match_indices(".00 ").chain(part.match_indices(".50 ")) {
                    assert!(part[at + 4..].starts_with("EUR"), "{}", &part[at..at + 20]);
                }
            }
        });
    }

    #[test]
    fn fl_147_no_control_character_gets_into_a_part() {
        let text = "a\u{1b}[31m\u{7}\r\n::error::x\u{202e}\u{200b}\u{9b}2J";
        let mut machines = fixture::machines();
        machines[0].name = Some(text.to_owned());
        machines[0].owner = Some(text.to_owned());
        with(|alert| {
            let alert = Alert { machines: &machines, scope: Some(text), id: text, ..alert.clone() };
            let mail = mail(&alert);
            for part in [&mail.text, &mail.html, &mail.subject] {
                assert!(!part.contains(|c: char| c.is_control() && c != '\n'), "{part:?}");
                assert!(!part.contains(['\u{202e}', '\u{200b}']));
                assert!(part.lines().all(|line| !line.starts_with("::")));
            }
        });
    }

    #[test]
    fn five_thousand_machines_with_endless_texts_stay_below_the_limit() {
        let long = "&\u{202e}".repeat(5_000);
        let mut budget = fixture::budget();
        budget.why = vec![long.clone(); 20];
        budget.name.clone_from(&long);
        let mut row = fixture::machines().remove(0);
        row.name = Some(long.clone());
        row.owner = Some(long.clone());
        row.id.native.clone_from(&long);
        let mut stop = fixture::stops().remove(0);
        stop.name = Some(long.clone());
        let mut bill = fixture::bills().remove(1);
        bill.why = Some(long.clone());
        let (rows, stops, bills) = (vec![row; 5_000], vec![stop; 5_000], vec![bill; 500]);
        with(|alert| {
            let mail = mail(&Alert {
                budget: &budget,
                machines: &rows,
                stops: &stops,
                bills: &bills,
                scope: Some(&long),
                contact: Some(&long),
                why: Why::InsteadOf(&long),
                repeat: Some(Repeat::NoHistory),
                ..alert.clone()
            });
            assert!(mail.html.len() <= MOST_HTML, "{}", mail.html.len());
            assert!(mail.text.len() <= MOST_HTML, "{}", mail.text.len());
            assert!(mail.html.contains("machines more: ") && mail.html.ends_with("</html>"));
        });
    }

    #[test]
    fn an_alert_without_machines_and_stops_has_no_empty_tables() {
        with(|alert| {
            alert.machines = &[];
            alert.stops = &[];
            alert.against = Against::Forecast;
            let mail = mail(alert);
            assert!(
                !mail.html.contains("<caption") && !mail.text.contains("Dearest"),
                "{}",
                mail.text
            );
        });
    }
}

//! The lists of a weekly mail, each with the sums over all of it.

use reaper_model::MachineType;
use reaper_model::document::{ChangeView, KeptView, MachineView, SpendView, StoppedView};

use super::contents::{Contents, Sum, per_month, so_far};
use super::machine::known;
use super::reader::Reader;
use super::section::{Amount, Line, Row, Section, grouped};
use super::view::Weekly;
use crate::words::{amounts, count, in_full, listed, outside, sentence};

/// Characters of a name, an id, an owner.
pub(super) const LONGEST: usize = 80;

/// Characters of a reason.
const LONGEST_SENTENCE: usize = 160;

/// Bounds of the brake that are shown.
const MOST_REASONS: usize = 3;

/// Where machines are that are not shown.
pub(super) const ATTACHED: &str = "all are in the attached machines.csv";

/// Where other rows are that are not shown.
pub(super) const ELSEWHERE: &str = "`reaper report` lists all of them";

/// Rows that each list shows at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// Of machines that cost money.
    pub(super) machines: usize,
    /// Of all else.
    pub(super) others: usize,
}

impl Weekly<'_> {
    /// What can still be prevented, and what was stopped.
    pub(super) fn first_sections(&self, contents: &Contents<'_>, most: Most) -> Vec<Section> {
        let all = [
            self.held(contents, most.machines),
            self.announced(contents, most.machines),
            self.stopped(contents, most.machines),
        ];
        all.into_iter().flatten().collect()
    }

    /// What was found besides, left behind and would do for less, what came, went, is kept, and who
    /// runs what.
    pub(super) fn later_sections(&self, contents: &Contents<'_>, most: Most) -> Vec<Section> {
        let all = [
            self.forgotten(contents, most.machines),
            self.left_behind(&contents.leftovers, most.others),
            self.advice(&contents.advice, most.others),
            self.changes("New", &contents.new, most.others),
            self.changes("Gone", &contents.gone, most.others),
            self.owners(contents.spend, most.others),
            self.kept(&contents.kept, most.others),
        ];
        all.into_iter().flatten().collect()
    }

    /// What is due and was not done: the brake lets nothing through.
    fn held(&self, contents: &Contents<'_>, most: usize) -> Option<Section> {
        // They count everybody's machines.
        let plan = self.doc.plan.as_ref().filter(|_| self.reader == Reader::Digest);
        let reasons = plan.iter().flat_map(|plan| &plan.held).take(MOST_REASONS);
        let mut note: Vec<String> =
            reasons.map(|why| format!("{}.", sentence(outside(why, LONGEST_SENTENCE)))).collect();
        note.insert(0, "Due, and nothing was done.".to_owned());
        let title = "Held by the brake";
        self.stakes(title, &contents.held, note, most)
    }

    fn announced(&self, contents: &Contents<'_>, most: usize) -> Option<Section> {
        let title = if self.doc.enforces { "Will be stopped" } else { "Stops that were announced" };
        let mut note = Vec::new();
        if !self.doc.enforces {
            note.push(
                "The run that sent this mail stops nothing; the next one that enforces does."
                    .to_owned(),
            );
        }
        self.stakes(title, &contents.announced, note, most)
    }

    /// Machines of which one can still prevent something.
    fn stakes(
        &self,
        title: &str,
        machines: &[&MachineView],
        said: Vec<String>,
        most: usize,
    ) -> Option<Section> {
        let sums = per_month(machines.iter().copied()).words();
        let mut note: Vec<String> =
            sums.map(|sums| format!("At stake: {sums} a month of compute.")).into_iter().collect();
        note.extend(said);
        note.push(
            "To keep one, use a way that is named with it, with any later day; or tag it as its reason asks, stop it yourself, or answer this mail."
                .to_owned(),
        );
        (!machines.is_empty()).then(|| Section {
            title: titled(title, machines.len()),
            urgent: true,
            note,
            heads: ["Machine", "Cost"],
            rows: machines.iter().take(most).map(|machine| self.machine(machine)).collect(),
            total: machines.len(),
            rest: ATTACHED,
        })
    }

    fn forgotten(&self, contents: &Contents<'_>, most: usize) -> Option<Section> {
        let machines = &contents.forgotten;
        let mut note = Vec::new();
        let sums = [
            (so_far(machines.iter().copied()), "so far"),
            (per_month(machines.iter().copied()), "a month if left"),
        ];
        let sums: Vec<String> = sums
            .iter()
            .filter_map(|(sum, when)| Some(format!("{} {when}", sum.words()?)))
            .collect();
        if !sums.is_empty() {
            note.push(format!("Together {}.", sums.join(", ")));
        }
        (!machines.is_empty()).then(|| Section {
            title: titled("Look forgotten, no stop announced", machines.len()),
            note,
            heads: ["Machine", "Cost"],
            rows: machines.iter().take(most).map(|machine| self.machine(machine)).collect(),
            total: machines.len(),
            rest: ATTACHED,
            ..Section::default()
        })
    }

    fn stopped(&self, contents: &Contents<'_>, most: usize) -> Option<Section> {
        let stopped = &contents.stopped;
        let saved = Sum::of(stopped.iter().map(|stopped| stopped.saved));
        let saved = saved.words().unwrap_or_else(|| "not known".to_owned());
        let mut note = vec![format!("Saved by that so far: {saved} (compute at list price).")];
        let possible = per_month(contents.findings()).words();
        note.extend(possible.map(|sums| {
            format!("Possible besides, and not saved yet: {sums} a month by what this mail finds.")
        }));
        (!stopped.is_empty()).then(|| Section {
            title: titled("Stopped since the last report", stopped.len()),
            note,
            heads: ["Machine", "Saved"],
            rows: stopped.iter().take(most).map(|stopped| self.stop(stopped)).collect(),
            total: stopped.len(),
            rest: ELSEWHERE,
            ..Section::default()
        })
    }

    fn stop(&self, stopped: &StoppedView) -> Row {
        let mut beside =
            vec![known(stopped.machine_type.as_ref().map(MachineType::as_str), LONGEST)];
        beside.extend(self.owner(stopped.owner.as_deref()));
        let rule = match &stopped.rule {
            Some(rule) => format!("decided by rule {}", outside(rule, LONGEST)),
            None => "by a rule that is no longer known".to_owned(),
        };
        let at = in_full(stopped.at.to_utc(), self.zone);
        let mut lines = vec![Line::Plain(format!("{} {at}, {rule}", stopped.verb.done()))];
        lines.extend(stopped.running_again.map(|at| {
            Line::Loud(format!("running again since {}", in_full(at.to_utc(), self.zone)))
        }));
        lines.push(Line::Small(place(&stopped.id, stopped.account.as_ref())));
        Row {
            name: known(stopped.name.as_deref(), LONGEST),
            beside: beside.join(" · "),
            lines,
            right: vec![Amount::of(stopped.saved)],
        }
    }

    fn changes(&self, title: &str, changes: &[&ChangeView], most: usize) -> Option<Section> {
        let mut note = Vec::new();
        let sum = Sum::of(changes.iter().map(|change| change.cost));
        note.extend(sum.words().map(|sums| format!("Together {sums} in this time.")));
        (!changes.is_empty()).then(|| Section {
            title: titled(&format!("{title} since the last report"), changes.len()),
            note,
            heads: ["Machine", "Cost"],
            rows: changes.iter().take(most).map(|change| self.change(title, change)).collect(),
            total: changes.len(),
            rest: ELSEWHERE,
            ..Section::default()
        })
    }

    fn change(&self, title: &str, change: &ChangeView) -> Row {
        let mut beside =
            vec![known(change.machine_type.as_ref().map(MachineType::as_str), LONGEST)];
        beside.extend(self.owner(change.owner.as_deref()));
        let seen = if title == "New" { "first seen" } else { "first missed" };
        let at = in_full(change.at.to_utc(), self.zone);
        Row {
            name: known(change.name.as_deref(), LONGEST),
            beside: beside.join(" · "),
            lines: vec![
                Line::Plain(format!("{seen} {at}")),
                Line::Small(place(&change.id, change.account.as_ref())),
            ],
            right: vec![Amount::of(change.cost)],
        }
    }

    fn kept(&self, kept: &[&KeptView], most: usize) -> Option<Section> {
        let sum = Sum::of(kept.iter().map(|kept| kept.per_month));
        let note = sum.words().map(|sums| format!("Together {sums} a month."));
        (!kept.is_empty()).then(|| Section {
            title: titled("Kept by exception", kept.len()),
            note: note.into_iter().collect(),
            heads: ["Machine", "A month"],
            rows: kept.iter().take(most).map(|kept| self.keeping(kept)).collect(),
            total: kept.len(),
            rest: ELSEWHERE,
            ..Section::default()
        })
    }

    fn keeping(&self, kept: &KeptView) -> Row {
        let until = match kept.until {
            Some(until) => format!("lapses {}", in_full(until.to_utc(), self.zone)),
            None => "does not lapse by itself".to_owned(),
        };
        let mut beside: Vec<String> = kept.new.then(|| "new".to_owned()).into_iter().collect();
        beside.extend(self.owner(kept.owner.as_deref()));
        Row {
            name: known(kept.name.as_deref(), LONGEST),
            beside: beside.join(" · "),
            lines: vec![
                Line::Plain(format!("{until}; {}", known(Some(&kept.why), LONGEST_SENTENCE))),
                Line::Small(known(Some(&kept.id), 2 * LONGEST)),
            ],
            right: vec![Amount::of(kept.per_month)],
        }
    }

    /// Who has spent how much, what nobody answers for last.
    fn owners(&self, spend: &[SpendView], most: usize) -> Option<Section> {
        let (nobody, named): (Vec<&SpendView>, Vec<&SpendView>) =
            spend.iter().partition(|row| row.owner.is_none());
        let shown = named.iter().take(most).chain(&nobody);
        let from = in_full(self.doc.period.from.to_utc(), self.zone);
        (!spend.is_empty()).then(|| Section {
            title: titled("Who runs what", spend.len()),
            note: vec![format!("Spent since {from}.")],
            heads: ["Owner", "Spent"],
            rows: shown.map(|row| spender(row)).collect(),
            total: spend.len(),
            rest: ELSEWHERE,
            ..Section::default()
        })
    }

    /// For a reader who gets everything, whose it is.
    pub(super) fn owner(&self, owner: Option<&str>) -> Option<String> {
        let owner = owner.map(|owner| outside(owner, LONGEST)).filter(|owner| !owner.is_empty());
        let digest = self.reader == Reader::Digest;
        digest.then(|| format!("owner {}", owner.unwrap_or_else(|| "nobody".to_owned())))
    }
}

fn spender(row: &SpendView) -> Row {
    let least = if row.unpriced > 0 { "at least " } else { "" };
    let sums = amounts(row.spent.iter().copied());
    let mut beside = vec![count(row.machines, "machine")];
    if row.unpriced > 0 {
        beside.push(format!("{} without a price", row.unpriced));
    }
    Row {
        name: row
            .owner
            .as_deref()
            .map_or_else(|| "nobody".to_owned(), |owner| known(Some(owner), LONGEST)),
        beside: beside.join(", "),
        lines: Vec::new(),
        right: vec![Amount {
            sum: sums.map_or_else(|| "unknown".to_owned(), |sums| format!("{least}{sums}")),
            what: "",
        }],
    }
}

/// Id and the account's name.
fn place(id: &str, account: Option<&reaper_model::AccountName>) -> String {
    let account = known(account.map(reaper_model::AccountName::as_str), LONGEST);
    format!("{} · account {account}", outside(id, 2 * LONGEST))
}

pub(super) fn titled(title: &str, number: usize) -> String {
    format!("{title} ({})", grouped(number))
}

/// Names in a sentence, the first of them only.
pub(super) fn first_of<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let all = names.len();
    let mut shown: Vec<String> = names.take(most).map(|name| outside(name, LONGEST)).collect();
    if all > shown.len() {
        shown.push(format!("{} more", grouped(all - shown.len())));
    }
    listed(&shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    const MOST: Most = Most { machines: 25, others: 10 };

    fn text(doc: &reaper_model::AuditDocument) -> String {
        let weekly = fixture::digest(doc);
        let contents = Contents::of(&weekly);
        let mut all = weekly.first_sections(&contents, MOST);
        all.extend(weekly.later_sections(&contents, MOST));
        let lines: Vec<String> = all.iter().flat_map(Section::lines).collect();
        lines.join("\n")
    }

    #[test]
    fn what_is_saved_stands_apart_from_what_could_be() {
        let text = text(&fixture::weekly());
        assert!(text.contains("Saved by that so far: 322.50 EUR"), "{text}");
        assert!(text.contains("Possible besides, and not saved yet: 5,475.00 EUR and"), "{text}");
        assert!(text.contains("running again since Wed 25 Nov 2026 15:00 CET (+01:00)"), "{text}");
    }

    #[test]
    fn nobody_stands_last_however_much_that_is() {
        let mut doc = fixture::weekly();
        for number in 0..30 {
            let mut row = doc.spend[0].clone();
            row.owner = Some(format!("owner-{number}"));
            doc.spend.push(row);
        }
        let text = text(&doc);
        let owners = text.split("--- Who runs what (33)").nth(1).expect("owners");
        let owners = owners.split("---").next().expect("its end");
        assert!(owners.contains("- nobody · 2 machines, 1 without a price: at least 1,210.00 EUR"));
        assert!(owners.contains("11 of 33 shown"), "{owners}");
        assert!(owners.find("nobody") > owners.find("owner-7"), "{owners}");
    }

    #[test]
    fn brake_stops_everything_what_is_held_is_a_list_of_its_own() {
        let text = text(&fixture::braked());
        let (held, others) = text.split_once("--- Will be stopped (1)").expect("two lists");
        assert!(held.starts_with("--- Held by the brake (2)\n"), "{held}");
        assert!(held.contains("Due, and nothing was done."), "{held}");
        assert!(held.contains("limits.max_share is 15 %"), "{held}");
        assert!(!held.contains("will be stopped"), "{held}");
        assert!(others.contains("will be stopped Fri 4 Dec 2026 09:00"), "{others}");
    }
}

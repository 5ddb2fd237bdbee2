//! Texts from outside as an attacker would choose them, in every place of a weekly mail.

use reaper_model::AuditDocument;

use super::fixture::{self, digest, to_owner};
use super::mail;
use crate::Mail;
use crate::address::Address;
use crate::frame::MOST_HTML;

/// The week with one text in every field that comes from outside.
fn poisoned(text: &str) -> AuditDocument {
    let mut doc = fixture::weekly();
    let some = || Some(text.to_owned());
    for machine in &mut doc.instances {
        machine.name = some();
        machine.native_id = text.to_owned();
        machine.provider_state = text.to_owned();
        machine.machine_type = text.into();
        machine.location = text.into();
        machine.account = text.into();
        machine.why = text.to_owned();
        machine.age_hours = some();
        machine.owner.id = machine.owner.id.as_ref().map(|_| text.to_owned());
        machine.action.why = some();
        machine.action.loses = vec![text.to_owned()];
        if let Some(gpu) = &mut machine.gpu {
            text.clone_into(&mut gpu.model);
        }
        for finding in &mut machine.findings {
            text.clone_into(&mut finding.explanation);
            text.clone_into(&mut finding.rule);
        }
        for charged in &mut machine.action.still_charged {
            text.clone_into(&mut charged.kind);
            text.clone_into(&mut charged.id);
        }
    }
    for machine in &mut doc.instances {
        let usage = &mut machine.utilisation;
        for said in [&mut usage.why, &mut usage.summary, &mut usage.source, &mut usage.gpu_peak] {
            *said = said.as_ref().map(|_| text.to_owned());
        }
        for advice in &mut machine.advice {
            text.clone_into(&mut advice.text);
        }
    }
    for leftover in &mut doc.leftovers {
        leftover.name = leftover.name.as_ref().map(|_| text.to_owned());
        text.clone_into(&mut leftover.id);
        text.clone_into(&mut leftover.native_id);
        leftover.account = text.into();
        leftover.age_why = leftover.age_why.as_ref().map(|_| text.to_owned());
        leftover.price_why = leftover.price_why.as_ref().map(|_| text.to_owned());
        leftover.of = leftover.of.as_ref().map(|_| text.to_owned());
        leftover.owner.id = leftover.owner.id.as_ref().map(|_| text.to_owned());
    }
    for scope in &mut doc.scopes {
        scope.why = scope.why.as_ref().map(|_| text.to_owned());
        scope.location = Some(text.into());
        scope.account = text.into();
    }
    for budget in &mut doc.budgets {
        text.clone_into(&mut budget.name);
        text.clone_into(&mut budget.percent);
        budget.why = vec![text.to_owned()];
    }
    for row in &mut doc.spend {
        row.owner = row.owner.as_ref().map(|_| text.to_owned());
    }
    for warning in &mut doc.warnings {
        text.clone_into(&mut warning.text);
        warning.subject = some();
    }
    text.clone_into(&mut doc.run_id);
    text.clone_into(&mut doc.config.digest);
    if let Some(report) = &mut doc.report {
        for change in report.new.iter_mut().chain(&mut report.gone) {
            text.clone_into(&mut change.id);
            change.account = Some(text.into());
            change.name = some();
            change.machine_type = Some(text.into());
            change.owner = some();
        }
        for kept in &mut report.kept {
            text.clone_into(&mut kept.id);
            text.clone_into(&mut kept.why);
            kept.name = some();
            kept.owner = some();
        }
        for stopped in &mut report.stopped {
            text.clone_into(&mut stopped.id);
            stopped.account = Some(text.into());
            stopped.name = some();
            stopped.rule = some();
            stopped.owner = some();
        }
    }
    doc
}

fn parts(doc: &AuditDocument) -> Vec<Mail> {
    let alice: Address = "alice@example.org".parse().expect("an address");
    let digest = mail(&digest(doc));
    let reduced = digest.reduced("it is too large").expect("a reduced form");
    vec![mail(&to_owner(doc, &alice)), reduced, digest]
}

#[test]
fn fl_133_markup_is_text_and_the_tables_stay_whole() {
    const EVIL: &str = "<img src=x onerror=alert(1)>\"'&</td></table>";
    let tags = |html: &str| html.matches('<').count();
    for (before, evil) in parts(&poisoned("x")).iter().zip(parts(&poisoned(EVIL))) {
        assert_eq!(tags(&evil.html), tags(&before.html));
        assert!(!evil.html.contains("<img src=x") && evil.html.contains("&#60;img src=x"));
        assert!(evil.text.contains("<img src=x"));
    }
}

#[test]
fn fl_147_no_control_character_gets_into_a_part() {
    let doc = poisoned("a\u{1b}[31m\u{7}\u{1}\r\n::error::x\u{202e}\u{200b}\u{9b}2J");
    for mail in parts(&doc) {
        for part in [&mail.text, &mail.html, &mail.subject] {
            assert!(!part.contains(|c: char| c.is_control() && c != '\n'), "{part:?}");
            assert!(!part.contains(['\u{202e}', '\u{200b}']));
            assert!(part.lines().all(|line| !line.starts_with("::")));
        }
    }
}

#[test]
fn fl_134_no_line_break_gets_into_a_header() {
    let doc = poisoned("x\r\nBcc: thief@example.net");
    for mail in parts(&doc) {
        assert!(!mail.subject.contains(['\r', '\n']), "{:?}", mail.subject);
    }
}

#[test]
fn nothing_from_outside_becomes_a_link() {
    for mail in parts(&poisoned("https://evil.example/login")) {
        for part in [&mail.text, &mail.html] {
            assert!(!part.contains("://"), "{part}");
        }
    }
}

#[test]
fn endless_texts_everywhere_stay_below_the_limit() {
    let mut doc = poisoned(&"&\u{202e}".repeat(2_500));
    for index in [0, 2] {
        let machine = doc.instances[index].clone();
        doc.instances.extend(vec![machine; 40]);
    }
    let budgets = doc.budgets.clone();
    doc.budgets.extend(budgets.into_iter().cycle().take(50));
    let scopes = doc.scopes.clone();
    doc.scopes.extend(scopes.into_iter().cycle().take(200).enumerate().map(
        |(index, mut scope)| {
            scope.account = format!("a-{index}").as_str().into();
            scope
        },
    ));
    if let Some(report) = &mut doc.report {
        report.stopped = report.stopped.iter().cycle().take(200).cloned().collect();
        report.new = report.new.iter().cycle().take(200).cloned().collect();
        report.kept = report.kept.iter().cycle().take(200).cloned().collect();
    }
    for mail in parts(&doc) {
        assert!(mail.html.len() <= MOST_HTML, "{}", mail.html.len());
        assert!(mail.text.len() <= MOST_HTML, "{}", mail.text.len());
        assert!(mail.html.ends_with("</html>"));
    }
}

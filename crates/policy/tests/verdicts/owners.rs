//! Whose a machine is (field cases of kind C).

use reaper_model::document::{OwnerStatus, Verdict, WantedAction};
use reaper_model::{Fact, Ignorance, Tag, Tags};
use reaper_policy::{Conditions, Directory, Employment, OwnerSpec, Person, PolicySpec};

use crate::build::{judge, known, machine, ownerless, rule, unread};

fn person(owner: &str, email: Option<&str>, status: Employment) -> Person {
    Person {
        owner: owner.to_owned(),
        email: email.map(str::to_owned),
        team: Some("vision".to_owned()),
        status,
    }
}

fn with_directory() -> PolicySpec {
    let (directory, doubled) = Directory::new(vec![
        person("alice", Some("alice.a@example.org"), Employment::Active),
        person("bob", Some("bob@example.org"), Employment::Departed),
    ]);
    assert!(doubled.is_empty());
    let owners = OwnerSpec {
        domain: Some("example.org".to_owned()),
        directory: Some(directory),
        ..OwnerSpec::default()
    };
    PolicySpec { owners, ..ownerless() }
}

#[test]
fn fl_026_two_spellings_with_different_values_conflict_in_any_order() {
    let one = machine(&[("Owner", "a@example.org"), ("owner", "b@example.org")]);
    let other = machine(&[("owner", "b@example.org"), ("Owner", "a@example.org")]);
    let mut spec = ownerless();
    spec.rules[0].when.owner.push(OwnerStatus::Conflicting);
    let judgement = judge(spec.clone(), &one);
    assert_eq!(judgement, judge(spec, &other));
    assert_eq!(judgement.owner.status, OwnerStatus::Conflicting);
    assert_eq!(judgement.owner.names, ["a@example.org", "b@example.org"]);
    assert_eq!(judgement.wanted, Some(WantedAction::Report), "the rule asks for stop");
}

#[test]
fn fl_026_two_spellings_with_one_value_agree() {
    let judgement = judge(ownerless(), &machine(&[("Owner", "a@x.org"), ("owner", "A@x.org ")]));
    assert_eq!(judgement.owner.status, OwnerStatus::Known);
}

#[test]
fn fl_027_empty_and_absent_both_count_and_differ_in_wording_and_code() {
    let empty = judge(ownerless(), &machine(&[("owner", " \u{a0}")]));
    let absent = judge(ownerless(), &machine(&[("project", "atlas")]));
    for judgement in [&empty, &absent] {
        assert_eq!(judgement.verdict, Verdict::Orphan);
    }
    assert_eq!(empty.rules[0].reason, "owner-empty");
    assert_eq!(absent.rules[0].reason, "owner-absent");
    assert_ne!(empty.why, absent.why);
    assert!(empty.why.contains("owner=\" \\u{a0}\""), "blanks are shown quoted: {}", empty.why);
}

#[test]
fn fl_027_a_rule_for_empty_never_matches_a_missing_key() {
    let mut spec = ownerless();
    spec.rules[0].when.owner = vec![OwnerStatus::Empty];
    assert_eq!(judge(spec.clone(), &machine(&[("owner", "")])).verdict, Verdict::Orphan);
    assert_eq!(judge(spec, &machine(&[])).verdict, Verdict::Ok);
}

#[test]
fn fl_028_words_that_look_like_nothing_are_ordinary() {
    for word in ["none", "null", "None", "NaN", "false", "0"] {
        let judgement = judge(ownerless(), &machine(&[("owner", word)]));
        assert_eq!(judgement.owner.status, OwnerStatus::Known, "{word}");
    }
    let spec = PolicySpec { placeholders: vec!["None".to_owned()], ..ownerless() };
    let judgement = judge(spec, &machine(&[("owner", "none")]));
    assert_eq!(judgement.owner.status, OwnerStatus::Empty);
    assert!(judgement.why.contains("placeholder"), "{}", judgement.why);
}

#[test]
fn fl_029_no_tags_at_all_is_an_absent_owner() {
    let mut empty_list = machine(&[]);
    empty_list.tags = known(Tags::default());
    for instance in [machine(&[]), empty_list] {
        assert_eq!(judge(ownerless(), &instance).owner.status, OwnerStatus::Absent);
    }
}

#[test]
fn fl_030_bare_names_are_completed_and_nobody_without_at_is_mailed() {
    let mut spec = ownerless();
    let short = machine(&[("owner", "r.example")]);
    assert_eq!(judge(spec.clone(), &short).owner.emails, Vec::<String>::new());
    spec.owners.domain = Some("example.org".to_owned());
    assert_eq!(judge(spec, &short).owner.emails, ["r.example@example.org"]);
}

#[test]
fn fl_032_several_owners_in_one_tag() {
    for text in [
        "a@example.org; b@example.org",
        "a@example.org,b@example.org",
        "a@example.org / b@example.org",
        "a@example.org b@example.org",
        "a@example.org;; A@example.org ,b@example.org;",
        "a@example.org; broken.@; b@example.org",
        "Ann Lee <a@example.org>, mailto:b@example.org",
        "a@example.org (vision) b@example.org",
    ] {
        let owner = judge(ownerless(), &machine(&[("owner", text)])).owner;
        assert_eq!(owner.emails, ["a@example.org", "b@example.org"], "{text}");
    }
}

#[test]
fn separators_alone_name_nobody() {
    for text in [";", "/", " , ", ";;|"] {
        for spec in [ownerless(), with_directory()] {
            let owner = judge(spec, &machine(&[("owner", text)])).owner;
            assert!(
                matches!(
                    owner.status,
                    OwnerStatus::Empty | OwnerStatus::Unknown | OwnerStatus::Known
                ),
                "{text:?}"
            );
            assert_ne!(owner.status, OwnerStatus::Departed, "{text:?}");
        }
    }
    assert_eq!(judge(ownerless(), &machine(&[("owner", ";")])).owner.status, OwnerStatus::Empty);
    assert_eq!(judge(ownerless(), &machine(&[("owner", "n/a")])).owner.names, ["n/a"]);
}

#[test]
fn fl_033_departed_and_unknown_people_are_told_apart() {
    let of = |tag: &str| judge(with_directory(), &machine(&[("owner", tag)]));
    assert_eq!(of("alice").owner.emails, ["alice.a@example.org"]);
    assert_eq!(of("ALICE@example.org").owner.status, OwnerStatus::Unknown, "not her address");
    assert_eq!(of("alice.a@example.org").owner.team.as_deref(), Some("vision"));
    assert_eq!(of("bob@example.org").rules[0].reason, "owner-departed");
    assert_eq!(of("carol").rules[0].reason, "owner-unknown");
    assert_eq!(of("bob; alice").owner.status, OwnerStatus::Known, "one of them is here");
    assert_eq!(of("bob; alice").owner.emails, ["alice.a@example.org"]);
}

#[test]
fn fl_035_a_provider_without_tags_condemns_nobody() {
    let mut instance = machine(&[]);
    instance.tags = Fact::unknown(Ignorance::NotOffered, "ovhcloud shows no tags");
    let mut spec = ownerless();
    spec.rules.push(rule(
        "missing-tags",
        Conditions { missing_tags: vec!["project".to_owned()], ..Conditions::default() },
    ));
    let judgement = judge(spec.clone(), &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(!judgement.evidence_unread, "nothing failed to be read");
    assert_eq!(judgement.owner.status, OwnerStatus::Unreadable);

    spec.owners.name_pattern = Some("^(?P<owner>[a-z]+)--".parse().expect("valid"));
    instance.name = known("alice--train".to_owned());
    assert_eq!(judge(spec.clone(), &instance).owner.names, ["alice"]);

    for key in ["aws/research/i-0abc", "aws/research/eu-west-1/i-0abc", "aws/111122223333/i-0abc"] {
        let mut spec = spec.clone();
        spec.owners.map.insert(key.to_owned(), "carol".to_owned());
        assert_eq!(judge(spec, &instance).owner.names, ["carol"], "the mapping comes first: {key}");
    }
}

#[test]
fn fl_036_words_and_pairs() {
    let mut instance = machine(&[]);
    instance.tags = known(Tags::new(vec![
        Tag::pair("owner", "a@example.org"),
        Tag::pair("project", "atlas"),
        Tag::word("reaper-keep"),
        Tag::pair("owner", ""),
    ]));
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.owner.status, OwnerStatus::Conflicting);
    assert!(matches!(judgement.protection, reaper_policy::Protection::By(_)));
}

#[test]
fn fl_001_tags_unread_is_not_untagged() {
    let mut instance = machine(&[]);
    instance.tags = unread();
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(judgement.evidence_unread);
    assert!(judgement.why.contains("tags unread: denied"), "{}", judgement.why);
}

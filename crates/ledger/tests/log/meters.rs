//! What is remembered of bills: readings as deltas, absences, two runs, forgetting.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_ledger::meter::{AHEAD, METERS};
use reaper_ledger::{Contradiction, Entry, Error, Ledger, Meter, Policy, Store, View, verify};
use reaper_model::{Billed, Reading};
use tempfile::TempDir;

use crate::support::{
    day, hour, list_at, look, machine, mark, open, place, reading, record, run_ended,
};

fn meter(ledger: &Ledger) -> &Meter {
    ledger.state().meter(&machine("i-1")).expect("was read")
}

/// When each reading was made, until when the one before was confirmed, and when the machine was
/// first away before it.
type Times = (DateTime<Utc>, Option<DateTime<Utc>>, Option<DateTime<Utc>>);

fn times(ledger: &Ledger) -> Vec<Times> {
    let readings = meter(ledger).readings.iter();
    readings.map(|metered| (metered.at, metered.confirmed, metered.absent)).collect()
}

#[tokio::test]
async fn a_reading_is_recorded_when_it_differs_and_holds_while_the_machine_is_seen() {
    let mut ledger = open(&Store::memory(), "run").await;
    let (cheap, dear) = (reading("3.50 EUR"), reading("4 EUR"));
    for today in 0..3 {
        look(&mut ledger, day(today), true, &[("i-1", &cheap)]).await;
    }
    assert_eq!((times(&ledger), meter(&ledger).seen), (vec![(day(0), None, None)], day(2)));
    look(&mut ledger, day(3), true, &[("i-1", &dear)]).await;
    let both = vec![(day(0), None, None), (day(3), Some(day(2)), None)];
    assert_eq!((times(&ledger), meter(&ledger).seen), (both, day(3)));
    assert_eq!(meter(&ledger).last().map(|last| &last.reading), Some(&dear));
}

/// The same machine, read the same before and after, was not there in between: the reader is told.
#[tokio::test]
async fn a_machine_that_was_away_is_read_again_with_the_gap_in_it() {
    for absences in 1..4 {
        let mut ledger = open(&Store::memory(), "run").await;
        let same = reading("3.50 EUR");
        look(&mut ledger, day(0), true, &[("i-1", &same)]).await;
        look(&mut ledger, day(1), true, &[("i-1", &same)]).await;
        for today in 2..2 + absences {
            look(&mut ledger, day(today), true, &[]).await;
        }
        assert_eq!((meter(&ledger).seen, meter(&ledger).absent), (day(1), Some(day(2))));
        // From the second absence on, the meter is all that is known of it.
        let known = ledger.state().machine(&machine("i-1")).is_some();
        assert_eq!(known, absences == 1);
        for today in 9..12 {
            look(&mut ledger, day(today), true, &[("i-1", &same)]).await;
        }
        let gap = (day(9), Some(day(1)), Some(day(2)));
        assert_eq!(times(&ledger), [(day(0), None, None), gap]);
        assert_eq!((meter(&ledger).seen, meter(&ledger).absent), (day(11), None));
    }
}

/// A listing without readings does not bridge an absence, however often it shows the machine.
#[tokio::test]
async fn after_an_absence_only_a_reading_goes_on() {
    let mut ledger = open(&Store::memory(), "run").await;
    let same = reading("3.50 EUR");
    look(&mut ledger, day(0), true, &[("i-1", &same)]).await;
    look(&mut ledger, day(1), true, &[]).await;
    for today in 2..4 {
        list_at(&mut ledger, day(today), &place("111122223333"), true, &["i-1"]).await;
    }
    assert_eq!((meter(&ledger).seen, meter(&ledger).absent), (day(0), Some(day(1))));
    look(&mut ledger, day(4), true, &[("i-1", &same)]).await;
    let gap = (day(4), Some(day(0)), Some(day(1)));
    assert_eq!(times(&ledger), [(day(0), None, None), gap]);
}

/// A run that ends between its listing and its readings has confirmed nothing: the machine may have
/// been stopped when it was listed.
#[tokio::test]
async fn a_listing_alone_confirms_no_reading() {
    let mut ledger = open(&Store::memory(), "run").await;
    let same = reading("3.50 EUR");
    let stopped = Reading { billed: Billed::NotSince(None), ..same.clone() };
    let both = [("i-1", &same), ("i-2", &same)];
    look(&mut ledger, day(0), true, &both).await;
    list_at(&mut ledger, day(1), &place("111122223333"), true, &["i-1", "i-2"]).await;
    assert_eq!((times(&ledger), meter(&ledger).seen), (vec![(day(0), None, None)], day(0)));
    // Nor does a reading of its neighbour.
    let read = |state: &reaper_ledger::State| {
        let entries = state.meter_entries(day(2), &[(machine("i-2"), same.clone())]);
        reaper_ledger::Decision::Write(entries, ())
    };
    ledger.append(day(2), read).await.expect("recorded");
    assert_eq!(meter(&ledger).seen, day(0));
    let neighbour = ledger.state().meter(&machine("i-2")).map(|meter| meter.seen);
    assert_eq!(neighbour, Some(day(2)));
    look(&mut ledger, day(3), true, &[("i-1", &stopped), ("i-2", &same)]).await;
    assert_eq!(times(&ledger), [(day(0), None, None), (day(3), Some(day(0)), None)]);
}

/// Of months that began before bills were read not all is known, and be it that nothing was there.
#[tokio::test]
async fn since_when_bills_are_read_is_known() {
    let mut ledger = open(&Store::memory(), "run").await;
    list_at(&mut ledger, day(0), &place("111122223333"), true, &[]).await;
    assert_eq!(ledger.state().metered_since(), None);
    for today in 1..3 {
        look(&mut ledger, day(today), true, &[]).await;
        assert_eq!(ledger.state().metered_since(), Some(day(1)));
        assert_eq!(ledger.state().meter_entries(day(3), &[]), []);
    }
}

/// Invariant `partial_is_loud`: what a broken-off listing did not show was not away.
#[tokio::test]
async fn partial_is_loud_a_broken_off_listing_leaves_no_gap() {
    let mut ledger = open(&Store::memory(), "run").await;
    let same = reading("3.50 EUR");
    look(&mut ledger, day(0), true, &[("i-1", &same)]).await;
    look(&mut ledger, day(1), false, &[]).await;
    assert_eq!((meter(&ledger).seen, meter(&ledger).absent), (day(0), None));
    look(&mut ledger, day(2), true, &[("i-1", &same)]).await;
    assert_eq!((times(&ledger), meter(&ledger).seen), (vec![(day(0), None, None)], day(2)));
}

#[tokio::test]
async fn a_denied_machine_is_away_at_once_and_its_meter_stays() {
    let mut ledger = open(&Store::memory(), "run").await;
    look(&mut ledger, day(0), true, &[("i-1", &reading("3.50 EUR"))]).await;
    let denied = Entry::NotFound { id: machine("i-1") };
    record(&mut ledger, hour(1), vec![denied]).await.expect("recorded");
    assert!(ledger.state().machine(&machine("i-1")).is_none());
    assert_eq!((meter(&ledger).seen, meter(&ledger).absent), (day(0), Some(hour(1))));
}

/// What has ended is listed for a while, as no machine any more, and read all the same.
#[tokio::test]
async fn an_ended_machine_has_its_last_reading() {
    let mut ledger = open(&Store::memory(), "run").await;
    let ended = Reading { billed: Billed::NotSince(Some(hour(30))), ..reading("3.50 EUR") };
    look(&mut ledger, day(0), true, &[("i-1", &reading("3.50 EUR"))]).await;
    for today in 2..6 {
        let entries = |state: &reaper_ledger::State| {
            let listing = state.sight(&place("111122223333"), true, []);
            let readings = state.meter_entries(day(today), &[(machine("i-1"), ended.clone())]);
            let entries = std::iter::once(listing).chain(readings).collect();
            reaper_ledger::Decision::Write(entries, ())
        };
        ledger.append(day(today), entries).await.expect("recorded");
    }
    let readings: Vec<Billed> =
        meter(&ledger).readings.iter().map(|metered| metered.reading.billed).collect();
    assert_eq!(readings[1], ended.billed);
    assert!(readings.len() <= 3, "told once more at most: {readings:?}");
}

/// Two configured accounts that show one machine do not take turns.
#[tokio::test]
async fn a_machine_of_two_accounts_is_read_once() {
    let mut ledger = open(&Store::memory(), "run").await;
    let one = reading("3.50 EUR");
    let other = Reading { account: "second".into(), ..one.clone() };
    look(&mut ledger, day(0), true, &[("i-1", &one), ("i-1", &other)]).await;
    look(&mut ledger, day(1), true, &[("i-1", &other), ("i-1", &one)]).await;
    assert_eq!(times(&ledger), [(day(0), None, None)]);
    assert_eq!(meter(&ledger).last().map(|last| &last.reading.account), Some(&one.account));
}

/// A slow run does not read its old look into what a faster one has seen since.
#[tokio::test]
async fn an_older_look_is_not_recorded_after_a_newer_one() {
    let store = Store::memory();
    let mut ledger = open(&store, "run").await;
    let (cheap, dear) = (reading("3.50 EUR"), reading("4 EUR"));
    look(&mut ledger, hour(0), true, &[("i-1", &cheap)]).await;
    look(&mut ledger, hour(2), true, &[("i-1", &cheap)]).await;
    look(&mut open(&store, "slow").await, hour(1), true, &[("i-1", &dear)]).await;
    ledger.refresh().await.expect("read");
    assert_eq!((times(&ledger), meter(&ledger).seen), (vec![(hour(0), None, None)], hour(2)));

    let forced = |confirmed| Entry::Metered {
        id: machine("i-1"),
        confirmed,
        absent: None,
        reading: dear.clone(),
    };
    for (at, confirmed) in [
        (hour(1), Some(hour(0))),
        (hour(3), None),
        (hour(3), Some(hour(4))),
        (hour(3), Some(hour(-1))),
    ] {
        let refused = record(&mut ledger, at, vec![forced(confirmed)]).await;
        let told = matches!(
            &refused,
            Err(Error::Contradiction { source: Contradiction::Reading(id), .. })
                if *id == machine("i-1")
        );
        assert!(told, "{refused:?}");
    }
    record(&mut ledger, hour(3), vec![forced(Some(hour(2)))]).await.expect("follows");
}

/// What this month and the last one need is there, and what they do not need is not.
#[tokio::test]
async fn meters_are_forgotten_a_hundred_days_after_the_machine() {
    let mut ledger = open(&Store::memory(), "run").await;
    let prices: Vec<Reading> = (1..6).map(|price| reading(&format!("{price} EUR"))).collect();
    let gone = reading("9 EUR");
    look(&mut ledger, day(0), true, &[("i-1", &prices[0]), ("i-2", &gone)]).await;
    for (today, price) in (1..5).zip(&prices[1..]) {
        look(&mut ledger, day(10 * today), true, &[("i-1", price)]).await;
    }
    // On day 120 the horizon is day 20, whose own reading is the first that still counts.
    look(&mut ledger, day(100), true, &[("i-1", &prices[4])]).await;
    record(&mut ledger, day(100), vec![run_ended()]).await.expect("ok");
    assert!(ledger.state().meter(&machine("i-2")).is_some(), "seen a hundred days ago");
    record(&mut ledger, day(120) - TimeDelta::seconds(1), vec![run_ended()]).await.expect("ok");
    assert_eq!(times(&ledger)[0].0, day(10), "held until day 20");
    record(&mut ledger, day(120), vec![run_ended()]).await.expect("ok");
    let kept: Vec<_> = times(&ledger).iter().map(|times| times.0).collect();
    assert_eq!(kept, [20, 30, 40].map(day));
    assert!(ledger.state().meter(&machine("i-2")).is_none());
    // A machine that stays keeps the reading that holds, whenever it began.
    look(&mut ledger, day(400), true, &[("i-1", &prices[4])]).await;
    record(&mut ledger, day(400), vec![run_ended()]).await.expect("ok");
    assert_eq!(times(&ledger), [(day(40), Some(day(30)), None)]);
    record(&mut ledger, day(400) + METERS, vec![run_ended()]).await.expect("ok");
    assert_eq!(ledger.state().meters().count(), 1);
    let later = day(400) + METERS + TimeDelta::seconds(1);
    record(&mut ledger, later, vec![run_ended()]).await.expect("ok");
    assert_eq!(ledger.state().meters().count(), 0);
}

/// A runner whose clock is fast hides what those after it read, until its time has come: that can
/// be told.
#[tokio::test]
async fn meters_that_a_fast_clock_has_read_are_counted() {
    let mut ledger = open(&Store::memory(), "run").await;
    let (cheap, dear) = (reading("3.50 EUR"), reading("4 EUR"));
    assert_eq!(ledger.state().meters_ahead(DateTime::<Utc>::MIN_UTC), 0);
    look(&mut ledger, hour(0), true, &[("i-1", &cheap), ("i-2", &cheap), ("i-3", &cheap)]).await;
    look(&mut ledger, hour(30), false, &[("i-1", &cheap)]).await;
    // Where nothing is found a later look is known just so.
    record(&mut ledger, hour(20), vec![Entry::NotFound { id: machine("i-2") }]).await.expect("ok");
    let ahead = |ledger: &Ledger, at| ledger.state().meters_ahead(at);
    assert_eq!(ahead(&ledger, hour(1)), 2);
    look(&mut ledger, hour(1), true, &[("i-1", &dear), ("i-3", &dear)]).await;
    assert_eq!((times(&ledger), meter(&ledger).seen), (vec![(hour(0), None, None)], hour(30)));
    assert_eq!(ahead(&ledger, hour(1)), 2, "what was read is not in it");

    for (later, second, first) in [(AHEAD + TimeDelta::seconds(1), 2, 1), (AHEAD, 1, 0)] {
        assert_eq!(ahead(&ledger, hour(20) - later), second, "{later}");
        assert_eq!(ahead(&ledger, hour(30) - later), first, "{later}");
    }
    assert_eq!(ahead(&ledger, hour(30)), 0);
    look(&mut ledger, hour(31), true, &[("i-1", &dear), ("i-3", &dear)]).await;
    assert_eq!(times(&ledger)[1..], [(hour(31), Some(hour(30)), None)]);
    assert_eq!(ahead(&ledger, hour(31)), 0);
}

/// A fresh workspace, a snapshot, a removed beginning: the same meters.
#[tokio::test]
async fn fl_115_meters_survive_restart_and_compaction() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let policy = Policy { snapshot_every: 5, keep: TimeDelta::days(5) };
    for today in 0..40 {
        let mut ledger = open(&store, &format!("run-{today}")).await;
        let price = reading(&format!("{} EUR", 1 + today / 7));
        let stays = ("i-2", &reading("2 EUR"));
        if today % 5 == 4 {
            look(&mut ledger, day(today), true, &[stays]).await;
        } else {
            look(&mut ledger, day(today), true, &[("i-1", &price), stays]).await;
        }
        record(&mut ledger, day(today), vec![run_ended()]).await.expect("ok");
        let before = ledger.state().clone();
        ledger.compact(day(today), &policy).await.expect("compacted");
        assert!(before.meters().eq(ledger.state().meters()));
        let view = View::read(&store).await.expect("readable");
        assert_eq!(view.state(), ledger.state());
    }
    assert!(verify(&store).await.expect("in order").pruned.is_some());
    let view = View::read(&store).await.expect("readable");
    let meter = view.state().meter(&machine("i-1")).expect("read");
    assert_eq!(meter.readings.iter().filter(|metered| metered.absent.is_some()).count(), 7);
    assert_eq!((meter.seen, meter.absent), (day(38), Some(day(39))));
}

/// Ten thousand machines that cost what they did are one line of a listing.
#[tokio::test]
async fn ten_thousand_unchanged_machines_take_no_room() {
    let mut ledger = open(&Store::memory(), "run").await;
    let same = reading("3.50 EUR");
    let names: Vec<String> = (0..10_000).map(|n| format!("i-{n}")).collect();
    let seen: Vec<(&str, &Reading)> = names.iter().map(|name| (name.as_str(), &same)).collect();
    let mut took = Vec::new();
    for today in 0..4 {
        let begin = tokio::time::Instant::now();
        look(&mut ledger, day(today), true, &seen).await;
        took.push(begin.elapsed());
        let read: Vec<_> =
            seen.iter().map(|&(name, reading)| (machine(name), reading.clone())).collect();
        let entries = ledger.state().meter_entries(day(today + 1), &read);
        let places = [(place("111122223333"), Vec::new())].into();
        assert_eq!(entries, [Entry::MetersRead { places }]);
    }
    println!("10,000 machines read: {took:?}");
    assert!(ledger.state().meters().all(|(_, meter)| meter.seen == day(3)));
    // Beside them, a notice costs no more than without them.
    let begin = tokio::time::Instant::now();
    record(&mut ledger, day(4), vec![mark("beside")]).await.expect("ok");
    println!("10,000 meters, one append: {:?}", begin.elapsed());
}

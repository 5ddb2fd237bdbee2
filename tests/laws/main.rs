//! The laws that every provider's adapter keeps, tried against its simulated cloud over loopback
//! HTTP, and for AWS against moto as well. A trial is called `law::provider`.
//!
//! A further provider is one line in [`RIGS`] and one file in `rigs/`. Every law then holds for it,
//! but for those that its cloud cannot have. The trial `the_gates_are_as_told` keeps this table true:
//!
//! | need | aws | ovhcloud | scaleway | lambda |
//! | --- | --- | --- | --- | --- |
//! | Pages | yes | one answer lists all | yes | one answer lists all |
//! | Tags | yes | machines have no tags | yes | yes |
//! | NoTags | machines have tags | yes | machines have tags | machines have tags |
//! | EqualKeys | a key is there once | machines have no tags | yes | yes |
//! | Locations | yes | one call covers all locations | yes | one call covers all locations |
//! | Rate | yes | no rate is documented | no rate is documented | yes |
//! | Receipt | yes | the answer is void | yes | yes |
//! | Protection | yes | machines cannot be protected | yes | machines cannot be protected |
//! | Tagging | yes | tags cannot be changed | yes | tags cannot be changed |
//! | NoTagging | tags can be changed | yes | tags can be changed | yes |

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::format_push_string,
    reason = "a law that does not hold says so by panic; texts are built plainly"
)]

mod acting;
mod alone;
mod answers;
mod aws_on_moto;
mod errors;
mod law;
mod money;
mod pages;
mod permits;
mod reading;
mod retagging;
mod rig;
mod rigs;
mod secrets;
mod stage;
mod support;
mod tags;
mod time;

use libtest_mimic::{Arguments, Failed, Trial};
use reaper_provider::Capabilities;

use crate::law::{LAWS, Need, Trying};
use crate::rig::Rig;

/// Every provider.
const RIGS: [&dyn Rig; 4] = [&rigs::Aws, &rigs::Ovhcloud, &rigs::Scaleway, &rigs::Lambda];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("the_gates_are_as_told", the_gates_are_as_told)];
    for rig in RIGS {
        let (name, able) = (rig.descriptor().name, able(rig));
        for law in LAWS.iter().filter(|law| law.needs.lacking(rig, able).is_none()) {
            trials.push(trial(law.name, name, move || (law.holds)(rig)));
        }
    }
    for (name, holds) in aws_on_moto::LAWS {
        trials.push(trial(name, "aws_on_moto", holds));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(law: &str, provider: &str, holds: impl Fn() -> Trying + Send + 'static) -> Trial {
    Trial::test(format!("{law}::{provider}"), move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(holds());
        Ok(())
    })
}

/// What a cloud is able to do, as its adapter says.
fn able(rig: &dyn Rig) -> Capabilities {
    stage::open(rig, stage::settings(rig, "http://127.0.0.1:9")).capabilities()
}

/// Nothing is left out silently: who looks for the reason finds it at the head of this file.
fn the_gates_are_as_told() -> Result<(), Failed> {
    let names: Vec<&str> = RIGS.iter().map(|rig| rig.descriptor().name).collect();
    let mut rows = vec![format!("| need | {} |", names.join(" | "))];
    for need in Need::GATES {
        let cells = RIGS.map(|rig| need.lacking(rig, able(rig)).unwrap_or("yes"));
        rows.push(format!("| {need:?} | {} |", cells.join(" | ")));
    }
    let head = include_str!("main.rs");
    match rows.iter().find(|row| !head.contains(&format!("//! {row}\n"))) {
        Some(row) => Err(format!("the head of main.rs does not say: {row}").into()),
        None => Ok(()),
    }
}

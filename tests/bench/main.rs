//! Prints the table of speed figures: the binary against simulated clouds, each audit a process of
//! its own, so that memory and CPU time are the program's and not the simulator's.
//!
//! `tests/bench/run` builds both and runs this. The figures depend on the machine; nothing asserts
//! them.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::format_push_string,
    reason = "a measuring tool, not the product"
)]

mod measure;
mod worlds;

use measure::Figures;

#[tokio::main]
async fn main() {
    println!("| what | wall s | CPU s | peak MiB | requests | aim |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let version = measure::run(&["--version"], None).await;
    row("start (`reaper --version`)", &version, 0, "20 ms");
    for case in worlds::all() {
        let served = case.serve().await;
        // The first run warms the simulator's pages; the second is the one that counts.
        measure::run(&["audit", "--format", "json"], Some(&served)).await;
        let before = served.cloud.requests().len();
        let figures = measure::run(&["audit", "--format", "json"], Some(&served)).await;
        row(case.name, &figures, served.cloud.requests().len() - before, case.aim);
    }
}

fn row(what: &str, figures: &Figures, requests: usize, aim: &str) {
    let Figures { wall, cpu, peak_mib } = figures;
    println!("| {what} | {wall:.3} | {cpu:.2} | {peak_mib:.0} | {requests} | {aim} |");
}

//! Wall time, CPU time and peak memory of one process, by GNU time's own measure (`wait4`).

use std::process::Stdio;
use std::time::Instant;

use crate::worlds::Served;

/// What one run took.
pub(crate) struct Figures {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) peak_mib: f64,
}

/// Runs the binary once; it must end with success.
#[expect(clippy::disallowed_methods, reason = "measures real time; the runner names the binary")]
pub(crate) async fn run(arguments: &[&str], served: Option<&Served>) -> Figures {
    let binary = std::env::var("REAPER_BIN").expect("REAPER_BIN: run this with tests/bench/run");
    let mut command = tokio::process::Command::new("/usr/bin/env");
    // Python's resource module is the one measure of a child's peak memory that is everywhere.
    command.args(["python3", "-c", MEASURE, &binary]).args(arguments).stdin(Stdio::null());
    if let Some(served) = served {
        command.current_dir(served.folder.path()).env("REAPER_NOW", crate::worlds::NOW);
    }
    let started = Instant::now();
    let output = command.output().await.expect("the measuring script starts");
    let wall = started.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("figures");
    let mut numbers = said.split_whitespace().map(|text| text.parse::<f64>().expect("a number"));
    let mut next = || numbers.next().expect("three numbers");
    let (inner_wall, cpu, kib) = (next(), next(), next());
    assert!(inner_wall <= wall);
    Figures { wall: inner_wall, cpu, peak_mib: kib / 1024.0 }
}

/// Prints wall seconds, CPU seconds and peak KiB of the command given as arguments.
const MEASURE: &str = "
import resource, subprocess, sys, time
start = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
wall = time.monotonic() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(0 if code in (0, 10) else code)
";

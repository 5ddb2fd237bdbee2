//! `reaper init`: a commented reaper.toml for the providers whose credentials are found.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use reaper_config::{InitAccount, init_template};
use reaper_provider::Descriptor;

use crate::args::Global;
use crate::environment::{Environment, variable};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::providers::PROVIDERS;

pub(crate) fn init(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
) -> Result<ExitCode, Failure> {
    let path = global
        .output
        .clone()
        .or_else(|| global.config.clone())
        .unwrap_or_else(|| PathBuf::from("reaper.toml"));
    let found: Vec<(&Descriptor, String)> = PROVIDERS
        .iter()
        .filter_map(|descriptor| Some((descriptor, evidence(descriptor, environment)?)))
        .collect();
    let accounts: Vec<InitAccount> = found
        .iter()
        .map(|(descriptor, evidence)| InitAccount {
            name: descriptor.name.to_owned(),
            provider: descriptor.name.to_owned(),
            expect_account: None,
            options: Vec::new(),
            note: Some(format!("{}: found {evidence}", descriptor.title)),
        })
        .collect();
    let text = init_template(&accounts);
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| {
            let text = match error.kind() {
                ErrorKind::AlreadyExists => {
                    format!("{} exists and is left as it is", path.display())
                }
                _ => format!("cannot write {}: {error}", path.display()),
            };
            Failure::usage(text, "name another file with --output FILE")
        })?;
    file.write_all(text.as_bytes())
        .map_err(|error| Failure::internal(format!("cannot write {}: {error}", path.display())))?;
    printer.say(&format!("wrote {}", path.display()));
    for (descriptor, evidence) in &found {
        printer.say(&format!("  {}: found {evidence}", descriptor.title));
    }
    if found.is_empty() {
        let names: Vec<_> = PROVIDERS.iter().map(|descriptor| descriptor.title).collect();
        printer.say(&format!(
            "  found no credentials ({}): put your account into the example's place",
            names.join(", ")
        ));
    }
    printer.say("next: look it over, then `reaper check` and `reaper audit`");
    Ok(ExitCode::SUCCESS)
}

/// What says that somebody uses this provider here.
fn evidence(descriptor: &Descriptor, environment: &Environment) -> Option<String> {
    let set = |name: &&&str| variable(name).is_some_and(|value| !value.trim().is_empty());
    if let Some(name) = descriptor.environment.iter().find(set) {
        return Some(format!("the variable {name}"));
    }
    let home = environment.home.as_ref()?;
    let file = descriptor.files.iter().find(|file| home.join(file).is_file())?;
    Some(format!("the file ~/{file}"))
}

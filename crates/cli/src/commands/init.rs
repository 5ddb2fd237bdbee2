//! `reaper init`: a commented reaper.toml for the providers whose credentials are found, or the job
//! that runs it in CI.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use reaper_config::{InitAccount, init_template};
use reaper_provider::Descriptor;

use crate::args::Global;
use crate::ci::Kit;
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
    write_new(&path, &text, "name another file with --output FILE")?;
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

/// Writes the files of a CI job below the folder that `--output` names, this one by default: all of
/// them or, where one is there already, none.
pub(crate) fn ci(global: &Global, printer: &Printer, kit: Kit) -> Result<ExitCode, Failure> {
    const HELP: &str = "name another folder with --output FOLDER, and compare";
    let folder = global.output.clone().unwrap_or_default();
    let files: Vec<(PathBuf, &str)> =
        kit.files().iter().map(|(path, text)| (folder.join(path), *text)).collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(exists(path, HELP));
    }
    for (path, text) in &files {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::usage(format!("cannot make {}: {error}", folder.display()), HELP)
            })?;
        }
        write_new(path, text, HELP)?;
        printer.say(&format!("wrote {}", path.display()));
    }
    printer.say("next:");
    for step in kit.next() {
        printer.say(&format!("  - {step}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that is not there yet.
fn write_new(path: &Path, text: &str, help: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path, help),
        _ => Failure::usage(format!("cannot write {}: {error}", path.display()), help),
    })?;
    file.write_all(text.as_bytes())
        .map_err(|error| Failure::internal(format!("cannot write {}: {error}", path.display())))
}

fn exists(path: &Path, help: &str) -> Failure {
    Failure::usage(format!("{} exists and is left as it is", path.display()), help)
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

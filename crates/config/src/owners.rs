//! `[owners]` with the people directory, and `[protect]`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use reaper_policy::owner::is_address;
use reaper_policy::spec::{DEFAULT_KEEP_TAG, DEFAULT_OWNER_TAGS};
use reaper_policy::{Directory, Employment, OwnerSpec, Person, ProtectSpec};

use crate::context::{Context, Help, help};
use crate::keys::nearest;
use crate::problem::Problem;
use crate::section::Section;
use crate::settings::list;
use crate::value::{self, Text};

pub(crate) fn protect(cx: &mut Context<'_>, root: &Section<'_>) -> ProtectSpec {
    let Some(section) = root.table(cx, "protect") else {
        cx.record("protect.tag".to_owned(), DEFAULT_KEEP_TAG, true);
        return ProtectSpec::default();
    };
    ProtectSpec {
        tag: section.text_or(cx, "tag", DEFAULT_KEEP_TAG),
        types: section.patterns(cx, "types"),
    }
}

pub(crate) fn owners(cx: &mut Context<'_>, root: &Section<'_>) -> OwnerSpec {
    let Some(section) = root.table(cx, "owners") else {
        let owners = OwnerSpec::default();
        cx.record("owners.tags".to_owned(), list(&owners.tags), true);
        return owners;
    };
    let mut tags: Vec<String> =
        section.some_texts(cx, "tags").into_iter().map(|text| text.value).collect();
    let is_default = section.value("tags").is_none();
    if is_default {
        tags = DEFAULT_OWNER_TAGS.map(str::to_owned).to_vec();
    }
    cx.record("owners.tags".to_owned(), list(&tags), is_default);
    let map: BTreeMap<String, String> = section
        .map(cx, "map")
        .into_iter()
        .filter_map(|(key, entry)| {
            let id = key.get_ref().trim().to_owned();
            if !matches!(id.split('/').count(), 3 | 4) || id.split('/').any(str::is_empty) {
                let message = format!("`{id}` names no machine");
                let forms = "write provider/account/id or provider/account/location/id";
                cx.refuse(key.span(), message, help(forms));
                return None;
            }
            let owner = value::text(cx, &section.label(key.get_ref()), entry)?;
            Some((id, owner.value))
        })
        .collect();
    OwnerSpec {
        tags,
        domain: section.domain(cx, "domain"),
        directory: section.text(cx, "directory").and_then(|text| directory(cx, &text)),
        fallback: section.address(cx, "fallback"),
        name_pattern: section.name_pattern(cx, "name_pattern"),
        map,
    }
}

fn directory(cx: &mut Context<'_>, file: &Text) -> Option<Directory> {
    let path = cx.base_dir.join(&file.value);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            cx.refuse(
                file.span.clone(),
                format!("the directory `{}` cannot be read: {error}", path.display()),
                help("a relative path is relative to this configuration file"),
            );
            return None;
        }
    };
    match read_directory(&path, &text) {
        Err(problems) => {
            cx.refuse_elsewhere(problems);
            None
        }
        Ok(people) if people.is_empty() => {
            cx.refuse(
                file.span.clone(),
                format!("the directory `{}` lists nobody", path.display()),
                help("every owner would be unknown; fill it or remove the key"),
            );
            None
        }
        Ok(people) => {
            let (directory, doubled) = Directory::new(people);
            for name in doubled {
                cx.warn(
                    "config-directory-doubled",
                    path.display().to_string(),
                    format!("`{name}` is listed more than once; the first entry counts"),
                );
            }
            Some(directory)
        }
    }
}

const COLUMNS: [&str; 4] = ["owner", "email", "team", "status"];

/// The people of a directory file: every problem with its line, or all of them.
fn read_directory(path: &Path, text: &str) -> Result<Vec<Person>, Vec<Problem>> {
    let name = path.display().to_string();
    let text: Arc<str> = text.strip_prefix('\u{feff}').unwrap_or(text).into();
    let at = |position: Option<&csv::Position>, message: String, advice: Help| {
        let start = position
            .and_then(|position| usize::try_from(position.byte()).ok())
            .map_or(0, |byte| byte.min(text.len()));
        let rest = &text[text.floor_char_boundary(start)..];
        let start = text.len() - rest.trim_start_matches(['\r', '\n']).len();
        let end = text[start..].find(['\r', '\n']).map_or(text.len(), |length| start + length);
        Problem::at(&name, &text, start..end, message, advice)
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut columns: Option<Vec<&str>> = None;
    let mut people = Vec::new();
    let mut problems = Vec::new();
    for row in reader.records() {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                let message = match error.kind() {
                    csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                        format!("{len} fields instead of {expected_len}")
                    }
                    _ => error.to_string(),
                };
                problems.push(at(error.position(), message, None));
                continue;
            }
        };
        let outcome = match &columns {
            None => read_head(&row).map(|head| columns = Some(head)),
            Some(columns) => person(columns, &row).map(|person| people.push(person)),
        };
        if let Err((message, advice)) = outcome {
            problems.push(at(row.position(), message, advice));
            if columns.is_none() {
                break;
            }
        }
    }
    if problems.is_empty() { Ok(people) } else { Err(problems) }
}

fn read_head(row: &csv::StringRecord) -> Result<Vec<&'static str>, (String, Help)> {
    let mut columns = Vec::new();
    for title in row {
        let found = COLUMNS.into_iter().find(|column| column.eq_ignore_ascii_case(title));
        let Some(column) = found.filter(|column| !columns.contains(column)) else {
            let advice = nearest(title, COLUMNS).map_or_else(
                || "the first line is owner,email,team,status".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            let problem = if found.is_some() { "is there twice" } else { "is no column" };
            return Err((format!("`{title}` {problem}"), help(advice)));
        };
        columns.push(column);
    }
    for column in ["owner", "status"] {
        if !columns.contains(&column) {
            let advice = help("the first line is owner,email,team,status");
            return Err((format!("the column `{column}` is missing"), advice));
        }
    }
    Ok(columns)
}

fn person(columns: &[&str], row: &csv::StringRecord) -> Result<Person, (String, Help)> {
    let field = |name| {
        let index = columns.iter().position(|column| *column == name)?;
        row.get(index).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let owner = field("owner").ok_or_else(|| ("the owner is blank".to_owned(), None))?;
    let email = field("email");
    if let Some(email) = email.as_deref().filter(|email| !is_address(email)) {
        return Err((format!("`{email}` is no mail address"), None));
    }
    let status = field("status").unwrap_or_default().to_lowercase();
    let status = match status.as_str() {
        "active" => Employment::Active,
        "departed" => Employment::Departed,
        _ => {
            let message = format!("`{status}` is no status");
            return Err((message, help("write active or departed")));
        }
    };
    Ok(Person { owner, email, team: field("team"), status })
}

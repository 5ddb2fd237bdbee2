//! The commands that keep a machine or start it again, safe to paste whatever the machine is called.

use chrono::NaiveDate;
use reaper_model::InstanceId;

/// Ways to keep a machine until a day: the provider's own command where one tag can be set without
/// touching the others, and ours.
///
/// Scaleway's client replaces all tags when it sets one, and OVHcloud and Lambda have none that can
/// be set later, so there ours alone is named.
pub fn keep(id: &InstanceId, tag: &str, until: NaiveDate) -> Vec<String> {
    let ours = format!(
        "reaper keep {} --until {until} --reason \"why it is needed\"",
        quoted(&id.to_string())
    );
    let theirs = (id.provider.as_str() == "aws").then(|| {
        let (region, native) = (quoted(id.location.as_str()), quoted(&id.native));
        let tags = quoted(&format!("Key={tag},Value={until}"));
        format!("aws ec2 create-tags --region {region} --resources {native} --tags {tags}")
    });
    theirs.into_iter().chain([ours]).collect()
}

/// The provider's command that starts a stopped machine again. `None` where nothing comes back
/// (Lambda only terminates) or the provider is not known.
pub fn restart(id: &InstanceId) -> Option<String> {
    let (place, native) = (quoted(id.location.as_str()), quoted(&id.native));
    match id.provider.as_str() {
        "aws" => Some(format!("aws ec2 start-instances --region {place} --instance-ids {native}")),
        "ovhcloud" => Some(format!("ovhcloud cloud instance unshelve {native}")),
        "scaleway" => Some(format!("scw instance server start {native} zone={place}")),
        _ => None,
    }
}

/// One word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/:=,@-".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> InstanceId {
        text.parse().expect("an id")
    }

    fn day() -> NaiveDate {
        "2026-12-18".parse().expect("a day")
    }

    #[test]
    fn fl_139_each_provider_has_its_ways() {
        let aws = id("aws/111122223333/eu-west-1/i-0abc");
        assert_eq!(
            keep(&aws, "reaper-keep", day()),
            [
                "aws ec2 create-tags --region eu-west-1 --resources i-0abc --tags Key=reaper-keep,Value=2026-12-18",
                "reaper keep aws/111122223333/eu-west-1/i-0abc --until 2026-12-18 --reason \"why it is needed\"",
            ]
        );
        assert_eq!(
            restart(&aws).as_deref(),
            Some("aws ec2 start-instances --region eu-west-1 --instance-ids i-0abc")
        );
        let scaleway = id("scaleway/org/fr-par-2/8f5e");
        assert_eq!(keep(&scaleway, "reaper-keep", day()).len(), 1);
        assert_eq!(
            restart(&scaleway).as_deref(),
            Some("scw instance server start 8f5e zone=fr-par-2")
        );
        assert_eq!(restart(&id("lambda/a/us-west-1/0920")), None);
    }

    #[test]
    fn fl_133_nothing_in_an_id_becomes_a_command() {
        let evil = id("aws/1/r/i-0; rm -rf $HOME 'x'");
        let command = restart(&evil).expect("a command");
        assert!(command.ends_with(r"--instance-ids 'i-0; rm -rf $HOME '\''x'\'''"), "{command}");
        assert_eq!(quoted("-rf"), "'-rf'");
        assert_eq!(quoted(""), "''");
    }
}

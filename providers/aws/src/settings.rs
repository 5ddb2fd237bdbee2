//! What the settings of an account may be. What is refused here is refused before anything is sent.

use reaper_provider::AccountSettings;

/// Options that are on or off.
const SWITCHES: [&str; 5] =
    ["imds", "server_side_filter", "name_uncovered_regions", "cost_explorer", "live_prices"];

/// Checks what can be checked without AWS.
///
/// # Errors
/// In words: what is wrong and what to do.
pub(crate) fn check(settings: &AccountSettings) -> Result<(), String> {
    let given = |key: &str| settings.credentials.contains_key(key);
    if given("access_key_id") != given("secret_access_key") {
        return Err("`access_key_id` and `secret_access_key` belong together".to_owned());
    }
    if given("access_key_id") && settings.option("profile").is_some() {
        return Err("give either `credentials` or `profile`, not both".to_owned());
    }
    for key in SWITCHES {
        if let Some(value) = settings.option(key)
            && !matches!(value, "true" | "false")
        {
            return Err(format!("`{key}` is \"true\" or \"false\", not \"{value}\""));
        }
    }
    for location in &settings.locations {
        check_region(location.as_str())?;
    }
    if let Some(role) = settings.option("assume_role")
        && !is_role(role)
    {
        return Err(format!(
            "`assume_role` is \"{role}\" and no ARN of a role; write it like \
             \"arn:aws:iam::111122223333:role/reaper\""
        ));
    }
    if let Some(account) = &settings.expect_account
        && !is_account(account)
    {
        return Err(format!(
            "`expect_account` is \"{account}\"; AWS's accounts have a number of 12 digits, \
             written like \"111122223333\""
        ));
    }
    Ok(())
}

fn check_region(region: &str) -> Result<(), String> {
    let lower_case = region.trim().to_ascii_lowercase();
    if is_region(region) {
        Ok(())
    } else if is_region(&lower_case) {
        Err(format!("`regions` has \"{region}\": write it as \"{lower_case}\""))
    } else {
        Err(format!("`regions` has \"{region}\", which is no region; write it like \"eu-west-1\""))
    }
}

/// The shape of a region's name, such as `eu-west-1` or `us-gov-east-1`. Whether there is such a
/// region, only AWS knows.
fn is_region(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    let letters =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    match parts.as_slice() {
        [area, sides @ .., number] => {
            area.len() >= 2
                && letters(area)
                && !sides.is_empty()
                && sides.iter().all(|side| letters(side))
                && is_number(number)
        }
        _ => false,
    }
}

/// The shape of a role's ARN: `arn:PARTITION:iam::ACCOUNT:role/PATH`.
fn is_role(arn: &str) -> bool {
    let parts: Vec<&str> = arn.split(':').collect();
    match parts.as_slice() {
        ["arn", partition, "iam", "", account, role] => {
            partition.starts_with("aws")
                && is_account(account)
                && role.strip_prefix("role/").is_some_and(|path| {
                    !path.is_empty() && !path.ends_with('/') && !path.contains(char::is_whitespace)
                })
        }
        _ => false,
    }
}

fn is_account(number: &str) -> bool {
    number.len() == 12 && is_number(number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use reaper_model::Location;
    use secrecy::SecretString;

    use super::*;

    fn problem(change: impl FnOnce(&mut AccountSettings)) -> Option<String> {
        let mut settings = AccountSettings::named("research");
        change(&mut settings);
        check(&settings).err()
    }

    fn region(name: &str) -> Option<String> {
        problem(|settings| settings.locations.push(Location::new(name)))
    }

    fn role(arn: &str) -> Option<String> {
        problem(|settings| {
            settings.options.insert("assume_role".to_owned(), arn.to_owned());
        })
    }

    fn pin(account: &str) -> Option<String> {
        problem(|settings| settings.expect_account = Some(account.to_owned()))
    }

    #[test]
    fn half_a_key_pair_and_two_sources_are_refused() {
        let secret = || SecretString::from("s");
        let half = problem(|settings| {
            settings.credentials.insert("access_key_id".to_owned(), secret());
        });
        assert!(half.is_some_and(|problem| problem.contains("belong together")));
        let two = problem(|settings| {
            for key in ["access_key_id", "secret_access_key"] {
                settings.credentials.insert(key.to_owned(), secret());
            }
            settings.options.insert("profile".to_owned(), "prod".to_owned());
        });
        assert!(two.is_some_and(|problem| problem.contains("not both")));
    }

    #[test]
    fn a_switch_is_on_or_off() {
        for key in SWITCHES {
            let set = |value: &str| {
                problem(|settings| {
                    settings.options.insert(key.to_owned(), value.to_owned());
                })
            };
            assert_eq!((set("true"), set("false")), (None, None), "{key}");
            assert!(set("yes").is_some_and(|problem| problem.contains(key)), "{key}");
        }
    }

    #[test]
    fn a_region_has_the_shape_of_one_in_every_partition() {
        for name in ["eu-west-1", "us-gov-east-1", "us-isob-west-1", "eusc-de-east-1", "xx-new-12"]
        {
            assert_eq!(region(name), None, "{name}");
        }
        for name in ["", "eu", "eu-west", "eu-1", "eu-west-1a", "e-west-1", "eu--1", "eu_west_1"] {
            let problem = region(name).expect(name);
            assert!(problem.contains("no region"), "{problem}");
        }
        let hint = region("EU-West-1").expect("capital letters");
        assert_eq!(hint, "`regions` has \"EU-West-1\": write it as \"eu-west-1\"");
    }

    #[test]
    fn a_role_is_given_by_its_whole_arn() {
        for arn in [
            "arn:aws:iam::111122223333:role/reaper",
            "arn:aws-us-gov:iam::111122223333:role/audit/reaper@org",
        ] {
            assert_eq!(role(arn), None, "{arn}");
        }
        for arn in [
            "reaper",
            "arn:aws:iam::4:role/reaper",
            "arn:aws:iam::111122223333:user/reaper",
            "arn:aws:iam::111122223333:role/",
            "arn:aws:sts::111122223333:assumed-role/reaper/session",
        ] {
            assert!(role(arn).is_some(), "{arn}");
        }
    }

    #[test]
    fn a_pin_has_twelve_digits() {
        assert_eq!(pin("020222070707"), None);
        for account in ["20222070707", "1111-2222-3333", "research"] {
            assert!(pin(account).is_some(), "{account}");
        }
    }
}

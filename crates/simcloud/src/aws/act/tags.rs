//! `CreateTags` and `DeleteTags`, of machines.

use crate::aws::act::order::Order;
use crate::aws::error::AwsError;
use crate::aws::xml::Xml;

const MOST_TAGS: usize = 50;
const LONGEST_KEY: usize = 128;
const LONGEST_VALUE: usize = 256;

/// A tag as a request names it: a deletion may do so without the value.
struct Tag {
    key: String,
    value: Option<String>,
}

/// Sets tags, over what was there.
pub(crate) fn create(order: &mut Order<'_>) -> Result<Xml, AwsError> {
    let ids = order.ids("ResourceId")?;
    let tags = tags(order)?;
    if tags.is_empty() {
        return Err(AwsError::bad(
            "MissingParameter",
            "The request must contain the parameter Tag",
        ));
    }
    for machine in order.machines(&ids)? {
        let new = tags.iter().filter(|tag| !machine.tags.contains_key(&tag.key)).count();
        let own = machine.tags.keys().filter(|key| !is_reserved(key)).count();
        if own + new > MOST_TAGS {
            let message = format!("No more than {MOST_TAGS} tags can be on a resource");
            return Err(AwsError::bad("TagLimitExceeded", message));
        }
    }
    for id in &ids {
        if let Some(machine) = order.aws.instance_mut(&order.account, &order.region, id) {
            for tag in &tags {
                machine.tags.insert(tag.key.clone(), tag.value.clone().unwrap_or_default());
            }
        }
    }
    Ok(done(order))
}

/// Takes tags away: by key, and where a value is given only if it is that one; without any tag all
/// that are not AWS's own.
pub(crate) fn delete(order: &mut Order<'_>) -> Result<Xml, AwsError> {
    let ids = order.ids("ResourceId")?;
    let tags = tags(order)?;
    order.machines(&ids)?;
    for id in &ids {
        if let Some(machine) = order.aws.instance_mut(&order.account, &order.region, id) {
            machine.tags.retain(|key, value| {
                let named = |tag: &Tag| {
                    tag.key == *key && tag.value.as_ref().is_none_or(|wanted| wanted == value)
                };
                is_reserved(key) || !(tags.is_empty() || tags.iter().any(named))
            });
        }
    }
    Ok(done(order))
}

/// `Tag.1.Key`, `Tag.1.Value`, …
fn tags(order: &Order<'_>) -> Result<Vec<Tag>, AwsError> {
    let mut tags = Vec::new();
    for number in 1_u32.. {
        let Some(key) = order.form.get(&format!("Tag.{number}.Key")) else { break };
        let value = order.form.get(&format!("Tag.{number}.Value")).map(str::to_owned);
        if is_reserved(key) {
            let message = format!("Tag keys starting with 'aws:' are reserved: {key}");
            return Err(AwsError::bad("InvalidParameterValue", message));
        }
        let too_long = key.chars().count() > LONGEST_KEY
            || value.as_deref().is_some_and(|value| value.chars().count() > LONGEST_VALUE);
        if key.is_empty() || too_long {
            let message = format!("Tag key or value is empty or too long: {key}");
            return Err(AwsError::bad("InvalidParameterValue", message));
        }
        tags.push(Tag { key: key.to_owned(), value });
    }
    Ok(tags)
}

fn is_reserved(key: &str) -> bool {
    key.starts_with("aws:")
}

fn done(order: &Order<'_>) -> Xml {
    order.answer(|xml| xml.value("return", true))
}

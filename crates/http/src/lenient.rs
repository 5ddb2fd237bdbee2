//! Lenient reading: a field that is null, missing or of another kind spoils itself and nothing
//! else. What could not be read is named, and its content never quoted.

use std::str::FromStr;

use rust_decimal::Decimal;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A field as it came. Use with `#[serde(default)]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Lenient<T> {
    /// As expected.
    Good(T),
    /// Not there, or null.
    #[default]
    Missing,
    /// Something else; says what kind of thing, not what.
    Bad(&'static str),
}

impl<T> Lenient<T> {
    /// The value. What cannot be read is added to `unreadable` under the name `field`; what is
    /// missing is not, for most fields may be.
    pub fn take(self, field: &str, unreadable: &mut Vec<String>) -> Option<T> {
        match self {
            Self::Good(value) => Some(value),
            Self::Missing => None,
            Self::Bad(kind) => {
                unreadable.push(format!("`{field}`: {kind}"));
                None
            }
        }
    }

    /// The value, if it could be read.
    pub fn good(&self) -> Option<&T> {
        match self {
            Self::Good(value) => Some(value),
            Self::Missing | Self::Bad(_) => None,
        }
    }

    /// Whether something was there that could not be read.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Bad(_))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Missing);
        }
        let kind = match &value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(text) if text.is_empty() => "an empty text",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        Ok(T::deserialize(value).map_or(Self::Bad(kind), Self::Good))
    }
}

/// A list whose entries are read one by one. Null and missing (with `#[serde(default)]`) are the
/// empty list; for use with `deserialize_with`.
pub fn list<'de, D, T>(deserializer: D) -> Result<Vec<Lenient<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A JSON number taken exactly as it is written (up to 17 digits), for money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount(pub Decimal);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The shortest text of a float that reads back as the same float is what was written.
        let text = serde_json::Number::deserialize(deserializer)?.to_string();
        Decimal::from_str(&text)
            .or_else(|_| Decimal::from_scientific(&text))
            .map(Self)
            .map_err(|_| D::Error::custom("a number out of range"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Machine {
        name: Lenient<String>,
        image: Lenient<Image>,
        #[serde(deserialize_with = "list")]
        tags: Vec<Lenient<String>>,
    }

    #[derive(Debug, Deserialize)]
    struct Image {
        id: String,
    }

    fn machine(json: &str) -> Machine {
        serde_json::from_str(json).expect("an object is always read")
    }

    #[test]
    fn fl_087_what_is_of_another_kind_spoils_only_itself() {
        let mut unreadable = Vec::new();
        let odd = machine(r#"{"name": 7, "image": "", "extra": {"a": 1}}"#);
        assert_eq!(odd.name.take("name", &mut unreadable), None);
        assert!(odd.image.take("image", &mut unreadable).is_none());
        assert_eq!(unreadable, ["`name`: a number", "`image`: an empty text"]);
        let good = machine(r#"{"name": "n", "image": {"id": "i", "more": true}}"#);
        assert_eq!(good.name, Lenient::Good("n".to_owned()));
        assert_eq!(good.image.good().map(|image| image.id.as_str()), Some("i"));
    }

    #[test]
    fn fl_088_null_is_missing_and_an_empty_list() {
        for json in [r#"{"name": null, "tags": null}"#, "{}"] {
            let machine = machine(json);
            assert_eq!(machine.name, Lenient::Missing);
            assert!(machine.tags.is_empty());
        }
        let tags = machine(r#"{"tags": ["a", null, 3]}"#).tags;
        assert_eq!(
            tags,
            [Lenient::Good("a".to_owned()), Lenient::Missing, Lenient::Bad("a number")]
        );
    }

    #[test]
    fn amounts_are_exact() {
        for text in ["3.5", "0.1", "2520", "0.00000001", "1.2345678901234567", "1e-7", "0"] {
            let Amount(amount) = serde_json::from_str(text).expect("a number");
            let expected = Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text));
            assert_eq!(Ok(amount), expected, "{text}");
        }
        assert!(serde_json::from_str::<Amount>("\"3.5\"").is_err());
        assert!(serde_json::from_str::<Amount>("1e300").is_err());
    }
}
